"""What an export counts while it is written, so that nothing is left out or cut off in silence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.columns import Column

EXAMPLES = 3
"""Examples kept per column."""

EXAMPLE_CHARACTERS = 80


@dataclass(slots=True)
class Tally:
    """The counts of one export. It grows while the lines are written.

    lines: lines written.
    filled: {column: cells that are not empty}.
    examples: {column: its first different values}.
    unread: {attribute: values without a normal form, because they could not be read}.
    misfits: {attribute: values with a normal form that their column's type cannot hold}.
    joined: {attribute: lines with several values where one is expected}.
    replaced: texts of which a character was replaced that no file can hold.
    cut: {column: texts that were cut off at the format's limit}.
    unknown: {attribute that records have but the record type does not: its values left out}.
    """

    lines: int = 0
    filled: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Cell]] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)
    misfits: Counter[str] = field(default_factory=Counter)
    joined: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    cut: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def add_row(self, columns: Sequence[Column], cells: Sequence[Cell]) -> None:
        """Count a line and its filled cells, and keep examples."""
        self.lines += 1
        for column, cell in zip(columns, cells, strict=True):
            if cell is None or cell in ("", []):
                continue
            self.filled[column.name] += 1
            kept = self.examples.setdefault(column.name, [])
            if len(kept) < EXAMPLES:
                value = cell[0] if isinstance(cell, list) else cell
                shown = value[:EXAMPLE_CHARACTERS] if isinstance(value, str) else value
                if shown is not None and shown not in kept:
                    kept.append(shown)
