"""The text of records as CSV (RFC 4180).

A spreadsheet runs a cell that looks like a formula. Following OWASP's "CSV Injection", each value that begins with one
of ``= + - @``, a tab or a line break gets an apostrophe in front, which spreadsheets do not show. Plain numbers such as
-12.50 or +3 and telephone numbers in groups such as +49 30 123 are left alone, since a spreadsheet does not calculate
with them. When a cell holds several values, each value is guarded. If the layout's `guarded` is off, cells are not
changed; this is meant for programs.

A field is quoted when it contains a semicolon or a tab, which some spreadsheets take for separators, so that a value
cannot begin a new cell there.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from extraction.algorithms.records.record_values import RecordValue

BOM = "\ufeff"

BLOCK_CHARACTERS = 32_768
"""The number of characters per piece of a response. Sending each line by itself would cost the web server more than making it."""

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Starts of a formula in a spreadsheet. In some countries this includes the full-width forms."""

_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?%?", re.ASCII)
_MONEY = re.compile(r"[+-]\d+(?:[.,]\d+)* [A-Z]{3}", re.ASCII)
"""An amount with its currency, as prices are normalised. A space and letters behind a number are no formula."""

_TELEPHONE = re.compile(r"\+\d+(?: (?:\d+|\(\d+\)))+", re.ASCII)
"""Groups of digits with spaces between them. With - or / between them, a spreadsheet would calculate."""

_OTHER_SEPARATOR = re.compile(r"[;\t]|^ | $")
"""What the csv module does not quote, but some spreadsheets take for a separator or cut off."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a CSV file.

    columns: names of attributes in the order of the file. URL_COLUMN stands for the address of the page.
    several: how to write several values in one cell: joined by `separator` (see `escape_separator`), or as a JSON list.
    multiple: attributes that may have several values. As JSON, their cells are always lists, even with one value or none.
    normalised: write the normalised value if there is one, instead of the raw value.
    guarded: put an apostrophe in front of anything that a spreadsheet could run.
    bom: begin with a byte-order mark, which makes Excel read UTF-8.
    list: the list whose rows become the lines; each line repeats the page's own values. Empty for one line per page.
    """

    columns: tuple[str, ...]
    several: Literal["join", "json"] = "join"
    separator: str = "; "
    multiple: frozenset[str] = frozenset()
    normalised: bool = True
    guarded: bool = True
    bom: bool = False
    list: str = ""


def join_lines(lines: Iterable[str]) -> Iterator[str]:
    """Join lines into pieces of at least BLOCK_CHARACTERS, for a streaming response."""
    held: list[str] = []
    size = 0
    for each in lines:
        held.append(each)
        size += len(each)
        if size >= BLOCK_CHARACTERS:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)


def write_line(cells: Iterable[str]) -> str:
    """Return one line of RFC 4180 with its CRLF. A single empty cell is quoted, because most readers skip blank lines."""
    fields = list(cells)
    return '""\r\n' if fields == [""] else ",".join(map(_quote_field, fields)) + "\r\n"


def _quote_field(text: str) -> str:
    """Return a field, quoted if RFC 4180 or a reader with another separator requires it."""
    writer = csv.writer(_Echo(), quoting=csv.QUOTE_ALL) if _OTHER_SEPARATOR.search(text) else csv.writer(_Echo())
    return str(writer.writerow([text])).removesuffix("\r\n") if text else ""


def write_cell(name: str, values: Sequence[RecordValue], layout: Layout) -> str:
    """Return the text of one attribute's cell. The parts of a JSON list are not guarded."""
    texts = [_choose_text(value, normalised=layout.normalised) for value in values]
    return join_texts(texts, layout, multiple=name in layout.multiple)


def join_texts(texts: Sequence[str], layout: Layout, *, multiple: bool) -> str:
    """Return the texts of an attribute as one cell. multiple: whether the attribute may have several values."""
    several = multiple or len(texts) > 1
    if layout.several == "json" and several:
        return json.dumps(texts, ensure_ascii=False)
    if several:
        texts = [escape_separator(text, layout.separator) for text in texts]
    return guard_text(layout.separator.join(guard_text(text, layout) for text in texts), layout)


def guard_text(text: str, layout: Layout) -> str:
    """Return the text, guarded if the layout says so."""
    return guard_formula(text) if layout.guarded else text


def escape_separator(text: str, separator: str) -> str:
    """Return one of several joined values with a backslash before each backslash and each mark of the separator, so that the values can be
    told apart again."""
    mark = separator.strip() or separator
    return text.replace("\\", "\\\\").replace(mark, f"\\{mark}") if mark else text


def guard_formula(text: str) -> str:
    """Put an apostrophe in front of a text that a spreadsheet could run.

    Plain numbers, amounts with a currency and telephone numbers are not changed.
    """
    bare = text.strip(" ")
    harmless = not bare.startswith(DANGEROUS) or _PLAIN_NUMBER.fullmatch(bare) or _MONEY.fullmatch(bare) or _TELEPHONE.fullmatch(bare)
    return text if harmless else f"'{text}"


def _choose_text(value: RecordValue, *, normalised: bool) -> str:
    return value.value if normalised and value.value is not None else value.raw


class _Echo:
    """A file whose `write` returns the text, so that `csv.writer.writerow` returns it, too."""

    def write(self, text: str) -> str:
        return text
