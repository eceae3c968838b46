"""Which values of joined records a person corrected, filled in or rejected.

Joined records hold copies of values, without where they come from. That is read from the records of both sides when a screen shows it.
"""

from collections.abc import Iterable, Mapping, Sequence

from extraction.algorithms.records.join import Side
from extraction.models import JoinedRecord, JoinedRow, Record
from extraction.models.record_origins import Origin, RecordOrigins

Corrected = Mapping[tuple[str, Side], Origin]
"""{(attribute, side): the origin of a corrected value}."""


def read_corrected(records: Sequence[JoinedRecord]) -> dict[int, Corrected]:
    """Return {joined record: its corrected values}. Of several rows, the first counts, because its values are those of the record."""
    first = _find_first_rows(each.pk for each in records)
    pages = {each.page_id for each in records if each.page_id} | {row.page_id for row in first.values()}
    origins = _read_origins(pages)
    found: dict[int, Corrected] = {}
    for record in records:
        marks: dict[tuple[str, Side], Origin] = {}
        row = first.get(record.pk)
        for origin in origins.get(row.page_id, ()) if row else ():
            if row and _is_of_row(origin, row):
                marks[origin.attribute, "listing"] = origin
        for origin in origins.get(record.page_id or 0, ()):
            if not origin.list_name:
                marks[origin.attribute, "page"] = origin
        found[record.pk] = marks
    return found


def _find_first_rows(records: Iterable[int]) -> dict[int, JoinedRow]:
    first: dict[int, JoinedRow] = {}
    for row in JoinedRow.objects.filter(record__in=list(records)).select_related("listing__list").order_by("pk"):
        first.setdefault(row.record_id, row)
    return first


def _read_origins(pages: Iterable[int]) -> dict[int, list[Origin]]:
    """Return {page: the origins of its corrected values}."""
    records = Record.objects.filter(snapshot__page__in=list(pages)).shown().exclude(origins={})
    return {
        page: [each for each in RecordOrigins.from_json(origins).by_place().values() if each.correction]
        for page, origins in records.values_list("snapshot__page", "origins")
    }


def _is_of_row(origin: Origin, row: JoinedRow) -> bool:
    """Return whether an origin is of a row of a listing, or of its page's own values if they go with the row."""
    if not origin.list_name:
        return row.listing.with_page
    return row.listing.list is not None and origin.list_name == row.listing.list.name and origin.row == row.place
