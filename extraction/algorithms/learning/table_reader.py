"""Reads a page into its table, which says of each node where it is and what is beside and above it.

`node_columns` reads the nodes. Here array operations find the relations between them.
"""

from dataclasses import fields

import numpy as np
from lxml import etree

from extraction.algorithms.learning.node_columns import (
    LONG_TEXT,
    NodeColumns,
    Places,
    Siblings,
    TextSlots,
    add_guard,
    hash_texts,
    read_names,
)
from extraction.algorithms.learning.page_table import (
    BLANK,
    MAX_LABEL,
    MAX_RAW_LABEL,
    TOO_LONG,
    ElementColumns,
    Hashes,
    Ints,
    PageTable,
    TextColumns,
)

TREE_BYTES, STRING_BYTES = 700, 60
"""Estimated memory of an element in the lxml tree with its proxy, and of a string beside its characters."""

_HEADING_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2**64 divided by the golden ratio, which spreads the bits of the tag's hash (Knuth, volume 3, section 6.4)."""


def read_page_table(root: etree._Element) -> PageTable:
    """Reads a page's table in some 4 µs per element. The tree must not be changed while the table is in use.

    Raises PageError for a page of more than `node_columns.MAX_NODES` elements and comments.
    """
    tree = NodeColumns.read(root)
    slots = TextSlots.read(tree)
    siblings = Siblings.read(tree)
    shown = slots.shown(tree)
    elements = _read_elements(tree, slots, shown, siblings)
    texts = _read_texts(tree, shown, siblings)
    strings = [text for text in shown.cleaned if text]
    names, owners = read_names(tree.nodes)
    columns = [getattr(group, each.name) for group in (elements, texts) for each in fields(group)]
    size_bytes = sum(column.nbytes for column in (*columns, names, owners))
    size_bytes += sum(len(text) + STRING_BYTES for text in strings) + TREE_BYTES * len(tree.nodes)
    return PageTable(root, tree.nodes, elements, texts, strings, names, owners, size_bytes)


def _read_elements(tree: NodeColumns, slots: TextSlots, shown: TextSlots, siblings: Siblings) -> ElementColumns:
    tag = add_guard(tree.tags[tree.places])
    whole, shape = _read_wholes(tree, slots)
    text_before, text_after = _read_texts_beside(tree, shown)
    heading = _rows_of(tree, _headings(tree, siblings))
    order = siblings.order[tree.is_element[siblings.order]]
    place, nth, nth_last = _ordinals(tree, order)
    return ElementColumns(
        tag=tag,
        parent=_rows_of(tree, np.append(np.where(tree.linked, tree.parent, len(tree.everything)), len(tree.everything))),
        before=_rows_of(tree, siblings.before),
        after=_rows_of(tree, siblings.after),
        first=_first_children(tree, order),
        end=_ends(tree),
        place=place,
        nth=nth,
        nth_last=nth_last,
        whole=whole,
        shape=shape,
        text_before=text_before,
        text_after=text_after,
        heading=_hash_headings(tag[heading], whole[heading]),
    )


def _rows_of(tree: NodeColumns, places: Places) -> Ints:
    """Converts a column of places, one per node and one more (a + 1), into a column of rows, one per element."""
    return add_guard(tree.row[places[tree.places]].astype(np.int32), len(tree.nodes))


def _first_children(tree: NodeColumns, order: Places) -> Ints:
    """Return the row of each element's first child element. order: the places of the elements, sorted by parent."""
    first = np.full(len(tree.everything) + 1, len(tree.everything))
    first[tree.parent[order][::-1]] = order[::-1]
    return _rows_of(tree, first)


def _ends(tree: NodeColumns) -> Ints:
    """Return for each element the row after its last descendant."""
    rows_before = np.append(np.cumsum(tree.is_element), len(tree.nodes))
    return add_guard(rows_before[tree.end[tree.places] - 1].astype(np.int32), len(tree.nodes) + 1)


def _headings(tree: NodeColumns, siblings: Siblings) -> Places:
    """Return the place of the nearest heading among the siblings before each node, `a` if there is none; a + 1 entries."""
    none, order = len(tree.everything), siblings.order
    column = np.full(none + 1, none)
    if len(order):
        nearest = np.append(-1, np.maximum.accumulate(np.where(tree.is_heading[order], np.arange(len(order)), -1))[:-1])
        column[order] = np.where(nearest >= siblings.start, order[nearest], none)
    return column


def _ordinals(tree: NodeColumns, order: Places) -> tuple[Ints, Ints, Ints]:
    """Return (place among all siblings, place among those of the same tag, the same from the end), each counted from 1.

    order: the places of the elements, sorted by parent.
    """
    above = tree.parent[order]
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
    return place, nth, nth_last


