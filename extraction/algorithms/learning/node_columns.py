"""Reads a page's nodes from lxml into columns, from which `table_reader` makes the page's table.

lxml is asked once for each node's tag, parent, text, tail and attributes. All relations between nodes come from these columns by array
operations, which is several times faster than walking the tree.

Nodes have two numbers: their *place* among all nodes in document order, comments included because a comment parts two texts; and,
for elements, their *row*. A *slot* is a text() node: an element's own text, at the element's place, or a child's tail, at the child's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import attrgetter, methodcaller
from typing import TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.page_table import (
    BLANK,
    HEADS,
    MAX_CLASSES,
    MAX_LABEL,
    MAX_RAW_LABEL,
    MAX_SHAPE,
    TOO_LONG,
    Bools,
    Hashes,
    Ints,
    find_unread_tags,
    hash_name,
    hash_text,
    is_naming,
    make_shapes,
    split_names,
)

Places = NDArray[np.int64]

MAX_NODES = 1_000_000
"""The largest number of elements and comments of a page that is learned from. A table needs some 500 bytes for each, beside the tree. A
product page written to have 20 MB has 260,000, the largest real one seen 20,000."""

LONG_TEXT = "…" * (MAX_LABEL + 1)
"""Stands for a script's text, of which only its being too long for a label counts."""

T = TypeVar("T", bound=np.generic)

_PARENT, _ATTRIBUTES = methodcaller("getparent"), methodcaller("items")
_TAG, _TEXT, _TAIL = attrgetter("tag"), attrgetter("text"), attrgetter("tail")


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """A page's nodes: `a` nodes in all, of which `n` are elements.

    everything, is_element, is_heading, unread, tags (hashes): one entry per node.
    linked: by node, whether it is a child of an element whose content is read.
    parent: by node, the place of its parent, a for the root.
    end: by node, the place after its last descendant.
    row: by node and once more (a + 1), the row of an element, n for others.
    nodes, places: the elements, and their places among all nodes.
    """

    everything: list[etree._Element]
    nodes: list[etree._Element]
    is_element: Bools
    is_heading: Bools
    unread: Bools
    linked: Bools
    tags: Hashes
    parent: Places
    end: Places
    row: Places
    places: Places

    @classmethod
    def read(cls, root: etree._Element) -> "NodeColumns":
        """The nodes of a page. Raises PageError for a page of more than MAX_NODES elements and comments."""
        everything = list(islice(root.iter(), MAX_NODES + 1))
        if len(everything) > MAX_NODES:
            raise PageError(f"the page has more than {MAX_NODES:,} elements and comments, too many to learn from")
        count = len(everything)
        names = list(map(_TAG, everything))
        kinds = list(set(names))
        numbers = dict(zip(kinds, range(len(kinds)), strict=True))
        kind = np.array([numbers[name] for name in names])
        hashes = [hash_text(name) if isinstance(name, str) else 0 for name in kinds]  # a comment's tag is a function
        tags = np.array(hashes, np.uint64)[kind]
        without_rows = find_unread_tags(root)
        unread = np.array([name in without_rows for name in kinds])[kind]
        is_heading = np.array([name in HEADS for name in kinds])[kind]
        is_element = tags > 0
        known = dict(zip(everything, range(count), strict=True))
        parents = [known.get(above, count) for above in map(_PARENT, everything)]
        places = np.flatnonzero(is_element)
        row = np.full(count + 1, len(places))
        row[places] = np.arange(len(places))
        nodes = everything if len(places) == count else [everything[place] for place in places]
        parent = np.array(parents)
        linked = ~add_guard(unread, True)[parent]
        return cls(everything, nodes, is_element, is_heading, unread, linked, tags, parent, _ends(parents), row, places)

    def order_inside(self, places: Places) -> Places:
        """The order of a text at the very beginning of each element, see `TextSlots.order`."""
        return (places + 1) * (len(self.everything) + 2)

    def order_after(self, places: Places) -> Places:
        """The order of a text right after each node; where several nodes end at one point, the text after the innermost comes first."""
        count = len(self.everything)
        return self.end[places] * (count + 2) + count + 1 - places


def _ends(parents: Sequence[int]) -> Places:
    sizes = [1] * (len(parents) + 1)
    for place in range(len(parents) - 1, 0, -1):
        sizes[parents[place]] += sizes[place]
    ends: Places = np.arange(len(parents)) + np.array(sizes[:-1])
    return ends


