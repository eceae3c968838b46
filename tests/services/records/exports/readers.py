"""Reads exported files with the programs that people use: {column: cells}, with plain Python values."""

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
from pyarrow import parquet

from extraction.algorithms.records.columns import Column

Columns = dict[str, list[Any]]


def _turn(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def read_csv(path: Path) -> Columns:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    return _turn(rows[0], rows[1:])


def read_jsonl(path: Path) -> Columns:
    rows = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    return _turn(list(rows[0]), [list(row.values()) for row in rows]) if rows else {}


def read_parquet(path: Path) -> Columns:
    found: Columns = parquet.read_table(path).to_pydict()
    return found


def read_duckdb(path: Path) -> Columns:
    with duckdb.connect(str(path), read_only=True) as database:
        database.execute("SET TimeZone = 'UTC'")
        asked = database.execute("SELECT * FROM records")
        return _turn([each[0] for each in asked.description or ()], asked.fetchall())


def read_sqlite(path: Path) -> Columns:
    with closing(sqlite3.connect(path)) as database:
        asked = database.execute("SELECT * FROM records")
        return _turn([each[0] for each in asked.description], asked.fetchall())


def read_xlsx(path: Path) -> Columns:
    with path.open("rb") as file:
        rows = [row for sheet in openpyxl.load_workbook(file) for row in sheet.iter_rows(values_only=True)]
    return _turn([unescape(name) for name in rows[0]], [[unescape(cell) for cell in row] for row in rows[1:]])


def unescape(cell: Any) -> Any:
    """The cell with characters that XML cannot hold, which Excel writes as _x000D_; openpyxl leaves them so."""
    return re.sub("_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), cell) if isinstance(cell, str) else cell


READERS: dict[str, Callable[[Path], Columns]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "duckdb": read_duckdb,
    "sqlite": read_sqlite,
    "xlsx": read_xlsx,
}


def bring_back(name: str, column: Column, cell: Any) -> Any:
    """The cell of a format as the type of its column, where the format has no such type."""
    if cell is None:
        return None
    if column.several and name == "sqlite":
        cell = json.loads(cell)
    if column.several and name in ("sqlite", "jsonl"):
        return [_bring_scalar(column, each) for each in cell]
    if name in ("sqlite", "jsonl"):
        return _bring_scalar(column, cell)
    if name == "xlsx" and isinstance(cell, datetime):
        return cell.date() if column.kind == "date" else cell
    return cell


def _bring_scalar(column: Column, cell: Any) -> Any:
    if column.kind == "date" and isinstance(cell, str):
        return date.fromisoformat(cell)
    if column.kind == "time" and isinstance(cell, str):
        return datetime.fromisoformat(cell)
    return bool(cell) if column.kind == "boolean" and cell in (0, 1) else cell
