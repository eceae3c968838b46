"""Forms for accepting suggested fields and lists."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.schema import AttributeForm, RecordTypeForm
from extraction.models import Cluster
from extraction.services.suggestions.suggested_lists import TakenList
from extraction.services.suggestions.taking_fields import TakenColumns, find_named_type

MOST = 100
"""The largest number of fields that can be accepted at once."""


class SuggestedForm(forms.Form):
    """The suggested fields that an editor accepts.

    take: the numbers of the accepted columns.
    name-3, type-3: the name and type of column 3.
    record_type: the name of a record type, which may be a new one.
    """

    key = forms.CharField(max_length=1000)
    record_type = forms.CharField(max_length=80, required=False)

    def __init__(self, data: QueryDict, cluster: Cluster) -> None:
        super().__init__(data)
        self.cluster, self.sent = cluster, data
        self.taken: list[TakenColumns] = []

    def clean(self) -> dict[str, Any]:
        """Set `taken`."""
        cleaned = super().clean() or self.cleaned_data
        if self.cluster.record_type is None and not find_named_type(self.cluster, cleaned.get("record_type", "")):
            kind = RecordTypeForm({"name": cleaned.get("record_type", ""), "description": ""})
            if not kind.is_valid():
                raise forms.ValidationError([gettext("Record type: %(message)s") % {"message": message} for message in kind.errors["name"]])
        self.taken = [self._read_field(int(place)) for place in self.sent.getlist("take")[:MOST] if place.isdecimal() and len(place) < 4]
        if not self.taken:
            raise forms.ValidationError(gettext("Tick at least one field."))
        names = [each.name.lower() for each in self.taken]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise forms.ValidationError(gettext("%(twice)s is used twice. Give each field its own name.") % {"twice": ", ".join(twice)})
        return cleaned

    def _read_field(self, place: int) -> TakenColumns:
        row = AttributeForm({"name": self.sent.get(f"name-{place}", ""), "type": self.sent.get(f"type-{place}", "text")})
        if not row.is_valid():
            raise forms.ValidationError([str(message) for errors in row.errors.values() for message in errors])
        if not row.cleaned_data["name"]:
            raise forms.ValidationError(gettext("Each ticked field needs a name."))
        return TakenColumns(place, row.cleaned_data["name"], row.cleaned_data["type"] or "text")


class SuggestedListForm(SuggestedForm):
    """The accepted fields of one suggested list.

    list: the number of the list.
    list_name: its name.
    every: mark all rows of the first page.
    """

    list = forms.IntegerField(min_value=0, max_value=1000)
    list_name = forms.CharField(max_length=60, error_messages={"required": gettext_lazy("The list needs a name.")})
    every = forms.BooleanField(required=False)

    def clean_list_name(self) -> str:
        row = AttributeForm({"list": self.cleaned_data["list_name"]})
        if not row.is_valid():
            raise forms.ValidationError([str(message) for errors in row.errors.values() for message in errors])
        name: str = row.cleaned_data["list"]
        return name

    @property
    def taken_list(self) -> TakenList:
        """The accepted list. The form must be valid."""
        data = self.cleaned_data
        return TakenList(data["list"], data["list_name"], tuple(self.taken), every=data["every"])


class ProposedForm(forms.Form):
    """The proposals that an editor accepts.

    key: the key of the offer.
    attribute: ids of the accepted attributes.
    """

    key = forms.CharField(max_length=20_000)
    attribute = forms.TypedMultipleChoiceField(coerce=int, error_messages={"required": gettext_lazy("Tick at least one attribute.")})

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        sent = [each for each in data.getlist("attribute")[:MOST] if each.isdecimal() and len(each) < 16]
        self.fields["attribute"].choices = [(each, each) for each in sent]  # type: ignore[attr-defined]
