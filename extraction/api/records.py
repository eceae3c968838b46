"""Records, their changes, and exports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from ninja import Schema

from extraction.api.operations import ApiRequest, Operations, find_cluster
from extraction.api.paging import Asked, Paged, Time, take_page
from extraction.models import Record, RecordChange, RecordType
from extraction.models.record_values import RecordValue
from extraction.services.records import history as changes
from extraction.services.records import records as service
from extraction.services.records.exports import scopes
from extraction.views.records import exports, history, records

operations = Operations("Records")


class ValueOut(Schema):
    """A value. raw: the text of the page; value: its normal form, null if it cannot be read; problem: why it cannot be read."""

    raw: str
    value: str | None
    problem: str


class RecordOut(Schema):
    """The record of a page.

    values: {attribute: its values}; rows: {list: [{attribute: values} for each row]}.
    state: complete, incomplete, or failed; reason: why it failed.
    """

    id: int
    site: str
    template: int
    page: int
    url: str
    state: str
    reason: str
    version: int
    extracted_at: datetime
    values: dict[str, list[ValueOut]]
    rows: dict[str, list[dict[str, list[ValueOut]]]]


class ChangeOut(Schema):
    """A change of one record over time.

    kind: added, changed, gone, back, moved or joined.
    record: the id of the thing that the record is about; it stays the same over all runs.
    list_name: the list whose row it is; empty for the record of a page.
    key: the texts that tell it apart.
    values: {attribute: {from: values before, to: values after, cause}}.
    cause: page, rule, correction or mixed; empty without values.
    """

    id: int
    record: int
    list_name: str
    key: list[str]
    url: str | None
    number: int
    kind: str
    at: datetime
    run: int | None
    cause: str
    values: dict[str, Any]


def describe_record(record: Record) -> RecordOut:
    """Return what the API says about a record."""
    return RecordOut(
        id=record.pk,
        site=record.cluster.site.slug,
        template=record.cluster.number,
        page=record.snapshot.page_id,
        url=record.snapshot.page.url,
        state=record.state,
        reason=record.reason,
        version=record.rule.version,
        extracted_at=record.extracted_at,
        values=_describe_values(record.read_values()),
        rows={name: [_describe_values(row) for row in many] for name, many in record.read_rows().items()},
    )


def describe_change(change: RecordChange) -> ChangeOut:
    """Return what the API says about a change."""
    record = change.record
    return ChangeOut(
        id=change.pk,
        record=record.pk,
        list_name=record.list_name,
        key=record.key,
        url=record.page.url if record.page else None,
        number=change.number,
        kind=change.kind,
        at=change.at,
        run=change.run_id,
        cause=change.cause,
        values=change.values,
    )


@operations.get("/sites/{slug:slug}/templates/{int:number}/records", like=records.list_records, response=Paged[RecordOut], records=True)
def list_records(
    request: ApiRequest,
    slug: str,
    number: int,
    paging: Asked,
    q: str = "",
    state: str = "",
    attribute: str = "",
    missing: str = "",
    part: str = "",
    extracted_after: Time | None = None,
) -> dict[str, Any]:
    """List the records of a template.

    `q`: words that occur in the values or the address. `state`: complete, incomplete or failed. `attribute`: one that has a value.
    `missing`: one that has none. `part`: now (of the current pages, the default), earlier (of earlier content) or elsewhere (of pages
    now in another template). `extracted_after`: only records that were extracted later than this time.
    """
    cluster = find_cluster(request, slug, number)
    found: QuerySet[Record] = service.search_records(cluster, query=q, state=state, attribute=attribute, missing=missing, part=part)
    return take_page(_select(found, extracted_after), paging, describe_record)


@operations.get("/record-types/{slug:slug}/records", like=exports.choose_type_records, response=Paged[RecordOut], records=True)
def list_type_records(
    request: ApiRequest, slug: str, paging: Asked, state: str = "", extracted_after: Time | None = None
) -> dict[str, Any]:
    """List the records of a record type on all sites that the token may be used for. Ignored templates are left out."""
    record_type = get_object_or_404(RecordType, slug=slug)
    found = Record.objects.now().filter(cluster__record_type=record_type, cluster__ignored=False)
    found = found.filter(cluster__site__in=request.access.list_sites())
    found = found.filter(state=state) if state else found
    return take_page(_select(found, extracted_after), paging, describe_record)


@operations.get("/sites/{slug:slug}/templates/{int:number}/changes", like=history.list_changes, response=Paged[ChangeOut], records=True)
def list_changes(
    request: ApiRequest, slug: str, number: int, paging: Asked, kind: str = "", cause: str = "", since: Time | None = None
) -> dict[str, Any]:
    """List the changes of a template's records, oldest first.

    To follow them, keep the `next` of the last page that had one, or the time of the last change, and ask again from there.
    `kind`: added, changed, gone, back, moved or joined. `cause`: page, rule, correction or mixed. `since`: only later changes.
    """
    found = changes.search_changes(find_cluster(request, slug, number), kind=kind, cause=cause)
    return take_page(found.filter(at__gt=since) if since else found, paging, describe_change)


@operations.get("/sites/{slug:slug}/templates/{int:number}/export", like=exports.download_records, records=True, file=True)
def export_records(request: ApiRequest, slug: str, number: int, format: str = "csv") -> HttpResponseBase:  # noqa: ARG001
    """Send the records of a template as a file: `format` is csv, jsonl, xlsx, parquet, sqlite or duckdb.

    Takes the same parameters as the dashboard's download: list, columns, about, several, separator, values, split, guard, bom, part
    (file, schema or dictionary); to leave some out, q, state, has (an attribute with a value) and missing; and sort: url, state,
    extracted or an attribute, with a minus sign from the end. Without sort, records stand in the order in which they were first made.
    A download that breaks off can go on with Range and If-Range.
    """
    cluster = find_cluster(request, slug, number)
    return exports.send_template_export(request, cluster, who=name_token(request))


@operations.get("/record-types/{slug:slug}/export", like=exports.download_type_records, records=True, file=True)
def export_type_records(request: ApiRequest, slug: str, format: str = "csv") -> HttpResponseBase:  # noqa: ARG001
    """Send the records of a record type on all sites as a file. Takes the same parameters as the export of a template."""
    record_type = get_object_or_404(RecordType, slug=slug)
    scope = scopes.find_type_scope(record_type)
    if not request.access.token.every_site:
        # What is said about records that are left out counts all sites, so a limited token does not see it.
        sites = request.access.list_sites()
        scope = replace(scope, records=scope.records.filter(cluster__site__in=sites), left_out=(), notices=())
    return exports.send_export(request, scope, slugify(record_type.name)[:80] or "records", who=name_token(request))


def name_token(request: ApiRequest) -> str:
    """Return whose download it is. Two tokens of a person may be limited to different sites, so they never share a file."""
    return f"token {request.access.token.pk}"


def _select(found: QuerySet[Record], extracted_after: datetime | None) -> QuerySet[Record]:
    found = found.select_related("cluster__site", "snapshot__page", "rule")
    return found.filter(extracted_at__gt=extracted_after) if extracted_after else found


def describe_values(values: Sequence[RecordValue]) -> list[ValueOut]:
    """Return what the API says about the values of an attribute."""
    return [ValueOut(raw=each.raw, value=each.value, problem=each.problem) for each in values]


def _describe_values(values: Mapping[str, Sequence[RecordValue]]) -> dict[str, list[ValueOut]]:
    return {name: describe_values(many) for name, many in values.items()}
