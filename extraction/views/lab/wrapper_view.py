"""Show a wrapper's data set as tables. Repeated parts are tables within cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.schema import Optional, Repeated, Row, SchemaField, Tuple, Value
from extraction.services.lab.wrappers import COLUMNS, Look

ROWS = 20
"""The largest number of rows shown of a set within a cell."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    heads: the names of its columns.
    rows: for each column a text, a table or None.
    more: the number of rows that are not shown.
    """

    heads: tuple[str, ...]
    rows: "tuple[tuple[str | Grid | None, ...], ...]"
    more: int = 0


def build_grid(seen: Look) -> Grid:
    """Build the table of the data set. It has a row for each page, which is empty if the wrapper does not match the page."""
    structure = seen.found.structure
    return _build_table(_flatten(structure.schema), structure.rows, len(structure.rows))


def _build_table(parts: Sequence[SchemaField | Repeated], rows: Sequence[Row], most: int) -> Grid:
    shown = tuple(tuple(_build_cell(part, row) for part in parts) for row in rows[:most])
    return Grid(tuple(part.name for part in parts), shown, max(0, len(rows) - most))


def _build_cell(part: SchemaField | Repeated, row: Row) -> "str | Grid | None":
    held = row.get(part.name)
    if isinstance(held, Value):
        return held.text
    return None if held is None or isinstance(part, SchemaField) else _build_table(_flatten(part.part), held, ROWS)


def _flatten(schema: Tuple) -> list[SchemaField | Repeated]:
    """Return the fields and sets, including those of optional parts, at most `COLUMNS`."""
    parts: list[SchemaField | Repeated] = []
    for part in schema.parts:
        parts += _flatten(part.part) if isinstance(part, Optional) else [part]
    return parts[:COLUMNS]
