"""Records as JSON Lines: one object per line, UTF-8, each line ended by a line feed. Dates and times are ISO 8601."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.table import Table


def write_json_lines(table: Table) -> Iterator[str]:
    """Return the lines of the file. Each has all columns; an empty cell is null, an empty list []."""
    names = [column.name for column in table.columns]
    for row in table.rows:
        yield json.dumps(dict(zip(names, map(to_json, row), strict=True)), ensure_ascii=False, allow_nan=False) + "\n"


def to_json(cell: Cell) -> Any:
    """Return a cell as JSON: dates and times as text, whole numbers without a fraction."""
    if isinstance(cell, list):
        return [to_json(each) for each in cell]
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return cell.isoformat() if isinstance(cell, date) else cell
