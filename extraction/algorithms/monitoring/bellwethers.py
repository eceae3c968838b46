"""Which pages are watched: a cluster's bellwethers (Vertex §3.2.2; ALGORITHMS 6).

10 to 20 pages that together have what varies on the cluster's pages, so that a change of any part of the template is seen on
some of them: Algorithm 2's weighted greedy. A page that often could not be fetched tells nothing on the day that counts, so
pages that answered reliably come first, and of the others only as many as are wanted to fill up.
"""

from collections.abc import Sequence

from extraction.algorithms.sampling import greedy
from extraction.algorithms.sampling.greedy import PagePaths

BELLWETHERS = 15
"""Of the paper's 10 to 20."""

RELIABLE = 0.8
"""Share of fetches that must have succeeded for a page to be taken first."""


def choose(pages: Sequence[PagePaths], *, answered_fractions: Sequence[float], k: int = BELLWETHERS) -> list[int]:
    """Places in `pages` of at most k bellwethers. answered_fractions: share of each page's fetches that succeeded, 1 for a new one.

    Raises ValueError when there is not one share a page.
    """
    if len(pages) != len(answered_fractions):
        raise ValueError(f"{len(pages)} pages but {len(answered_fractions)} shares of answered fetches")
    reliable = [n for n, share in enumerate(answered_fractions) if share >= RELIABLE]
    others = sorted((n for n, share in enumerate(answered_fractions) if share < RELIABLE), key=lambda n: -answered_fractions[n])
    chosen = (
        [reliable[choice.page_index] for choice in greedy.choose_pages([pages[n] for n in reliable], k=k, fill=True)] if reliable else []
    )
    return chosen + others[: k - len(chosen)]
