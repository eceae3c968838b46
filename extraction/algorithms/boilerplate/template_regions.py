"""Template nodes joined to regions, and the marking of new pages (Gibson, Punera & Tomkins, WWW 2005, DOM-based detector;
docs/algorithms.md#template-detection).

Template nodes that are siblings are joined to one region if little stands between them. The hashes that count as template are all that is
needed to mark a new page.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from extraction.algorithms.boilerplate.template_hash import HashedNode, HtmlAmount, choose_hashes, find_outermost

GAP_BYTES = 32
"""Bytes of HTML between two template nodes that are joined: enough for a separator or a count, but not for an element with a value."""


@dataclass(frozen=True, slots=True)
class TemplateText:
    """A text node of a template. parent: the index of its element. place: its number among that element's text nodes."""

    parent: int
    place: int


@dataclass(frozen=True, slots=True)
class TemplateRegion:
    """Sibling template nodes with the little that is between them.

    parent: index of the element around them, -1 for the root itself.
    start, end: the elements [start, end) in document order; none if it holds text only.
    texts: numbers of the parent's text nodes in it.
    """

    parent: int
    start: int
    end: int
    measure: HtmlAmount
    texts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """The template nodes of a site, by which any page is marked. hashes: of the nodes, elements and texts."""

    hashes: frozenset[int]

    def mark(self, page: Sequence[HashedNode], *, gap_bytes: int = GAP_BYTES) -> list[TemplateRegion]:
        """Return the template parts of a page, which may be a new one."""
        nodes = find_outermost(page, self.hashes)
        return join_regions(page, nodes, find_texts(page, nodes, self.hashes), gap_bytes=gap_bytes)


def learn_node_template(counted: Counter[int], *, low: float, high: float) -> NodeTemplate:
    """Return what counts as template. Raises ValueError as `find_template_nodes`."""
    return NodeTemplate(choose_hashes(counted, low=low, high=high))


def find_texts(page: Sequence[HashedNode], template: Sequence[int], hashes: Collection[int]) -> list[TemplateText]:
    """Return the text nodes of a page that are template, without those within a template element.

    template: the page's template elements.
    hashes: of the nodes that are template.
    """
    found, node, skipped = [], 0, iter([*template, len(page)])
    inside = next(skipped)
    while node < len(page):
        if node == inside:
            node, inside = page[node].end, next(skipped)
            continue
        found += [TemplateText(node, place) for place, text in enumerate(page[node].texts) if text.hash in hashes]
        node += 1
    return found


def join_regions(
    page: Sequence[HashedNode], template: Sequence[int], texts: Sequence[TemplateText] = (), *, gap_bytes: int = GAP_BYTES
) -> list[TemplateRegion]:
    """Return template nodes as regions, in document order. Neighbours of one parent with at most `gap_bytes` of HTML between them are
    joined; if one of them is a text, there may be no word between them.

    template: the template elements.
    texts: the template's text nodes.
    """
    nodes = [(_place_of_element(node), page[node].parent, (node, -1)) for node in template]
    nodes += [(_place_of_text(page, text), text.parent, (page[text.parent].texts[text.place].at, text.place)) for text in texts]
    siblings = {parent: _list_siblings(page, parent) for _, parent, _ in nodes}
    found: list[tuple[int, int, int]] = []  # (parent, first sibling, last sibling)
    newest: dict[int, int] = {}  # {parent: place of its newest region}
    for _, parent, node in sorted(nodes):
        at, number = newest.get(parent, -1), siblings[parent].places[node]
        if at >= 0 and siblings[parent].is_small_gap(found[at][2], number, gap_bytes):
            found[at] = parent, found[at][1], number
            del found[at + 1 :]  # drop regions within the gap: the joined region now includes them
            newest = {each: place for each, place in newest.items() if place <= at}
        else:
            newest[parent] = len(found)
            found.append((parent, number, number))
    return [siblings[parent].region(page, parent, first, last) for parent, first, last in found]


@dataclass(frozen=True, slots=True)
class _Siblings:
    """The children of an element in document order.

    nodes: of each (element, -1), or (the element after it, its number among the texts) for a text.
    sums: the measures of all before each, and of all together.
    """

    nodes: tuple[tuple[int, int], ...]
    places: dict[tuple[int, int], int]
    sums: tuple[HtmlAmount, ...]

    def between(self, first: int, last: int) -> HtmlAmount:
        """Return the measure of the children [first, last)."""
        before, after = self.sums[first], self.sums[last]
        return HtmlAmount(after.size_bytes - before.size_bytes, after.words - before.words, after.links - before.links)

    def is_small_gap(self, last: int, number: int, gap_bytes: int) -> bool:
        """Return whether little stands between two children. Beside a text no word may, because it would mostly be the value of a label."""
        gap = self.between(last + 1, number)
        beside_text = self.nodes[last][1] >= 0 or self.nodes[number][1] >= 0
        return gap.size_bytes <= gap_bytes and not (beside_text and gap.words)

    def region(self, page: Sequence[HashedNode], parent: int, first: int, last: int) -> TemplateRegion:
        """Return the children from the first to the last as a region."""
        held = self.nodes[first : last + 1]
        elements = [node for node, text in held if text < 0]
        start, end = (elements[0], page[elements[-1]].end) if elements else (held[0][0], held[0][0])
        return TemplateRegion(parent, start, end, self.between(first, last + 1), tuple(text for _, text in held if text >= 0))


def _list_siblings(page: Sequence[HashedNode], parent: int) -> _Siblings:
    if parent < 0:
        return _Siblings(((0, -1),), {(0, -1): 0}, (HtmlAmount(), page[0].whole))
    nodes: list[tuple[int, int]] = []
    child = parent + 1
    texts = page[parent].texts
    waiting = 0
    while True:
        while waiting < len(texts) and texts[waiting].at <= child:
            nodes.append((texts[waiting].at, waiting))
            waiting += 1
        if child >= page[parent].end:
            break
        nodes.append((child, -1))
        child = page[child].end
    sums = [HtmlAmount()]
    for node, text in nodes:
        sums.append(sums[-1] + (page[node].whole if text < 0 else texts[text].measure))
    return _Siblings(tuple(nodes), {node: place for place, node in enumerate(nodes)}, tuple(sums))


def _place_of_element(node: int) -> tuple[int, int, int, int]:
    return node, 1, 0, 0


def _place_of_text(page: Sequence[HashedNode], text: TemplateText) -> tuple[int, int, int, int]:
    """Return what sorts a text among all nodes: it is before the next element, and after the texts of elements that end before it."""
    return page[text.parent].texts[text.place].at, 0, -text.parent, text.place
