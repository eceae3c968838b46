"""Finds the nodes that an editor's mark could mean (docs/algorithms.md#rule-learning).

An element, its ancestors with the same text and its only text node count as one and the same mark. The same value often stands in several
places of a page (a heading, bread crumbs, a reader's comment), so the others are found as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.corpus import Corpus, NodeTarget

MAX_PLACES = 5
"""The largest number of other places of a value that are looked at, in document order."""

Nodes = dict[NodeTarget, tuple[int, int]]
"""Nodes by target, as the element's row and the text's row; the innermost element first."""


@dataclass(frozen=True, slots=True)
class MarkedNode:
    """One marked node.

    page: the index of its page in the corpus.
    location: where it was marked.
    text: its whole cleaned value.
    nodes: the nodes that hold exactly that value.
    spans: offsets of the marked parts of the text, in order: one part, or the several values of an enumeration.
    """

    page: int
    location: Location
    text: str
    nodes: Nodes
    spans: tuple[tuple[int, int], ...]

    @property
    def is_part(self) -> bool:
        """Whether only a part of the text was marked."""
        return self.spans != ((0, len(self.text)),)


def find_marks(corpus: Corpus, page: int, locations: Sequence[Location]) -> list[MarkedNode]:
    """Makes the marks of a page; locations in the same text share one mark. Raises LearningError where a location has no text."""
    by_node: dict[Location, MarkedNode] = {}
    for location in dict.fromkeys(locations):
        mark, whole = _find_mark(corpus, page, location), _without_part(location)
        known = by_node.get(whole)
        by_node[whole] = replace(known, spans=tuple(sorted({*known.spans, *mark.spans}))) if known else mark
    return list(by_node.values())


def find_other_places(corpus: Corpus, mark: MarkedNode) -> list[MarkedNode]:
    """The other places of a mark's value on its page, as if they had been marked, in document order."""
    known = set(mark.nodes.values())
    found: list[MarkedNode] = []
    for location in _list_equal_places(corpus, mark):
        nodes = _find_nodes(corpus, mark.page, location, mark.text)
        if known.isdisjoint(nodes.values()) and len(found) < MAX_PLACES:
            known |= set(nodes.values())
            found.append(MarkedNode(mark.page, location, mark.text, nodes, mark.spans))
    return found


def _find_mark(corpus: Corpus, page: int, location: Location) -> MarkedNode:
    whole = _without_part(location)
    text = corpus.read_location(page, whole)
    if not text:
        raise LearningError("the page no longer has text where a value was marked; mark it again")
    span = (location.start or 0, min(location.end or len(text), len(text)))
    return MarkedNode(page, location, text, _find_nodes(corpus, page, whole, text), (span,))


def _without_part(location: Location) -> Location:
    return Location(location.node, location.kind, location.text, location.attribute)


def _list_equal_places(corpus: Corpus, mark: MarkedNode) -> Iterator[Location]:
    """Yield the text nodes, then the elements short enough to be labels, whose running text equals the mark's value."""
    start, end = mark.location.start, mark.location.end
    table, raw_tags = corpus.pages[mark.page], corpus.find_raw_text_tags(mark.page)
    for text in corpus.list_equal_texts(mark.page, mark.text):
        owner = int(table.texts.owner[text])
        if table.nodes[owner].tag not in raw_tags:
            yield Location(owner, "text", int(table.texts.nth[text]), start=start, end=end)
    for row in corpus.list_equal_elements(mark.page, mark.text)[::-1].tolist():
        if table.nodes[row].tag not in raw_tags:
            yield Location(row, "element", start=start, end=end)


def _find_nodes(corpus: Corpus, page: int, location: Location, text: str) -> Nodes:
    nodes: Nodes = {}
    for target, row, text_row in _list_equivalents(corpus, page, location, text):
        nodes.setdefault(target, (row, text_row))
    # Elements come before texts: other pages of the site may have markup within the same element.
    return dict(sorted(nodes.items(), key=lambda entry: entry[0].kind == "text"))


def _list_equivalents(corpus: Corpus, page: int, location: Location, text: str) -> Iterator[tuple[NodeTarget, int, int]]:
    """(target, element row, text row) of the nodes that hold exactly the value, those nearest to the mark first."""
    table, offset = corpus.pages[page], int(corpus.offsets[page])
    tag = str(table.nodes[location.node].tag)
    if location.kind == "attribute":
        yield NodeTarget("attribute", tag, location.attribute), location.node + offset, 0
        return
    if location.kind == "text":
        yield NodeTarget("text", tag), location.node + offset, _find_text_row(corpus, page, location)
    row: int = location.node
    while row < len(table.nodes) and corpus.read_whole(row + offset) == text:
        yield NodeTarget("element", str(table.nodes[row].tag)), row + offset, 0
        row = int(table.elements.parent[row])
    if location.kind == "element":
        yield from _list_inner(corpus, page, location.node, text)


def _find_text_row(corpus: Corpus, page: int, location: Location) -> int:
    table = corpus.pages[page]
    found = np.flatnonzero((table.texts.owner[:-1] == location.node) & (table.texts.nth[:-1] == location.text))
    if not len(found):
        tag = str(table.nodes[location.node].tag)
        raise LearningError(f"the text of a {tag} element was marked, but no rule can be learned from it; mark the value elsewhere")
    return int(found[0]) + int(corpus.text_offsets[page])


def _list_inner(corpus: Corpus, page: int, row: int, text: str) -> Iterator[tuple[NodeTarget, int, int]]:
    """Yield the descendants with the same whole text, outermost first, and the text node if a single one holds the whole text."""
    table, offset = corpus.pages[page], int(corpus.offsets[page])
    end = int(table.elements.end[row])
    for inner in range(row + 1, end):
        if corpus.read_whole(inner + offset) == text:
            yield NodeTarget("element", str(table.nodes[inner].tag)), inner + offset, 0
    owners = table.texts.owner[:-1]
    for place in np.flatnonzero((owners >= row) & (owners < end)):
        if table.strings[place] == text:
            owner = int(owners[place])
            yield NodeTarget("text", str(table.nodes[owner].tag)), owner + offset, int(place) + int(corpus.text_offsets[page])
