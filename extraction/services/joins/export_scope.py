"""Joined records as the lines of an export. All formats take them like other records."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice

from django.db.models import QuerySet
from django.utils.translation import gettext

from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.records.line import Line, PageCell
from extraction.models import Join, JoinedRecord, JoinedRow, Record
from extraction.models.join import JoinedState
from extraction.models.record_values import RecordValue, read_values
from extraction.services.joins import plans
from extraction.services.joins.state import describe_state
from extraction.services.records.exports.lines import CHUNK, LineCounts
from extraction.services.records.exports.scopes import ExportScope

ABOUT = {
    "join_state": ExportAttribute("join_state"),
    "join_conflicts": ExportAttribute("join_conflicts", multiple=True),
    "join_reason": ExportAttribute("join_reason"),
    "listing_url": ExportAttribute("listing_url", "url", multiple=True),
}
"""Columns that say how a record was joined: its state, the attributes whose sides differ, why a row has no page, and the listing pages."""


def find_join_scope(join: Join, records: QuerySet[JoinedRecord] | None = None) -> ExportScope:
    """Return the joined records as they were last made. records: some of them in their order; by default all."""
    result = join.read_result()
    taken = {each.name for each in result.columns}
    names = {name: plans.find_free_name(name, taken) for name in ABOUT}
    own = [ExportAttribute(each.name, each.type, each.multiple) for each in result.columns]
    about = [ExportAttribute(names[name], each.type, each.multiple) for name, each in ABOUT.items()]
    found = JoinedRecord.objects.filter(join=join).order_by("pk") if records is None else records

    def read(counts: LineCounts) -> Iterator[Line]:
        return _read_lines(join, found, names, counts)

    return ExportScope(
        f"{join.site.name}: {join.name}",
        Record.objects.none(),
        {"": (*own, *about)},
        frozenset(taken | set(names.values())),
        tuple(_describe_left_out(join)),
        read=read,
        line=gettext("a joined record: a page with its rows, a row without a page, or a page without a row"),
    )


def _describe_left_out(join: Join) -> list[str]:
    found = [each.removesuffix(".") for each in describe_state(join).warnings]
    if join.detail and join.detail.record_type and join.detail.record_type.lists.exists():
        found.append(gettext("the rows of lists on the pages; the export of their template has them"))
    return found


_PAGE_FIELDS = {
    URL_COLUMN: "page__url",
    "page_id": "page_id",
    "fetched_at": "page__current__fetched_at",
    "extracted_at": "page__current__record__extracted_at",
    "state": "page__current__record__state",
    "rule_version": "page__current__record__rule__version",
    "run": "page__current__record__run_id",
}


def _read_lines(join: Join, records: QuerySet[JoinedRecord], names: dict[str, str], counts: LineCounts) -> Iterator[Line]:
    chunk = counts.choose_chunk(CHUNK)
    rows = records.values_list("pk", "values", "state", "conflicts", "why", *_PAGE_FIELDS.values()).iterator(chunk_size=chunk)
    while some := list(islice(rows, chunk)):
        listings = _read_listings([row[0] for row in some])
        for pk, values, state, conflicts, why, *about in some:
            counts.records += 1
            texts = {
                "join_state": [JoinedState(state).label.lower()],
                "join_conflicts": conflicts,
                "join_reason": [why] if why else [],
                "listing_url": list(listings.get(pk, ())),
            }
            found = {names[name]: [RecordValue(text, text) for text in many] for name, many in texts.items()}
            yield Line({**read_values(values), **found}, _describe_page(join, dict(zip(_PAGE_FIELDS, about, strict=True))))


def _read_listings(records: Sequence[int]) -> dict[int, dict[str, None]]:
    """Return {joined record: the addresses of the listing pages of its rows, in their order}."""
    found: dict[int, dict[str, None]] = {}
    for record, url in JoinedRow.objects.filter(record__in=records).order_by("pk").values_list("record", "page__url"):
        found.setdefault(record, {})[url] = None
    return found


def _describe_page(join: Join, fields: Mapping[str, PageCell]) -> dict[str, PageCell]:
    """Return the cells about the page of a joined record; empty ones without a page."""
    named = {name: cell.astimezone(UTC) if isinstance(cell, datetime) else cell for name, cell in fields.items()}
    template = join.detail.stored_label if join.detail and fields["page_id"] else None
    return {**named, "site": join.site.name, "template": template, "row": None}
