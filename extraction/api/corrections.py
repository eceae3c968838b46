"""Corrections: values that people put in the place of what a rule gives on a page."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import User
from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_cluster
from extraction.api.paging import Asked, Paged, take_page, take_slice
from extraction.api.problems import ProblemError
from extraction.api.records import ValueOut, describe_values
from extraction.models import Correction, Record
from extraction.services.corrections.storing import MAX_TEXTS, CorrectionError, CorrectionInput
from extraction.services.records import correcting
from extraction.views.corrections import corrections, shown_corrections
from extraction.views.corrections.shown_corrections import ShownCell
from extraction.views.sites import site_pages

operations = Operations("Corrections")

PAGE = "/sites/{slug:slug}/templates/{int:number}/pages/{int:page_id}"
CORRECTION = "/sites/{slug:slug}/templates/{int:number}/corrections/{int:correction_id}"


class PlaceOut(Schema):
    """The values of one attribute at one place of a record.

    list_name, row: the list, and the number of its row from 1; empty and 0 for an attribute of the page itself.
    page: the texts on the page: give them as `seen` to correct the values.
    given: what the rule gave, if a person corrected it; else null.
    correction, corrected_by: the correction that is in use here; null and empty if there is none.
    """

    attribute: str
    list_name: str
    row: int
    values: list[ValueOut]
    page: list[str]
    given: list[ValueOut] | None
    correction: int | None
    corrected_by: str


class CorrectionOut(Schema):
    """A correction.

    kind: corrected, filled (the page has no value) or rejected (the record has no value).
    state: active, review (the page says something else now, so a person must decide) or ended.
    values: what the person wrote; none if the value was rejected.
    basis: the texts on the page for which the correction is meant; found: what the page says now, if it waits for a review.
    reason: why it waits, or how it ended.
    row: the number of the row when it was corrected, from 1; 0 for the page itself.
    """

    id: int
    page: int
    url: str
    attribute: str
    list_name: str
    row: int
    kind: str
    state: str
    values: list[str]
    basis: list[str]
    found: list[str] | None
    reason: str
    by: str
    at: datetime
    ended_at: datetime | None


class CorrectedOut(CorrectionOut):
    """A correction that was just made. outcome: what it did, and what it taught the learner, in words."""

    outcome: str


class CorrectionIn(RequestBody):
    """What is right at one place of a record.

    values: the right values; an empty list says that there is none.
    row: the row of the list, from 1; 0 for the page itself.
    seen: the texts of the page that were there when the value was looked at, `page` of a place. The answer is 409 if the page says
        something else now. null: whatever the page says.
    replaces: the id of a correction under review that this one takes the place of.
    """

    attribute: str
    list_name: str = ""
    row: int = Field(0, ge=0, le=10**9)
    values: list[str] = Field(max_length=MAX_TEXTS)
    seen: list[str] | None = None
    replaces: int | None = None


def describe_correction(correction: Correction) -> CorrectionOut:
    """Return what the API says about a correction."""
    attribute = correction.attribute
    return CorrectionOut(
        id=correction.pk,
        page=correction.page_id,
        url=correction.page.url,
        attribute=attribute.name,
        list_name=attribute.list.name if attribute.list else "",
        row=correction.row["position"] + 1 if correction.row else 0,
        kind=correction.kind,
        state=correction.state,
        values=correction.texts,
        basis=correction.basis,
        found=correction.found,
        reason=correction.reason,
        by=correction.by_name,
        at=correction.at,
        ended_at=correction.ended_at,
    )


@operations.get(f"{PAGE}/values", like=corrections.show_values, response=Paged[PlaceOut], records=True)
def list_values(request: ApiRequest, slug: str, number: int, page_id: int, paging: Asked, list_name: str = "") -> dict[str, Any]:
    """List the values of a page's record beside what the page says.

    `list_name` is the list whose rows are wanted; without it, the values of the page itself.
    """
    record = _find_record(request, slug, number, page_id)
    return take_slice(_list_cells(record, list_name), paging, _describe_cell)


@operations.post(f"{PAGE}/corrections", like=corrections.correct_value, response=CorrectedOut, status=201)
def correct_value(request: ApiRequest, slug: str, number: int, page_id: int, body: CorrectionIn) -> Status[CorrectedOut]:
    """Correct, fill in or reject the values at one place of a page's record.

    It applies in all later runs, as long as the page says the same. It is marked on the page where it stands there, for the next time that
    the rule is learned.
    """
    record = _find_record(request, slug, number, page_id)
    if blank := [text for text in body.values if not text.strip()]:
        raise ProblemError(422, f"{blank[0]!r} is no value. To reject what the page says, give an empty list of values.")
    place = (body.attribute, body.list_name, body.row - 1 if body.row else None)
    cell = shown_corrections.find_cell(record, place)
    if cell is None:
        raise ProblemError(422, f"The record has no attribute “{body.attribute}” there. `values` of the page lists all places.")
    if body.seen is not None and tuple(body.seen) != cell.page_texts:
        raise ProblemError(409, "The page says something else now than what was seen. Look again before you correct it.")
    given = CorrectionInput(place, tuple(body.values), cell.page_texts)
    try:
        done = correcting.correct_value(record, given, request.access.user, replaces=_find_replaced(record, body.replaces))
    except CorrectionError as error:
        raise ProblemError(422, str(error)) from error
    said = describe_correction(done.correction)
    return Status(201, CorrectedOut(**said.model_dump(), outcome=corrections.describe_outcome(done)))


@operations.get(
    "/sites/{slug:slug}/templates/{int:number}/corrections",
    like=corrections.list_corrections,
    response=Paged[CorrectionOut],
    records=True,
)
def list_corrections(
    request: ApiRequest, slug: str, number: int, paging: Asked, state: Literal["", "active", "review", "ended"] = ""
) -> dict[str, Any]:
    """List the corrections on the pages of a template, oldest first.

    `state`: active, review or ended; without it, those that are in use or wait for a review.
    """
    found = Correction.objects.of_cluster(find_cluster(request, slug, number)).select_related("page", "attribute__list")
    return take_page(found.filter(state=state) if state else found.open(), paging, describe_correction)


@operations.post(f"{CORRECTION}/keep", like=corrections.keep_correction, response=CorrectionOut)
def keep_correction(request: ApiRequest, slug: str, number: int, correction_id: int) -> CorrectionOut:
    """Keep a correction under review for what the page says now."""
    correction = _find_correction(request, slug, number, correction_id)
    if correction.state == Correction.State.ACTIVE:
        raise ProblemError(409, "This correction is in use. Only one that waits for a review can be kept.")
    return _decide(correction, correcting.keep_correction, request.access.user)


@operations.post(f"{CORRECTION}/end", like=corrections.end_correction, response=CorrectionOut)
def end_correction(request: ApiRequest, slug: str, number: int, correction_id: int) -> CorrectionOut:
    """End a correction, so that the record has what the rule gives on the page."""
    return _decide(_find_correction(request, slug, number, correction_id), correcting.withdraw_correction, request.access.user)


def _find_record(request: ApiRequest, slug: str, number: int, page_id: int) -> Record:
    cluster = find_cluster(request, slug, number)
    record = correcting.find_shown_record(page_id)
    if record is None or record.cluster_id != cluster.pk:
        raise Http404
    return record


def _find_correction(request: ApiRequest, slug: str, number: int, correction_id: int) -> Correction:
    rows = Correction.objects.select_related("attribute__list", "page", "by")
    return get_object_or_404(rows, pk=correction_id, page__site=find_cluster(request, slug, number).site)


def _find_replaced(record: Record, correction_id: int | None) -> Correction | None:
    if correction_id is None:
        return None
    found = Correction.objects.open().filter(pk=correction_id, page=record.snapshot.page_id).first()
    if found is None:
        raise ProblemError(422, f"The page has no open correction {correction_id} that could be replaced.")
    return found


def _decide(correction: Correction, decide: Callable[[Correction, User], object], user: User) -> CorrectionOut:
    try:
        decide(correction, user)
    except CorrectionError as error:
        raise ProblemError(409, str(error)) from error
    return describe_correction(Correction.objects.select_related("attribute__list", "page").get(pk=correction.pk))


def _list_cells(record: Record, list_name: str) -> Sequence[ShownCell]:
    if not list_name:
        return shown_corrections.list_cells(record)
    schema = site_pages.list_schema(record.cluster.record_type)
    if list_name not in schema:
        raise ProblemError(422, f"The record type has no list “{list_name}”.")
    rows = record.read_rows().get(list_name, [])
    return [cell for row in shown_corrections.make_row_cells(record, schema[list_name], list_name, rows, 0) for cell in row]


def _describe_cell(cell: ShownCell) -> PlaceOut:
    return PlaceOut(
        attribute=cell.attribute.name,
        list_name=cell.list_name,
        row=0 if cell.position is None else cell.position + 1,
        values=describe_values(cell.values),
        page=list(cell.page_texts),
        given=describe_values(cell.given) if cell.correction else None,
        correction=cell.correction.id if cell.correction else None,
        corrected_by=cell.correction.by if cell.correction else "",
    )
