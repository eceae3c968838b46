"""What sets some pages of a cluster apart from the rest, so that more pages like them can be found.

A person says of one page that it does not belong to its template. Other pages like it should leave with it. Comparing whole pages does not
find them, because all pages have the template in common. So only those steps count that most of the separated pages have and most others
lack, or the reverse. The larger the difference, the more a step weighs. Cost: linear in the steps of the pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import F64, U64, Flags
from extraction.algorithms.clustering.page_steps import PageSteps

LEAST_DIFFERENCE = 0.5
"""How much the shares of pages that have a step must differ for it to count. What a page has by chance, half of the others have too."""

ALIKE = 0.6
"""A page is like those apart if it answers as they do for more than this share of the weights. With 0.5, an ordinary page was proposed to
leave a template whose pages have many options; its likeness was 0.53 to 0.56."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """The steps by which the separated pages differ from the rest.

    steps: hashes of the steps, ascending.
    there: for each step, whether the separated pages have it.
    weights: the weight of each step, from 0.5 to 1.
    """

    steps: U64
    there: Flags
    weights: F64

    @classmethod
    def between(cls, apart: Sequence[PageSteps], rest: Sequence[PageSteps]) -> "Contrast":
        """Return the steps by which the first pages differ from the second. There are none if either group is empty."""
        if not apart or not rest:
            return cls(np.zeros(0, np.uint64), np.zeros(0, np.bool_), np.zeros(0))
        steps = np.unique(np.concatenate([page.steps for page in [*apart, *rest]]))
        difference = _shares(steps, apart) - _shares(steps, rest)
        telling = np.abs(difference) >= LEAST_DIFFERENCE
        return cls(steps[telling], difference[telling] > 0, np.abs(difference[telling]))

    def likeness(self, page: PageSteps) -> float:
        """Return how much the page is like the separated pages: the share, by weight, of steps on which it agrees with them, from 0 to 1.
        Without steps it is 0."""
        if not len(self.steps):
            return 0.0
        same = np.isin(self.steps, page.steps, assume_unique=True) == self.there
        return float(self.weights[same].sum() / self.weights.sum())


def _shares(steps: U64, pages: Sequence[PageSteps]) -> F64:
    """Return the share of the pages that have each step."""
    found, counts = np.unique(np.concatenate([page.steps for page in pages]), return_counts=True)
    shares = np.zeros(len(steps))
    shares[np.searchsorted(steps, found)] = counts / len(pages)
    return shares
