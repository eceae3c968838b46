"""Records as CSV: `csv_text` writes the cells, with its guard against formulas."""

from collections.abc import Iterator, Sequence

from extraction.algorithms.records import csv_text
from extraction.algorithms.records.cell_types import Cell, Scalar
from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import Column
from extraction.algorithms.records.csv_text import Layout
from extraction.algorithms.records.table import Table


def make_layout(choice: ExportChoice) -> Layout:
    """Return the layout of `csv_text` for a choice. Its columns are not used."""
    return Layout((), several=choice.several, separator=choice.separator, guarded=choice.guarded, bom=choice.bom)


def write_csv_lines(table: Table) -> Iterator[str]:
    """Return the lines of the file, each with its CRLF."""
    layout = make_layout(table.choice)
    header = csv_text.write_line(csv_text.guard_text(column.name, layout) for column in table.columns)
    yield (csv_text.BOM if layout.bom else "") + header
    for row in table.rows:
        yield csv_text.write_line(_write_cell(column, cell, layout) for column, cell in zip(table.columns, row, strict=True))


def join_texts(texts: Sequence[str], choice: ExportChoice) -> str:
    """Return several texts as the text of one cell, without a guard. This is for formats that have no lists."""
    layout = Layout((), several=choice.several, separator=choice.separator, guarded=False)
    return csv_text.join_texts(texts, layout, multiple=True)


def _write_cell(column: Column, cell: Cell, layout: Layout) -> str:
    if isinstance(cell, list):
        return csv_text.join_texts([_write_scalar(each) for each in cell], layout, multiple=column.several)
    return csv_text.guard_text(_write_scalar(cell), layout)


def _write_scalar(cell: Scalar) -> str:
    """Return a cell of a text column, or of one about the page: times are ISO 8601."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
