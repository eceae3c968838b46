"""Forms for corrections of values."""

from django import forms
from django.utils.translation import gettext

from extraction.algorithms.json_texts import parse_json
from extraction.models import Correction
from extraction.services.corrections.storing import MAX_LENGTH, MAX_TEXTS, CorrectionInput


class CorrectionForm(forms.Form):
    """What a person says about the values at one place of a record.

    of, row: the list and the row from 0; empty for an attribute of the page itself.
    values: one on each line.
    seen: the texts of the page that the form showed, as JSON.
    reject: the page has no such value.
    replaces: the correction under review that this one takes the place of.
    """

    attribute = forms.CharField(max_length=60)
    of = forms.CharField(max_length=60, required=False)
    row = forms.IntegerField(min_value=0, required=False)
    values = forms.CharField(max_length=MAX_TEXTS * MAX_LENGTH, required=False, strip=False)
    seen = forms.CharField()
    reject = forms.BooleanField(required=False)
    replaces = forms.ModelChoiceField(queryset=Correction.objects.open(), required=False)

    def clean_seen(self) -> tuple[str, ...]:
        """Return the texts of the page."""
        try:
            seen = parse_json(self.cleaned_data["seen"])
        except ValueError as error:
            raise forms.ValidationError(gettext("Open the form again.")) from error
        if not isinstance(seen, list):
            raise forms.ValidationError(gettext("Open the form again."))
        return tuple(map(str, seen))

    def clean(self) -> None:
        """Refuse a form that says nothing."""
        if not self.errors and not self.cleaned_data["reject"] and not self.cleaned_data["values"].strip():
            raise forms.ValidationError(gettext("Write the right value, or reject the one on the page."))

    def given(self) -> CorrectionInput:
        """Return what the person says."""
        data = self.cleaned_data
        texts = () if data["reject"] else tuple(line for line in data["values"].splitlines() if line.strip())
        return CorrectionInput((data["attribute"], data["of"], data["row"]), texts, data["seen"])

    @property
    def problem(self) -> str:
        """What is wrong with the form, in words."""
        return " ".join(str(each) for errors in self.errors.values() for each in errors)
