"""Records as CSV, streamed (RFC 4180): a hundred thousand of them in the memory of one chunk.

Spreadsheets run a cell that looks like a formula. After OWASP's "CSV Injection", each value that begins with one of ``= + -
@``, a tab or a line break gets an apostrophe in front, which spreadsheets do not show, unless it is a plain number such as
-12.50 or +3 or a telephone number in groups such as +49 30 123, which no spreadsheet can work out; of joined values each one.
With `guarded` off in the layout, cells stand as they are, for programs. Quotes go around all fields of a line in which one holds what
other settings take for a separator (semicolon, tab), so that a value cannot begin a new cell there.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Attribute, Cluster, Record, RecordList, Rule
from extraction.models.record import RecordQuerySet
from extraction.models.record_values import RecordValue, read_rows, read_values

URL_COLUMN = "source_url"

BOM = "\ufeff"

CHUNK = 200
"""Records read from the database at once."""

BLOCK_CHARACTERS = 32_768
"""Text given on at once: a line at a time would cost the web server more than the line."""

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the beginning of a formula; the full-width forms are taken for it in some countries."""

_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?%?", re.ASCII)
_TELEPHONE = re.compile(r"\+\d+(?: (?:\d+|\(\d+\)))+", re.ASCII)
"""Groups of digits apart by spaces. With - or / between them they are a sum that a spreadsheet works out."""

_OTHER_SEPARATOR = re.compile(r"[;\t]|^ | $")
"""What the csv module does not quote, but some settings take for a separator or cut off."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the file looks.

    columns: names of attributes in the order wanted, URL_COLUMN among them if it is wanted. several: how several values
    stand in one cell, joined by `separator` or as a JSON list. multiple: attributes that may have several, whose cells are
    JSON lists then even if they have one or none. normalised: values in their normal form where they have one, else as
    they stood. guarded: what a spreadsheet could run gets an apostrophe.
    bom: a byte-order mark first, which makes Excel read UTF-8. list: a list whose rows are the lines, the page's own values
    repeated on each; empty for a line a page.
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
    """The attributes of the cluster's record type, without one those of its newest rule, in their order; then the URL.

    changes: fields of the layout that are to be otherwise; with `list`, the attributes of its rows come before the page's own.
    """
    wanted = changes.get("list", "")
    schema = Attribute.objects.of_cluster(cluster).select_related("list")
    attributes = [(each.name, each.multiple) for each in schema if each.list and each.list.name == wanted]
    attributes += [(each.name, each.multiple) for each in schema if each.list is None]
    if not attributes:
        rule = Rule.objects.filter(cluster=cluster).order_by("-version").first()
        attributes = _of_rule(rule.read_definition(), wanted) if rule else []
    layout = Layout((*(name for name, _ in attributes), URL_COLUMN), multiple=frozenset(name for name, several in attributes if several))
    return replace(layout, **changes)


def find_list_names(cluster: Cluster) -> list[str]:
    """The lists that a file of rows can be of, in the order of the record type."""
    return list(
        RecordList.objects.filter(record_type_id=cluster.record_type_id, attributes__isnull=False).distinct().values_list("name", flat=True)
    )


def find_usual_list(cluster: Cluster) -> str:
    """The list whose rows are the lines unless told otherwise: the first where a record has no values of its own, else none, ""."""
    of_pages = Attribute.objects.of_cluster(cluster).of_page().exists()
    names = [] if of_pages else find_list_names(cluster)
    return names[0] if names else ""


def _of_rule(rule: RuleDefinition, wanted: str) -> list[tuple[str, bool]]:
    rows = [attribute for each in rule.lists if each.name == wanted for attribute in each.attributes]
    return [(each.name, each.multiple) for each in [*rows, *rule.attributes]]


def write_rows(source: Cluster | RecordQuerySet, layout: Layout | None = None) -> Iterator[str]:
    """The file line by line, CRLF included: the header, then each record that has any value.

    source: records in the order wanted, or a cluster for those of its pages as they are now. layout: needed for records; a cluster has its
    `default_layout`. A failed record has no values and no line.
    """
    if isinstance(source, Cluster):
        layout = layout or get_default_layout(source)
        source = Record.objects.filter(cluster=source).now().order_by("pk")
    if layout is None:
        raise TypeError("records need a layout; a cluster has a default one")
    return _lines(source, layout)


def join_lines(lines: Iterable[str]) -> Iterator[str]:
    """The same text in pieces of some BLOCK_CHARACTERS, for a streaming response."""
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
    """One record of RFC 4180 with its CRLF. An only cell that is empty is quoted: a blank line is no record for most readers."""
    fields = list(cells)
    return '""\r\n' if fields == [""] else ",".join(map(_field, fields)) + "\r\n"


def _field(text: str) -> str:
    """A field, quoted where RFC 4180 or a reader with another separator needs it."""
    writer = csv.writer(_Echo(), quoting=csv.QUOTE_ALL) if _OTHER_SEPARATOR.search(text) else csv.writer(_Echo())
    return str(writer.writerow([text])).removesuffix("\r\n") if text else ""


def write_cell(name: str, values: Sequence[RecordValue], layout: Layout) -> str:
    """The text of one attribute's cell, guarded."""
    texts = [_text(value, normalised=layout.normalised) for value in values]
    if layout.several == "json" and (name in layout.multiple or len(texts) > 1):
        return json.dumps(texts, ensure_ascii=False)
    return guard_formula(layout.separator.join(map(guard_formula, texts))) if layout.guarded else layout.separator.join(texts)


def guard_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet could run it; plain numbers and telephone numbers stay."""
    bare = text.strip(" ")
    harmless = not bare.startswith(DANGEROUS) or _PLAIN_NUMBER.fullmatch(bare) or _TELEPHONE.fullmatch(bare)
    return text if harmless else f"'{text}"


def _lines(records: RecordQuerySet, layout: Layout) -> Iterator[str]:
    guarded = guard_formula if layout.guarded else str
    yield (BOM if layout.bom else "") + write_line(map(guarded, layout.columns))
    found = records.given().values_list("values", "rows", "snapshot__page__url")
    for values, lists, url in found.iterator(chunk_size=CHUNK):
        of_page = read_values(values)
        for row in read_rows(lists).get(layout.list, ()) if layout.list else ({},):
            here = {**of_page, **row}
            # Where an archive gave no address, the page's is its file's name, which may begin with anything.
            yield write_line(
                guarded(url) if name == URL_COLUMN else write_cell(name, here.get(name, ()), layout) for name in layout.columns
            )


def _text(value: RecordValue, *, normalised: bool) -> str:
    return value.value if normalised and value.value is not None else value.raw


class _Echo:
    """A file that gives back what is written to it, so that `writerow` does, too."""

    def write(self, text: str) -> str:
        return text
