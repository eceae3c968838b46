"""Where the rows of a list lead: the address of the link around a field's value is a column too.

People want the link of a result more often than most of its texts, and joins of listings with the pages that they lead to need it. A list
has one such column for each address that its rows lead to: the picture and the title of a result lead to the same page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lxml import etree

from extraction.algorithms.alignment.mse import Section, SectionField, SectionRow
from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.nodes import Location, elements, is_xml

LEADING = 0.8
"""Share of the rows that must have a link around the value of a field for its addresses to be a column."""

LINKS = 3
"""The largest number of columns of addresses."""

STEP = "@href"
"""The last step of a column of addresses."""

_NO_PAGE = ("#", "javascript:", "mailto:", "tel:")

Row = tuple[int, int]
"""(page, number of its row)"""


def add_links(section: Section, roots: Sequence[etree._Element]) -> Section:
    """Return a section with a column after the others for each address that its rows lead to: those around the values of its fields, and
    the first link of the rows. Pages of XML have no links."""
    if not section.rows or any(is_xml(roots[page]) for page in section.rows):
        return section
    total = sum(map(len, section.rows.values()))
    pages = {page: _Page(elements(roots[page])) for page in section.rows}
    around = (number for number, field in enumerate(section.fields) if not field.multiple)
    fields, columns = list(section.fields), dict[int, Mapping[Row, Value]]()
    for number in (*around, None):
        links = _read_links(section, number, pages)
        told = {row: link.text for row, link in links.items()}
        known = any(told.items() <= {row: link.text for row, link in column.items()}.items() for column in columns.values())
        if known or len(links) < LEADING * total or len(set(told.values())) < 2 or len(columns) == LINKS or (number is None and columns):
            continue
        columns[len(fields)] = links
        fields.append(SectionField("", (STEP,), 0, multiple=False))
    if not columns:
        return section
    rows = {page: tuple(_extend(row, (page, at), columns) for at, row in enumerate(rows)) for page, rows in section.rows.items()}
    return replace(section, fields=tuple(fields), rows=rows)


def is_link(field: SectionField) -> bool:
    """Return whether a field is a column of addresses."""
    return field.steps[-1:] == (STEP,)


class _Page:
    """The elements of a page, with their numbers."""

    def __init__(self, nodes: Sequence[etree._Element]) -> None:
        self.nodes = nodes
        self.numbers = {node: number for number, node in enumerate(nodes)}

    def find_link_around(self, row: SectionRow, number: int) -> etree._Element | None:
        """Return the innermost link that the value of a field is in, within its row."""
        if number not in row.values:
            return None
        top = self.nodes[row.first].getparent()
        at: etree._Element | None = self.nodes[row.values[number][0].place.node]
        while at is not None and at is not top:
            if _address(at):
                return at
            at = at.getparent()
        return None

    def find_first_link(self, row: SectionRow) -> etree._Element | None:
        """Return the first link of a row."""
        end = row.last + len(elements(self.nodes[row.last]))
        return next((node for node in self.nodes[row.first : end] if _address(node)), None)


def _extend(row: SectionRow, at: Row, columns: Mapping[int, Mapping[Row, Value]]) -> SectionRow:
    return replace(row, values={**row.values, **{number: (links[at],) for number, links in columns.items() if at in links}})


def _read_links(section: Section, number: int | None, pages: Mapping[int, _Page]) -> dict[Row, Value]:
    """Return the links around the values of a field, or the first link of each row. number: None for the latter."""
    found: dict[Row, Value] = {}
    for page, rows in section.rows.items():
        for at, row in enumerate(rows):
            link = pages[page].find_first_link(row) if number is None else pages[page].find_link_around(row, number)
            if link is not None:
                place = Location(pages[page].numbers[link], "attribute", attribute="href")
                found[page, at] = Value(_address(link), place)
    return found


def _address(node: etree._Element) -> str:
    """Return where an element leads, "" if it is no link or leads to no page."""
    href = str(node.get("href") or "").strip() if node.tag == "a" else ""
    return "" if href.lower().startswith(_NO_PAGE) else href
