"""Minimum description length: what it costs in bits to write pages down, and merging while that cost falls (ALGORITHMS 8).

Nothing here knows of pages or paths. `entropy_bits` is L(M) of TEXT (`000_…`, `001_…` §3-4): a matrix by the frequencies of its
values. `AdaptiveCode` writes yes/no answers whose probability nobody knows before: each by the share seen so far, started with half a
yes and half a no (Krichevsky & Trofimov 1981), which costs about half the logarithm of the number of answers more than if it were
known. `agglomerate` merges the best pair again and again.
"""

from collections.abc import Callable
from math import lgamma, log

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64


def membership_bits(first: F64, second: F64) -> F64:
    """Bits it takes to say for each of first + second pages to which of the two it belongs: what their merging saves."""
    both = first + second
    return np.asarray(first * np.log2(both / first) + second * np.log2(both / second), np.float64)


class AdaptiveCode:
    """The cost of `ones` yeses among `total` answers, all counted in parts of `unit` so that answers can have a weight.

    limit: the largest total, in parts. Tables make it three look-ups a number.
    """

    def __init__(self, *, limit: int, unit: int = 1) -> None:
        self._half = np.array([lgamma(part / unit + 0.5) / log(2) for part in range(limit + 1)])
        self._whole = np.array([lgamma(part / unit + 1) / log(2) for part in range(limit + 1)]) + 2 * lgamma(0.5) / log(2)

    def bits(self, ones: I32, total: I32) -> F64:
        """Element by element; 0 where there are no answers."""
        cost: F64 = self._whole[total] - self._half[ones] - self._half[total - ones]
        return cost


Score = Callable[[int, I64], F64]
"""score(i, others): how good it is to merge item i with each of the others, not good at all at 0 and under."""


def merge_best_pairs(count: int, score: Score, merge: Callable[[int, int], None]) -> list[list[int]]:
    """Groups of the items 0 … count-1: the pair of the highest score is merged until no score is over 0.

    score: symmetric, asked for whatever was merged into the smaller number. merge(i, j): told before, i < j; j is not asked for again.
    Scores are rounded to a millionth of a bit, so that ties are ties; they go to the pair with the smallest numbers. Gives groups with
    their smallest number first, in its order. Memory: count² numbers; time: one score of every pair and one row anew for each merge.
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
