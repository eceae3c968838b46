"""Is a whole site one template? What is in the site's frame answers that (docs/algorithms.md#page-clustering).

The frame is what nearly all pages of a site have. On a site of many page types it is the header, the menu and the footer, which say the
same on every page. On a site of one template it is the template itself: title, price and description are on nearly all pages, and say
something else on each. So the steps of the frame are counted whose text varies. On 15 documentation manuals and two other sites of several
types there were 0 to 3 of them, on 15 sites of one template 7 to 103.

A box of recent things, which is on all pages of all types, varies as well (up to 9 steps on made-up sites). Therefore the groups of pages
that are left after merging must look like one template, too: few, and one of them large.
"""

from collections.abc import Sequence

import numpy as np

from extraction.algorithms.arrays import I64, U64, Flags
from extraction.algorithms.clustering.page_steps import PageSteps

LEAST_CONTENT = 6
"""On a site of one template, the texts of at least this many steps of the frame vary."""

MOST_GROUPS = 4
"""The largest number of groups of such a site before they are merged: pages with and without the largest sections."""

LARGEST_FRACTION = 1 / 3
"""The least share of the pages that the largest of these groups has. On made-up sites of many types it had a sixth."""

VARIED_FRACTION = 0.5
"""A text varies if there are different ones on this share of the pages. In a column of few different values, a field repeats itself."""

HELD_FRACTION = 0.9
"""The least share of the frame's content that a page of the template has."""


def find_content(pages: Sequence[PageSteps], steps: U64, frame: Flags) -> Flags:
    """Return for each step whether it is in the frame and its text varies.

    steps: ascending.
    frame: for each step, whether it belongs to the frame.
    """
    counts = _count_texts(pages, steps[frame])
    varies = np.zeros(len(steps), np.bool_)
    varies[frame] = counts >= max(VARIED_FRACTION * len(pages), 2)
    return varies


def is_single_template(content: Flags, sizes: Sequence[int]) -> bool:
    """Return whether the groups of a site are versions of one template.

    content: what `find_content` returned.
    sizes: the number of pages of each group that is large enough for a template.
    """
    return int(content.sum()) >= LEAST_CONTENT and 0 < len(sizes) <= MOST_GROUPS and max(sizes) >= LARGEST_FRACTION * sum(sizes)


def _count_texts(pages: Sequence[PageSteps], steps: U64) -> I64:
    """Return for each step how many different texts the pages have there."""
    none = np.zeros(0, np.uint64)
    every = np.concatenate([none, *(page.steps for page in pages)])
    said = np.concatenate([none, *(page.texts for page in pages)])
    kept = (said != 0) & np.isin(every, steps)
    different = np.unique(np.stack([every[kept], said[kept]], axis=1), axis=0)[:, 0]
    counts: I64 = np.searchsorted(different, steps, side="right") - np.searchsorted(different, steps)
    return counts
