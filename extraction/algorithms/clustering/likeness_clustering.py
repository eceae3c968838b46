"""Clusters by any measure of likeness that is slow to compute: a sample is clustered hierarchically, and every other page joins the nearest
cluster.

Reis et al. (2004, section 4.1) cluster pages by RTDM this way (docs/algorithms.md#rtdm). The measure is passed in (`alignment.rtdm`). In a
sample, the pair of clusters with the largest mean likeness of their members is merged (average linkage) while it reaches the bound. Each
other page goes to the cluster whose medoid is most like it, or starts a cluster that later pages can join. Cost: the square of the sample,
and pages · clusters.

If an upper bound of the likeness is cheap to compute (`at_most`), most pairs need not be measured, and the clusters are the same. A mean
over two clusters reaches the bound only if one of their pairs does, so items that no chain of such pairs joins are never merged. And a
medoid that cannot be more like a page than the best one so far need not be measured.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from extraction.algorithms.arrays import F64, I64
from extraction.algorithms.clustering.mdl import merge_best_pairs

Item = TypeVar("Item")
Measure = Callable[[Item, Item], float]

SAMPLE = 60
"""The number of items that are compared with each other."""

LIKENESS = 0.8
"""Least mean likeness of a cluster's members: the 80 % of Reis et al. 2004."""


def cluster_by_likeness(
    items: Sequence[Item],
    likeness: Measure[Item],
    *,
    at_most: Measure[Item] = lambda _one, _other: 1.0,
    sample: int = SAMPLE,
    bound: float = LIKENESS,
) -> list[list[int]]:
    """Return groups of item numbers, sorted by their first items. Every item is in one.

    likeness: symmetric, and 1 for equal items.
    at_most: returns an upper bound of the likeness without measuring it, if there is such a bound.
    """
    chosen = sorted({int(place) for place in np.linspace(0, len(items) - 1, min(sample, len(items)))})
    groups, medoids = [], []
    for places in _joined([items[number] for number in chosen], at_most, bound):
        numbers = [chosen[place] for place in places]
        table = _measured([items[number] for number in numbers], likeness)
        for part in link_by_average(table, bound=bound):
            groups.append([numbers[place] for place in part])
            medoids.append(numbers[part[int(np.argmax(table[np.ix_(part, part)].sum(1)))]])
    order = sorted(range(len(groups)), key=lambda place: groups[place][0])
    groups, medoids = [groups[place] for place in order], [medoids[place] for place in order]
    for number in sorted(set(range(len(items))) - set(chosen)):
        best, alike = _likest(items[number], [items[medoid] for medoid in medoids], likeness, at_most, bound)
        if alike >= bound:
            groups[best].append(number)
        else:
            groups.append([number])
            medoids.append(number)
    return sorted(map(sorted, groups))


def _joined(items: Sequence[Item], at_most: Measure[Item], bound: float) -> list[list[int]]:
    """Return groups of item numbers. Items are in one group if a chain of pairs that may reach the bound connects them."""
    left, found = list(range(len(items))), []
    while left:
        part = waiting = [left.pop(0)]
        while waiting:
            near = [other for other in left if any(at_most(items[one], items[other]) >= bound - _EQUAL for one in waiting)]
            left = [other for other in left if other not in near]
            part, waiting = part + near, near
        found.append(sorted(part))
    return found


def _measured(items: Sequence[Item], likeness: Measure[Item]) -> F64:
    """Return the likenesses of all pairs."""
    table = np.eye(len(items))
    for one in range(len(items)):
        for other in range(one + 1, len(items)):
            table[one, other] = table[other, one] = likeness(items[one], items[other])
    return table


def _likest(item: Item, medoids: Sequence[Item], likeness: Measure[Item], at_most: Measure[Item], bound: float) -> tuple[int, float]:
    """Return (the place of the medoid that is most like an item, the first of several; its likeness), if any reaches the bound."""
    most = [at_most(item, medoid) for medoid in medoids]
    best, alike = 0, -1.0
    for place in sorted(range(len(medoids)), key=lambda place: (-most[place], place)):
        if most[place] < max(bound, alike):
            break
        found = likeness(item, medoids[place])
        if found > alike or (found == alike and place < best):
            best, alike = place, found
    return best, alike


def link_by_average(table: F64, *, bound: float) -> list[list[int]]:
    """Return the average linkage of items whose likenesses are given, shape (items, items), down to the bound."""
    sums, sizes = table.astype(np.float64).copy(), np.ones(len(table))

    def score(one: int, others: I64) -> F64:
        scores: F64 = sums[one, others] / (sizes[one] * sizes[others]) - bound + _EQUAL
        return scores

    def merge(one: int, other: int) -> None:
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sizes[one] += sizes[other]

    return merge_best_pairs(len(table), score, merge)


_EQUAL = 2e-6
"""A likeness that equals the bound reaches it. Scores are rounded to a millionth."""
