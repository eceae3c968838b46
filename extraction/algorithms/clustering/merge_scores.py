"""Are two groups of pages one template? The costs behind the second stage of clustering (docs/algorithms.md#page-clustering).

Each page is a set of steps (`page_steps`). Every step is a yes/no question ("does the page have it?"). It is asked only of pages that have
the step's parent: a page without comments is not asked about each part of a comment. The cost in bits of the answers shows whether groups
differ. There are two codes for them:

- The *site's* code knows how often all pages of the site say yes. A group uses it for free. So steps that are the same all over the site
  (header, navigation) or scattered over it (markup within texts) count neither for nor against a merge.
- A group's *own* code (`mdl.AdaptiveCode`) has to learn how often its pages say yes, and costs `OWN_BITS` to announce.

Each question is answered in the cheaper of the two codes. Two groups that are merged share one code: questions on which they agree against
the site get cheaper, and those on which they differ get dearer. The sum decides, as in TEXT-MDL (Kim & Shim 2011, section 3).

That alone is not enough. If some pages of one template lack a large optional section, they differ in all its steps. This difference is
larger than that between two templates that differ slightly everywhere. What tells these cases apart is *where* the difference lies: a page
without the section has nothing in its place. So differences are summed separately for the steps that the first group has more often and for
those that the second has more often. The smaller of the two sums must be small.

Groups of more than `FULL_PAGES` pages weigh as if they had that many. Otherwise any difference in how often a section occurs would be worth
a template of its own once there are enough pages.
"""

from collections.abc import Callable, Sequence

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64, U64, Flags
from extraction.algorithms.clustering.mdl import AdaptiveCode, membership_bits
from extraction.algorithms.clustering.page_steps import PageSteps

FULL_PAGES = 10
"""Pages on which people would notice a difference. Tried: 5, 10 and 20. More keeps page types of one site better apart, but splits
templates with options more often (V is 0.94 and 0.87 on two sites with 20, and 0.93 and 1.0 with 10)."""

OWN_BITS = 1.0
"""The cost of announcing that a group's own code is used: one yes or no."""

SIDE_FACTOR = 1.75
"""How large the smaller side of a difference may be, in units of what merging saves. An option on either side has to be told for every
page, which costs twice what merging saves, so 2 is the bound for true options. Under 1.5, pages of long texts stay out. Over 2, page types
of one site that differ a little become one. This is the middle of what works."""

SHARED_FRACTION = 0.75
"""Least share of the smaller core that the other one has, for a merge that saves bits. If all content hangs on one element, another element
there is a single question, however much hangs on it. From 0.5 to 0.85 the labelled sites score the same."""

CORE_FRACTION = 0.5
"""A step is in a group's core if this share of its pages have it."""

CONTAINED_FRACTION = 0.5
"""Least share of the telling steps that each group requires and the other knows, for a merge that saves no bits. Then each group has
options that the other lacks."""

BARE_FRACTION = 0.8
"""Least share of what one group requires that the other knows, in bits, for such a merge. Then it is the other group without its options. A
step counts more the fewer pages of the site have it, and the site's frame counts nothing. Counted in steps (0.9 of them), all four page
types of a documentation site became one template: header and navigation outweigh what a bare page has of its own. From 0.75 to 0.85 the
labelled sites score the same. With 0.65, a few long pages make one manual one template with another. With 0.9, pages that only say that
there is nothing stay out."""

DOUBT_BITS = 0.25
"""Bits added to those that a bare group requires, counted as not known. A group that has only the frame is like any other. From 0.1 to 0.5
the labelled sites score the same. With 1, a mark that a quarter of the pages has is not enough."""

FEW_STEPS = 2
"""Telling steps added to those that a group requires. If a page has three of its own, two missing ones mean little. On a site of one
template only its options are telling, and fewer than 2 make them templates of their own; 5 mixes page types again."""

COMMON_FRACTION = 0.9
"""A step that this share of the pages has belongs to the site's frame. The others are *telling*."""

RARE_FRACTION = 0.1
"""A group knows a step that at least this share of its pages have, and requires one that at most this share lack."""

FEWEST_PAGES = 2
"""Steps of a single page tell nothing about templates. If they were questions, a quarter of a labelled site's pages would stay out."""

