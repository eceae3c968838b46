"""Which elements are meant by rows that are said to be none: all attributes of such a row are marked as not there.

The mark of such a row has no place. Its number has: row 3 stands after row 2. So it is the first row that the rule finds after the marked
row before it and that is not marked itself.
"""

from collections.abc import Mapping, Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import XPathError
from extraction.services.learning.learning_set import LoadedPage

Row = Mapping[int, Sequence[Location]]
"""{attribute id: places} of a marked row; () if the row lacks the attribute."""


def is_refused(row: Row, attributes: int) -> bool:
    """Return whether a row is said to be none. attributes: how many attributes the list has."""
    return len(row) >= attributes > 0 and not any(row.values())


def find_refused_rows(page: LoadedPage, rows: Mapping[int, Row], attributes: int, xpath: str) -> list[int]:
    """Return the elements of a page that are said to be no rows, as places in its `nodes`.

    rows: {number: row} of the page.
    attributes: how many attributes the list has.
    xpath: that of the rows, as it is learned without the refused ones.
    """
    wanted = [number for number in sorted(rows) if is_refused(rows[number], attributes)]
    if not wanted:
        return []
    try:
        found = [item for item in XPath(xpath).select(page.root) if isinstance(item, etree._Element)]
    except XPathError:
        return []
    owners = {number: owner for number, row in rows.items() if (owner := _find_owner(page, row, found)) is not None}
    taken, refused = set(owners.values()), list[int]()
    for number in wanted:
        before = max((owner for other, owner in owners.items() if other < number), default=-1)
        free = next((place for place in range(before + 1, len(found)) if place not in taken), None)
        if free is not None:
            taken.add(free)
            owners[number] = free
            refused.append(page.index[found[free]])
    return refused


def _find_owner(page: LoadedPage, row: Row, found: Sequence[etree._Element]) -> int | None:
    """Return which of the found elements holds a marked row."""
    places = {element: number for number, element in enumerate(found)}
    for location in (at for many in row.values() for at in many):
        element = page.nodes[location.node]
        held = next((places[each] for each in (element, *element.iterancestors()) if each in places), None)
        if held is not None:
            return held
    return None
