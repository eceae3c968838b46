"""Write records as CSV (RFC 4180). The file is streamed, so memory holds one chunk of records at a time.

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
from dataclasses import dataclass, replace
from typing import Any, Literal

from extraction.models import Attribute, Cluster, Record, RecordList
from extraction.models.record import RecordQuerySet
from extraction.models.record_values import RecordValue
from extraction.services.records.exports.choice import URL_COLUMN
from extraction.services.records.exports.lines import read_lines
from extraction.services.records.exports.scopes import find_attributes

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


def get_default_layout(cluster: Cluster, **changes: Any) -> Layout:
    """Return a layout with the attributes of the cluster's record type in their order, then the URL.

    A cluster without such attributes gets those of its newest rule.

    changes: fields of `Layout` and their values. With `list`, the attributes of that list's rows come first.
    """
    attributes = find_attributes(cluster)
    chosen = attributes.get(changes.get("list", ""), attributes[""])
    layout = Layout((*(each.name for each in chosen), URL_COLUMN), multiple=frozenset(each.name for each in chosen if each.multiple))
    return replace(layout, **changes)


def find_list_names(cluster: Cluster) -> list[str]:
    """Return the names of the lists whose rows can be exported, in the order of the record type."""
    return list(
        RecordList.objects.filter(record_type_id=cluster.record_type_id, attributes__isnull=False).distinct().values_list("name", flat=True)
    )


def find_usual_list(cluster: Cluster) -> str:
    """Return the list to export by default: the first one if the record type has lists only, otherwise ""."""
    of_pages = Attribute.objects.of_cluster(cluster).of_page().exists()
    names = [] if of_pages else find_list_names(cluster)
    return names[0] if names else ""


def write_rows(source: Cluster | RecordQuerySet, layout: Layout | None = None) -> Iterator[str]:
    """Return the lines of the file, each with its CRLF: the header, then the records. Failed records are left out.

    source: records in the order of the file, or a cluster for the records of its pages as they are now.
    layout: required for records; for a cluster the default is `get_default_layout`.
    """
    if isinstance(source, Cluster):
        layout = layout or get_default_layout(source)
        source = Record.objects.filter(cluster=source).now().order_by("pk")
    if layout is None:
        raise TypeError("records need a layout; a cluster has a default one")
    return _write_lines(source, layout)


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


def _write_lines(records: RecordQuerySet, layout: Layout) -> Iterator[str]:
    yield (BOM if layout.bom else "") + write_line(guard_text(name, layout) for name in layout.columns)
    for line in read_lines(records, layout.list):
        # A page from an archive without addresses has its file's name as its URL, which may begin with any character.
        url = guard_text(str(line.page[URL_COLUMN]), layout)
        yield write_line(url if name == URL_COLUMN else write_cell(name, line.values.get(name, ()), layout) for name in layout.columns)


def _choose_text(value: RecordValue, *, normalised: bool) -> str:
    return value.value if normalised and value.value is not None else value.raw


class _Echo:
    """A file whose `write` returns the text, so that `csv.writer.writerow` returns it, too."""

    def write(self, text: str) -> str:
        return text
