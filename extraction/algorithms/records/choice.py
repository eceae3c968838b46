"""What a person can choose for an export, apart from its format."""

from dataclasses import dataclass
from typing import Literal

URL_COLUMN = "source_url"
"""The column of the page's address."""

ValuesChoice = Literal["normalised", "raw", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportChoice:
    """What an export holds.

    columns: names of attributes in the order of the file. URL_COLUMN stands for the address of the page.
    about: further columns about the page, of `columns.PAGE_COLUMNS`; they come last.
    values: normalised values, the texts as they appear on the page, or both in columns of their own.
    split_prices: write a price as two columns, the amount and the currency.
    list: the list whose rows become the lines; each line repeats the page's own values. Empty for one line per page.
    several: how a format without lists writes several values in one cell: joined by `separator`, or as a JSON list.
    guarded: in CSV, put an apostrophe in front of anything that a spreadsheet could run.
    bom: begin a CSV file with a byte-order mark, which makes Excel read UTF-8.
    """

    columns: tuple[str, ...]
    about: tuple[str, ...] = ()
    values: ValuesChoice = "normalised"
    split_prices: bool = False
    list: str = ""
    several: Literal["join", "json"] = "join"
    separator: str = "; "
    guarded: bool = True
    bom: bool = False
