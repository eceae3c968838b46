"""The heads of table columns: what names a value that stands below its name and not beside it."""

from collections import Counter
from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements
from extraction.algorithms.suggestion.ranking import ColumnCandidate

MAX_CHARACTERS = 60
"""A longer head is no name."""

AGREE = 0.5
"""The share of the pages that must have the same head."""


def find_headers(roots: Sequence[etree._Element], columns: Sequence[ColumnCandidate]) -> dict[int, str]:
    """Return {number of a column: the head above its values}, for columns whose values stand in a table with a row of heads."""
    known: dict[int, list[etree._Element]] = {}
    found: dict[int, str] = {}
    for number, column in enumerate(columns):
        heads = Counter[str]()
        for page, row in column.group.items():
            if page not in known:
                known[page] = elements(roots[page])
            heads[find_header(known[page][row[0].unit.place.node])] += 1
        head, count = min(heads.items(), key=lambda pair: (-pair[1], pair[0]))
        if head and count > AGREE * len(column.group):
            found[number] = head
    return found


def find_header(element: etree._Element) -> str:
    """Return the text of the head above the table cell around an element; "" if there is none, or if the row has a head of its own."""
    cell = next((each for each in (element, *element.iterancestors()) if each.tag == "td"), None)
    row = cell.getparent() if cell is not None else None
    table = next(row.iterancestors("table"), None) if row is not None and row.tag == "tr" else None
    if cell is None or row is None or table is None:
        return ""
    cells = list(row.iterchildren("td", "th"))
    first = next(table.iterdescendants("tr"))
    heads = list(first.iterchildren("td", "th"))
    spans = any(each.get("colspan", "1") != "1" for each in (*heads, *cells))
    if first is row or spans or len(heads) != len(cells) or len(cells) < 2 or any(each.tag != "th" for each in heads):
        return ""
    if any(each.tag == "th" for each in cells):
        return ""
    head = clean("".join(heads[cells.index(cell)].itertext()))
    return head if len(head) <= MAX_CHARACTERS else ""
