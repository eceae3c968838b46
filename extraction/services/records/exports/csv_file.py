"""Records as CSV: `export_csv` writes the cells, with its guard against formulas."""

from collections.abc import Iterator, Sequence

from extraction.services.records import export_csv
from extraction.services.records.export_csv import Layout
from extraction.services.records.exports.cell_types import Cell, Scalar
from extraction.services.records.exports.choice import ExportChoice
from extraction.services.records.exports.columns import Column
from extraction.services.records.exports.table import Table


def make_layout(choice: ExportChoice) -> Layout:
    """Return the layout of `export_csv` for a choice. Its columns are not used."""
    return Layout((), several=choice.several, separator=choice.separator, guarded=choice.guarded, bom=choice.bom)


def write_csv_lines(table: Table) -> Iterator[str]:
    """Return the lines of the file, each with its CRLF."""
    layout = make_layout(table.choice)
    header = export_csv.write_line(export_csv.guard_text(column.name, layout) for column in table.columns)
    yield (export_csv.BOM if layout.bom else "") + header
    for row in table.rows:
        yield export_csv.write_line(_write_cell(column, cell, layout) for column, cell in zip(table.columns, row, strict=True))


def join_texts(texts: Sequence[str], choice: ExportChoice) -> str:
    """Return several texts as the text of one cell, without a guard. This is for formats that have no lists."""
    layout = Layout((), several=choice.several, separator=choice.separator, guarded=False)
    return export_csv.join_texts(texts, layout, multiple=True)


def _write_cell(column: Column, cell: Cell, layout: Layout) -> str:
    if isinstance(cell, list):
        return export_csv.join_texts([_write_scalar(each) for each in cell], layout, multiple=column.several)
    return export_csv.guard_text(_write_scalar(cell), layout)


def _write_scalar(cell: Scalar) -> str:
    """Return a cell of a text column, or of one about the page: times are ISO 8601."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
