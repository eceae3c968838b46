"""The search for the best feature set (Vertex, Algorithm 3; ALGORITHMS 4.2, 4.3).

P+ are the annotated nodes, P- all other candidates on annotated pages. Sought is the set X of features, all shared by
P+, that selects no P- (and, for a single value, at most one node on each unannotated page) at the least cost. The
paper's listing is garbled; what it says is: C_1 holds the single features; L_{k+1} keeps the sets of C_k that still
select something wrong, since only those can gain from another feature, unless they already cost more than the best set
found: cost never falls as sets grow. Here C_{k+1} extends each set of L by the later features of a fixed order, so
that each set is met once.

Sets are rows of bits, one bit a candidate, each page beginning at a word of 64: a whole generation of extensions is one
``&`` and one popcount. Features that select the same nodes are one (the cheapest stays), and on unannotated pages
candidates that no feature tells apart are kept twice at most, for more than that is never asked there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.features import Bools, Ints, key
from extraction.algorithms.learning.strong import Feature, Found

MAX_SIZE = 5
"""Most features in a set that is searched for; larger ones come from `_reduced`."""

MAX_SETS = 2_000
"""Most sets extended per size, cheapest first. It is reached where nothing tells the target from its neighbours."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The best set found. wrong: P- nodes it selects; several: unannotated pages where it selects more than one node;
    support: share of unannotated pages where it selects at least one (1 when there are none)."""

    features: tuple[Feature, ...]
    total: float
    wrong: int
    several: int
    support: float
    distance: int

    @property
    def precise(self) -> bool:
        return self.wrong == 0 and self.several == 0


def search(found: Sequence[Found], page: Ints, positive: Bools, annotated: Bools, *, single: bool, cost: Cost) -> Chosen:
    """The best set of features.

    found: features, each with the candidates that have it. page: page of each candidate, ascending. positive: which
    are P+. annotated: by page. single: whether one page has one value.
    """
    bits = _Bits(found, page, positive, annotated, single=single, cost=cost)
    best = _levels(bits)
    if best.wrong and not bits.measure(np.bitwise_and.reduce(bits.rows, axis=0) if len(bits.rows) else bits.all)[0]:
        best = _reduced(bits)
    return best


class _Bits:
    """Features as rows of bits over the candidates that are not positive."""

    def __init__(self, found: Sequence[Found], page: Ints, positive: Bools, annotated: Bools, *, single: bool, cost: Cost) -> None:
        self.cost, self.single = cost, single
        kept = _distinct(found, cost)
        self.features = [feature for feature, _ in kept]
        masks = np.array([mask for _, mask in kept], np.bool_).reshape(len(kept), len(page))
        columns = _representatives(masks, page, positive, annotated)
        self.starts, self.rows, self.all = _pack(masks[:, columns], page[columns], len(annotated))
        self.annotated = annotated
        self.costs = np.array([feature.cost for feature in self.features])
        self.distances = np.array([feature.distance for feature in self.features], np.int64)

    def measure(self, rows: NDArray[np.uint64]) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """(wrong, several, support) of sets given as rows of bits (… × words)."""
        counts = np.add.reduceat(np.bitwise_count(rows).astype(np.int32), self.starts, axis=-1)
        others = counts[..., ~self.annotated]
        wrong = counts[..., self.annotated].sum(axis=-1)
        several = (others > 1).sum(axis=-1) if self.single else np.zeros_like(wrong)
        support = (others > 0).mean(axis=-1) if others.shape[-1] else np.ones(wrong.shape)
        return wrong, several, support

    def chosen(self, members: tuple[int, ...], row: NDArray[np.uint64]) -> Chosen:
        """The set of these features as a result."""
        wrong, several, support = self.measure(row)
        distance = int(self.distances[list(members)].max(initial=0))
        total = self.cost.total(float(self.costs[list(members)].sum()), distance, float(support))
        return Chosen(tuple(self.features[n] for n in members), total, int(wrong), int(several), float(support), distance)


@dataclass(frozen=True, slots=True)
class _Set:
    members: tuple[int, ...]
    row: NDArray[np.uint64]
    cost: float
    distance: int
    total: float


def _levels(bits: _Bits) -> Chosen:
    """Level by level, as in the module's docstring."""
    best = bits.chosen((), bits.all)
    level = [] if best.precise else [_Set((), bits.all, 0.0, 0, best.total)]
    for _ in range(MAX_SIZE):
        extended: list[_Set] = []
        for entry in sorted(level, key=lambda s: (s.total, s.members))[:MAX_SETS]:
            if best.precise and entry.total >= best.total:
                break
            best = _extend(bits, entry, best, extended)
        level = extended
    return best


