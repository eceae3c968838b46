"""Measures how much the values that a rule selects on other pages differ from the marked ones (docs/algorithms.md#rule-learning).

No value is excluded here. Rules are compared by prices: each function returns one, from 0 to about 3, in units that `costs.UNLIKELY`
weighs. A price is 0 for values that differ among themselves no more than those of one attribute usually do.

Values are compared by their length, their number per page, their digits, and whether they are the same on every page. A list should
also be complete: its items fill one stretch of the page, include every item of their container, and are whole texts of elements.
The list that a rule selects on another page may fail in three ways:

- scattered: the stretch is longer than the number of items explains, so navigation or a comment is in it;
- with holes: there are more items of the same tag in the same containers;
- in fragments: selected texts are parts of their elements (a link divides an instruction) where no marked one was.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.page_table import BLANK, TOO_LONG, Bools, Hashes, Ints

Values = Sequence[tuple[int, str]]
"""(page, cleaned value)."""

Places = NDArray[np.intp]
"""Places among the candidates of a target."""

Reads = Callable[[str], bool]
"""Whether a text can be read as some type."""

MAX_READ, UNREAD_WEIGHT = 40, 3.0
"""The largest number of different values that are read as their type, and the cost if none can be read."""

FREE_OCTAVES = 1.0
"""Factor of two in a length, in a number of values per page or in a stretch that costs nothing."""

MAX_OCTAVES = 3.0
"""A factor beyond this counts no more."""

SHORT_TEXT_CHARS = 8
"""Added to every length, so that short texts may differ more."""

COUNT_WEIGHT = 0.5
"""What an octave in the number of values counts beside one in their length."""

FREE_DIGITS = 0.3
"""Difference in the share of digits that costs nothing."""

MIN_CONSTANT_PAGES = 3
"""The smallest number of pages with the same value for it to look like navigation."""

LABEL_WEIGHT, MIN_LABEL_PAGES = 6.0, 3
"""The cost if all values on other pages stand after labels of other attributes, and the smallest number of pages that have such a label."""

MAX_ITEM_LEVEL = 4
"""The largest number of levels up from a marked node to what is an item of the list."""

SHORT_STRETCH = 8
"""The number of rows added to every stretch, so that short ones may differ more."""


def price_values(marked: Values, others: Values, *, most_marked: bool = True, reads: Reads | None = None) -> float:
    """Return 0 when the other pages' values look like the marked ones, and up to about 9 when they differ in every way.

    most_marked: whether most values of the annotated pages are marked; only then are the numbers of values compared.
    reads: whether a text can be read as the attribute's type.
    """
    if not marked or not others:
        return 0.0
    mine, theirs = [text for _, text in marked], [text for _, text in others]
    counts = _price_counts(marked, others) if most_marked else 0.0
    unread = _price_unread(mine, theirs, reads) if reads else 0.0
    return _price_lengths(mine, theirs) + counts + _price_digits(mine, theirs) + _price_constant(marked, others) + unread


def price_labels(labels: Hashes, nodes: Candidates, marked: Ints, others: Places) -> float:
    """Return how many values on other pages stand after a label that belongs to another attribute, from 0 to LABEL_WEIGHT.

    Few are enough to show that a rule is wrong, so the root of their share counts. If a page has a label of the marks beside another label
    of the template, the two name different attributes. A value at such a place without any label is no better.

    labels: the text before each candidate at a place like that of the marks, BLANK for none; TOO_LONG at other places.
    others: the selected candidates on pages without marks.
    """
    own = np.unique(labels[marked])
    if (own <= TOO_LONG).any() or not len(others):
        return 0.0
    is_own = np.isin(labels, own)
    with_own = np.isin(nodes.page, nodes.page[is_own]) & (labels > TOO_LONG) & ~is_own
    theirs, counts = np.unique(np.unique(np.stack([labels, nodes.page.astype(np.uint64)]), axis=1)[0], return_counts=True)
    foreign = np.intersect1d(labels[with_own], theirs[counts >= MIN_LABEL_PAGES])
    wrong = np.isin(labels[others], [*foreign, BLANK]) if len(foreign) else np.zeros(1, np.bool_)
    return LABEL_WEIGHT * math.sqrt(wrong.mean())


def price_scatter(nodes: Candidates, marked: Ints, selected: Bools, annotated: Bools, *, stretch: int) -> float:
    """By how many octaves the stretches on other pages are too long. stretch: the most rows that the marks of one page cover."""
    most = max(np.bincount(nodes.page[marked]).max(), 1)
    others = np.flatnonzero(selected & ~annotated[nodes.page])
    prices = []
    for page in np.unique(nodes.page[others]):
        rows = nodes.rows[others[nodes.page[others] == page]]
        if len(rows) > 1:
            octaves = math.log2((int(rows.max() - rows.min()) + SHORT_STRETCH) / (stretch + SHORT_STRETCH))
            prices.append(min(max(octaves - max(math.log2(len(rows) / most), 0.0) - FREE_OCTAVES, 0.0), MAX_OCTAVES))
    return float(np.mean(prices)) if prices else 0.0


def price_strays(nodes: Candidates, marked: Ints, selected: Bools, list_nodes: Candidates, list_selected: Bools) -> float:
    """The share of the selected nodes that are further from the list's other items than any marked node is.

    list_nodes, list_selected: the candidates of the rule for most of the list's items, and which of them it selects.
    """
    distances = _distances(nodes, list_nodes.rows[list_selected], list_nodes.page[list_selected])
    others = distances[selected]
    return float((others > int(distances[marked].max()) + SHORT_STRETCH).mean()) if len(others) else 0.0


def price_holes(corpus: Corpus, nodes: Candidates, marked: Ints, selected: Bools, annotated: Bools) -> float:
    """The share of items that the selected lists leave out on other pages, minus the same share on the annotated pages."""
    items, tag = nodes.rows, 0
    for _ in range(MAX_ITEM_LEVEL):
        above = corpus.elements.parent[items]
        tag = int(corpus.elements.tag[items[marked[0]]])
        if len(np.unique(above[marked])) < len(np.unique(items[marked])):
            break
        items = above
    else:
        return 0.0
    others = np.flatnonzero(selected & ~annotated[nodes.page])
    return max(_share_left_out(corpus, items[others], tag) - _share_left_out(corpus, items[marked], tag), 0.0)


def price_fragments(corpus: Corpus, nodes: Candidates, marked: Ints, others: Places) -> float:
    """The share of the selected texts on other pages that are only a part of their element's text; 0 if a marked text is, too.

    marked, others: the places of the marked nodes, and of the selected ones on other pages.
    """

    def is_fragment(place: int) -> bool:
        return corpus.read_value(nodes, place) != corpus.read_whole(int(nodes.rows[place]))

    if nodes.target.kind != "text" or any(is_fragment(place) for place in marked.tolist()):
        return 0.0
    return sum(is_fragment(place) for place in others.tolist()) / max(len(others), 1)


def price_wholes(corpus: Corpus, nodes: Candidates, inner: Candidates, others: Places) -> float:
    """The share of the selected elements on other pages that contain several values, because they hold several of the inner elements.

    inner: the candidates of the innermost element that the marks may mean.
    others: the places of the selected nodes on other pages.
    """
    if nodes.target.kind != "element" or inner.target.kind != "element" or inner.target == nodes.target or not len(others):
        return 0.0
    outer = nodes.rows[others]
    held = np.searchsorted(inner.rows, corpus.elements.end[outer]) - np.searchsorted(inner.rows, outer + 1)
    return float((held > 1).mean())


def _octaves(ratio: float, free: float) -> float:
    return min(max(abs(math.log2(ratio)) - free, 0.0), MAX_OCTAVES)


def _price_unread(mine: Sequence[str], theirs: Sequence[str], reads: Reads) -> float:
    """The price of values that cannot be read as the attribute's type, where all marked ones can."""
    if not all(map(reads, mine)):
        return 0.0
    read = Counter(theirs).most_common(MAX_READ)
    return UNREAD_WEIGHT * sum(count for text, count in read if not reads(text)) / sum(count for _, count in read)


