"""A wrapper's data set as tables, those of repeated parts within the others' cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.schema import Optional, Repeated, Row, SchemaField, Tuple, Value
from extraction.services.lab.wrappers import COLUMNS, Look

ROWS = 20
"""Rows shown of a set within a cell."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. heads: letters of its columns; rows: a text, a table or None for each; more: rows that are not shown."""

    heads: tuple[str, ...]
    rows: "tuple[tuple[str | Grid | None, ...], ...]"
    more: int = 0


def build_grid(seen: Look) -> Grid:
    """The data set: a row for each page, an empty one where the wrapper does not match."""
    structure = seen.found.structure
    return _grid(_flat(structure.schema), structure.rows, len(structure.rows))


def _grid(parts: Sequence[SchemaField | Repeated], rows: Sequence[Row], most: int) -> Grid:
    shown = tuple(tuple(_cell(part, row) for part in parts) for row in rows[:most])
    return Grid(tuple(part.name for part in parts), shown, max(0, len(rows) - most))


def _cell(part: SchemaField | Repeated, row: Row) -> "str | Grid | None":
    held = row.get(part.name)
    if isinstance(held, Value):
        return held.text
    return None if held is None or isinstance(part, SchemaField) else _grid(_flat(part.part), held, ROWS)


def _flat(schema: Tuple) -> list[SchemaField | Repeated]:
    """Its fields and sets, those of optional parts among the others, at most `COLUMNS`."""
    parts: list[SchemaField | Repeated] = []
    for part in schema.parts:
        parts += _flat(part.part) if isinstance(part, Optional) else [part]
    return parts[:COLUMNS]
