"""The smallest number of pages that counts as a template, depending on the size of the site."""

import math

from extraction.algorithms.clustering.masked_shingles import DEFAULT_THRESHOLD

SMALLEST_THRESHOLD = 2
"""Two pages that are alike are the least that can be called a template."""

PAGES_PER_THRESHOLD = 60
"""How fast the threshold grows with the site. Thresholds from 2 to 12 were tried on parts of 40 to 568 pages of the two labelled sites. The
pairs put together hardly depend on it (F is 0.12 to 0.15 and 0.67 to 0.71, with 2 always best). But 5 finds nothing at all in 40 pages of
one site, and 2 makes 63 clusters of its 568 pages where 5 makes 14. So it is as small as still gives a result that a person can look
through."""

LARGEST_THRESHOLD = DEFAULT_THRESHOLD


def default_threshold(pages: int) -> int:
    """Return the smallest number of pages that a template may have on a site of this many pages."""
    return max(SMALLEST_THRESHOLD, min(LARGEST_THRESHOLD, math.ceil(pages / PAGES_PER_THRESHOLD)))
