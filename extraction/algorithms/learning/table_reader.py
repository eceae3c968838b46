"""Reading a page into its table (ALGORITHMS 4.1): which node stands where, beside what and under what.

lxml is asked once for each node's tag, parent, text, tail and attributes; all relations between nodes come from these
columns by array operations, several times faster than walking the tree. Nodes have two numbers: their place among all
nodes in document order, comments too, since a comment parts two texts; and, for elements, their row. A *slot* is a
text() node: an element's own text, at the element's place, or a child's tail, at the child's.
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
    HEADINGS,
    MAX_CLASSES,
    MAX_LABEL,
    MAX_RAW_LABEL,
    MAX_SHAPE,
    TOO_LONG,
    Bools,
    Hashes,
    Ints,
    PageTable,
    find_unread_tags,
    hash_name,
    hash_text,
    is_naming,
    make_shapes,
    split_names,
)

Places = NDArray[np.int64]

MAX_NODES = 1_000_000
"""Most elements and comments of a page that is learned from; a table needs some 500 bytes for each, beside the tree. A product page
written to have 20 MB has 260,000, the largest real one seen 20,000."""

T = TypeVar("T", bound=np.generic)

_PARENT, _ATTRIBUTES = methodcaller("getparent"), methodcaller("items")
_TAG, _TEXT, _TAIL = attrgetter("tag"), attrgetter("text"), attrgetter("tail")


def read_page_table(root: etree._Element) -> PageTable:
    """The page's table. Cost: some 4 µs an element. The tree must not be changed while the table is in use.

    Raises PageError for a page of more than MAX_NODES elements and comments.
    """
    tree = _Tree.read(root)
    slots = _Slots.read(tree)
    siblings = _Siblings.read(tree)
    elements = {"tag": _guarded(tree.tags[tree.places]), **_relations(tree, siblings), **_wholes(tree, slots)}
    elements["heading"] = _with_tag(elements["tag"][elements["heading"]], elements["whole"][elements["heading"]])
    shown = slots.shown(tree)
    elements |= _texts_beside(tree, shown)
    texts, strings = _texts(tree, shown, siblings)
    return PageTable(root, tree.nodes, elements, texts, strings, *_names(tree.nodes))


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """A page's nodes: all of them (a), and the elements (n).

    Of all nodes: is_element; is_heading; unseen; linked, whether it is a child of an element whose inside is looked at; tags
    (hashes); parent (place, a for the root); end (place after the last descendant).
    row (a + 1): the row of an element, n for others. places (n): where elements stand among all.
    """

    everything: list[etree._Element]
    nodes: list[etree._Element]
    is_element: Bools
    is_heading: Bools
    unseen: Bools
    linked: Bools
    tags: Hashes
    parent: Places
    end: Places
    row: Places
    places: Places

    @classmethod
    def read(cls, root: etree._Element) -> "_Tree":
        everything = list(islice(root.iter(), MAX_NODES + 1))
        if len(everything) > MAX_NODES:
            raise PageError(f"the page has more than {MAX_NODES:,} elements and comments, too many to learn from")
        count = len(everything)
        names = list(map(_TAG, everything))
        kinds = list(set(names))
        numbers = dict(zip(kinds, range(len(kinds)), strict=True))
        kind = np.array([numbers[name] for name in names])
        tags = np.array([hash_text(name) if isinstance(name, str) else 0 for name in kinds], np.uint64)[
            kind
        ]  # a comment's tag is a function
        without_rows = find_unread_tags(root)
        unseen = np.array([name in without_rows for name in kinds])[kind]
        is_heading = np.array([name in HEADINGS for name in kinds])[kind]
        is_element = tags > 0
        known = dict(zip(everything, range(count), strict=True))
        parents = [known.get(above, count) for above in map(_PARENT, everything)]
        places = np.flatnonzero(is_element)
        row = np.full(count + 1, len(places))
        row[places] = np.arange(len(places))
        nodes = everything if len(places) == count else [everything[place] for place in places]
        parent = np.array(parents)
        linked = ~_guarded(unseen, True)[parent]
        return cls(everything, nodes, is_element, is_heading, unseen, linked, tags, parent, _ends(parents), row, places)

    def order_inside(self, places: Places) -> Places:
        """The order of a text at the very beginning of each element, see `_Slots.order`."""
        return (places + 1) * (len(self.everything) + 2)

    def order_after(self, places: Places) -> Places:
        """The order of a text right after each node; where several end together, the innermost's comes first."""
        count = len(self.everything)
        return self.end[places] * (count + 2) + count + 1 - places


