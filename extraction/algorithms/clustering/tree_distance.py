"""Clusters by any measure of likeness that is dear to compute: hierarchically on a sample, the rest to the nearest cluster.

So Reis et al. (2004) cluster pages by RTDM (ALGORITHMS 10). The measure comes from outside (`alignment.rtdm`). Of a sample, the pair of
clusters with the largest mean likeness of their members is merged (average linkage) while it reaches the bound; each other page goes to
the cluster whose medoid is most like it, or starts one that the pages after it can join. Cost: the square of the sample, and pages ·
clusters.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from extraction.algorithms.clustering.mdl import F64, I64, agglomerate

Item = TypeVar("Item")

SAMPLE = 60
"""Items that are compared with each other."""

LIKENESS = 0.8
"""Least mean likeness of a cluster's members: the 80 % of Reis et al."""


def cluster_by_likeness(
    items: Sequence[Item], likeness: Callable[[Item, Item], float], *, sample: int = SAMPLE, bound: float = LIKENESS
) -> list[list[int]]:
    """Groups of item numbers; every item is in one, by their first items. likeness: symmetric, 1 for equal items."""
    chosen = sorted({int(place) for place in np.linspace(0, len(items) - 1, min(sample, len(items)))})
    table = np.array([[likeness(items[one], items[other]) if one < other else 0.0 for other in chosen] for one in chosen])
    table = table.reshape(len(chosen), len(chosen))
    table = table + table.T + np.eye(len(chosen))
    parts = hierarchical(table, bound=bound)
    groups = [[chosen[place] for place in part] for part in parts]
    medoids = [chosen[part[int(np.argmax(table[np.ix_(part, part)].sum(1)))]] for part in parts]
    for number in sorted(set(range(len(items))) - set(chosen)):
        likest = [likeness(items[number], items[medoid]) for medoid in medoids]
        best = int(np.argmax(likest))
        if likest[best] >= bound:
            groups[best].append(number)
        else:
            groups.append([number])
            medoids.append(number)
    return sorted(map(sorted, groups))


def hierarchical(table: F64, *, bound: float) -> list[list[int]]:
    """Average linkage of items whose likenesses are given, shape (items, items), down to the bound."""
    sums, sizes = table.astype(np.float64).copy(), np.ones(len(table))

    def score(one: int, others: I64) -> F64:
        scores: F64 = sums[one, others] / (sizes[one] * sizes[others]) - bound + _EQUAL
        return scores

    def merge(one: int, other: int) -> None:
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sizes[one] += sizes[other]

    return agglomerate(len(table), score, merge)


_EQUAL = 2e-6
"""A likeness that is the bound reaches it; scores are rounded to a millionth."""
