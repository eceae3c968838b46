"""The fewest pages that make a template, by the size of the site."""

import math

from extraction.algorithms.clustering.masked_shingles import DEFAULT_THRESHOLD

SMALLEST_THRESHOLD = 2
"""Two alike pages are the least that can be called a template."""

PAGES_PER_THRESHOLD = 60
"""How fast the threshold rises with the site. Tried 2 to 12 on parts of 40 to 568 pages of the two labelled sites: the pairs it puts
together hardly depend on it (F .12-.15 and .67-.71, 2 always the best), but 5 finds nothing at all in 40 pages of one, and 2 makes 63
clusters of its 568 pages where 5 makes 14. So it is as small as a person can still look through what comes out."""

LARGEST_THRESHOLD = DEFAULT_THRESHOLD


def default_threshold(pages: int) -> int:
    """The fewest pages of a template on a site of so many pages."""
    return max(SMALLEST_THRESHOLD, min(LARGEST_THRESHOLD, math.ceil(pages / PAGES_PER_THRESHOLD)))
