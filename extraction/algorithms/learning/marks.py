"""What an editor marked, as nodes that could be meant by it (ALGORITHMS 4.3, "on modern pages").

An element, its ancestors of equal text and an element's only text are one and the same mark. And the same value often
stands in several places of a page (heading, bread crumbs, a reader's comment): the others are remembered as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.dom.nodes import Location, clean, raw_text, value, whole_text
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.corpus import Corpus, Target
from extraction.algorithms.learning.features import TOO_LONG, PageTable, key, label_key

MAX_PLACES = 5
"""Most other places of a value that are looked at, in document order."""

Nodes = dict[Target, tuple[int, int]]
"""Nodes by target, as the element's row and the text's row; the innermost element first."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One marked node. page; location as it was marked; text, its whole cleaned value; nodes that hold just that.

    spans: offsets of what was marked in the text, in order: one, or several values of an enumeration.
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


def marks_of(corpus: Corpus, page: int, locations: Sequence[Location]) -> list[Mark]:
    """The marks of a page's locations, one for all that are in one text. Raises LearningError as `mark`."""
    by_node: dict[Location, Mark] = {}
    for location in dict.fromkeys(locations):
        one, whole = mark(corpus, page, location), _whole(location)
        known = by_node.get(whole)
        by_node[whole] = replace(known, spans=tuple(sorted({*known.spans, *one.spans}))) if known else one
    return list(by_node.values())


def mark(corpus: Corpus, page: int, location: Location) -> Mark:
    """The mark of a location. Raises LearningError where the page has no text there."""
    whole = _whole(location)
    text = value(corpus.pages[page].nodes, whole)
    if not text:
        raise LearningError("the page no longer has text where a value was marked; mark it again")
    span = (location.start or 0, min(location.end or len(text), len(text)))
    return Mark(page, location, text, _nodes(corpus, page, whole, text), (span,))


def _whole(location: Location) -> Location:
    return Location(location.node, location.kind, location.text, location.attribute)


def elsewhere(corpus: Corpus, one: Mark) -> list[Mark]:
    """The same value's other places on the page as if they had been marked, in document order."""
    known = set(one.nodes.values())
    found: list[Mark] = []
    for place in _same(corpus.pages[one.page], one):
        nodes = _nodes(corpus, one.page, place, one.text)
        if known.isdisjoint(nodes.values()) and len(found) < MAX_PLACES:
            known |= set(nodes.values())
            found.append(Mark(one.page, place, one.text, nodes, one.spans))
    return found


def _same(table: PageTable, one: Mark) -> Iterator[Location]:
    """Texts, then elements short enough to be labels, that have the mark's value and are seen as running text."""
    start, end = one.location.start, one.location.end
    owners, nth = np.asarray(table.texts["owner"]), np.asarray(table.texts["text_nth"])
    unseen = raw_text(table.nodes[0])
    for text in np.flatnonzero(np.asarray(table.texts["text"]) == np.uint64(key(one.text))):
        if table.nodes[owners[text]].tag not in unseen:
            yield Location(int(owners[text]), "text", int(nth[text]), start=start, end=end)
    whole = label_key(one.text)
    if whole > TOO_LONG:
        for row in np.flatnonzero(np.asarray(table.elements["whole"]) == np.uint64(whole))[::-1]:
            if table.nodes[row].tag not in unseen:
                yield Location(int(row), "element", start=start, end=end)


def _nodes(corpus: Corpus, page: int, location: Location, text: str) -> Nodes:
    nodes: Nodes = {}
    for target, row, text_row in _equivalents(corpus, page, location, text):
        nodes.setdefault(target, (row, text_row))
    # Elements before texts: other pages of the site may have markup within the same element.
    return dict(sorted(nodes.items(), key=lambda entry: entry[0].kind == "text"))


def _equivalents(corpus: Corpus, page: int, location: Location, text: str) -> Iterator[tuple[Target, int, int]]:
    """(target, element row, text row) of the nodes that hold just the value, nearest to what was marked first."""
    table, offset = corpus.pages[page], int(corpus.offsets[page])
    tag = str(table.nodes[location.node].tag)
    if location.kind == "attribute":
        yield Target("attribute", tag, location.attribute), location.node + offset, 0
        return
    if location.kind == "text":
        yield Target("text", tag), location.node + offset, _text_row(corpus, page, location)
    row: int = location.node
    while row < len(table.nodes) and clean(whole_text(table.nodes[row])) == text:
        yield Target("element", str(table.nodes[row].tag)), row + offset, 0
        row = int(np.asarray(table.elements["parent"])[row])
    if location.kind == "element":
        yield from _inner(corpus, page, location.node, text)


def _text_row(corpus: Corpus, page: int, location: Location) -> int:
    table = corpus.pages[page]
    tag = str(table.nodes[location.node].tag)
    owners, nth = np.asarray(table.texts["owner"][:-1]), np.asarray(table.texts["text_nth"][:-1])
    found = np.flatnonzero((owners == location.node) & (nth == location.text))
    if not len(found):
        raise LearningError(f"the text of a {tag} element was marked, but no rule can be learned from it; mark the value elsewhere")
    return int(found[0]) + int(corpus.text_offsets[page])


def _inner(corpus: Corpus, page: int, row: int, text: str) -> Iterator[tuple[Target, int, int]]:
    """Descendants with the same whole text, from the outside in, and the one text that is all of it."""
    table, offset, end = corpus.pages[page], int(corpus.offsets[page]), int(np.asarray(corpus.pages[page].elements["end"])[row])
    for inner in range(row + 1, end):
        if clean(whole_text(table.nodes[inner])) == text:
            yield Target("element", str(table.nodes[inner].tag)), inner + offset, 0
    owners = np.asarray(table.texts["owner"][:-1])
    for place in np.flatnonzero((owners >= row) & (owners < end)):
        if table.strings[place] == text:
            owner = int(owners[place])
            yield Target("text", str(table.nodes[owner].tag)), owner + offset, int(place) + int(corpus.text_offsets[page])
