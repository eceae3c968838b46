"""Forms: what a person may send, checked before a service sees it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from extraction.algorithms.dom.xpath import expand
from extraction.fetching.archives import ArchiveError
from extraction.models import Attribute, Cluster, Monitor, Page, RecordType, Site
from extraction.services import import_pages, sites
from extraction.services.export_csv import URL_COLUMN, Layout
from extraction.services.record_types import AttributeDraft

TAKEN = "There is a site of this name already. Choose another or add the pages there."

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".warc", ".warc.gz")

_SPACES = re.compile(r"[\s\-]+")


def said(form: forms.BaseForm) -> str:
    """All that is wrong with a form as one text."""
    return " ".join(str(message) for messages in form.errors.values() for message in messages)


def plain_numbers(form: forms.BaseForm) -> None:
    """Says in plain words what is wrong with a form's numbers."""
    for field in form.fields.values():
        if isinstance(field, forms.IntegerField):  # a FloatField is one, too
            whole = "number" if isinstance(field, forms.FloatField) else "whole number"
            field.error_messages |= {
                "required": f"Give a {whole}.",
                "invalid": f"This is no {whole}.",
                "min_value": f"Give a {whole} of at least %(limit_value)s.",
                "max_value": f"Give a {whole} of at most %(limit_value)s.",
            }


class SiteForm(forms.ModelForm[Site]):
    """A site's name and, where it has one, its address."""

    address = forms.URLField(
        max_length=2000, required=False, assume_scheme="https", label="Address", help_text="Optional. Where the site is on the web."
    )

    class Meta:
        model = Site
        fields = ["name", "address"]
        error_messages = {"name": {"unique": TAKEN}}

    def clean_name(self) -> str:
        """Names that differ by case alone would be taken for one another."""
        name: str = self.cleaned_data["name"]
        if any(site.pk != self.instance.pk for site in sites.same_named(name)):
            raise forms.ValidationError(TAKEN)
        return name


