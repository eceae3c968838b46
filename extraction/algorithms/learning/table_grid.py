"""The grid of a table: which cell covers which column of which row, with ``rowspan`` and ``colspan`` resolved as in HTML.

A cell that spans rows covers its column in the rows below it, too, and the other cells of these rows move to the right. A span ends with
the element that holds the rows (``tbody``).
"""

from collections.abc import Sequence

from lxml import etree

CELLS = ("td", "th")

MAX_SPAN = 1_000
"""The largest number of rows or columns of a cell, as in HTML."""

GridRow = dict[int, etree._Element]
"""{column from 0: the cell that covers it} of one row."""


def resolve_rows(holder: etree._Element) -> list[tuple[etree._Element, GridRow]]:
    """Return each ``tr`` in the element with what covers its columns, cells of rows above included."""
    open_spans: dict[int, tuple[etree._Element, int]] = {}
    resolved = []
    for row in holder.iterchildren("tr"):
        covered = {column: cell for column, (cell, _) in open_spans.items()}
        open_spans = {column: (cell, left - 1) for column, (cell, left) in open_spans.items() if left > 1}
        column = 0
        for cell in row.iterchildren(*CELLS):
            while column in covered:
                column += 1
            rows = read_span(cell, "rowspan")
            for place in range(column, column + read_span(cell, "colspan")):
                covered.setdefault(place, cell)
                if rows > 1:
                    open_spans[place] = (cell, rows - 1)
        resolved.append((row, dict(sorted(covered.items()))))
    return resolved


def read_span(cell: etree._Element, name: str) -> int:
    """The number of rows or columns that a cell covers; a ``rowspan`` of 0 covers all rows that follow."""
    text = (cell.get(name) or "").strip()
    if not text.isdecimal():
        return 1
    number = min(int(text), MAX_SPAN)
    return MAX_SPAN if number == 0 and name == "rowspan" else max(number, 1)


def has_row_spans(holder: etree._Element) -> bool:
    """Whether some cell of the rows in the element covers several rows."""
    return any(read_span(cell, "rowspan") > 1 for row in holder.iterchildren("tr") for cell in row.iterchildren(*CELLS))


def has_spans(rows: Sequence[etree._Element]) -> bool:
    """Whether some cell of the rows, or of rows above them, covers several rows or columns."""
    own = any(read_span(cell, "colspan") > 1 for row in rows for cell in row.iterchildren(*CELLS))
    holders = {row.getparent() for row in rows} - {None}
    return own or any(has_row_spans(holder) for holder in holders if holder is not None)