def _ends(parents: Sequence[int]) -> Places:
    sizes = [1] * (len(parents) + 1)
    for place in range(len(parents) - 1, 0, -1):
        sizes[parents[place]] += sizes[place]
    ends: Places = np.arange(len(parents)) + np.array(sizes[:-1])
    return ends


@dataclass(frozen=True, slots=True, eq=False)
class _Slots:
    """Texts. Of each: owner (place of its element); at (place of the element, or of the child it is the tail of); order (grows in
    document order); raw and cleaned strings; hashes of the cleaned one as a text, as a label, and of its shape."""

    owner: Places
    at: Places
    order: Places
    raw: list[str]
    cleaned: list[str]
    text: Hashes
    label: Hashes
    shape: Hashes

    @classmethod
    def read(cls, tree: _Tree) -> "_Slots":
        """All of a page, in document order."""
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
        hidden = tree.unseen[owner].tolist()
        cleaned = [LONG if away and len(text) > MAX_RAW_LABEL else " ".join(text.split()) for text, away in zip(raw, hidden, strict=True)]
        return cls(owner, at[sequence], order[sequence], raw, cleaned, *_hashes(cleaned))

    def shown(self, tree: _Tree) -> "_Slots":
        """Those outside of `UNSEEN` elements, by owner and then by place."""
        kept = np.flatnonzero(~tree.unseen[self.owner])
        kept = kept[np.lexsort((self.at[kept], self.owner[kept]))]
        raw, cleaned = ([column[n] for n in kept.tolist()] for column in (self.raw, self.cleaned))
        hashes = (self.text[kept], self.label[kept], self.shape[kept])
        return _Slots(self.owner[kept], self.at[kept], self.order[kept], raw, cleaned, *hashes)


LONG = "…" * (MAX_LABEL + 1)
"""Stands for a script's text: too long for a label is all that is asked of it."""


def _hashes(cleaned: Sequence[str]) -> tuple[Hashes, Hashes, Hashes]:
    """Of cleaned texts: their hash, as a label, and of their shape."""
    text = _keys(cleaned)
    size = np.fromiter(map(len, cleaned), np.int64, len(cleaned))
    label = np.where(size > MAX_LABEL, np.uint64(TOO_LONG), np.where(size > 0, text, np.uint64(BLANK)))
    short = np.flatnonzero(size <= MAX_SHAPE)
    shapes = np.zeros(len(cleaned), np.uint64)
    forms = make_shapes([cleaned[n] for n in short.tolist()])
    shapes[short] = np.where([bool(form) for form in forms], _keys(forms), np.uint64(BLANK))
    return text, label, shapes


def _keys(texts: Sequence[str]) -> Hashes:
    """`features.key` of each."""
    return np.fromiter(map(hash, texts), np.int64, len(texts)).view(np.uint64) | np.uint64(2)


@dataclass(frozen=True, slots=True, eq=False)
class _Siblings:
    """Children (k, comments too) by parent, then in order, and neighbours among them.

    order (k): places; start (k): where in `order` each one's siblings begin. Of all nodes (a + 1), places, a for none: until, the
    last element among its siblings up to the node itself; before, after: the nearest ones to either side.
    """

    order: Places
    start: Places
    until: Places
    before: Places
    after: Places

    @classmethod
    def read(cls, tree: _Tree) -> "_Siblings":
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