@dataclass(frozen=True, slots=True, eq=False)
class TextSlots:
    """A page's text() nodes, one entry each.

    owner: place of its element.
    at: place of the element, or of the child whose tail it is.
    order: a number that grows in document order.
    raw, cleaned: the strings.
    text, label, shape: hashes of the cleaned string as a text, as a label, and of its shape.
    """

    owner: Places
    at: Places
    order: Places
    raw: list[str]
    cleaned: list[str]
    text: Hashes
    label: Hashes
    shape: Hashes

    @classmethod
    def read(cls, tree: NodeColumns) -> "TextSlots":
        """All texts of a page, in document order."""
        texts = list(map(_TEXT, tree.everything))
        tails = list(map(_TAIL, tree.everything))
        own = [place for place, (text, known) in enumerate(zip(texts, tree.is_element.tolist(), strict=True)) if text and known]
        tail = [place for place, text in enumerate(tails) if text and place]  # the root's tail is outside of the page
        at = np.array(own + tail, np.int64)
        is_tail = np.arange(len(at)) >= len(own)
        order = np.where(is_tail, tree.order_after(at), tree.order_inside(at))
        sequence = np.argsort(order)
        strings = [*(texts[place] for place in own), *(tails[place] for place in tail)]
        owner = np.where(is_tail, tree.parent[at], at)[sequence]
        raw = [str(strings[n]) for n in sequence.tolist()]
        hidden = tree.unread[owner].tolist()
        cleaned = [
            LONG_TEXT if away and len(text) > MAX_RAW_LABEL else " ".join(text.split()) for text, away in zip(raw, hidden, strict=True)
        ]
        return cls(owner, at[sequence], order[sequence], raw, cleaned, *hash_texts(cleaned))

    def shown(self, tree: NodeColumns) -> "TextSlots":
        """The texts that rules can use, by owner and then by place. It leaves out those in elements whose content is not read."""
        kept = np.flatnonzero(~tree.unread[self.owner])
        kept = kept[np.lexsort((self.at[kept], self.owner[kept]))]
        raw, cleaned = ([column[n] for n in kept.tolist()] for column in (self.raw, self.cleaned))
        hashes = (self.text[kept], self.label[kept], self.shape[kept])
        return TextSlots(self.owner[kept], self.at[kept], self.order[kept], raw, cleaned, *hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Siblings:
    """Children (k, comments included) by parent, then in order, and the elements beside each node.

    order: the places of the children.
    start: by child, where in `order` its siblings begin.
    until: for each node, the last element among its siblings up to and including itself; a if there is none. One entry more than nodes
        (a + 1).
    before, after: for each node, the nearest element on that side, in the same form.
    """

    order: Places
    start: Places
    until: Places
    before: Places
    after: Places

    @classmethod
    def read(cls, tree: NodeColumns) -> "Siblings":
        """The siblings on a page."""
        order = np.flatnonzero(tree.linked)
        order = order[np.argsort(tree.parent[order], kind="stable")]
        above = tree.parent[order]
        start, stop = np.searchsorted(above, above, "left"), np.searchsorted(above, above, "right")
        place, count, none = np.arange(len(order)), len(order), len(tree.everything)
        known = tree.is_element[order]
        last = np.maximum.accumulate(np.where(known, place, -1)) if count else place
        following = np.minimum.accumulate(np.where(known, place, count)[::-1])[::-1] if count else place
        earlier, later = np.append(-1, last[:-1]), np.append(following[1:], count)
        ends = np.append(order, none)
        columns = []
        for found, inside in ((last, last >= start), (earlier, earlier >= start), (later, later < stop)):
            column = np.full(none + 1, none)
            column[order] = ends[np.where(inside, found, count)]
            columns.append(column)
        return cls(order, start, *columns)


def read_names(nodes: Sequence[etree._Element]) -> tuple[Hashes, Ints]:
    """Return the hashes of all names, sorted, and for each hash the row of the element that has the name."""
    named = _CanName()
    names: list[int] = []
    owners: list[int] = []
    for row, pairs in enumerate(map(_ATTRIBUTES, nodes)):
        for name, value in pairs:
            if named[name] and len(value) <= MAX_CLASSES:
                keys = _name_keys(name, value)
                names += keys
                owners += [row] * len(keys)
    hashes = np.array(names, np.uint64)
    order = np.argsort(hashes, kind="stable")
    return hashes[order], np.array(owners, np.int32)[order]


@lru_cache(maxsize=20_000)
def _name_keys(name: str, value: str) -> tuple[int, ...]:
    """The hashes of the names in one attribute. They are cached, because the pages of a site share nearly all of them."""
    return tuple(hash_name(*pair) for pair in split_names(name, value))


class _CanName(dict[str, bool]):
    """Caches, for each attribute, whether it may name elements."""

    def __missing__(self, name: str) -> bool:
        self[name] = is_naming(name)
        return self[name]


def hash_texts(cleaned: Sequence[str]) -> tuple[Hashes, Hashes, Hashes]:
    """The hashes of cleaned texts: as texts, as labels, and of their shapes."""
    text = _hash_all(cleaned)
    size = np.fromiter(map(len, cleaned), np.int64, len(cleaned))
    label = np.where(size > MAX_LABEL, np.uint64(TOO_LONG), np.where(size > 0, text, np.uint64(BLANK)))
    short = np.flatnonzero(size <= MAX_SHAPE)
    shapes = np.zeros(len(cleaned), np.uint64)
    forms = make_shapes([cleaned[n] for n in short.tolist()])
    shapes[short] = np.where([bool(form) for form in forms], _hash_all(forms), np.uint64(BLANK))
    return text, label, shapes


def _hash_all(texts: Sequence[str]) -> Hashes:
    """Return `hash_text` of each text."""
    return np.fromiter(map(hash, texts), np.int64, len(texts)).view(np.uint64) | np.uint64(2)


def add_guard(column: NDArray[T], guard: int = 0) -> NDArray[T]:
    """Return the column with a guard row appended."""
    found = np.full(len(column) + 1, guard, column.dtype)
    found[:-1] = column
    return found
