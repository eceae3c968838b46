"""Made-up tables whose cells span rows and columns, with the rows that they show.

A table is written from rows of values: equal values below each other in a group column become one cell with a ``rowspan``, equal values
beside each other one cell with a ``colspan``. So the truth is what was written, not what the learner's own grid says.
"""

from dataclasses import dataclass
from random import Random

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import MarkedRow
from tests.algorithms.learning.pages import page

KINDS = ("one group", "two groups", "bodies", "joined cells", "two headers", "notes at the end", "links", "classes")


@dataclass(frozen=True)
class SpanTable:
    """A page with a table. rows: the values of each row by column. cells: for each row and column, the number of the cell that shows it."""

    page: PageTable
    rows: list[list[str]]
    cells: list[list[int]]

    def mark(self, row: int) -> MarkedRow:
        """The row as an editor marks it: each value where it stands, a group's name in the cell that covers the row."""
        cells = [node for node in self.page.nodes if node.get("data-n") is not None]
        where = {int(cell.get("data-n") or 0): self.page.nodes.index(cell[0] if len(cell) else cell) for cell in cells}
        return MarkedRow(0, {str(n): (Location(where[cell], "text", 1),) for n, cell in enumerate(self.cells[row])})


def make_table(kind: str, rng: Random, *, name: str) -> SpanTable:
    """One page of a kind. Group names differ, and no value of one column is one of another."""
    groups = [f"{name} {rng.choice(('Red', 'Oak', 'North', 'Alpha'))} {n}" for n in range(rng.randint(2, 4))]
    rows: list[list[str]] = []
    for number, group in enumerate(groups):
        size = 2 if number == 0 else rng.randint(1, 4)
        for line in range(size):
            middle = [f"{name} part {number}.{line // 2}"] if kind == "two groups" else []
            values = [f"size {rng.choice('SMLX')}{line}", f"{rng.randint(1, 99)}.{rng.randint(10, 99)}"]
            if kind == "joined cells" and line > 0 and rng.random() < 0.5:
                values = ["sold out"] * 2
            note = [f"note {number}"] if kind == "notes at the end" else []
            rows.append([group, *middle, *values, *note])
    return _write(kind, rows, name)


def _write(kind: str, rows: list[list[str]], name: str) -> SpanTable:
    spanning = {0, *([1] if kind == "two groups" else []), *([len(rows[0]) - 1] if kind == "notes at the end" else [])}
    numbers = [[-1] * len(row) for row in rows]
    text, count = "", 0
    for line, row in enumerate(rows):
        cells = ""
        for column, value in enumerate(row):
            if numbers[line][column] >= 0:
                continue
            height = 1
            while column in spanning and line + height < len(rows) and rows[line + height][: column + 1] == row[: column + 1]:
                height += 1
            if kind == "notes at the end" and column == len(row) - 1:
                height = sum(other[0] == row[0] for other in rows[line:])
            width = 2 if kind == "joined cells" and column == 1 and row[1] == row[2] else 1
            for below in range(height):
                for beside in range(width):
                    numbers[line + below][column + beside] = count
            spans = f" rowspan={height}" * (height > 1) + f" colspan={width}" * (width > 1)
            shown = f"<a href=/{count}>{value}</a>" if kind == "links" and column == 1 else value
            named = f" class=c{column}" if kind == "classes" else ""
            cells += f"<td data-n={count}{spans}{named}>{shown}</td>"
            count += 1
        new_body = kind == "bodies" and line and rows[line - 1][0] != row[0]
        text += "</tbody><tbody>" * new_body + f"<tr>{cells}</tr>"
    names = ["Group", "Part", "Option", "Price", "Note"]
    header = "".join(f"<th>{title}</th>" for title in names[: len(rows[0])])
    head = f"<tr>{header}</tr>"
    if kind == "two headers":
        head = "<tr><th rowspan=2>Group</th><th colspan=2>Offer</th></tr><tr><th>Option</th><th>Price</th></tr>"
    table = page(f"<h1>{name}</h1><table><thead>{head}</thead><tbody>{text}</tbody></table><p>Prices include tax</p>")
    return SpanTable(table, rows, numbers)
