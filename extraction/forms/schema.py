"""The forms of the record type editor."""

import re
from collections.abc import Sequence
from typing import (
    Any,
    cast,
)

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.records.choice import URL_COLUMN
from extraction.forms.teams import TeamField
from extraction.models import (
    Attribute,
    RecordType,
    Role,
    Team,
)
from extraction.services.schema.record_types import AttributeDraft

_SPACES = re.compile(r"[\s\-]+")


class RecordTypeForm(forms.ModelForm[RecordType]):
    """A record type's name and description."""

    class Meta:
        model = RecordType
        fields = ["name", "description"]
        labels = {"name": gettext_lazy("Name"), "description": gettext_lazy("Description")}

    def clean(self) -> dict[str, Any]:
        """Refuse the name of another record type of the team."""
        data = super().clean() or self.cleaned_data
        self.instance.team = data.get("team") or self.instance.team
        if RecordType.objects.filter(team=self.instance.team_id, name=data.get("name")).exclude(pk=self.instance.pk).exists():
            self.add_error("name", gettext("There is already a record type with this name."))
        return data


class NewRecordTypeForm(RecordTypeForm):
    """A new record type, of the team that a person chooses."""

    team = TeamField()

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(TeamField, self.fields["team"]).offer(user, Role.EDITOR)

    def fix_team(self, team: Team) -> None:
        """Leave no choice: the record type is for a template of this team."""
        del self.fields["team"]
        self.instance.team = team


class AttributeForm(forms.Form):
    """One attribute: a row of the editor. A row without a name is left out."""

    id = forms.IntegerField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(max_length=60, required=False)
    type = forms.ChoiceField(choices=Attribute.Type.choices, initial=Attribute.Type.TEXT, required=False)
    multiple = forms.BooleanField(required=False)
    mandatory = forms.BooleanField(required=False)
    hotkey = forms.CharField(max_length=1, required=False)
    list = forms.CharField(max_length=60, required=False)

    def clean_list(self) -> str:
        name: str = _SPACES.sub("_", self.cleaned_data["list"].strip())
        if name and not name.isidentifier():
            raise forms.ValidationError(
                gettext("“%(name)s” cannot be a list's name. Use letters, digits and _, and begin with a letter.") % {"name": name}
            )
        return name

    def clean_name(self) -> str:
        name = _SPACES.sub("_", self.cleaned_data["name"].strip())
        if name and not name.isidentifier():
            raise forms.ValidationError(
                gettext("“%(name)s” cannot be a column's name. Use letters, digits and _, and begin with a letter.") % {"name": name}
            )
        if name.lower() == URL_COLUMN:
            raise forms.ValidationError(
                gettext("“%(url_column)s” is already the column of the page's address. Choose another name.") % {"url_column": URL_COLUMN}
            )
        return name

    def clean_hotkey(self) -> str:
        key: str = self.cleaned_data["hotkey"].strip().lower()
        if key and not (key.isascii() and key.isalnum()):
            raise forms.ValidationError(gettext("“%(key)s” cannot be a shortcut. Use a letter or a digit.") % {"key": key})
        return key


class BaseAttributeFormSet(forms.BaseFormSet[AttributeForm]):
    """The rows of the editor. Names and keys must be unique."""

    drafts: list[AttributeDraft]

    def clean(self) -> None:
        if any(self.errors) or not self.management_form.is_valid():
            return
        rows = [form for form in self.ordered_forms if form.cleaned_data.get("name")]
        if not rows:
            raise forms.ValidationError(gettext("A record type needs at least one attribute."))
        self.drafts = [_make_draft(form.cleaned_data) for form in rows]
        _refuse_duplicates(rows, "name", [draft.name.lower() for draft in self.drafts])
        _refuse_duplicates(rows, "hotkey", [draft.hotkey for draft in self.drafts])


def _refuse_duplicates(rows: Sequence[AttributeForm], field: str, values: Sequence[str]) -> None:
    for place, (form, value) in enumerate(zip(rows, values, strict=True)):
        if value and value in values[:place]:
            said = (
                gettext("There is another attribute with the name “%(value)s”. Names are unique, in lists too.")
                if field == "name"
                else gettext("There is another attribute with the shortcut “%(value)s”.")
            )
            form.add_error(field, said % {"value": value})


def _make_draft(data: dict[str, Any]) -> AttributeDraft:
    return AttributeDraft(
        data["id"], data["name"], data["type"] or Attribute.Type.TEXT, data["multiple"], data["mandatory"], data["hotkey"], data["list"]
    )


_AttributeFormSet = forms.formset_factory(
    AttributeForm, formset=BaseAttributeFormSet, extra=0, can_order=True, can_delete=True, max_num=100, validate_max=True
)


EMPTY_ROWS = 3


"""Number of empty rows for a new record type, so that it can be filled in without scripts."""


def build_attribute_rows(data: QueryDict | None, initial: list[dict[str, Any]]) -> BaseAttributeFormSet:
    """Return the rows of the editor: those sent, else the initial ones."""
    rows = _AttributeFormSet(data, initial=initial, prefix="attribute")
    assert isinstance(rows, BaseAttributeFormSet)  # noqa: S101 - formset= guarantees this; the stubs do not know it
    return rows
