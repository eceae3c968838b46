"""Which pages are watched: a cluster's bellwethers (Gulhane et al. 2011, section 3.2.2; docs/algorithms.md#monitoring).

Bellwethers are 10 to 20 pages that together have everything that varies on the cluster's pages, so that a change of any part of the
template shows on some of them. The weighted greedy of docs/algorithms.md#sample-pages chooses them. A page that often could not be
fetched may be missing on the day that counts, so pages that answered reliably come first. The others only fill up the number.

The structure of pages does not show which of them have a value that is rare: a row of a table looks like any other row. So pages are added
until each attribute is on `LEAST_VALUED` of them, as far as there are such pages (`choose_valued`).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from extraction.algorithms.sampling import greedy
from extraction.algorithms.sampling.greedy import PagePaths

BELLWETHERS = 15
"""Of the paper's 10 to 20."""

RELIABLE = 0.8
"""Share of fetches that must have succeeded for a page to be chosen first."""

LEAST_VALUED = 5
"""Watched pages that should have a value of each attribute. A rule for it can then be learned from two of them and judged by three."""

MOST_ADDED = 15
"""The largest number of pages that are added for rare attributes."""


def choose_bellwethers(pages: Sequence[PagePaths], *, answered_fractions: Sequence[float], k: int = BELLWETHERS) -> list[int]:
    """Chooses at most k bellwethers and returns their indexes in `pages`.

    answered_fractions: the share of each page's fetches that succeeded (1 for a new page).
    Raises ValueError when there is not one share for each page.
    """
    if len(pages) != len(answered_fractions):
        raise ValueError(f"{len(pages)} pages but {len(answered_fractions)} shares of answered fetches")
    reliable = [n for n, share in enumerate(answered_fractions) if share >= RELIABLE]
    others = sorted((n for n, share in enumerate(answered_fractions) if share < RELIABLE), key=lambda n: -answered_fractions[n])
    chosen = (
        [reliable[choice.page_index] for choice in greedy.choose_pages([pages[n] for n in reliable], k=k, fill=True)] if reliable else []
    )
    return chosen + others[: k - len(chosen)]


def choose_valued(pages: Sequence[Collection[str]], *, lacking: Mapping[str, int], k: int = MOST_ADDED) -> list[int]:
    """Chooses at most k pages for attributes that too few of the watched pages have, and returns their indexes in `pages`.

    Each step takes the page that has most of the attributes that are still lacking, the first of those with as many.

    pages: the attributes that each page has a value of.
    lacking: {attribute: on how many more pages it is wanted}.
    """
    left, chosen = Counter({name: wanted for name, wanted in lacking.items() if wanted > 0}), list[int]()
    useful = {n: frozenset(names) & left.keys() for n, names in enumerate(pages)}
    while len(chosen) < k:
        gains = {n: sum(left[name] > 0 for name in names) for n, names in useful.items() if n not in chosen}
        best = max(gains, key=lambda n: (gains[n], -n), default=None)
        if best is None or not gains[best]:
            break
        chosen.append(best)
        left.subtract(useful[best])
    return chosen