def _relations(tree: _Tree, siblings: _Siblings) -> dict[str, NDArray[np.generic]]:
    """Rows of parents, neighbours, first children and headings, ends of subtrees, and places among siblings."""
    none, count = len(tree.everything), len(tree.nodes)
    above = np.append(np.where(tree.linked, tree.parent, none), none)
    rows = {"parent": above, "before": siblings.before, "after": siblings.after, "heading": _headings(tree, siblings)}
    found: dict[str, NDArray[np.generic]] = {
        name: _guarded(tree.row[column[tree.places]].astype(np.int32), count) for name, column in rows.items()
    }
    order = siblings.order[tree.is_element[siblings.order]]
    above = tree.parent[order]
    first = np.full(none + 1, none)
    first[above[::-1]] = order[::-1]
    found["first"] = _guarded(tree.row[first[tree.places]].astype(np.int32), count)
    rows_before = np.append(np.cumsum(tree.is_element), count)
    found["end"] = _guarded(rows_before[tree.end[tree.places] - 1].astype(np.int32), count + 1)
    return found | _ordinals(tree, order, above)


def _headings(tree: _Tree, siblings: _Siblings) -> Places:
    """The nearest heading among the siblings before each node (a + 1), a where there is none."""
    none, order = len(tree.everything), siblings.order
    column = np.full(none + 1, none)
    if len(order):
        nearest = np.append(-1, np.maximum.accumulate(np.where(tree.is_heading[order], np.arange(len(order)), -1))[:-1])
        column[order] = np.where(nearest >= siblings.start, order[nearest], none)
    return column


def _ordinals(tree: _Tree, order: Places, above: Places) -> dict[str, NDArray[np.generic]]:
    """Places among siblings, and among siblings of the tag from either end, all from 1. order: elements by parent; above: their parents."""
    place = np.zeros(len(tree.nodes) + 1, np.int32)
    nth, nth_last = place.copy(), place.copy()
    rows = tree.row[order]
    place[rows] = np.arange(len(order)) - np.searchsorted(above, above) + 1
    tags = tree.tags[order]
    alike = np.lexsort((tags, above))  # stable: siblings of a tag stay in order
    fresh = np.ones(len(order) + 1, np.bool_)
    fresh[1:-1] = (tags[alike[1:]] != tags[alike[:-1]]) | (above[alike[1:]] != above[alike[:-1]])
    starts = np.flatnonzero(fresh)
    sizes = np.diff(starts)
    rank = np.arange(len(order)) - np.repeat(starts[:-1], sizes)
    nth[rows[alike]] = rank + 1
    nth_last[rows[alike]] = np.repeat(sizes, sizes) - rank
    nth[0] = nth_last[0] = 1  # the root
    return {"place": place, "nth": nth, "nth_last": nth_last}


def _wholes(tree: _Tree, slots: _Slots) -> dict[str, NDArray[np.generic]]:
    """Hashes of the elements' whole texts as labels, and of these texts' shapes.

    Most elements hold one text that is not blank, which is theirs too; only for those with several, short enough together to be
    a label, the texts are put together.
    """
    size = np.fromiter(map(len, slots.cleaned), np.int64, len(slots.cleaned))
    full = np.flatnonzero(size)
    before = np.append(0, np.cumsum(size[full]))
    orders = slots.order[full]
    begin, stop = np.searchsorted(orders, tree.order_inside(tree.places)), np.searchsorted(orders, tree.order_after(tree.places))
    total, several = before[stop] - before[begin], stop - begin
    one = _guarded(full)[np.where(several == 1, begin, len(full))]
    whole = np.where(total > MAX_LABEL, np.uint64(TOO_LONG), np.where(several == 1, _guarded(slots.label)[one], np.uint64(BLANK)))
    shapes = np.where(several == 1, _guarded(slots.shape)[one], np.uint64(BLANK))
    rows = np.flatnonzero((several > 1) & (total <= MAX_LABEL))
    spans, which = np.unique(full[begin[rows]] * len(size) + full[stop[rows] - 1], return_inverse=True)
    padded = _Padded(slots)
    joined = [padded.joined(*divmod(span, len(size))) for span in spans.tolist()]
    _, labels, forms = _hashes(joined)
    whole[rows], shapes[rows] = labels[which], forms[which]
    return {"whole": _guarded(whole), "shape": _guarded(shapes)}


