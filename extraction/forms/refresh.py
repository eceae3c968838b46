"""The form for when records are refreshed."""

from typing import Any

from django import forms

from extraction.forms.core import word_number_errors
from extraction.forms.repeating import RepeatingForm, describe_repeating
from extraction.models import RefreshSchedule


class RefreshForm(RepeatingForm, forms.ModelForm[RefreshSchedule]):
    """When, and how many pages at most."""

    max_pages = forms.IntegerField(min_value=1, required=False)

    class Meta:
        model = RefreshSchedule
        fields = ["mode", "every_hours", "cron", "zone", "max_pages"]
        widgets = {"mode": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        word_number_errors(self)
        self.initial = {**self.initial, **describe_repeating(self.instance)}

    def clean(self) -> dict[str, Any]:
        """Check the fields of the chosen way."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        self.clean_repetition(given, self.instance)
        return given

    def save(self, commit: bool = True) -> Any:
        self.instance.times = list(self.cleaned_data["times"])
        return super().save(commit)
