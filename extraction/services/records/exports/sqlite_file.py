"""Records as an SQLite file with one table.

SQLite has no dates, booleans and lists: dates and times are ISO 8601 texts, yes and no are 1 and 0, and a list is a JSON text, which
SQLite's `json_each` reads. The table is STRICT, so that every cell has the type of its column.
"""

import json
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.columns import Column, Kind
from extraction.algorithms.records.table import TABLE_NAME, Table
from extraction.services.records.exports.json_lines import to_json

BATCH_ROWS = 2_000

MAX_COLUMNS = 2_000
"""SQLite's own limit (SQLITE_MAX_COLUMN)."""

_TYPES: dict[Kind, str] = {"text": "TEXT", "number": "REAL", "date": "TEXT", "boolean": "INTEGER", "time": "TEXT", "integer": "INTEGER"}


def write_sqlite(path: Path, table: Table) -> None:
    """Write an SQLite file with the one table TABLE_NAME. The file must not exist."""
    columns = ", ".join(f"{_quote(each.name)} {_type(each)}" for each in table.columns)
    marks = ", ".join("?" * len(table.columns))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = OFF")  # the file is thrown away if anything fails
        database.execute(f"CREATE TABLE {TABLE_NAME} ({columns}) STRICT")
        for rows in table.read_batches(BATCH_ROWS):
            database.executemany(
                f"INSERT INTO {TABLE_NAME} VALUES ({marks})",  # noqa: S608 - marks only  # nosec B608
                [[_to_sql(cell) for cell in row] for row in rows],
            )
        database.commit()


def _type(column: Column) -> str:
    return "TEXT" if column.several else _TYPES[column.kind]


def _to_sql(cell: Cell) -> str | int | float | None:
    if isinstance(cell, list):
        return json.dumps(to_json(cell), ensure_ascii=False)
    return cell.isoformat() if isinstance(cell, date) else cell


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