class MonitorForm(forms.ModelForm[Monitor]):
    """When a site's rules are checked, and what a repair may do."""

    class Meta:
        model = Monitor
        fields = ["enabled", "every_hours", "auto_repair"]
        labels = {
            "enabled": "Check its rules by itself",
            "every_hours": "Hours from one check to the next",
            "auto_repair": "Repairs that pass every test go live by themselves",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plain_numbers(self)


class ImportForm(forms.Form):
    """An archive of pages."""

    file = forms.FileField(error_messages={"required": "Choose a file first.", "empty": "The file is empty. Choose another."})

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if not (file.name or "").lower().endswith(ARCHIVES):
            raise forms.ValidationError(f"{file.name} is not an archive that can be read. Give one of: {', '.join(ARCHIVES)}.")
        if (file.size or 0) > settings.VERTEX_UPLOAD_MAX_BYTES:
            raise forms.ValidationError(
                f"{file.name} has {file.size:,} bytes; at most {settings.VERTEX_UPLOAD_MAX_BYTES:,} are accepted. Split it, "
                "or use the command import_pages on the server."
            )
        try:
            import_pages.check(file)
        except ArchiveError as error:
            raise forms.ValidationError(f"{file.name}: {error}.") from error
        return file


class NewUploadForm(ImportForm, SiteForm):
    """A new site and the archive of its pages."""

    field_order = ["file", "name", "address"]


class ClusterForm(forms.Form):
    """The least number of similar pages that make a template; empty for the usual one."""

    threshold = forms.IntegerField(required=False, min_value=1)


class NameForm(forms.Form):
    """A template's name."""

    name = forms.CharField(max_length=120, required=False)


class MergeForm(forms.Form):
    """The numbers of the templates to be made one, that which takes in the others first."""

    clusters = forms.TypedMultipleChoiceField(
        coerce=int,
        error_messages={"required": "Choose two templates to merge.", "invalid_choice": "One of the templates is gone. Choose again."},
    )

    def __init__(self, data: Any, *, site: Site) -> None:
        super().__init__(data)
        self.found = {cluster.number: cluster for cluster in site.clusters.select_related("site")}
        self.fields["clusters"].choices = [(number, number) for number in self.found]  # type: ignore[attr-defined]

    def clean_clusters(self) -> list[Cluster]:
        numbers = list(dict.fromkeys(self.cleaned_data["clusters"]))
        if len(numbers) < 2:
            raise forms.ValidationError("Choose two templates to merge.")
        return [self.found[number] for number in numbers]


class PlaceForm(forms.Form):
    """Pages of a site and where they are to go: a template's number, `new`, or nothing for no template."""

    NEW = "new"

    pages: "forms.ModelMultipleChoiceField[Page]" = forms.ModelMultipleChoiceField(
        Page.objects.none(), error_messages={"required": "Choose pages first.", "invalid_choice": "A page is gone. Choose again."}
    )
    into = forms.CharField(required=False)

    def __init__(self, data: Any, *, site: Site) -> None:
        super().__init__(data)
        self.site = site
        self.fields["pages"].queryset = Page.objects.filter(site=site)  # type: ignore[attr-defined]

    def clean_into(self) -> Cluster | str | None:
        into: str = self.cleaned_data["into"].strip()
        if into in {"", self.NEW}:
            return into or None
        found = self.site.clusters.filter(number=int(into)).first() if into.isdecimal() else None
        if found is None:
            raise forms.ValidationError("That template is gone. Choose another.")
        return found


class DeleteForm(forms.Form):
    """The name of what is deleted, typed."""

    typed = forms.CharField(required=False)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted

    def clean_typed(self) -> str:
        if self.cleaned_data["typed"].strip() != self.wanted:
            raise forms.ValidationError(f"Type {self.wanted} to delete it. Nothing was deleted.")
        return self.wanted


class XPathForm(forms.Form):
    """Another XPath for an attribute of a rule."""

    attribute = forms.CharField(max_length=60)
    xpath = forms.CharField(max_length=4000)

    def clean_xpath(self) -> str:
        """XPath 1.0: the short forms that the page shows are taken, too."""
        return expand(self.cleaned_data["xpath"])


class RecordsForm(forms.Form):
    """What a person looks for among records. Whatever cannot be understood is taken as not asked."""

    q = forms.CharField(required=False, max_length=500)
    state = forms.CharField(required=False)
    has = forms.CharField(required=False)
    missing = forms.CharField(required=False)
    sort = forms.CharField(required=False)
    of = forms.CharField(required=False)

    def asked(self) -> dict[str, str]:
        """The arguments of `services.records.search`."""
        self.is_valid()
        names = {"query": "q", "state": "state", "attribute": "has", "missing": "missing", "sort": "sort", "part": "of"}
        return {name: self.cleaned_data.get(field, "") for name, field in names.items()}


class ExportForm(forms.Form):
    """How a CSV is to look; what is not said is as usual."""

    columns = forms.MultipleChoiceField(required=False)
    several = forms.ChoiceField(choices=[("join", "joined"), ("json", "as JSON")], required=False)
    separator = forms.CharField(required=False, max_length=10, strip=False)
    values = forms.ChoiceField(choices=[("normalised", "normalised"), ("raw", "as they stand")], required=False)
    guard = forms.ChoiceField(choices=[("1", "on"), ("0", "off")], required=False)
    bom = forms.BooleanField(required=False)

    def __init__(self, data: Any, *, known: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["columns"].choices = [(name, name) for name in known]  # type: ignore[attr-defined]

    def layout(self, standard: Layout) -> Layout:
        """The layout asked for, over the usual one."""
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


class RecordTypeForm(forms.ModelForm[RecordType]):
    """A record type's name and description."""

    class Meta:
        model = RecordType
        fields = ["name", "description"]
        error_messages = {"name": {"unique": "There is a record type of this name already."}}


class AttributeForm(forms.Form):
    """One attribute, one row of the editor. A row without a name is an empty row and is left out."""

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
            raise forms.ValidationError(f"“{name}” cannot be a list's name. Use letters, digits and _, a letter first.")
        return name

    def clean_name(self) -> str:
        name = _SPACES.sub("_", self.cleaned_data["name"].strip())
        if name and not name.isidentifier():
            raise forms.ValidationError(f"“{name}” cannot be a column's name. Use letters, digits and _, a letter first.")
        if name.lower() == URL_COLUMN:
            raise forms.ValidationError(f"“{URL_COLUMN}” is the column of the page's address already. Choose another name.")
        return name

    def clean_hotkey(self) -> str:
        key: str = self.cleaned_data["hotkey"].strip().lower()
        if key and not (key.isascii() and key.isalnum()):
            raise forms.ValidationError(f"“{key}” cannot be a key. Use a letter or a digit.")
        return key


class BaseAttributeFormSet(forms.BaseFormSet[AttributeForm]):
    """The rows of the editor; names and keys stand once."""

    drafts: list[AttributeDraft]

    def clean(self) -> None:
        if any(self.errors) or not self.management_form.is_valid():
            return
        rows = [form for form in self.ordered_forms if form.cleaned_data.get("name")]
        if not rows:
            raise forms.ValidationError("A record type needs at least one attribute.")
        self.drafts = [_draft(form.cleaned_data) for form in rows]
        _refuse_twice(rows, "name", [draft.name.lower() for draft in self.drafts])
        _refuse_twice(rows, "hotkey", [draft.hotkey for draft in self.drafts])


def _refuse_twice(rows: Sequence[AttributeForm], field: str, values: Sequence[str]) -> None:
    for place, (form, value) in enumerate(zip(rows, values, strict=True)):
        if value and value in values[:place]:
            form.add_error(field, f"There is another attribute of this {'name' if field == 'name' else 'key'}.")


def _draft(data: dict[str, Any]) -> AttributeDraft:
    return AttributeDraft(
        data["id"], data["name"], data["type"] or Attribute.Type.TEXT, data["multiple"], data["mandatory"], data["hotkey"], data["list"]
    )


_AttributeFormSet = forms.formset_factory(
    AttributeForm, formset=BaseAttributeFormSet, extra=0, can_order=True, can_delete=True, max_num=100, validate_max=True
)
EMPTY_ROWS = 3
"""Rows of a new record type, so that it can be filled in without scripts too."""


def attribute_rows(data: QueryDict | None, initial: list[dict[str, Any]]) -> BaseAttributeFormSet:
    """The rows of the editor: as sent, or as they are."""
    rows = _AttributeFormSet(data, initial=initial, prefix="attribute")
    assert isinstance(rows, BaseAttributeFormSet)  # noqa: S101 - what formset= asks for; the stubs do not know
    return rows
