"""Template nodes by the hashes of their HTML (Gibson, Punera & Tomkins, WWW 2005, DOM-based detector;
docs/algorithms.md#template-detection).

Each element has a hash of all its HTML, and each stretch of text is a text node with a hash of its own. Hashes are counted over the pages
of a site. A node is a *template node* if its count is within [low, high] and no ancestor is one. So a label is template even if its element
holds a value, too. `template_regions` joins template nodes and marks new pages.

The hash of a node is made of its tag, its attributes and the hashes of its children. So equal HTML has equal hashes, and a page is hashed
in linear time. Hashing each node's serialised HTML would be quadratic in the depth. Comments, scripts and text count; white space is
collapsed. `high` excludes HTML that occurs many times everywhere, such as empty cells.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from lxml import etree

from extraction.algorithms.dom.nodes import clean, raw_text
from extraction.algorithms.dom.words import count_words

TAG_BYTES = 5
"""The brackets and the slash of a start tag and an end tag."""

LOW_FRACTION, HIGH_FRACTION = 0.5, 20.0
"""Defaults of low and high, relative to the number of pages. Pages of one template share values, too, so low is half of the pages. High is
this many times on an average page."""


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
class HashedText:
    """A text node that a reader sees.

    hash: of its text.
    at: index of the element after it among its siblings, or the end of its parent.
    measure: its size.
    """

    hash: int
    at: int
    measure: HtmlAmount


@dataclass(frozen=True, slots=True)
class HashedNode:
    """An element.

    hash: of its HTML.
    parent: index, -1 for the root.
    end: the index after its last descendant.
    whole: the size of it and everything in it.
    tail: the text after it, up to the next tag.
    texts: its own text nodes, in order.
    """

    hash: int
    parent: int
    end: int
    whole: HtmlAmount
    tail: HtmlAmount
    texts: tuple[HashedText, ...] = ()


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
    texts: list[tuple[HashedText, ...]] = [()] * len(nodes)
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
        if not hidden[node]:
            texts[node] = _list_texts(element, children, ends[node])
    return [HashedNode(*row) for row in zip(hashes, parents, ends, wholes, tails, texts, strict=True)]


def count_hashes(pages: Iterable[Sequence[HashedNode]]) -> Counter[int]:
    """Return {hash: how many nodes of all pages have it}. Texts count as elements do."""
    found: Counter[int] = Counter()
    for page in pages:
        found.update(node.hash for node in page)
        found.update(text.hash for node in page for text in node.texts)
    return found


def choose_hashes(counted: Counter[int], *, low: float, high: float) -> frozenset[int]:
    """Return the hashes that count as template. Raises ValueError as `find_template_nodes`."""
    if not 2 <= low <= high:
        raise ValueError(f"low and high: 2 ≤ low ≤ high is needed, got {low:g} and {high:g}")
    return frozenset(hash_ for hash_, count in counted.items() if low <= count <= high)


def find_template_nodes(page: Sequence[HashedNode], counted: Counter[int], *, low: float, high: float) -> list[int]:
    """Return the indices of a page's template elements, none of them within another.

    Raises ValueError if low is under 2 or above high: HTML that occurs only once is not shared.

    low, high: bounds of the count of a template node, both included.
    """
    return find_outermost(page, choose_hashes(counted, low=low, high=high))


def find_outermost(page: Sequence[HashedNode], hashes: Collection[int]) -> list[int]:
    """Return the indices of the elements with one of the hashes, without those within another."""
    found, node = [], 0
    while node < len(page):
        if page[node].hash in hashes:
            found.append(node)
            node = page[node].end
        else:
            node += 1
    return found


def default_bounds(pages: int) -> tuple[float, float]:
    """Return (low, high) for this many pages of one template."""
    return max(2.0, LOW_FRACTION * pages), max(2.0, HIGH_FRACTION * pages)


def _index(index: dict[etree._Element, int], element: etree._Element | None) -> int:
    return -1 if element is None else index.get(element, -1)


def _list_texts(element: etree._Element, children: Sequence[tuple[etree._Element, int | None]], end: int) -> tuple[HashedText, ...]:
    """Return an element's own text nodes that are not blank.

    children: each with its index, None for a comment.
    end: the index after the element's last descendant.
    """
    found = []
    for child, at in reversed(children):
        if child.tail and (cleaned := clean(child.tail)):
            found.append(HashedText(_digest(("#text", cleaned)), end, _text(child.tail, hidden=False)))
        end = end if at is None else at
    if element.text and (cleaned := clean(element.text)):
        found.append(HashedText(_digest(("#text", cleaned)), end, _text(element.text, hidden=False)))
    return tuple(reversed(found))


def _hash(element: etree._Element, children: Sequence[int | None]) -> int:
    """Return 64 bits of an element's HTML.

    children: the hashes of its children, None for a comment.
    """
    inside = [(child.text if known is None else known, clean(child.tail or "")) for child, known in zip(element, children, strict=True)]
    return _digest((element.tag, element.items(), clean(element.text or ""), inside))


def _digest(content: tuple[object, ...]) -> int:
    return int.from_bytes(blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _own(element: etree._Element, hidden: bool) -> HtmlAmount:
    """Return the amount of an element's tags, attributes and first text, without its children."""
    name = len(str(element.tag))
    attributes = sum(len(key) + len(value.encode("utf-8", "surrogatepass")) + 4 for key, value in element.items())
    link = int(element.tag == "a" and element.get("href") is not None)
    return HtmlAmount(2 * name + TAG_BYTES + attributes, 0, link) + _text(element.text, hidden)


def _text(text: str | None, hidden: bool) -> HtmlAmount:
    cleaned = clean(text) if text else ""
    return HtmlAmount(len(cleaned.encode("utf-8", "surrogatepass")), 0 if hidden else _count_words(cleaned), 0)


def _count_words(text: str) -> int:
    """Return how many words a reader sees. Splitting is enough, and far faster, where each character is ASCII."""
    return len(text.split()) if text.isascii() else count_words(text)


def _hidden(nodes: Sequence[etree._Element], parents: Sequence[int]) -> list[bool]:
    """Return for each element whether a reader of the page sees none of its text."""
    found: list[bool] = []
    unseen = raw_text(nodes[0]) if nodes else frozenset()
    for element, parent in zip(nodes, parents, strict=True):
        found.append(element.tag in unseen or (parent >= 0 and found[parent]))
    return found
