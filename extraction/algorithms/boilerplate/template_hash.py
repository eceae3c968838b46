"""Template nodes by the hashes of their HTML (Gibson, Punera & Tomkins, WWW 2005, DOM-based detector;
docs/algorithms.md#template-detection).

Each node has a hash of all its HTML, and hashes are counted over the pages of a site. A node is a *template node* if its count is within
[low, high] and no ancestor is one. Template nodes that are siblings are joined to one region if little stands between them.

The hash of a node is made of its tag, its attributes and the hashes of its children. So equal HTML has equal hashes, and a page is hashed
in linear time. Hashing each node's serialised HTML would be quadratic in the depth. Comments, scripts and text count; white space is
collapsed. `high` excludes HTML that occurs many times everywhere, such as empty cells.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from lxml import etree

from extraction.algorithms.dom.nodes import clean, raw_text

TAG_BYTES = 5
"""The brackets and the slash of a start tag and an end tag."""

LOW_FRACTION, HIGH_FRACTION = 0.5, 20.0
"""Defaults of low and high, relative to the number of pages. Pages of one template share values too, and what half of them have belongs to
the template. High: so many times on an average page."""

GAP_BYTES = 32
"""Bytes of HTML between two template nodes that are joined: enough for a separator or a count, but not for an element with a value."""


@dataclass(frozen=True, slots=True)
class HtmlAmount:
    """The size of a piece of HTML.

    size_bytes: of tags, attributes and text.
    words: that a reader sees.
    links: ``<a href>``.
    """

    size_bytes: int = 0
    words: int = 0
    links: int = 0

    def __add__(self, other: "HtmlAmount") -> "HtmlAmount":
        return HtmlAmount(self.size_bytes + other.size_bytes, self.words + other.words, self.links + other.links)


@dataclass(frozen=True, slots=True)
class HashedNode:
    """An element.

    hash: of its HTML.
    parent: index, -1 for the root.
    end: the index after its last descendant.
    whole: the size of it and everything in it.
    tail: the text after it, up to the next tag.
    """

    hash: int
    parent: int
    end: int
    whole: HtmlAmount
    tail: HtmlAmount


@dataclass(frozen=True, slots=True)
class TemplateRegion:
    """Sibling template nodes with the little that is between them: elements [start, end) in document order, within `parent`."""

    parent: int
    start: int
    end: int
    measure: HtmlAmount


def hash_nodes(nodes: Sequence[etree._Element]) -> list[HashedNode]:
    """Return a page's elements with their hashes. Cost: linear, without recursion, because pages may be 2,048 levels deep.

    nodes: `elements(root)`.
    """
    index = {element: node for node, element in enumerate(nodes)}
    parents = [_index(index, element.getparent()) for element in nodes]
    hidden = _hidden(nodes, parents)
    ends = list(range(1, len(nodes) + 1))
    hashes: list[int] = [0] * len(nodes)
    wholes: list[HtmlAmount] = [HtmlAmount()] * len(nodes)
    tails: list[HtmlAmount] = [HtmlAmount()] * len(nodes)
    for node in range(len(nodes) - 1, -1, -1):
        element = nodes[node]
        children = [(child, index.get(child)) for child in element]
        hashes[node] = _hash(element, [None if at is None else hashes[at] for _, at in children])
        whole = _own(element, hidden[node])
        for child, at in children:
            whole += _text(child.tail, hidden[node]) + (wholes[at] if at is not None else _text(child.text, hidden=True))
        wholes[node], tails[node] = whole, _text(element.tail, parents[node] >= 0 and hidden[parents[node]])
        if parents[node] >= 0:
            ends[parents[node]] = max(ends[parents[node]], ends[node])
    return [HashedNode(*row) for row in zip(hashes, parents, ends, wholes, tails, strict=True)]


def count_hashes(pages: Iterable[Sequence[HashedNode]]) -> Counter[int]:
    """Return {hash: how many nodes of all pages have it}."""
    found: Counter[int] = Counter()
    for page in pages:
        found.update(node.hash for node in page)
    return found


def find_template_nodes(page: Sequence[HashedNode], counted: Counter[int], *, low: float, high: float) -> list[int]:
    """Return the indices of a page's template nodes, none of them within another.

    Raises ValueError if low is under 2 or above high: HTML that occurs only once is not shared.

    low, high: bounds of the count of a template node, both included.
    """
    if not 2 <= low <= high:
        raise ValueError(f"low and high: 2 ≤ low ≤ high is needed, got {low} and {high}")
    found, node = [], 0
    while node < len(page):
        if low <= counted[page[node].hash] <= high:
            found.append(node)
            node = page[node].end
        else:
            node += 1
    return found


def join_regions(page: Sequence[HashedNode], template: Sequence[int], *, gap_bytes: int = GAP_BYTES) -> list[TemplateRegion]:
    """Return template nodes as regions. Neighbours of one parent with at most `gap_bytes` of HTML between them are joined."""
    found: list[TemplateRegion] = []
    last: dict[int, tuple[int, int]] = {}  # {parent: (its newest region, the newest template node in it)}
    for node in template:
        row = page[node]
        at, before = last.get(row.parent, (-1, -1))
        between = _between(page, before, node) if at >= 0 else HtmlAmount()
        if at >= 0 and between.size_bytes <= gap_bytes:
            found[at] = TemplateRegion(row.parent, found[at].start, row.end, found[at].measure + between + row.whole)
            del found[at + 1 :]  # drop regions within the gap: the joined region now includes them
        else:
            at = len(found)
            found.append(TemplateRegion(row.parent, node, row.end, row.whole))
        last[row.parent] = at, node
    return found


def default_bounds(pages: int) -> tuple[float, float]:
    """Return (low, high) for so many pages of one template."""
    return max(2.0, LOW_FRACTION * pages), max(2.0, HIGH_FRACTION * pages)


def _index(index: dict[etree._Element, int], element: etree._Element | None) -> int:
    return -1 if element is None else index.get(element, -1)


def _between(page: Sequence[HashedNode], before: int, node: int) -> HtmlAmount:
    """Return the amount of HTML between two siblings: the text after the first, and the siblings between them with the text after each."""
    found, sibling = page[before].tail, page[before].end
    while sibling < node:
        found += page[sibling].whole + page[sibling].tail
        sibling = page[sibling].end
    return found


def _hash(element: etree._Element, children: Sequence[int | None]) -> int:
    """Return 64 bits of an element's HTML.

    children: the hashes of its children, None for a comment.
    """
    inside = [(child.text if known is None else known, clean(child.tail or "")) for child, known in zip(element, children, strict=True)]
    written = repr((element.tag, element.items(), clean(element.text or ""), inside))
    return int.from_bytes(blake2b(written.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _own(element: etree._Element, hidden: bool) -> HtmlAmount:
    """Return the amount of an element's tags, attributes and first text, without its children."""
    name = len(str(element.tag))
    attributes = sum(len(key) + len(value.encode("utf-8", "surrogatepass")) + 4 for key, value in element.items())
    link = int(element.tag == "a" and element.get("href") is not None)
    return HtmlAmount(2 * name + TAG_BYTES + attributes, 0, link) + _text(element.text, hidden)


def _text(text: str | None, hidden: bool) -> HtmlAmount:
    cleaned = clean(text) if text else ""
    return HtmlAmount(len(cleaned.encode("utf-8", "surrogatepass")), 0 if hidden else len(cleaned.split()), 0)


def _hidden(nodes: Sequence[etree._Element], parents: Sequence[int]) -> list[bool]:
    """Return for each element whether a reader of the page sees none of its text."""
    found: list[bool] = []
    unseen = raw_text(nodes[0]) if nodes else frozenset()
    for element, parent in zip(nodes, parents, strict=True):
        found.append(element.tag in unseen or (parent >= 0 and found[parent]))
    return found