COMPARABLE_FRACTION = 0.75
"""Least share of a page's steps that other pages have too. The only page of its kind shares little beyond the site's header and navigation
with others, and without this bound it looks like one of their pages without content. All pages of two labelled sites reach 0.79. Of single
pages put among those of another template, three of four stay under 0.8."""

MOST_STEPS = 20_000
"""Bound on memory. Of more steps, the most frequent are kept (ties go to the smaller hash). Usually there are some 1,500."""

_UNIT = 32
"""Scaled counts are kept as whole numbers of this many parts of a page."""


class SiteQuestions:
    """The steps that pages of a site share, and the cost of each in the site's own code. A step that every page has is not asked about.

    steps: ascending.
    telling: for each step, whether it is outside the site's frame.
    bits: for each step, the bits of information in a page's having it; 0 for the frame.
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
        self.telling: Flags = yes < COMMON_FRACTION * len(pages)
        self.bits: F64 = np.where(self.telling, -np.log2(yes / max(len(pages), 1)), 0.0)
        open_ = np.flatnonzero((yes < total) & (yes > 0))
        self._columns, self.weights = _distinct(has[:, open_], asked[:, open_], open_)
        share = yes[self._columns] / total[self._columns]
        self._yes_bits, self._no_bits = -np.log2(share) / _UNIT, -np.log2(1 - share) / _UNIT
        self._code = AdaptiveCode(limit=2 * FULL_PAGES * _UNIT, unit=_UNIT)

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

    def counts(self, rows: Flags) -> "tuple[I64, I64]":
        """Return (yeses, answers) to each question for pages given as rows, both of shape (questions,)."""
        return rows[:, self._columns].sum(0), self._asked(rows)[:, self._columns].sum(0)

    def cost(self, yes: I32, asked: I32) -> F64:
        """Return the bits for the answers to each question in the cheaper code. Counts are in parts of a page; questions are the last
        axis."""
        site = yes * self._yes_bits + (asked - yes) * self._no_bits
        bits: F64 = np.minimum(site, self._code.bits(yes, asked) + OWN_BITS) * self.weights
        return bits

    def _asked(self, rows: Flags) -> Flags:
        return np.where(self._parents < 0, True, rows[:, self._parents])


class PageGroups:
    """Groups of pages that are being merged, as arrays with one row a group."""

    def __init__(self, questions: SiteQuestions, members: Sequence[Flags]) -> None:
        """Start with groups given by the rows of their pages, each of shape (pages, steps)."""
        self._questions = questions
        count, width = len(members), len(questions.weights)
        self.sizes = np.zeros(count, np.int64)
        self._yes = np.zeros((count, width), np.int32)
        self._asked = np.zeros((count, width), np.int32)
        self._have = np.zeros((count, len(questions.steps)), np.int32)
        self._scaled = np.zeros((2, count, width), np.int32)
        self._weights = np.zeros(count)
        self._costs = np.zeros((count, width))
        self._rates = np.zeros((count, width))
        self._cores, self._required, self._possible = (np.zeros(self._have.shape, np.bool_) for _ in range(3))
        for group, rows in enumerate(members):
            self.replace(group, rows)

    def replace(self, group: int, rows: Flags) -> None:
        """Replace the group's pages by these, at least one."""
        self._yes[group], self._asked[group] = self._questions.counts(rows)
        self._have[group], self.sizes[group] = rows.sum(0), len(rows)
        self._renew(group)

    def merge(self, one: int, other: int) -> None:
        """Give the pages of the other group to group `one`."""
        for counts in (self._yes, self._asked, self._have, self.sizes):
            counts[one] += counts[other]
        self._renew(one)

    def score_saving_merges(self, group: int, others: I64) -> F64:
        """Return for each merge the bits it saves, or -1 if it saves none or is not allowed."""
        saved, room = self._compared(group, others)
        return _where((room >= 0) & (saved > 0), saved, lambda chosen: self._shared(group, others[chosen]) >= SHARED_FRACTION)

    def score_optional_merges(self, group: int, others: I64) -> F64:
        """Return scores of merges where one group lacks optional sections of the other: the bits by which each merge stays below its limit,
        or -1."""
        _, room = self._compared(group, others)
        return _where(room > 0, room, lambda chosen: self._bare(group, others[chosen]) | self._contained(group, others[chosen]))

    def _compared(self, group: int, others: I64) -> tuple[F64, F64]:
        """Return (bits that each merge saves, bits by which the smaller side of the difference stays below its limit), both of shape
        (others,)."""
        found = [self._block(group, others[at : at + _BLOCK]) for at in range(0, len(others), _BLOCK)]
        return np.concatenate([saved for saved, _ in found]), np.concatenate([room for _, room in found])

    def _block(self, group: int, others: I64) -> tuple[F64, F64]:
        both = self._scaled[:, group][:, None] + self._scaled[:, others]
        dearer = self._questions.cost(both[0], both[1]) - self._costs[group] - self._costs[others]
        label = membership_bits(self._weights[group], self._weights[others]) + np.log2(max(self._questions.pages, 2))
        smaller = _smaller_side(np.maximum(dearer, 0), self._rates[group], self._rates[others])
        return label - dearer.sum(1), SIDE_FACTOR * label - smaller

    def _shared(self, group: int, others: I64) -> F64:
        """Return which share of the smaller core's steps is also in the other core."""
        mine, theirs = self._cores[group], self._cores[others]
        smaller = np.minimum(mine.sum(), theirs.sum(1))
        return np.asarray((mine & theirs).sum(1) / np.maximum(smaller, 1))

    def _bare(self, group: int, others: I64) -> Flags:
        """Return whether one group is the other without its optional sections: the other knows nearly all steps (in bits) that it
        requires."""
        bits = self._questions.bits
        mine, theirs = self._required[group] & self._possible[others], self._required[others] & self._possible[group]
        there = mine @ bits / (self._required[group] @ bits + DOUBT_BITS)
        here = theirs @ bits / (self._required[others] @ bits + DOUBT_BITS)
        return np.asarray(np.maximum(there, here) >= BARE_FRACTION)

    def _contained(self, group: int, others: I64) -> Flags:
        """Return whether each group knows enough of the telling steps that the other requires."""
        telling = self._questions.telling
        mine, theirs = self._required[group] & telling, self._required[others] & telling
        missed_there, missed_here = (mine & ~self._possible[others]).sum(1), (theirs & ~self._possible[group]).sum(1)
        missed = np.maximum(missed_there / (int(mine.sum()) + FEW_STEPS), missed_here / (theirs.sum(1) + FEW_STEPS))
        return np.asarray(1 - missed >= CONTAINED_FRACTION)

    def _renew(self, group: int) -> None:
        size = int(self.sizes[group])
        self._weights[group] = min(size, FULL_PAGES)
        scale = self._weights[group] / size * _UNIT
        self._scaled[0, group] = np.round(self._yes[group] * scale)
        self._scaled[1, group] = np.round(self._asked[group] * scale)
        self._costs[group] = self._questions.cost(self._scaled[0, group], self._scaled[1, group])
        self._rates[group] = self._yes[group] / np.maximum(self._asked[group], 1)
        self._cores[group] = self._have[group] >= CORE_FRACTION * size
        self._required[group] = self._have[group] >= (1 - RARE_FRACTION) * size
        self._possible[group] = self._have[group] >= RARE_FRACTION * size


def _where(chosen: Flags, scores: F64, holds: Callable[[I64], Flags]) -> F64:
    """Return the scores, with -1 for those that are not chosen or for which `holds` is false. `holds` is slow, so only the chosen are
    tested."""
    result = np.full(len(scores), -1.0)
    places = np.flatnonzero(chosen)
    if len(places):
        places = places[holds(places)]
        result[places] = scores[places]
    return result


def _smaller_side(bits: F64, one: F64, other: F64) -> F64:
    """Return the smaller of two sums of bits: over the questions that the first group answers yes more often, and over the rest. Axis 1
    holds the questions.

    Each question counts by how often it is answered yes. Where half of a group's pages lack a step anyway, more pages that lack it are less
    of a difference.
    """
    mine: F64 = (bits * np.where(one > other, one, 0)).sum(1)
    theirs: F64 = (bits * np.where(one > other, 0, other)).sum(1)
    return np.asarray(np.minimum(mine, theirs))


_BLOCK = 64
"""Groups compared at a time, which takes some megabytes of temporary arrays."""


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
