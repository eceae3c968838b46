"""The questions that tell pages of a site apart, and what each answer costs in the site's code (`merge_scores` explains the codes).

Each page is a set of steps (`page_steps`). Every step that some pages have and others lack is a yes/no question.
"""

from collections.abc import Sequence

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64, U64, Flags
from extraction.algorithms.clustering.mdl import AdaptiveCode
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.single_template import HELD_FRACTION, find_content

FULL_PAGES = 10
"""The number of pages on which people would notice a difference. Tried: 5, 10 and 20. A larger number keeps the page types of one site
better apart, but splits templates with options more often (V on two sites: 0.94 and 0.87 with 20, 0.93 and 1.0 with 10)."""

OWN_BITS = 1.0
"""The cost of announcing that a group's own code is used: one yes or no."""

COMMON_FRACTION = 0.9
"""A step that this share of the pages has belongs to the site's frame. The others are *telling*."""

FEWEST_PAGES = 2
"""Steps of a single page tell nothing about templates. If they were questions, a quarter of a labelled site's pages would stay out."""

COMPARABLE_FRACTION = 0.75
"""Least share of a page's steps that other pages have too. The only page of its kind shares little beyond the site's header and navigation
with others, and without this bound it looks like one of their pages without content. All pages of two labelled sites reach 0.79. Of single
pages put among those of another template, three of four stay under 0.8."""

BESIDE_FRACTION = 0.25
"""Least share of a page's steps that are outside the frame and on other pages too, for a page that is not the only one of its kind."""

MOST_STEPS = 20_000
"""Bound on memory. Of more steps, the most frequent are kept (ties go to the smaller hash). Usually there are some 1,500."""

UNIT = 32
"""Scaled counts are kept as whole numbers of this many parts of a page."""


class SiteQuestions:
    """The steps that pages of a site share, and the cost of each in the site's own code. A step that every page has is not asked about.

    steps: ascending.
    bits: for each step, the bits of information in a page's having it; 0 for the site's frame.
    content: for each step, whether it is in the frame and its text varies (`single_template`).
    weights: for each question, how many steps it stands for.
    """

    def __init__(self, pages: Sequence[PageSteps]) -> None:
        """Collect the steps of the pages that are compared. Their order does not matter."""
        self.pages = len(pages)
        self.steps, parents = _vocabulary(pages)
        self._parents = np.where(parents == 0, -1, np.searchsorted(self.steps, parents))
        has = np.array([self.row(page) for page in pages], np.bool_).reshape(len(pages), len(self.steps))
        asked = self._asked(has)
        yes, total = has.sum(0), asked.sum(0)
        telling: Flags = yes < COMMON_FRACTION * len(pages)
        self.bits: F64 = np.where(telling, -np.log2(yes / max(len(pages), 1)), 0.0)
        self.content = find_content(pages, self.steps, ~telling)
        open_ = np.flatnonzero((yes < total) & (yes > 0))
        self._columns, self.weights = _distinct(has[:, open_], asked[:, open_], open_)
        share = yes[self._columns] / total[self._columns]
        self._yes_bits, self._no_bits = -np.log2(share) / UNIT, -np.log2(1 - share) / UNIT
        self._code = AdaptiveCode(limit=2 * FULL_PAGES * UNIT, unit=UNIT)

    def row(self, page: PageSteps) -> Flags:
        """Return which of the steps a page has, shape (steps,)."""
        found = np.zeros(len(self.steps), np.bool_)
        if len(self.steps):
            at = np.minimum(np.searchsorted(self.steps, page.steps), len(self.steps) - 1)
            found[at[self.steps[at] == page.steps]] = True
        return found

    def comparable(self, page: PageSteps) -> bool:
        """Return whether enough of a page's steps are on other pages too."""
        return int(self.row(page).sum()) >= COMPARABLE_FRACTION * max(len(page.steps), 1)

    def is_lone(self, page: PageSteps) -> bool:
        """Return whether a page is the only one of its kind: it shares little with others, and next to nothing beside the site's frame."""
        row = self.row(page)
        beside = int((row & (self.bits > 0)).sum())
        return not self.comparable(page) and not self.has_content(page) and beside < BESIDE_FRACTION * len(page.steps)

    def has_content(self, page: PageSteps) -> bool:
        """Return whether a page has nearly all content of the site's frame. False if the frame has no content."""
        return bool(self.content.any() and self.row(page)[self.content].mean() >= HELD_FRACTION)

    def counts(self, rows: Flags) -> "tuple[I64, I64]":
        """Return (yeses, answers) to each question for pages given as rows, both of shape (questions,)."""
        return rows[:, self._columns].sum(0), self._asked(rows)[:, self._columns].sum(0)

    def cost(self, yes: I32, asked: I32) -> F64:
        """Return the bits for the answers to each question in the cheaper code.

        yes, asked: counts, in parts of a page. The last axis is that of the questions.
        """
        site = yes * self._yes_bits + (asked - yes) * self._no_bits
        bits: F64 = np.minimum(site, self._code.bits(yes, asked) + OWN_BITS) * self.weights
        return bits

    def _asked(self, rows: Flags) -> Flags:
        return np.where(self._parents < 0, True, rows[:, self._parents])


def _vocabulary(pages: Sequence[PageSteps]) -> tuple[U64, U64]:
    """Return (steps that enough pages have, ascending; the parent of each). A step's parent is on every page that has the step."""
    none = np.zeros(0, np.uint64)
    every = np.concatenate([none, *(page.steps for page in pages)])
    above = np.concatenate([none, *(page.parents for page in pages)])
    steps, first, counts = np.unique(every, return_index=True, return_counts=True)
    kept = np.flatnonzero(counts >= min(FEWEST_PAGES, len(pages)))
    if len(kept) > MOST_STEPS:
        kept = np.sort(kept[np.argsort(-counts[kept], kind="stable")[:MOST_STEPS]])
    parents = above[first[kept]]
    return steps[kept], np.where(np.isin(parents, steps[kept]), parents, np.uint64(0))


def _distinct(has: Flags, asked: Flags, columns: I64) -> tuple[I64, F64]:
    """Return (distinct columns, how often each occurs). Two questions with the same answer on every page become one with a weight."""
    if not len(columns):
        return columns, np.zeros(0)
    packed = np.packbits(np.concatenate((has, asked)), axis=0).T
    _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return columns[first[order]], counts[order].astype(np.float64)