def _read_wholes(tree: NodeColumns, slots: TextSlots) -> tuple[Hashes, Hashes]:
    """Return the hashes of the elements' whole texts as labels, and the hashes of these texts' shapes.

    Most elements contain a single text that is not blank, so they have its hashes. Several texts are joined only if they are short enough
    together to be a label.
    """
    size = np.fromiter(map(len, slots.cleaned), np.int64, len(slots.cleaned))
    full = np.flatnonzero(size)
    before = np.append(0, np.cumsum(size[full]))
    orders = slots.order[full]
    begin, stop = np.searchsorted(orders, tree.order_inside(tree.places)), np.searchsorted(orders, tree.order_after(tree.places))
    total, several = before[stop] - before[begin], stop - begin
    one = add_guard(full)[np.where(several == 1, begin, len(full))]
    whole = np.where(total > MAX_LABEL, np.uint64(TOO_LONG), np.where(several == 1, add_guard(slots.label)[one], np.uint64(BLANK)))
    shapes = np.where(several == 1, add_guard(slots.shape)[one], np.uint64(BLANK))
    rows = np.flatnonzero((several > 1) & (total <= MAX_LABEL))
    spans, which = np.unique(full[begin[rows]] * len(size) + full[stop[rows] - 1], return_inverse=True)
    padded = _Padded(slots)
    joined = [padded.joined(*divmod(span, len(size))) for span in spans.tolist()]
    _, labels, forms = hash_texts(joined)
    whole[rows], shapes[rows] = labels[which], forms[which]
    return add_guard(whole), add_guard(shapes)


class _Padded:
    """Cleaned texts that keep a space at each end where the raw text has white space. Each is made when it is first needed."""

    def __init__(self, slots: TextSlots) -> None:
        self.slots = slots
        self.known: list[str | None] = [None] * len(slots.raw)

    def joined(self, first: int, last: int) -> str:
        """Joins the texts from one slot to another and cleans the result. Returns `LONG_TEXT` if there are too many texts to join."""
        if last - first > MAX_RAW_LABEL:
            return LONG_TEXT
        known = self.known
        return " ".join("".join([known[n] or self._padded(n) for n in range(first, last + 1)]).split())

    def _padded(self, n: int) -> str:
        raw = self.slots.raw[n]
        text = f"{' ' if raw[0].isspace() else ''}{self.slots.cleaned[n]}{' ' if raw[-1].isspace() else ''}"
        self.known[n] = text
        return text


def _read_texts_beside(tree: NodeColumns, slots: TextSlots) -> tuple[Hashes, Hashes]:
    """Return the labels of the nearest text() siblings before and after each element; these may be blank. slots: the shown ones."""
    width = len(tree.everything) + 1
    above = np.where(tree.linked, tree.parent, len(tree.everything))[tree.places]
    known, here = slots.owner * width + slots.at, above * width + tree.places
    labels, owners = add_guard(slots.label), np.append(slots.owner, -1)
    found = np.searchsorted(known, here)
    before = np.where(owners[found - 1] == above, labels[found - 1], np.uint64(0))
    after = np.where(owners[found] == above, labels[found], np.uint64(0))
    return add_guard(before), add_guard(after)


def _read_texts(tree: NodeColumns, slots: TextSlots, siblings: Siblings) -> TextColumns:
    """Return the columns of all texts that are not blank. slots: the places of these texts."""
    count, none = len(tree.nodes), len(tree.everything)
    start, stop = np.searchsorted(slots.owner, slots.owner, "left"), np.searchsorted(slots.owner, slots.owner, "right")
    place = np.arange(len(slots.owner))
    first = np.full(none + 1, none)
    heads = siblings.order[::-1]
    first[tree.parent[heads]] = np.where(tree.is_element[heads], heads, siblings.after[heads])
    own = slots.at == slots.owner
    left, right = np.where(own, none, siblings.until[slots.at]), np.where(own, first[slots.owner], siblings.after[slots.at])
    before = np.where(place > start, add_guard(slots.label)[place - 1], np.uint64(0))
    kept = slots.label != BLANK
    return TextColumns(
        owner=add_guard(tree.row[slots.owner[kept]].astype(np.int32), count),
        nth=add_guard((place - start + 1)[kept].astype(np.int32)),
        nth_last=add_guard((stop - place)[kept].astype(np.int32)),
        text=add_guard(slots.text[kept]),
        left=add_guard(tree.row[left[kept]].astype(np.int32), count),
        right=add_guard(tree.row[right[kept]].astype(np.int32), count),
        left_text=add_guard(before[kept]),
        shape=add_guard(slots.shape[kept]),
    )


def _hash_headings(tag: Hashes, whole: Hashes) -> Hashes:
    """Combines the tag and the text of each heading into one hash; 0 if the text cannot be a heading."""
    mixed: Hashes = np.where(whole > TOO_LONG, (tag * _HEADING_MIX) ^ whole, np.uint64(0))
    return mixed
