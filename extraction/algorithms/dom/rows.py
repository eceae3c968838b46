"""Rows of a list on a page, and which parts of the page belong to each (docs/algorithms.md#rule-learning).

A row is an element with everything below it. Some lists have no element that holds one record: ``dt`` and its ``dd``, a heading and the
paragraphs after it, two ``tr``. In such a list, a row is named by its first element and includes the siblings after it, up to the next row.
An XPath of a value in such a row leaves the element by ``following-sibling::``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from extraction.algorithms.dom.xpath import XPath


def leaves_row(xpath: str) -> bool:
    """Return whether a relative XPath selects among the row's following siblings, so that its results must be cut off at the next row."""
    return "following-sibling::" in xpath


@dataclass(slots=True)
class Rows:
    """The rows of a list on one page, in document order. Do not use this object after the tree was changed."""

    elements: Sequence[etree._Element]
    _next: list[etree._Element | None] = field(default_factory=list)
    _children: dict[etree._Element, dict[etree._Element, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parents = [row.getparent() for row in self.elements]
        for place in range(len(self.elements)):
            more = place + 1 < len(parents) and parents[place] is not None and parents[place + 1] is parents[place]
            self._next.append(self.elements[place + 1] if more else None)

    def until(self, place: int) -> etree._Element | None:
        """Return the sibling that begins the next row, or None if the row includes all siblings to the last."""
        return self._next[place]

    def select(self, place: int, xpath: str) -> list[Any]:
        """Return the nodes that a relative XPath selects in the row with this number, without nodes of later rows."""
        found = XPath(xpath).select(self.elements[place])
        stop = self._next[place]
        if stop is None or not leaves_row(xpath):
            return found
        return [item for item in found if self._before(item, stop)]

    def _before(self, item: Any, stop: etree._Element) -> bool:
        parent = stop.getparent()
        node = item if isinstance(item, etree._Element) else item.getparent()
        while node is not None and node.getparent() is not parent:
            node = node.getparent()
        if parent is None or node is None:
            return True
        if parent not in self._children:
            self._children[parent] = {child: n for n, child in enumerate(parent)}
        places = self._children[parent]
        return places[node] < places[stop]


def select_rows(xpaths: Iterable[str], root: etree._Element) -> Iterator[etree._Element]:
    """Yield the rows of a page: the elements selected by the first XPath that selects any."""
    for xpath in xpaths:
        found = [item for item in XPath(xpath).select(root) if isinstance(item, etree._Element) and isinstance(item.tag, str)]
        if found:
            yield from found
            return
