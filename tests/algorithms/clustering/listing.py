"""The paper's listing of Algorithm 1 with plain dictionaries: the oracle of tests and what the benchmark compares with."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

Masked = tuple[int | None, ...]


def candidates(vector: int) -> Iterator[Masked]:
    """The 37 masked vectors that cover a vector; None is a wildcard."""
    whole = vector.to_bytes(8, "big")
    for count in (0, 1, 2):
        for places in combinations(range(8), count):
            yield tuple(None if place in places else byte for place, byte in enumerate(whole))


def tie_order(masked: Masked) -> tuple[int, list[int], list[int]]:
    """Fewer wildcards, then smaller value, then smaller wildcard mask."""
    return masked.count(None), [byte or 0 for byte in masked], [byte is None for byte in masked]


def largest(counts: Mapping[Masked, int], vector: int) -> Masked | None:
    covering = [masked for masked in candidates(vector) if masked in counts]
    return min(covering, key=lambda masked: (-counts[masked], tie_order(masked)), default=None)


def cluster(vectors: Mapping[str, int], threshold: int) -> tuple[dict[Masked, tuple[set[str], int]], set[str]]:
    """({mask: (its pages, its count)}, unclustered pages)."""
    counts: Counter[Masked] = Counter(masked for vector in vectors.values() for masked in candidates(vector))
    pages_of = Counter(vectors.values())
    for vector in sorted(pages_of, key=lambda v: (pages_of[v], v)):
        winner = largest(counts, vector)
        for masked in candidates(vector):
            if masked != winner:
                counts[masked] -= pages_of[vector]
    kept = {masked: count for masked, count in counts.items() if count >= threshold}
    clusters: dict[Masked, tuple[set[str], int]] = {}
    unclustered = set()
    for page, vector in vectors.items():
        mask = largest(kept, vector)
        if mask is None:
            unclustered.add(page)
        else:
            clusters.setdefault(mask, (set(), kept[mask]))[0].add(page)
    return clusters, unclustered
