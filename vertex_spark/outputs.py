"""The files that reading one input file gives: a table for each template and list, the failures, and the counts.

They are made here, with the code that writes the dashboard's exports, so their bytes are the same. Spark only puts them in their place.
"""

import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from extraction.algorithms.bundles.record_tables import RecordTable
from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import Column
from extraction.algorithms.records.csv_table import write_csv_lines
from extraction.algorithms.records.line import Line
from extraction.algorithms.records.parquet_table import write_parquet
from extraction.algorithms.records.table import Table
from extraction.algorithms.records.tally import Tally
from extraction.algorithms.rules.page_record import PageRecord

OutputFormat = Literal["parquet", "csv"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)

ENDS: dict[OutputFormat, bytes] = {"parquet": b"PAR1", "csv": b"\r\n"}
"""The last bytes of every file of a format. Spark's writer of text files puts its line end behind each row; a file is one row, so its last
bytes are the line end."""

FAILURES, COUNTS = "failures", "_counts"
"""Names of tables. COUNTS becomes the entry of the manifest."""

PART_CHARACTERS = 64_000_000
"""Lines are written to the next file of a table when their values have about this many characters, to keep memory bounded."""

KEPT_REASONS = 50
"""How many different reasons of one input file the manifest has, the commonest first. The failures' table has all."""

_MEANINGS: dict[str, str] = {
    "source_url": "the page's address, or its name in the input file",
    "site": "the site's name; empty for a file that no site was looked for",
    "template": "the template's name or number; empty if it is not known",
    "outcome": "refused, unreadable, unmatched, failed, gave up, or incomplete: it has a record, but something is missing",
    "reason": "why, in words",
    "fetched_at": "when the page was fetched, in UTC",
}

_FAILURE_COLUMNS = tuple(
    Column(name, name, "page", "time" if name == "fetched_at" else "text", False, meaning) for name, meaning in _MEANINGS.items()
)
"""The columns of the failures."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file. data: its bytes without the last ones (`ENDS`). rows: how many lines it has."""

    table: str
    part: int
    data: bytes
    rows: int


@dataclass(slots=True)
class _Held:
    """The lines of a table that were not written yet."""

    table: RecordTable
    lines: list[Line] = field(default_factory=list)
    characters: int = 0
    parts: int = 0


@dataclass(slots=True)
class FileOutput:
    """Collects what the pages of one input file give."""

    tables: Sequence[RecordTable]
    format: OutputFormat
    outcomes: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    _reasons: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    _held: dict[tuple[str, int], list[_Held]] = field(default_factory=dict)
    _failures: list[list[Cell]] = field(default_factory=list)
    _files: list[dict[str, Any]] = field(default_factory=list)
    _tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        for table in self.tables:
            self._held.setdefault((table.site, table.template.id), []).append(_Held(table))

    def add_record(self, site: str, template: int, url: str, fetched_at: datetime | None, record: PageRecord) -> Iterator[OutputFile]:
        """Add a record to its tables. Return the files that are full."""
        at = fetched_at.astimezone(UTC) if fetched_at else None
        for held in self._held[site, template]:
            lines = held.table.make_lines(url, at, record)
            held.lines += lines
            held.characters += sum(len(value.raw) for line in lines for many in line.values.values() for value in many) + 100 * len(lines)
            if held.characters >= PART_CHARACTERS:
                yield self._write(held)

    def add_failure(self, outcome: str, reason: str, *, url: str, site: str = "", template: str = "", at: datetime | None = None) -> None:
        """Add a page without a record, or with an incomplete one."""
        texts = [_clean(text) for text in (url, site, template, outcome, reason)]
        self._failures.append([*texts, at.astimezone(UTC) if at else None])
        self._reasons[outcome, site, template, reason] += 1

    def finish(self, about: dict[str, Any]) -> Iterator[OutputFile]:
        """Return the last files, and the counts as the very last. about: what else the counts say."""
        for many in self._held.values():
            for held in many:
                if held.lines:
                    yield self._write(held)
        if self._failures:
            table = Table(_FAILURE_COLUMNS, iter(self._failures), ExportChoice(columns=()), Tally())
            yield self._note(OutputFile(FAILURES, 0, self._encode(table), len(self._failures)))
        yield OutputFile(COUNTS, 0, json.dumps({**about, **self._count()}).encode(), 0)

    def _count(self) -> dict[str, Any]:
        commonest = sorted(self._reasons.items(), key=lambda each: (-each[1], each[0]))[:KEPT_REASONS]
        tally = self._tally
        return {
            "pages": sum(self.outcomes.values()),
            "outcomes": dict(sorted(self.outcomes.items())),
            "skipped": dict(sorted(self.skipped.items())),
            "reasons": [[*key, count] for key, count in commonest],
            "other_reasons": sum(self._reasons.values()) - sum(count for _, count in commonest),
            "unread": dict(sorted(tally.unread.items())),
            "misfits": dict(sorted(tally.misfits.items())),
            "left_out": dict(sorted(tally.unknown.items())),
            "files": self._files,
        }

    def _write(self, held: _Held) -> OutputFile:
        table = Table(held.table.columns, held.table.make_rows(held.lines, self._tally), held.table.choice, self._tally)
        made = OutputFile(held.table.name, held.parts, self._encode(table), len(held.lines))
        held.lines, held.characters, held.parts = [], 0, held.parts + 1
        return self._note(made)

    def _note(self, made: OutputFile) -> OutputFile:
        self._files.append({"table": made.table, "part": made.part, "rows": made.rows})
        return made

    def _encode(self, table: Table) -> bytes:
        if self.format == "csv":
            data = "".join(write_csv_lines(table)).encode()
        else:
            file = io.BytesIO()
            write_parquet(file, table)
            data = file.getvalue()
        end = ENDS[self.format]
        if not data.endswith(end):
            raise ValueError(f"a {self.format} file ends with {data[-4:]!r}")
        return data[: -len(end)]


def _clean(text: str) -> str:
    """Return the text with U+FFFD for half of a surrogate pair, which no encoding can write."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
