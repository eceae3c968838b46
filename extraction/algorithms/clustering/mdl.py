"""Minimum description length: the bits that it takes to write pages down, and merging of groups as long as that number falls.

Nothing here depends on pages or paths. `AdaptiveCode` prices yes/no answers whose probability is not known beforehand. Each answer is coded
by the share seen so far, starting with half a yes and half a no (Krichevsky & Trofimov 1981). This costs about half the logarithm of the
number of answers more than with a known probability. `merge_best_pairs` merges the best pair until no merge is worth it.
"""

from collections.abc import Callable
from math import lgamma, log

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64


def membership_bits(first: F64, second: F64) -> F64:
    """Return the bits it takes to say for each of first + second pages to which of two groups it belongs. Merging the groups saves them."""
    both = first + second
    return np.asarray(first * np.log2(both / first) + second * np.log2(both / second), np.float64)


class AdaptiveCode:
    """The cost of `ones` yeses among `total` answers. Both are counted in parts of `unit`, so that answers can have a weight.

    limit: the largest total, in parts. Tables reduce a cost to three look-ups.
    """

    def __init__(self, *, limit: int, unit: int = 1) -> None:
        self._half = np.array([lgamma(part / unit + 0.5) / log(2) for part in range(limit + 1)])
        self._whole = np.array([lgamma(part / unit + 1) / log(2) for part in range(limit + 1)]) + 2 * lgamma(0.5) / log(2)

    def bits(self, ones: I32, total: I32) -> F64:
        """Return the cost element by element; 0 where there are no answers."""
        cost: F64 = self._whole[total] - self._half[ones] - self._half[total - ones]
        return cost


Score = Callable[[int, I64], F64]
"""score(i, others): how good it is to merge item i with each of the others. Merges with a score of 0 or less are not made."""


def merge_best_pairs(count: int, score: Score, merge: Callable[[int, int], None]) -> list[list[int]]:
    """Return groups of the items 0 to count - 1, made by merging the pair of the highest score until no score is over 0.

    Scores are rounded to a millionth of a bit, so that ties are ties. They go to the pair with the smallest numbers. Each group starts with
    its smallest number, and groups are sorted by it. Memory: count² numbers. Time: one score for every pair, and one row of scores for each
    merge.

    score: symmetric. A merged group is referred to by its smallest number.
    merge: merge(i, j) is called before each merge, with i < j. After that, no score is asked for item j.
    """
    groups = [[item] for item in range(count)]
    table = np.full((count, count), -np.inf)
    for item in range(count - 1):
        others = np.arange(item + 1, count)
        table[item, others] = np.round(score(item, others), 6)
    alive = np.ones(count, np.bool_)
    while count:
        i, j = divmod(int(np.argmax(table)), count)
        if not table[i, j] > 0:
            break
        merge(i, j)
        groups[i] += groups[j]
        alive[j] = False
        table[j, :] = table[:, j] = table[i, :] = table[:, i] = -np.inf
        others = np.flatnonzero(alive & (np.arange(count) != i))
        if len(others):
            scores = np.round(score(i, others), 6)
            table[np.minimum(i, others), np.maximum(i, others)] = scores
    return [group for group, lives in zip(groups, alive.tolist(), strict=True) if lives]
