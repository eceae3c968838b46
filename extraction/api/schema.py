"""Record types."""

from typing import Any

from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.operations import (
    ApiRequest,
    Operations,
    choose_team,
)
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import FieldError, ProblemError, refuse_form
from extraction.forms.schema import BaseAttributeFormSet, RecordTypeForm, build_attribute_rows
from extraction.models import (
    RecordType,
    Role,
)
from extraction.services.core.access import visible_to
from extraction.services.schema import record_types as service
from extraction.services.schema import versions
from extraction.services.schema.versions import SchemaAttribute
from extraction.views.schema import record_types

operations = Operations("Record types")

SHARED = "Record types belong to all sites, so changing them needs a token for all sites."


class AttributeIn(RequestBody):
    """An attribute of a record type.

    id: of the attribute that is changed; null for a new one.
    type: text, number, price, date, url, image or boolean.
    list: the list whose rows it belongs to; empty for the page itself.
    """

    id: int | None = None
    name: str
    type: str = "text"
    multiple: bool = False
    mandatory: bool = False
    hotkey: str = ""
    list: str = ""


class AttributeOut(AttributeIn):
    """An attribute of a record type. is_key: it is part of what tells records apart."""

    is_key: bool = False


class RecordTypeBody(RequestBody):
    """A record type and all of its attributes in their order."""

    name: str
    description: str = ""
    attributes: list[AttributeIn]


class RecordTypeIn(RecordTypeBody):
    """A new record type. team: the slug of a team; empty for the oldest of your teams."""

    team: str = ""


class RecordTypeChange(RecordTypeBody):
    """A record type as it is to be. Attributes that are left out are deleted.

    drop_labels: delete marked values with their attributes.
    break_readers: change the schema although programs read it that the change may break.
    """

    drop_labels: bool = False
    break_readers: bool = False


class RecordTypeOut(Schema):
    """A record type."""

    slug: str
    name: str
    team: str
    description: str
    attributes: list[AttributeOut]


def describe_record_type(found: RecordType) -> RecordTypeOut:
    """Return what the API says about a record type."""
    attributes = [
        AttributeOut(
            id=each.pk,
            name=each.name,
            type=each.type,
            multiple=each.multiple,
            mandatory=each.mandatory,
            hotkey=each.hotkey,
            list=each.list.name if each.list else "",
            is_key=each.is_key,
        )
        for each in found.attributes.all()
    ]
    return RecordTypeOut(slug=found.slug, name=found.name, team=found.team.slug, description=found.description, attributes=attributes)


@operations.get("/record-types", like=record_types.list_record_types, response=Paged[RecordTypeOut])
def list_record_types(request: ApiRequest, paging: Asked) -> dict[str, Any]:
    """List record types."""
    found = visible_to(RecordType.objects.select_related("team"), request.access.user)
    return take_page(found.prefetch_related("attributes__list"), paging, describe_record_type)


@operations.post("/record-types", like=record_types.create_record_type, response=RecordTypeOut, status=201)
def create_record_type(request: ApiRequest, body: RecordTypeIn) -> Status[RecordTypeOut]:
    """Create a record type."""
    request.access.refuse_site_limits(SHARED)
    team = choose_team(request, body.team, Role.EDITOR)
    form, rows = _read_forms(body, RecordType(team=team))
    made = service.create_record_type(form.cleaned_data["name"], form.cleaned_data["description"], rows.drafts, team=team)
    return Status(201, describe_record_type(made))


@operations.get("/record-types/{slug:slug}", like=record_types.show_record_type, response=RecordTypeOut)
def show_record_type(request: ApiRequest, slug: str) -> RecordTypeOut:  # noqa: ARG001 - Ninja passes it
    """Show a record type."""
    return describe_record_type(get_object_or_404(RecordType, slug=slug))


@operations.change("PUT", "/record-types/{slug:slug}", like=record_types.change_record_type, response=RecordTypeOut)
def change_record_type(request: ApiRequest, slug: str, body: RecordTypeChange) -> RecordTypeOut:
    """Change a record type. Rules and records take over new names.

    The answer is 409 if marked values would be lost (see drop_labels) or programs that read the schema may break (see break_readers).
    """
    request.access.refuse_site_limits(SHARED)
    found = get_object_or_404(RecordType, slug=slug)
    known = set(found.attributes.values_list("pk", flat=True))
    if strange := [each.id for each in body.attributes if each.id is not None and each.id not in known]:
        raise ProblemError(422, f"{found.name} has no attribute with the id {strange[0]}.")
    form, rows = _read_forms(body, found)
    wanted = [SchemaAttribute(each.id, each.name, each.type, each.list, each.multiple, each.mandatory) for each in rows.drafts]
    breaking = [each.text for each in versions.find_changes(found, wanted) if each.breaking]
    if breaking and not body.break_readers:
        raise ProblemError(409, f"This may break {versions.name_readers(found) or 'programs that read the schema'}: {' '.join(breaking)}")
    service.update_record_type(
        found, form.cleaned_data["name"], form.cleaned_data["description"], rows.drafts, drop_labels=body.drop_labels
    )
    return describe_record_type(RecordType.objects.get(pk=found.pk))


@operations.change("DELETE", "/record-types/{slug:slug}", like=record_types.delete_record_type)
def delete_record_type(request: ApiRequest, slug: str) -> Status[None]:
    """Delete a record type that no template uses."""
    request.access.refuse_site_limits(SHARED)
    service.delete_record_type(get_object_or_404(RecordType, slug=slug))
    return Status(204, None)


def _read_forms(body: RecordTypeBody, found: RecordType) -> tuple[RecordTypeForm, BaseAttributeFormSet]:
    """Return the dashboard's forms with what was sent, both valid. Raises ProblemError."""
    data = QueryDict(mutable=True)
    data.update({"name": body.name, "description": body.description})
    data.update({"attribute-TOTAL_FORMS": str(len(body.attributes)), "attribute-INITIAL_FORMS": "0"})
    for place, each in enumerate(body.attributes):
        for field, value in each.model_dump().items():
            if value not in (None, False, ""):
                data[f"attribute-{place}-{field}"] = str(value)
        data[f"attribute-{place}-ORDER"] = str(place + 1)
    form = RecordTypeForm(data, instance=RecordType.objects.get(pk=found.pk) if found.pk else found)
    rows = build_attribute_rows(data, [])
    if not form.is_valid():
        raise refuse_form(form)
    if not rows.is_valid():
        errors = [
            FieldError(field=f"body.attributes.{place}.{name}", message=str(message))
            for place, row in enumerate(rows.forms)
            for name, texts in row.errors.items()
            for message in texts
        ]
        whole = [FieldError(field="body.attributes", message=str(each)) for each in rows.non_form_errors()]
        raise ProblemError(422, " ".join(dict.fromkeys(each.message for each in (*whole, *errors))), [*whole, *errors])
    return form, rows
