"""Joined records as the lines of an export. All formats take them like other records."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db.models import Prefetch, QuerySet
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


_UNUSED = (
    "page__search_text",
    "page__current__vector",
    *(f"page__current__record__{name}" for name in ("values", "rows", "origins", "text", "held_back")),
    *(f"page__current__record__rule__{name}" for name in ("definition", "stylesheet", "report")),
)
"""Large columns of the other tables that no line needs."""


def _read_lines(join: Join, records: QuerySet[JoinedRecord], names: dict[str, str], counts: LineCounts) -> Iterator[Line]:
    sources = Prefetch("sources", JoinedRow.objects.select_related("page").defer("values"))
    found = records.select_related("page__current__record__rule").defer("text", *_UNUSED).prefetch_related(sources)
    for each in found.iterator(chunk_size=CHUNK):
        counts.records += 1
        about = {
            "join_state": [JoinedState(each.state).label.lower()],
            "join_conflicts": each.conflicts,
            "join_reason": [each.why] if each.why else [],
            "listing_url": list(dict.fromkeys(row.page.url for row in each.sources.all())),
        }
        values = {names[name]: [RecordValue(text, text) for text in texts] for name, texts in about.items()}
        yield Line({**read_values(each.values), **values}, _describe_page(join, each))


def _describe_page(join: Join, record: JoinedRecord) -> dict[str, PageCell]:
    """Return the cells about the page of a joined record; empty ones without a page."""
    snapshot = record.page.current if record.page else None
    made = getattr(snapshot, "record", None)
    return {
        URL_COLUMN: record.page.url if record.page else None,
        "site": join.site.name,
        "template": join.detail.stored_label if join.detail and record.page else None,
        "page_id": record.page_id,
        "row": None,
        "fetched_at": _as_utc(snapshot.fetched_at) if snapshot else None,
        "extracted_at": _as_utc(made.extracted_at) if made else None,
        "state": made.state if made else None,
        "rule_version": made.rule.version if made else None,
        "run": made.run_id if made else None,
    }


def _as_utc(time: datetime) -> datetime:
    return time.astimezone(UTC)
