"""Forms for searches and downloads of records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms

from extraction.services.records.export_csv import Layout


class RecordsForm(forms.Form):
    """A search among records. What it cannot understand is ignored."""

    q = forms.CharField(required=False, max_length=500)
    state = forms.CharField(required=False)
    has = forms.CharField(required=False)
    missing = forms.CharField(required=False)
    sort = forms.CharField(required=False)
    of = forms.CharField(required=False)

    def asked(self) -> dict[str, str]:
        """Return the arguments for `services.records.search`."""
        self.is_valid()
        names = {"query": "q", "state": "state", "attribute": "has", "missing": "missing", "sort": "sort", "part": "of"}
        return {name: self.cleaned_data.get(field, "") for name, field in names.items()}


class ExportForm(forms.Form):
    """The layout of a CSV file. Fields that are left out keep their defaults."""

    columns = forms.MultipleChoiceField(required=False)
    several = forms.ChoiceField(choices=[("join", "joined"), ("json", "as JSON")], required=False)
    separator = forms.CharField(required=False, max_length=10, strip=False)
    values = forms.ChoiceField(choices=[("normalised", "normalised"), ("raw", "as they appear")], required=False)
    guard = forms.ChoiceField(choices=[("1", "on"), ("0", "off")], required=False)
    bom = forms.BooleanField(required=False)

    def __init__(self, data: Any, *, known: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["columns"].choices = [(name, name) for name in known]  # type: ignore[attr-defined]

    def layout(self, standard: Layout) -> Layout:
        """Return the chosen layout, with `standard` for what was not chosen."""
        data = self.cleaned_data
        return replace(
            standard,
            columns=tuple(dict.fromkeys(data["columns"])) or standard.columns,
            several=data["several"] or standard.several,
            separator=data["separator"] or standard.separator,
            normalised=data["values"] != "raw",
            guarded=data["guard"] != "0",
            bom=data["bom"],
        )
