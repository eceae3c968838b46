"""What a writer gets: the columns of a file and its rows, one at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import Column
from extraction.algorithms.records.tally import Tally

TABLE_NAME = "records"
"""The table or sheet of a file that can hold several."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be written. `rows` can be read once.

    tally: the writer counts there what it has to cut off.
    """

    columns: tuple[Column, ...]
    rows: Iterator[list[Cell]]
    choice: ExportChoice
    tally: Tally

    def read_batches(self, size: int) -> Iterator[Sequence[list[Cell]]]:
        """Return the rows in batches of at most `size`."""
        while batch := list(islice(self.rows, size)):
            yield batch
