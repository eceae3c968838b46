"""Records as an Excel workbook. Rows go to disk as they come (XlsxWriter's constant memory).

A text is stored as text and formatted as text, so that article numbers, leading zeros and `1-2` stay as they are and nothing runs as
a formula. Several values share a cell, joined as in CSV. What a sheet cannot hold goes on in a further sheet; what a cell cannot hold
is cut off and counted.
"""

import json
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from extraction.algorithms.records.cell_types import Cell, Limits, Scalar
from extraction.algorithms.records.columns import Column, Kind
from extraction.algorithms.records.csv_table import join_texts
from extraction.algorithms.records.table import TABLE_NAME, Table

MAX_ROWS = 1_048_576
MAX_CHARACTERS = 32_767
MAX_COLUMNS = 16_384
"""Excel's limits: rows of a sheet, UTF-16 units of a cell, columns."""

LIMITS = Limits(first_date=date(1900, 3, 1))
"""Excel counts days from 1900 and takes that year for a leap year. So programs disagree about earlier days."""

_FORMATS: dict[Kind, str] = {
    "text": "@",
    "number": "General",
    "date": "yyyy-mm-dd",
    "boolean": "General",
    "time": "yyyy-mm-dd hh:mm:ss",
    "integer": "0",
}
_WIDTHS: dict[Kind, int] = {"text": 24, "number": 12, "date": 12, "boolean": 8, "time": 20, "integer": 10}


def write_excel(path: Path, table: Table) -> None:
    """Write an Excel workbook with the sheet TABLE_NAME, and further sheets if there are more rows than one can hold."""
    with xlsxwriter.Workbook(path, {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        formats = {kind: workbook.add_format({"num_format": text}) for kind, text in _FORMATS.items()}
        bold = workbook.add_format({"bold": True, "num_format": "@"})
        sheet, number, place = _add_sheet(workbook, table.columns, 1, bold), 1, 1
        for row in table.rows:
            if place == MAX_ROWS:
                number, place = number + 1, 1
                sheet = _add_sheet(workbook, table.columns, number, bold)
            for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
                _write_cell(sheet, place, at, column, cell, formats, table)
            place += 1


def _add_sheet(workbook: xlsxwriter.Workbook, columns: Sequence[Column], number: int, bold: Format) -> Worksheet:
    sheet = workbook.add_worksheet(TABLE_NAME if number == 1 else f"{TABLE_NAME} {number}")
    sheet.freeze_panes(1, 0)
    sheet.ignore_errors({"number_stored_as_text": f"A1:{_name_column(len(columns))}{MAX_ROWS}"})
    for at, column in enumerate(columns):
        sheet.set_column(at, at, _WIDTHS[_kind(column)])
    for at, column in enumerate(columns):
        sheet.write_string(0, at, column.name[:MAX_CHARACTERS], bold)
    return sheet


def _name_column(count: int) -> str:
    name: str = xlsxwriter.utility.xl_col_to_name(max(count, 1) - 1)
    return name


def _kind(column: Column) -> Kind:
    return "text" if column.several else column.kind


def _write_cell(sheet: Worksheet, row: int, at: int, column: Column, cell: Cell, formats: dict[Kind, Format], table: Table) -> None:
    form = formats[_kind(column)]
    if isinstance(cell, list):
        cell = join_texts([_write_scalar(each) for each in cell], table.choice) if cell else None
    if cell is None or cell == "":
        if at == 0:
            sheet.write_blank(row, at, None, form)  # so that a line without values is a row
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, at, cell, form)
    elif isinstance(cell, int | float):
        sheet.write_number(row, at, cell, form)
    elif isinstance(cell, date):
        sheet.write_datetime(row, at, cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell, form)
    else:
        shown = _cut(cell)
        if shown != cell:
            table.tally.cut[column.name] += 1
        sheet.write_string(row, at, shown, form)


def _cut(text: str) -> str:
    """Return the text with at most MAX_CHARACTERS units of UTF-16, which is how Excel counts."""
    if len(text) <= MAX_CHARACTERS // 2:
        return text
    return text.encode("utf-16-le")[: 2 * MAX_CHARACTERS].decode("utf-16-le", "ignore")


def _write_scalar(cell: Scalar) -> str:
    if isinstance(cell, bool | float):
        return json.dumps(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
    return "" if cell is None else cell.isoformat() if isinstance(cell, date) else str(cell)