def _price_lengths(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """The price of different median lengths. More difference is allowed where the marked values vary in length."""
    own = [len(text) + SHORT_TEXT_CHARS for text in mine]
    spread = math.log2(max(own) / min(own)) / 2
    return _octaves((median(len(text) for text in theirs) + SHORT_TEXT_CHARS) / median(own), FREE_OCTAVES + spread)


def _price_counts(marked: Values, others: Values) -> float:
    """The price of a different number of values per page, where a page has several."""
    mine, theirs = Counter(page for page, _ in marked), Counter(page for page, _ in others)
    if max(mine.values()) < 2:
        return 0.0
    return COUNT_WEIGHT * _octaves((median(theirs.values()) + 1) / (median(mine.values()) + 1), FREE_OCTAVES)


def _price_digits(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """Return what it costs that the share of digits among the characters differs."""
    return max(abs(median(map(_share_of_digits, theirs)) - median(map(_share_of_digits, mine))) - FREE_DIGITS, 0.0)


def _share_of_digits(text: str) -> float:
    return sum(map(str.isdigit, text)) / len(text) if text else 0.0


def _price_constant(marked: Values, others: Values) -> float:
    """The price of having one value on all other pages and a different one on the annotated pages: it is probably navigation."""
    theirs = {text for _, text in others}
    pages = {page for page, _ in others}
    constant = len(theirs) == 1 and len(pages) >= MIN_CONSTANT_PAGES and not theirs & {text for _, text in marked}
    return 1.0 if constant else 0.0


def _distances(nodes: Candidates, rows: Ints, pages: Ints) -> Ints:
    """The distance in rows from each candidate to the stretch of `rows` on its page; 0 inside it, or if the page has none."""
    found = np.zeros(len(nodes.rows), np.int32)
    for page in np.unique(pages):
        mine, stretch = nodes.page == page, rows[pages == page]
        found[mine] = np.maximum(np.maximum(stretch.min() - nodes.rows[mine], nodes.rows[mine] - stretch.max()), 0)
    return found


def _share_left_out(corpus: Corpus, items: Ints, tag: int) -> float:
    """The share of elements of this tag in the containers of `items` that are not among `items`."""
    tags, parent = corpus.elements.tag, corpus.elements.parent
    own = np.unique(items[tags[items] == np.uint64(tag)])
    there = np.isin(parent, np.unique(parent[own])) & (tags == np.uint64(tag))
    total = int(there.sum())
    return 1.0 - len(own) / total if total else 0.0
