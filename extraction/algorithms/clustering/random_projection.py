"""LSH clustering of pages by p-stable random projections (Datar et al. 2004; Slaney & Casey 2008; docs/algorithms.md#lsh).

A page is the vector of its paths, of length 1. So the distance of two pages depends on the share of paths that they have in common. h(v) =
⌊(x·v + b)/w⌋ with x ~ N(0, 1) and b ~ U[0, w); near pages get the same number more often than far ones. A table hashes k such numbers to a
bucket by T1 = (Σ Hᵢkᵢ) mod P1. T2, the same with other weights and another prime, checks that two pages of a bucket have the same k
numbers. Pages that meet in at least two tables are compared, and those within the radius are neighbours. Clusters are the connected
components of neighbours.

Equal pages are treated as one point. Time: pages · paths · k · tables, and in each bucket the square of its points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from extraction.algorithms.arrays import I64, U64

SEED = 0

_PRIMES = (2_147_483_647, 2_147_483_629)
"""P1 and P2: the largest primes under 2³¹. Products of two numbers below them stay within 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """The parameters of the projections.

    Two unit vectors are √2 apart when they have nothing in common, and 1 when they share half (cosine). With these numbers, pages at
    distance 0.8 meet in two of 16 tables with a probability of 0.89, and pages at 1.3 with 0.32; the linear check then rejects those.

    k: numbers in a table.
    tables: how many tables there are.
    width: w.
    radius: largest distance of neighbours.
    tables_met: the fewest tables in which neighbours must share a bucket.
    """

    k: int = 4
    tables: int = 16
    width: float = 2.0
    radius: float = 0.8
    tables_met: int = 2


DEFAULT = Projection()


def cluster_by_projection(pages: Sequence[U64], *, options: Projection = DEFAULT, seed: int = SEED) -> list[list[int]]:
    """Return groups of pages, given by their paths, which are ascending and distinct. Every page is in one group; groups are sorted by
    their first pages."""
    kinds: dict[bytes, list[int]] = {}
    for number, page in enumerate(pages):
        kinds.setdefault(page.tobytes(), []).append(number)
    members = list(kinds.values())
    points = [pages[group[0]] for group in members]
    pairs = find_neighbours(points, hash_points(points, options=options, seed=seed), options=options)
    return sorted(sorted(page for point in part for page in members[point]) for part in connect_neighbours(len(points), pairs))


def hash_points(points: Sequence[U64], *, options: Projection = DEFAULT, seed: int = SEED) -> I64:
    """Return (T1, T2) of each point in each table, shape (points, tables, 2). The same points and seed give the same numbers."""
    chance = np.random.default_rng(seed)
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *points]))
    directions = chance.standard_normal((len(every), options.tables * options.k), np.float32)
    offsets = chance.uniform(0, options.width, options.tables * options.k)
    projected = np.zeros((len(points), options.tables * options.k))
    for number, point in enumerate(points):
        projected[number] = directions[np.searchsorted(every, point)].sum(0) / sqrt(max(len(point), 1))
    whole = np.floor((projected + offsets) / options.width).astype(np.int64).reshape(len(points), options.tables, options.k)
    hashes = []
    for prime in _PRIMES:
        weights = chance.integers(1, prime, options.k)
        hashes.append((whole % prime * weights % prime).sum(2) % prime)
    return np.stack(hashes, axis=2)


def find_neighbours(points: Sequence[U64], hashed: I64, *, options: Projection = DEFAULT) -> list[tuple[int, int]]:
    """Return the pairs (smaller, larger) that meet in enough tables and lie within the radius, ascending."""
    met = [np.zeros(0, np.int64)]
    for table in range(hashed.shape[1]):
        whole = hashed[:, table, 0].astype(np.uint64) << np.uint64(32) | hashed[:, table, 1].astype(np.uint64)
        order = np.argsort(whole, kind="stable")
        edges = np.flatnonzero(np.diff(whole[order])) + 1
        for bucket in np.split(order, edges):
            first, second = np.triu_indices(len(bucket), 1)
            met.append(bucket[first] * len(points) + bucket[second])
    codes, counts = np.unique(np.concatenate(met), return_counts=True)
    pairs = (divmod(code, len(points)) for code in codes[counts >= options.tables_met].tolist())
    return [(one, other) for one, other in pairs if measure_distance(points[one], points[other]) <= options.radius]


def measure_distance(one: U64, other: U64) -> float:
    """Return the Euclidean distance of the unit vectors of two sets of paths, from 0 to √2. An empty set has the zero vector."""
    if not len(one) or not len(other):
        return float(len(one) != len(other))
    common = len(np.intersect1d(one, other, assume_unique=True))
    return sqrt(max(0.0, 2 - 2 * common / sqrt(len(one) * len(other))))


def connect_neighbours(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of 0 to count - 1, each ascending, sorted by their first members."""
    above = list(range(count))

    def top(item: int) -> int:
        while above[item] != item:
            above[item] = above[above[item]]
            item = above[item]
        return item

    for one, other in pairs:
        low, high = sorted((top(one), top(other)))
        above[high] = low
    parts: dict[int, list[int]] = {}
    for item in range(count):
        parts.setdefault(top(item), []).append(item)
    return list(parts.values())
