"""Tells texts of the template from other texts (docs/algorithms.md#rule-learning).

A rule may ask for a text beside the value. That works if the text is a label, which the template prints on other pages, too. It fails if
the text is another value, an advert, or a sentence of one page, even if all marked pages happen to have it. So a text is strange if few
of the pages without marks have it. A text in a label's place (``dt``, ``th``, ``label``, a heading, bold, with a colon) is trusted more,
because a label may be rare or stand on the pages of one language only. It is trusted fully where nearly all texts at places like its own
are those of several pages with different values after them: there a rare text is a rare label.
"""

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_table import BLANK, HEADINGS, TOO_LONG, Bools

LABEL_TAGS = frozenset((*HEADINGS, "dt", "th", "label", "strong", "b", "legend", "caption", "summary"))
"""Tags in which a template prints labels."""

COMMON_SHARE = 0.3
"""Share of the other pages from which on a text is not strange at all."""

IN_LABEL_PLACE = 0.5
"""What remains of a text's strangeness if it stands in a label's place."""

AMONG_LABELS, MIN_PAGES = 0.8, 3
"""The share of the texts at a place that must stand there on so many pages for the place to be one of labels."""

VARIED = 0.5
"""The share of these texts after which different values must stand."""

MAX_INNER_LEVELS = 3
"""The largest number of levels that are looked down and up from an element to see whether it is a label."""


def measure_strangeness(corpus: Corpus, text: str, marked_pages: Bools, *, in_label_place: bool) -> float:
    """Return how little a text looks like one of the template: 0 for a label of most pages, up to 1 for a text of the marked pages only.

    marked_pages: for each page, whether its marks share the text. Such pages show nothing, so only the others count. If there are no
        others, the result is 0.
    """
    if text in corpus.values:
        return 1.0
    others = len(corpus.pages) - int(marked_pages.sum())
    known = int((~marked_pages[corpus.find_pages_with(text)]).sum())
    share = (known + 0.5) / (others + 1)
    strange = max(0.0, 1.0 - share / COMMON_SHARE)
    return strange * IN_LABEL_PLACE if in_label_place or text.endswith(":") else strange


def is_label_place(corpus: Corpus, row: int) -> bool:
    """Whether an element, its only child, or an element that holds nothing else is one in which a template prints labels."""
    elements, none = corpus.elements, int(corpus.offsets[corpus.page_of(row) + 1]) - 1
    whole = elements.whole[row]
    for step in (elements.first, elements.parent):
        place = row
        for _ in range(MAX_INNER_LEVELS):
            if place == none or elements.whole[place] != whole:
                break
            if corpus.read_tag(place) in LABEL_TAGS:
                return True
            place = int(step[place])
    return False


def is_among_labels(corpus: Corpus, row: int) -> bool:
    """Whether hardly anything but labels stands at places like that of an element.

    A place is the tags of the element, of the two around it and of the next one; if that has the same tag, also its number.
    """
    elements = corpus.elements
    around, after = int(elements.parent[row]), int(elements.after[row])
    wanted = [int(elements.tag[each]) for each in (row, around, int(elements.parent[around]), after)]
    nth = int(elements.place[row]) if wanted[3] == wanted[0] else 0
    key = (*wanted, nth)
    if key not in corpus.label_places:
        parents = elements.parent
        same = (elements.tag == wanted[0]) & (elements.tag[parents] == wanted[1]) & (elements.tag[parents[parents]] == wanted[2])
        same &= (elements.tag[elements.after] == wanted[3]) & (elements.whole > TOO_LONG) & ((elements.place == nth) | (nth == 0))
        corpus.label_places[key] = _are_labels(corpus, np.flatnonzero(same))
    return corpus.label_places[key]


def _are_labels(corpus: Corpus, rows: NDArray[np.intp]) -> bool:
    elements = corpus.elements
    texts, which = np.unique(elements.whole[rows], return_inverse=True)
    pages = np.searchsorted(corpus.offsets, rows, side="right")
    counts = np.bincount(np.unique(np.stack([which, pages]), axis=1)[0], minlength=len(texts))
    held = counts[which] >= MIN_PAGES
    if counts.sum() < len(rows) or (counts >= MIN_PAGES).sum() < 2 or held.mean() < AMONG_LABELS:
        return False
    beside = elements.whole[elements.after[rows]]
    values = np.where(beside > BLANK, beside, elements.text_after[rows])
    different = np.bincount(np.unique(np.stack([which.astype(np.uint64), values]), axis=1)[0].astype(np.intp), minlength=len(texts))
    return bool((different[which[held]] > 1).mean() >= VARIED)