class _Padded:
    """Cleaned texts with a space where the raw one has white space at its end, each made when it is first asked for."""

    def __init__(self, slots: _Slots) -> None:
        self.slots = slots
        self.known: list[str | None] = [None] * len(slots.raw)

    def joined(self, first: int, last: int) -> str:
        """The cleaned text from one slot to another, `LONG` where so many texts lie between them that it takes long to tell."""
        if last - first > MAX_RAW_LABEL:
            return LONG
        known = self.known
        return " ".join("".join([known[n] or self._padded(n) for n in range(first, last + 1)]).split())

    def _padded(self, n: int) -> str:
        raw = self.slots.raw[n]
        text = f"{' ' if raw[0].isspace() else ''}{self.slots.cleaned[n]}{' ' if raw[-1].isspace() else ''}"
        self.known[n] = text
        return text


def _texts_beside(tree: _Tree, slots: _Slots) -> dict[str, NDArray[np.generic]]:
    """Labels of the nearest text() siblings of each element, blank ones too. slots: those shown."""
    width = len(tree.everything) + 1
    above = np.where(tree.linked, tree.parent, len(tree.everything))[tree.places]
    known, here = slots.owner * width + slots.at, above * width + tree.places
    labels, owners = _guarded(slots.label), np.append(slots.owner, -1)
    found = np.searchsorted(known, here)
    return {
        "text_before": _guarded(np.where(owners[found - 1] == above, labels[found - 1], np.uint64(0))),
        "text_after": _guarded(np.where(owners[found] == above, labels[found], np.uint64(0))),
    }


def _texts(tree: _Tree, slots: _Slots, siblings: _Siblings) -> tuple[dict[str, NDArray[np.generic]], list[str]]:
    """The columns and the strings of texts that are not blank. slots: those shown."""
    count, none = len(tree.nodes), len(tree.everything)
    start, stop = np.searchsorted(slots.owner, slots.owner, "left"), np.searchsorted(slots.owner, slots.owner, "right")
    place = np.arange(len(slots.owner))
    first = np.full(none + 1, none)
    heads = siblings.order[::-1]
    first[tree.parent[heads]] = np.where(tree.is_element[heads], heads, siblings.after[heads])
    own = slots.at == slots.owner
    left, right = np.where(own, none, siblings.until[slots.at]), np.where(own, first[slots.owner], siblings.after[slots.at])
    before = np.where(place > start, _guarded(slots.label)[place - 1], np.uint64(0))
    kept = slots.label != BLANK
    texts: dict[str, NDArray[np.generic]] = {
        "owner": _guarded(tree.row[slots.owner[kept]].astype(np.int32), count),
        "text_nth": _guarded((place - start + 1)[kept].astype(np.int32)),
        "text_last": _guarded((stop - place)[kept].astype(np.int32)),
        "text": _guarded(slots.text[kept]),
        "left": _guarded(tree.row[left[kept]].astype(np.int32), count),
        "right": _guarded(tree.row[right[kept]].astype(np.int32), count),
        "left_text": _guarded(before[kept]),
        "text_shape": _guarded(slots.shape[kept]),
    }
    return texts, [text for text in slots.cleaned if text]


def _names(nodes: Sequence[etree._Element]) -> tuple[Hashes, Ints]:
    """Hashes of names, sorted, and the rows that have them."""
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
    """Hashes of the names an attribute gives; kept, as the pages of a site share nearly all."""
    return tuple(hash_name(*pair) for pair in split_names(name, value))


class _CanName(dict[str, bool]):
    """Whether elements may be named by an attribute, asked once for each."""

    def __missing__(self, name: str) -> bool:
        self[name] = is_naming(name)
        return self[name]


def _guarded(column: NDArray[T], guard: int = 0) -> NDArray[T]:
    """The column with the guard row at its end."""
    found = np.full(len(column) + 1, guard, column.dtype)
    found[:-1] = column
    return found


def _with_tag(tag: Hashes, whole: Hashes) -> Hashes:
    """One hash of a heading's tag and text, 0 where it has no text that can be one."""
    mixed: Hashes = np.where(whole > TOO_LONG, (tag * np.uint64(0x9E3779B97F4A7C15)) ^ whole, np.uint64(0))
    return mixed
