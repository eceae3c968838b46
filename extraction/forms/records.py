"""Forms for searches and downloads of records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import PAGE_COLUMNS
from extraction.forms.core import RowsField
from extraction.models import Attribute, RecordList, RecordType
from extraction.services.records.exports.formats import FORMATS


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


class ChangesForm(forms.Form):
    """A search among changes. What it cannot understand is ignored."""

    q = forms.CharField(required=False, max_length=500)
    kind = forms.CharField(required=False)
    cause = forms.CharField(required=False)
    since = forms.IntegerField(required=False)

    def asked(self) -> dict[str, Any]:
        """Return the query, kind, cause and the id of the run."""
        self.is_valid()
        data = self.cleaned_data
        return {"query": data.get("q", ""), "kind": data.get("kind", ""), "cause": data.get("cause", ""), "since": data.get("since")}


class KeysForm(forms.Form):
    """Which attributes tell the records of a type apart.

    keys: attributes.
    per_page: lists whose keys count within a page only.
    confirmed: the person has seen that different records would become one.
    use: take the proposal for this list ("pages" for the pages' records), whatever is ticked there.
    """

    keys = RowsField(Attribute.objects.none(), required=False)
    per_page = RowsField(RecordList.objects.none(), required=False)
    gone_after = forms.IntegerField(min_value=1, max_value=100, label=gettext_lazy("Runs without it"))
    confirmed = forms.BooleanField(required=False)
    use = forms.CharField(required=False, max_length=20)

    def __init__(self, data: Any, record_type: RecordType) -> None:
        super().__init__(data)
        self.fields["keys"].queryset = record_type.attributes.all()  # type: ignore[attr-defined]
        self.fields["per_page"].queryset = record_type.lists.all()  # type: ignore[attr-defined]

    def chosen(self, field: str) -> set[int]:
        """Return the ids of the chosen attributes or lists."""
        return {each.pk for each in self.cleaned_data[field]}


class ExportForm(forms.Form):
    """What a file holds and how. Fields that are left out keep their defaults."""

    format = forms.ChoiceField(choices=[(each.name, each.label) for each in FORMATS.values()], required=False)
    columns = forms.MultipleChoiceField(required=False)
    about = forms.MultipleChoiceField(choices=[(name, name) for name in PAGE_COLUMNS], required=False)
    several = forms.ChoiceField(choices=[("join", gettext_lazy("joined")), ("json", gettext_lazy("as JSON"))], required=False)
    separator = forms.CharField(required=False, max_length=10, strip=False)
    values = forms.ChoiceField(
        choices=[("normalised", gettext_lazy("normalised")), ("raw", gettext_lazy("as they appear")), ("both", gettext_lazy("both"))],
        required=False,
    )
    split = forms.BooleanField(required=False)
    guard = forms.ChoiceField(choices=[("1", gettext_lazy("on")), ("0", gettext_lazy("off"))], required=False)
    bom = forms.BooleanField(required=False)
    part = forms.ChoiceField(
        choices=[("file", gettext_lazy("file")), ("schema", gettext_lazy("JSON Schema")), ("dictionary", gettext_lazy("data dictionary"))],
        required=False,
    )

    def __init__(self, data: Any, *, known: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["columns"].choices = [(name, name) for name in known]  # type: ignore[attr-defined]

    def read_choice(self, standard: ExportChoice) -> ExportChoice:
        """Return what was chosen, with `standard` for what was not.

        The dialog sends `about_chosen`, so that a person can choose no column about the page.
        """
        data = self.cleaned_data
        return replace(
            standard,
            columns=tuple(dict.fromkeys(data["columns"])) or standard.columns,
            about=tuple(dict.fromkeys(data["about"])) if "about_chosen" in self.data else tuple(data["about"]) or standard.about,
            several=data["several"] or standard.several,
            separator=data["separator"] or standard.separator,
            values=data["values"] or standard.values,
            split_prices=data["split"],
            guarded=data["guard"] != "0",
            bom=data["bom"],
        )