def _extend(bits: _Bits, entry: _Set, best: Chosen, extended: list[_Set]) -> Chosen:
    """Tries all later features with one set: returns the best set so far and appends what can still gain."""
    start = entry.members[-1] + 1 if entry.members else 0
    rows = bits.rows[start:] & entry.row
    if not len(rows):
        return best
    wrong, several, support = bits.measure(rows)
    costs = entry.cost + bits.costs[start:]
    distances = np.maximum(bits.distances[start:], entry.distance)
    totals = [bits.cost.total(float(c), int(d), float(s)) for c, d, s in zip(costs, distances, support, strict=True)]
    idle = (rows == entry.row).all(axis=1)
    if entry.members:
        idle |= (rows == bits.rows[start:]).all(axis=1)
    for n in np.flatnonzero(~idle):
        members = (*entry.members, start + int(n))
        if _rank(int(wrong[n]), int(several[n]), totals[n], len(members)) < _rank(best.wrong, best.several, best.total, len(best.features)):
            best = bits.chosen(members, rows[n])
        if (wrong[n] or several[n]) and not (best.precise and totals[n] >= best.total):
            extended.append(_Set(members, rows[n], float(costs[n]), int(distances[n]), totals[n]))
    return best


def _rank(wrong: int, several: int, total: float, size: int) -> tuple[int, int, float, int]:
    """The order of sets: precision on annotated pages, pages with several nodes, cost, size; then the order met."""
    return wrong, several, round(total, 9), size


def _reduced(bits: _Bits) -> Chosen:
    """A precise set of more than MAX_SIZE features: all of them, then without each, dearest first, that is not needed."""
    members = list(range(len(bits.features)))
    for n in sorted(members, key=lambda n: (-bits.costs[n], -n)):
        rest = [m for m in members if m != n]
        if not bits.measure(np.bitwise_and.reduce(bits.rows[rest], axis=0))[0]:
            members = rest
    return bits.chosen(tuple(members), np.bitwise_and.reduce(bits.rows[members], axis=0))


def _distinct(found: Sequence[Found], cost: Cost) -> list[Found]:
    """Features by cost, without those that select everything or the same as a cheaper one."""

    def order(row: Found) -> tuple[float, float, str, str]:
        feature = row[0]
        return cost.total(feature.cost, feature.distance, 1.0), feature.cost, feature.kind, feature.words

    seen: set[bytes] = set()
    kept = []
    for feature, mask in sorted(found, key=order):
        packed = np.packbits(mask).tobytes()
        if packed not in seen and not mask.all():
            seen.add(packed)
            kept.append((feature, mask))
    return kept


def _representatives(masks: Bools, page: Ints, positive: Bools, annotated: Bools) -> NDArray[np.intp]:
    """Candidates to keep: all P-, and of those of one unannotated page with the same features the first two."""
    weights = np.array([key(f"weight {n}") for n in range(len(masks))], np.uint64)
    signature = np.zeros(len(page), np.uint64)
    for mask, weight in zip(masks, weights, strict=True):
        signature[mask] += weight
    columns = np.flatnonzero(~positive)
    order = columns[np.lexsort((columns, signature[columns], page[columns]))]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (signature[order[1:]] != signature[order[:-1]]) | (page[order[1:]] != page[order[:-1]])
    starts = np.flatnonzero(fresh)
    rank = np.arange(len(order)) - np.repeat(starts, np.diff([*starts, len(order)]))
    return np.sort(order[annotated[page[order]] | (rank < 2)])


def _pack(masks: Bools, page: Ints, pages: int) -> tuple[NDArray[np.intp], NDArray[np.uint64], NDArray[np.uint64]]:
    """(first word of each page, features × words, the row of all candidates); every page has at least one word."""
    sizes = np.bincount(page, minlength=pages)
    words = np.maximum((sizes + 63) // 64, 1)
    starts = np.concatenate([[0], np.cumsum(words)[:-1]])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    position = starts[page] * 64 + (np.arange(len(page)) - first[page])
    bits = np.zeros((len(masks) + 1, int(words.sum()) * 64), np.bool_)
    bits[:-1, position] = masks
    bits[-1, position] = True
    packed = np.packbits(bits, axis=1).view(np.uint64)
    return starts, packed[:-1], packed[-1]
