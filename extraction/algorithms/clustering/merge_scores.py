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

Nor is that enough, because hardly anything is missing from a bare page: all that a login or a captioned picture requires is known to every
richer page type. So the two must also have something in common that tells them from the rest of the site. What a group *requires*, nearly
all of its pages have; what it *knows*, some of them have. A step weighs more bits the fewer pages of the site have it, and the site's frame
weighs nothing. Two groups become one

- if merging saves bits and one of them knows at least half of what the other requires;
- or if each knows half of what the other requires: both have options that the other lacks;
- or if one knows nearly all that the other requires, and that is several rare steps: the other is its bare form.

If bits cannot decide, the groups stay apart, and people are asked whether they are one template.

Groups of more than `site_questions.FULL_PAGES` pages weigh as if they had that many. Otherwise any difference in how often a section occurs
would be worth a template of its own once there are enough pages.
"""

from collections.abc import Callable, Sequence

import numpy as np

from extraction.algorithms.arrays import F64, I64, Flags
from extraction.algorithms.clustering.mdl import membership_bits
from extraction.algorithms.clustering.site_questions import FULL_PAGES, UNIT, SiteQuestions

SIDE_FACTOR = 1.85
"""How large the smaller side of a difference may be, in units of what merging saves. An option on either side has to be told for every
page, which costs twice what merging saves, so 2 is the bound for true options. Under 1.5, pages of long texts stay out. With 2, two types
of a javadoc manual become one for a few seeds; with 1.75, long pages of one type stay apart for most (median V of nine seeds 0.911 and
0.918 instead of 0.945)."""

SHARED_FRACTION = 0.75
"""Least share of the smaller core that the other one has, for a merge that saves bits. If all content hangs on one element, another element
there is a single question, however much hangs on it. From 0.5 to 0.85 the labelled sites score the same."""

CORE_FRACTION = 0.5
"""A step is in a group's core if this share of its pages have it."""

CONTAINED_FRACTION = 0.5
"""Least share of what a group requires, in bits, that the other must know. If a merge saves bits, one direction is enough: a login form and
a captioned picture know nothing of each other. For a merge that saves none, both directions are needed: then each group has options that
the other lacks."""

BARE_FRACTION = 0.8
"""Least share of what one group requires that the other knows, in bits, if it is the other group without its options. From 0.75 to 0.85 the
labelled sites score the same."""

MARK_BITS = 10.0
"""Least bits that the two must have in common for that: several steps that few pages of the site have. All that a bare page type requires
is known to every richer type. Without this bound, all types of such sites fell into one template, because each merge leaves less that is
required and more that is known. With 20 and 40, pages of long texts stay out of manuals."""

FEW_BITS = 2.0
"""Bits added to those that a group requires, counted as known. One rare step of a group's own that the other lacks means
little."""

FRAME_FRACTION = 0.5
"""Least share of the site's frame that one group requires and the other must know."""

SELDOM_BITS = 1.0
"""A step of fewer bits, which more than half of the site's pages have, is no sign of a template: on sites with popups and print versions,
the other pages have the header in common, with all its steps."""

OFTEN_SLACK = 1 / 6
"""How much lower the shares may be if such steps are counted, too. They do count: where hardly any step is rare, nothing else tells a class
from an index."""

RARE_FRACTION = 0.1
"""A group knows a step that at least this share of its pages have, and requires one that at most this share lack."""


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

        def holds(places: I64) -> Flags:
            known = np.maximum(*self._known_shares(group, others[places]))
            shared = self._shared(group, others[places]) >= SHARED_FRACTION
            return np.asarray(shared & (known >= CONTAINED_FRACTION) & self._both_framed(group, others[places]))

        return _where((room >= 0) & (saved > 0), saved, holds)

    def score_optional_merges(self, group: int, others: I64, *, single: bool = False) -> F64:
        """Return scores of merges where one group lacks optional sections of the other: the bits by which each merge stays below its limit,
        or -1.

        single: whether the site is one template (`single_template`). Then the content of its frame counts, a bit for each step, and
            a bare page has nearly all of it.
        """
        _, room = self._compared(group, others)
        content = np.where(self._questions.content, float(single), 0.0)

        def holds(places: I64) -> Flags:
            there, here = self._known_shares(group, others[places], content)
            contained = np.minimum(there, here) >= CONTAINED_FRACTION
            marks = self._known_bits(group, others[places], content)
            enough = BARE_FRACTION * content.sum() if single else MARK_BITS
            bare = [(share >= BARE_FRACTION) & (bits >= enough) for share, bits in zip((there, here), marks, strict=True)]
            return np.asarray((contained | bare[0] | bare[1]) & self._both_framed(group, others[places]))

        return _where(room > 0, room, holds)

    def _both_framed(self, group: int, others: I64) -> Flags:
        """Return whether each group knows half of the site's frame that the other requires.

        A page that lacks it is of another kind, however little it has of its own.
        """
        frame = self._questions.bits == 0
        mine, theirs = self._required[group] & frame, self._required[others] & frame
        both_there = (mine & self._possible[others]).sum(1) >= FRAME_FRACTION * mine.sum()
        both_here = (theirs & self._possible[group]).sum(1) >= FRAME_FRACTION * theirs.sum(1)
        return np.asarray(both_there & both_here)

    def _known_shares(self, group: int, others: I64, content: "F64 | float" = 0.0) -> tuple[F64, F64]:
        """Return two shares of bits for each other group: how much of what the group requires the other knows, and how much of what the
        other requires the group knows."""
        bits = self._questions.bits
        seldom = self._shares_of(group, others, np.where(bits >= SELDOM_BITS, bits, 0.0) + content)
        every = self._shares_of(group, others, bits + content)
        return np.minimum(seldom[0], every[0] + OFTEN_SLACK), np.minimum(seldom[1], every[1] + OFTEN_SLACK)

    def _shares_of(self, group: int, others: I64, bits: F64) -> tuple[F64, F64]:
        mine, theirs = self._required[group], self._required[others]
        missed_there, missed_here = (mine & ~self._possible[others]) @ bits, (theirs & ~self._possible[group]) @ bits
        return 1 - missed_there / (mine @ bits + FEW_BITS), 1 - missed_here / (theirs @ bits + FEW_BITS)

    def _known_bits(self, group: int, others: I64, content: F64) -> tuple[F64, F64]:
        """Return (the bits that the group requires and each of the others knows, those that each of them requires and the group knows).

        They are those of rare steps, or of the content where there is any.
        """
        bits = content if content.any() else np.where(self._questions.bits >= SELDOM_BITS, self._questions.bits, 0.0)
        there = (self._required[group] & self._possible[others]) @ bits
        here = (self._required[others] & self._possible[group]) @ bits
        return np.asarray(there), np.asarray(here)

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

    def _renew(self, group: int) -> None:
        size = int(self.sizes[group])
        self._weights[group] = min(size, FULL_PAGES)
        scale = self._weights[group] / size * UNIT
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
"""The number of groups compared at a time, which takes some megabytes of temporary arrays."""
