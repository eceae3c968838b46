"""The cells of a line: an attribute's values as the types of its columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from extraction.algorithms.records.cell_types import Cell, Limits, Scalar
from extraction.algorithms.records.columns import Column, Kind
from extraction.algorithms.records.line import Line
from extraction.algorithms.records.record_values import RecordValue
from extraction.algorithms.records.tally import Tally
from extraction.algorithms.values.typed import split_price, to_boolean, to_date, to_float

_READERS: Mapping[Kind, Callable[[str], Scalar]] = {"number": to_float, "date": to_date, "boolean": to_boolean}


@dataclass(frozen=True, slots=True)
class CellMaker:
    """Makes the cells of lines and counts what did not fit.

    columns: of the file.
    known: names of all attributes of the scope. Values of other attributes are counted as left out.
    typed: whether the format has types (`columns.plan_columns`).
    join: how the format writes several texts in one cell.
    limits: of the format.
    tally: is counted up.
    """

    columns: tuple[Column, ...]
    known: frozenset[str]
    typed: bool
    join: Callable[[Sequence[str]], str]
    limits: Limits
    tally: Tally

    def make_rows(self, lines: Iterator[Line]) -> Iterator[list[Cell]]:
        """Return the cells of each line, in the order of the columns."""
        return map(self.make_cells, lines)

    def make_cells(self, line: Line) -> list[Cell]:
        """Return the cells of a line, in the order of the columns, and count them."""
        cells = self._make_row(line)
        self.tally.add_row(self.columns, cells)
        return cells

    def _make_row(self, line: Line) -> list[Cell]:
        for name in line.values.keys() - self.known:
            self.tally.unknown[name] += len(line.values[name])
        held: dict[str, list[bool]] = {}
        cells: list[Cell] = []
        for column in self.columns:
            if column.part == "page":
                cell = line.page[column.source]
                cells.append(self._clean(cell) if isinstance(cell, str) else cell)
                continue
            values = line.values.get(column.source, ())
            if column.source not in held:
                held[column.source] = self._find_held(column, values)
            cells.append(self._make_cell(column, values, held[column.source]))
        return cells

    def _find_held(self, column: Column, values: Sequence[RecordValue]) -> list[bool]:
        """Return for each value whether the attribute's first column holds it, and count those that it does not."""
        if len(values) > 1 and not column.several:
            self.tally.joined[column.source] += 1
        if column.part == "raw":
            return [True] * len(values)
        held = []
        alone = len(values) == 1 or column.several or not self.typed or column.kind == "text"
        for value in values:
            fits = value.value is not None and alone and self._read(column, value.value) is not None
            if value.value is None:
                self.tally.unread[column.source] += 1
            elif not fits:
                self.tally.misfits[column.source] += 1
            held.append(fits)
        return held

    def _make_cell(self, column: Column, values: Sequence[RecordValue], held: Sequence[bool]) -> Cell:
        if column.part == "raw":
            found: list[Scalar] = [self._clean(value.raw) for value in values]
        elif column.part == "unread":
            found = [self._clean(value.raw) for value, fits in zip(values, held, strict=True) if not fits]
        elif self._falls_back(column):
            found = [self._clean(value.raw if value.value is None else value.value) for value in values]
        else:
            chosen = [value.value for value, fits in zip(values, held, strict=True) if fits and value.value is not None]
            read = (self._read(column, text) for text in chosen)
            found = [self._clean(each) if isinstance(each, str) else each for each in read]
        if column.several or not self.typed:
            return found
        if column.kind == "text" and len(found) > 1:
            return self.join([each for each in found if isinstance(each, str)])
        return found[0] if found else None

    def _falls_back(self, column: Column) -> bool:
        """Return whether the column shows the raw text of a value that has no normal form: there is no other place for it."""
        return column.part == "value" and (not self.typed or column.type == "text")

    def _read(self, column: Column, text: str) -> Scalar:
        """Return a normal form as the type of the column; None if it does not fit, or for a currency that is not named."""
        if column.part == "currency":
            return split_price(text)[1] or None
        if column.part == "amount":
            amount = split_price(text)[0]
            number = to_float(amount)
            return number if self.typed or number is None else amount
        reader = _READERS.get(column.kind)
        if reader is None:
            return text
        found = reader(text)
        return None if isinstance(found, date) and found < self.limits.first_date else found

    def _clean(self, text: str) -> str:
        """Return the text with U+FFFD for half of a surrogate pair, which no encoding can write."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self.tally.replaced += 1
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text
