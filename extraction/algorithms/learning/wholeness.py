"""How unlike the marked list the lists are that a rule selects on other pages (ALGORITHMS 4.3: "lists come whole").

A list stands together, has no holes and its items are not cut: marked items fill a stretch of their page, each item of
their container is one of them, and a marked text is all of its element. What a rule selects elsewhere may fall short
of that in three ways, each a price of 0 to some 3 in the units of `plausible`:

- scattered: the stretch that it covers is longer than the number of items explains: navigation or a comment is in it;
- with holes: there are more items of the same tag in the same containers;
- in fragments: selected texts are parts of their elements (a link divides an instruction) where no marked one was.
"""

import math
from collections.abc import Sequence

import numpy as np

from extraction.algorithms.dom.nodes import clean, whole_text
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.page_table import Bools, Ints

MAX_ITEM_LEVEL = 4
"""Levels up from a marked node to what is an item of the list."""

FREE_OCTAVES = 1.0
"""Factor of two in the stretch that costs nothing."""

MAX_OCTAVES = 3.0
"""Further than this counts no more."""

SHORT_STRETCH = 8
"""Rows added to every stretch, so that short ones may differ more."""

MAX_LOOKED_AT = 200
"""Most selected texts that are compared with their elements."""


def measure_scatter(nodes: Candidates, marked: Ints, selected: Bools, annotated: Bools, *, stretch: int) -> float:
    """Octaves by which stretches on other pages are too long. stretch: rows that all marks of a page cover, the most."""
    most = max(np.bincount(nodes.page[marked]).max(), 1)
    others = np.flatnonzero(selected & ~annotated[nodes.page])
    prices = []
    for page in np.unique(nodes.page[others]):
        rows = nodes.rows[others[nodes.page[others] == page]]
        if len(rows) > 1:
            octaves = math.log2((int(rows.max() - rows.min()) + SHORT_STRETCH) / (stretch + SHORT_STRETCH))
            prices.append(min(max(octaves - max(math.log2(len(rows) / most), 0.0) - FREE_OCTAVES, 0.0), MAX_OCTAVES))
    return float(np.mean(prices)) if prices else 0.0


def measure_distance(nodes: Candidates, marked: Ints, selected: Bools, near: Candidates, most: Bools) -> float:
    """Share of selected nodes that stand further from those in `most` than any of the marked ones does."""
    distances = _beyond(nodes.rows, nodes.page, near.rows[most], near.page[most])
    others = distances[selected]
    return float((others > int(distances[marked].max()) + SHORT_STRETCH).mean()) if len(others) else 0.0


def _beyond(rows: Ints, pages: Ints, near: Ints, near_pages: Ints) -> Ints:
    """Rows from each to the stretch of `near` on its page, 0 within it and where there is none."""
    found = np.zeros(len(rows), np.int32)
    for page in np.unique(near_pages):
        mine, stretch = pages == page, near[near_pages == page]
        found[mine] = np.maximum(np.maximum(stretch.min() - rows[mine], rows[mine] - stretch.max()), 0)
    return found


def measure_holes(corpus: Corpus, nodes: Candidates, marked: Ints, selected: Bools, annotated: Bools) -> float:
    """Share of items that are left out of the selected lists on other pages, less that on the annotated ones."""
    items, tag = nodes.rows, 0
    for _ in range(MAX_ITEM_LEVEL):
        above = corpus.rows["parent"][items]
        tag = int(corpus.numbers["tag"][items[marked[0]]])
        if len(np.unique(above[marked])) < len(np.unique(items[marked])):
            break
        items = above
    else:
        return 0.0
    others = np.flatnonzero(selected & ~annotated[nodes.page])
    return max(_left_out(corpus, items[others], tag) - _left_out(corpus, items[marked], tag), 0.0)


def _left_out(corpus: Corpus, items: Ints, tag: int) -> float:
    """Share of the items of a tag in the containers of some items that are none of these."""
    own = np.unique(items[corpus.numbers["tag"][items] == np.uint64(tag)])
    containers = np.unique(corpus.rows["parent"][own])
    there = np.isin(corpus.rows["parent"], containers) & (corpus.numbers["tag"] == np.uint64(tag))
    total = int(there.sum())
    return 1.0 - len(own) / total if total else 0.0


def measure_fragments(corpus: Corpus, nodes: Candidates, marked: Ints, selected: Bools, annotated: Bools) -> float:
    """Share of selected texts on other pages that are parts of their elements, where each marked one is all of its own."""
    if nodes.target.kind != "text" or _parts(corpus, nodes, marked.tolist()):
        return 0.0
    others = np.flatnonzero(selected & ~annotated[nodes.page])[:MAX_LOOKED_AT]
    return _parts(corpus, nodes, others.tolist()) / max(len(others), 1)


def _parts(corpus: Corpus, nodes: Candidates, places: Sequence[int]) -> int:
    """How many texts are not all of their element's text."""
    found = 0
    for place in places:
        page = int(nodes.page[place])
        text = corpus.pages[page].strings[int(nodes.texts[place] - corpus.text_offsets[page])]
        found += text != clean(whole_text(corpus.element(int(nodes.rows[place]))))
    return found
