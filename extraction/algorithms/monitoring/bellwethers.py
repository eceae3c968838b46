"""Which pages are watched: a cluster's bellwethers (Gulhane et al. 2011, section 3.2.2; docs/algorithms.md#monitoring).

Bellwethers are 10 to 20 pages that together have everything that varies on the cluster's pages, so that a change of any part of the
template shows on some of them. The weighted greedy of docs/algorithms.md#sample-pages chooses them. A page that often could not be
fetched may be missing on the day that counts, so pages that answered reliably come first. The others only fill up the number.
"""

from collections.abc import Sequence

from extraction.algorithms.sampling import greedy
from extraction.algorithms.sampling.greedy import PagePaths

BELLWETHERS = 15
"""Of the paper's 10 to 20."""

RELIABLE = 0.8
"""Share of fetches that must have succeeded for a page to be chosen first."""


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
