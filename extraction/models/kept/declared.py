"""What is kept: each count, and each column that follows from other rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import models

from extraction.models.crawl import CrawlAddress
from extraction.models.kept.counts import AddressCount, ChangeCount, KeptCount, PageCount, ProblemCount, RecordCount, TrackedCount
from extraction.models.page import Page
from extraction.models.record import Record
from extraction.models.record_history import RecordChange, TrackedRecord
from extraction.models.run import RunProblem
from extraction.models.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Counted:
    """A count: `table` has the number of rows of `source` for each combination of `keys`.

    keys: {column of the count: SQL of a row's value}, with `{row}` for the row. It may use columns of the row only.
    uses: the columns of the row that the keys use.
    sums: {column of the count: SQL of what is added up}.
    """

    source: type[models.Model]
    table: type[KeptCount]
    keys: Mapping[str, str]
    uses: tuple[str, ...]
    sums: Mapping[str, str] = field(default_factory=dict)


COUNTED = (
    Counted(
        Page,
        PageCount,
        {
            "site_id": "{row}.site_id",
            "cluster_key": "COALESCE({row}.cluster_id, 0)",
            "reading": "{row}.reading",
            "kept": "{row}.kept",
            "gone": "({row}.gone_at IS NOT NULL)",
        },
        uses=("site_id", "cluster_id", "reading", "kept", "gone_at"),
        sums={"id_sum": "{row}.id"},
    ),
    Counted(
        Record,
        RecordCount,
        {
            **{name: f"{{row}}.{name}" for name in ("cluster_id", "rule_id", "part", "shown", "standing", "sorting", "state")},
            "whole": "({row}.held_back = {empty})",
        },
        uses=("cluster_id", "rule_id", "part", "shown", "standing", "sorting", "state", "held_back"),
    ),
    Counted(
        TrackedRecord,
        TrackedCount,
        {name: f"{{row}}.{name}" for name in ("cluster_id", "list_name", "state")},
        uses=("cluster_id", "list_name", "state", "number"),
        sums={"number_sum": "{row}.number"},
    ),
    Counted(
        RecordChange,
        ChangeCount,
        {name: f"{{row}}.{name}" for name in ("cluster_id", "kind", "cause")},
        uses=("cluster_id", "kind", "cause"),
    ),
    Counted(RunProblem, ProblemCount, {"run_id": "{row}.run_id"}, uses=("run_id",)),
    Counted(
        CrawlAddress,
        AddressCount,
        {name: f"{{row}}.{name}" for name in ("run_id", "state", "outcome")},
        uses=("run_id", "state", "outcome"),
    ),
)
"""All kept counts."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Columns of a table that follow from other rows.

    columns: {column: SQL of its value}, where `{row}` is the row and the other names are those of `joined`.
    joined: the other rows, as a FROM clause with outer joins that begins at a single row.
    on: the columns of the row from which it follows.
    """

    table: type[models.Model]
    columns: Mapping[str, str]
    joined: str
    on: tuple[str, ...]


READING = "CASE WHEN now.id IS NULL THEN '' WHEN now.error <> '' THEN 'unreadable' WHEN now.notice <> '' THEN 'partly' ELSE 'whole' END"

PAGE = Followed(
    Page,
    {
        "cluster_id": "now.cluster_id",
        "reading": READING,
        "kept": "COALESCE(now.kept, {false})",
        "unsorted": "COALESCE(now.unsorted, {false})",
        "search_text": "CASE WHEN now.id IS NULL THEN '' ELSE lower({row}.url || {newline} || now.title) END",
    },
    joined="(SELECT 1) one LEFT JOIN extraction_snapshot now ON now.id = {row}.current_id",
    on=("current_id", "url"),
)
"""What a page has from its current snapshot."""

_FRESH = "COALESCE(page.current_id = {row}.snapshot_id, {false})"

_UNSORTED = "(page.cluster_id IS NULL AND page.unsorted)"

_NEWER = (
    "EXISTS (SELECT 1 FROM extraction_snapshot its CROSS JOIN extraction_record newer "
    "WHERE its.page_id = page.id AND newer.snapshot_id = its.id AND newer.extracted_at > {{row}}.extracted_at{more})"
)
"""Written as a cross join so that SQLite begins with the contents of the page and never with the records of the template."""

_LAST = (
    f"(NOT {_FRESH} AND NOT EXISTS (SELECT 1 FROM extraction_record present WHERE present.snapshot_id = page.current_id) AND ("
    f"(COALESCE(page.cluster_id = {{row}}.cluster_id, {{false}}) AND NOT {_NEWER.format(more=' AND newer.cluster_id = {row}.cluster_id')}) "
    f"OR ({_UNSORTED} AND NOT {_NEWER.format(more='')})))"
)
"""The record is the last one of a page that has new content without a record."""

_HERE = f"({_FRESH} AND (COALESCE(page.cluster_id = {{row}}.cluster_id, {{false}}) OR {_UNSORTED}))"

RECORD = Followed(
    Record,
    {
        "part": f"CASE WHEN NOT ({_HERE} OR {_LAST}) THEN 'elsewhere' WHEN page.left_at IS NOT NULL THEN 'gone' "
        f"WHEN {_HERE} THEN 'now' ELSE 'earlier' END",
        "shown": f"(page.left_at IS NULL AND ({_FRESH} OR {_LAST}))",
        "standing": _FRESH,
        "sorting": _UNSORTED,
    },
    joined="extraction_snapshot own JOIN extraction_page page ON page.id = own.page_id",
    on=("snapshot_id", "cluster_id", "extracted_at"),
)
"""What a record has from its page and from the other records of the page."""

FOLLOWED = (PAGE, RECORD)

SOURCES = (Page, Snapshot, Record, TrackedRecord, RecordChange, RunProblem, CrawlAddress)
"""The tables that have triggers."""
