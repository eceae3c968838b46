"""The formats that records are exported in. A new one is a module with a writer and an entry here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from extraction.algorithms.records.cell_types import Limits
from extraction.algorithms.records.csv_table import write_csv_lines
from extraction.algorithms.records.table import Table
from extraction.services.records.exports import excel, sqlite_file
from extraction.services.records.exports.json_lines import write_json_lines

NO_COLUMN_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A format. It has exactly one of `stream` and `write`.

    name: what commands and forms call it. label: what people call it.
    stream: gives the file as text, piece by piece.
    write: writes the file at a path where there is none.
    typed: whether its columns have types.
    lists: whether its cells can hold lists.
    folds_case: whether names that differ only in case are the same.
    """

    name: str
    label: str
    suffix: str
    content_type: str
    stream: Callable[[Table], Iterator[str]] | None = None
    write: Callable[[Path, Table], None] | None = None
    typed: bool = True
    lists: bool = True
    folds_case: bool = False
    max_columns: int = NO_COLUMN_LIMIT
    limits: Limits = field(default_factory=Limits)


def _write_parquet(path: Path, table: Table) -> None:
    # The libraries of these two formats take some 80 MB, so only a process that writes such a file loads them.
    from extraction.services.records.exports import arrow

    arrow.write_parquet(path, table)


def _write_duckdb(path: Path, table: Table) -> None:
    from extraction.services.records.exports import arrow

    arrow.write_duckdb(path, table)


FORMATS: dict[str, ExportFormat] = {
    each.name: each
    for each in (
        ExportFormat(
            name="csv", label="CSV", suffix=".csv", content_type="text/csv; charset=utf-8", stream=write_csv_lines, typed=False, lists=False
        ),
        ExportFormat(name="jsonl", label="JSON Lines", suffix=".jsonl", content_type="application/jsonl", stream=write_json_lines),
        ExportFormat(
            name="xlsx",
            label="Excel",
            suffix=".xlsx",
            content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            write=excel.write_excel,
            lists=False,
            max_columns=excel.MAX_COLUMNS,
            limits=excel.LIMITS,
        ),
        ExportFormat(
            name="parquet",
            label="Parquet",
            suffix=".parquet",
            content_type="application/vnd.apache.parquet",
            write=_write_parquet,
            folds_case=True,
        ),
        ExportFormat(
            name="sqlite",
            label="SQLite",
            suffix=".sqlite",
            content_type="application/vnd.sqlite3",
            write=sqlite_file.write_sqlite,
            folds_case=True,
            max_columns=sqlite_file.MAX_COLUMNS,
        ),
        ExportFormat(
            name="duckdb",
            label="DuckDB",
            suffix=".duckdb",
            content_type="application/octet-stream",
            write=_write_duckdb,
            folds_case=True,
        ),
    )
}
