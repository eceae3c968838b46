"""The lines of an export, read from the records in chunks, so that memory holds one chunk at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.records.correction_cells import describe_corrections
from extraction.algorithms.records.line import Line, PageCell
from extraction.algorithms.records.record_origins import RecordOrigins
from extraction.models import Cluster
from extraction.models.record import RecordQuerySet
from extraction.models.record_values import read_rows, read_values
from extraction.services.records.outdated import describe_outdated

CHUNK = 200
"""Records per database read."""

_FIELDS = {
    URL_COLUMN: "snapshot__page__url",
    "canonical_url": "canonical",
    "site": "cluster__site__name",
    "page_id": "snapshot__page_id",
    "fetched_at": "snapshot__fetched_at",
    "extracted_at": "extracted_at",
    "state": "state",
    "rule_version": "rule__version",
    "run": "run_id",
    "number": "cluster__number",
    "name": "cluster__name",
    "held_back": "held_back",
    "snapshot": "snapshot_id",
    "current": "snapshot__page__current_id",
    "rule_state": "rule__state",
}


@dataclass(slots=True)
class LineCounts:
    """How many records were read, and how many of them gave no line because they have no row of the list.

    wanted: lines that are read at most, None for all.
    """

    records: int = 0
    without_rows: int = 0
    wanted: int | None = None

    def choose_chunk(self, usual: int) -> int:
        """Return how many records to read at once, so that few are read that nobody wants. usual: the number if all are wanted."""
        if not self.wanted:
            return usual
        return -(-self.wanted // -(-self.wanted // usual))


def read_lines(
    records: RecordQuerySet, list_name: str = "", counts: LineCounts | None = None, with_corrections: bool = False
) -> Iterator[Line]:
    """Return the lines of the records in their order. Failed records are left out.

    list_name: the list whose rows become the lines; empty for one line per page.
    counts: is counted up while the lines are read.
    with_corrections: fill CORRECTION_COLUMNS, which costs one more column of the database.
    """
    counts = LineCounts() if counts is None else counts
    fields = {**_FIELDS, "origins": "origins"} if with_corrections else _FIELDS
    found = records.given().values_list("values", "rows", *fields.values())
    for values, lists, *about in found.iterator(chunk_size=counts.choose_chunk(CHUNK)):
        counts.records += 1
        named = dict(zip(fields, about, strict=True))
        marks = list(RecordOrigins.from_json(named.pop("origins", {})).list_corrected())
        of_page, page = read_values(values), _describe_page(named)
        if not list_name:
            yield Line(of_page, {**page, **describe_corrections(marks)})
            continue
        rows = read_rows(lists).get(list_name, ())
        counts.without_rows += not rows
        for place, row in enumerate(rows, 1):
            corrected = describe_corrections(marks, list_name, place - 1, own=frozenset(row))
            yield Line({**of_page, **row}, {**page, "row": place, **corrected})


def _describe_page(fields: dict[str, Any]) -> dict[str, PageCell]:
    number, name, state = fields.pop("number"), fields.pop("name"), fields.pop("rule_state")
    held: Mapping[str, str] = fields.pop("held_back")
    fresh = fields.pop("snapshot") == fields.pop("current")
    page: dict[str, PageCell] = {key: cell.astimezone(UTC) if isinstance(cell, datetime) else cell for key, cell in fields.items()}
    page["outdated"] = describe_outdated(fresh, state, fields["rule_version"]) or None
    page["held_back"] = "; ".join(f"{attribute}: {why}" for attribute, why in sorted(held.items())) or None
    page["canonical_url"] = page["canonical_url"] or None
    return {**page, "template": name or Cluster.UNNAMED.format(number=number), "row": None}
