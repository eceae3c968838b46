"""The search for the best feature set (Gulhane et al. 2011, Algorithm 3; docs/algorithms.md#rule-learning).

P+ are the annotated nodes, and P- are all other candidates on annotated pages. All nodes of P+ have every feature that is searched. The
search looks for the cheapest set of features that selects no node of P- and, for a single value, at most one node on each unannotated page.

The paper's listing is garbled; this is what it means. C_1 contains the sets of one feature. L_{k+1} keeps the sets of C_k that still select
a wrong node, because no other set can gain from one more feature. The cost never falls when a set grows, so a set is dropped once it costs
more than the best one found. C_{k+1} extends each set of L_{k+1} by one feature. Here the features have a fixed order and a set is extended
only by later ones, so that each set is made once.

A set is a row of bits, one for each candidate, and each page begins at a new word of 64 bits. So all extensions of a set need one ``&`` and
one popcount. Of features that select the same nodes, only the cheapest is kept. On an unannotated page the search only asks whether a set
selects no node, one node or several; so of candidates with the same features, two per page are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.feature_maker import MaskedFeature, RuleFeature
from extraction.algorithms.learning.page_table import Bools, Ints

MAX_SIZE = 5
"""The largest number of features of a set that the search makes. `_reduce_all` may make larger ones."""

MAX_OPTIONS = 12
"""The largest number of sets returned."""

PLAIN_KINDS = frozenset(("tag", "beside", "nth", "nth-last", "text-nth", "shape", "form"))
"""Kinds of features that describe how the page is built today, without any name or label."""

MAX_SETS = 500
"""The largest number of sets that one search extends, the cheapest of each size first. This bounds the time that a click takes. A search
reaches it only if hardly anything distinguishes the target from its neighbours; then the sets found so far are as good as any."""


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """A set of features that was found.

    total: its cost.
    wrong: the P- nodes that it selects.
    several: the unannotated pages where it selects more than one node.
    support: the share of unannotated pages where it selects at least one, 1 when there are no such pages.
    distance: the largest of its features'.
    """

    features: tuple[RuleFeature, ...]
    total: float
    wrong: int
    several: int
    support: float
    distance: int


def search_features(
    found: Sequence[MaskedFeature], page: Ints, positive: Bools, annotated: Bools, *, single: bool, cost: Cost
) -> tuple[FeatureSet, ...]:
    """Return the best sets of features by cost: those that cost at most `cost.slack` more than the best one, MAX_OPTIONS at most.

    found: the features, each with the candidates that have it.
    page: the page of each candidate, ascending.
    positive: which candidates are P+.
    annotated: by page.
    single: whether a page has one value.
    """
    return _search_levels(_Bits(found, page, positive, annotated, single=single, cost=cost))


class _Bits:
    """The features as rows of bits over the candidates that are not positive."""

    def __init__(self, found: Sequence[MaskedFeature], page: Ints, positive: Bools, annotated: Bools, *, single: bool, cost: Cost) -> None:
        self.cost, self.single = cost, single
        kept = _keep_distinct(found, cost)
        self.always = len(kept) if (named := _find_always(found, cost)) else None  # where it is among the features
        kept += named
        self.features = [feature for feature, _ in kept]
        masks = np.array([mask for _, mask in kept], np.bool_).reshape(len(kept), len(page))
        columns = _choose_representatives(masks, page, positive, annotated)
        self.starts, self.rows, self.all = _pack(masks[:, columns], page[columns], len(annotated))
        self.everything = np.bitwise_and.reduce([self.all, *self.rows], axis=0)
        self.annotated = annotated
        self.costs = np.array([feature.cost for feature in self.features])
        self.distances = np.array([feature.distance for feature in self.features], np.int64)

    def measure(self, rows: NDArray[np.uint64]) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """(wrong, several, support) of sets given as rows of bits (… × words)."""
        counts = np.add.reduceat(np.bitwise_count(rows).astype(np.int32), self.starts, axis=-1)
        others = counts[..., ~self.annotated]
        wrong = counts[..., self.annotated].sum(axis=-1)
        several = (others > 1).sum(axis=-1) if self.single else wrong * 0
        support = (others > 0).sum(axis=-1) / others.shape[-1] if others.shape[-1] else wrong * 0 + 1.0
        return wrong, several, support

    def find_row(self, chosen: FeatureSet) -> NDArray[np.uint64]:
        """The bits of a set that was made here."""
        wanted = {id(feature) for feature in chosen.features}
        rows = [row for feature, row in zip(self.features, self.rows, strict=True) if id(feature) in wanted]
        both: NDArray[np.uint64] = np.bitwise_and.reduce([self.all, *rows], axis=0)
        return both

    def make_set(self, members: tuple[int, ...], row: NDArray[np.uint64]) -> FeatureSet:
        """The set of these features as a result."""
        wrong, several, support = self.measure(row)
        distance = int(self.distances[list(members)].max(initial=0))
        total = self.cost.price_set(float(self.costs[list(members)].sum()), float(distance), float(support))
        total += self.cost.price_ambiguity(int(several) / max(int((~self.annotated).sum()), 1)) + self.cost.bare * (not members)
        return FeatureSet(tuple(self.features[n] for n in members), round(total, 9), int(wrong), int(several), float(support), distance)


@dataclass(frozen=True, slots=True)
class _Set:
    members: tuple[int, ...]
    row: NDArray[np.uint64]
    cost: float
    distance: int
    total: float


def _search_levels(bits: _Bits) -> tuple[FeatureSet, ...]:
    """Searches size by size, as the module's docstring describes.

    The wrong nodes that all features together still select are selected by every set. They are the floor: a set that reaches it cannot
    gain from another feature. A set that reaches the floor is found greedily first, so that dearer sets are dropped from the beginning.
    Several nodes on an unannotated page add to the cost but do not rule a set out. Otherwise a set that selects nothing there would win.
    """
    everything = bits.make_set(tuple(range(len(bits.features))), bits.everything)
    start = bits.make_set((), bits.all)
    floor = (everything.wrong, everything.several)
    if (start.wrong, start.several) == floor and bits.single and not bits.cost.bare:
        return (start,)
    best = _Best(bits, floor)
    if start.wrong == everything.wrong:
        best.consider((), bits.all, start.total)
        if bits.always is not None:
            best.consider((bits.always,), bits.all, bits.make_set((bits.always,), bits.all).total)
    if everything.wrong:
        return best.ranked()
    level, left = [_Set((), bits.all, 0.0, 0, 0.0)], MAX_SETS
    for _ in range(MAX_SIZE):
        extended: list[_Set] = []
        for entry in sorted(level, key=lambda s: (s.total, s.members))[:left]:
            if entry.total >= best.limit:
                break
            _extend(bits, entry, best, extended)
            left -= 1
        level = extended
    return best.ranked()


class _Best:
    """The sets that reach the floor and cost at most `limit`. Of sets that select the same nodes, the cheapest is kept."""

    def __init__(self, bits: _Bits, floor: tuple[int, int]) -> None:
        self.bits, self.floor = bits, floor
        greedy = _reduce_all(bits, floor)
        self.slack = bits.cost.slack
        self.limit = greedy.total + self.slack
        self.sets = {bits.find_row(greedy).tobytes(): greedy}

    def consider(self, members: tuple[int, ...], row: NDArray[np.uint64], total: float) -> None:
        known = self.sets.get(row.tobytes())
        if total <= self.limit and (known is None or (total, len(members)) < (known.total, len(known.features))):
            self.sets[row.tobytes()] = self.bits.make_set(members, row)
            self.limit = min(self.limit, total + self.slack)

    def ranked(self) -> tuple[FeatureSet, ...]:
        order = sorted(self.sets.values(), key=lambda c: (c.total, len(c.features)))
        return tuple(chosen for chosen in order if chosen.total <= order[0].total + self.slack)[:MAX_OPTIONS]


def _extend(bits: _Bits, entry: _Set, best: _Best, extended: list[_Set]) -> None:
    """Extends one set by each later feature. Sets that reach the floor go to `best`; sets that can still gain go to `extended`."""
    start = entry.members[-1] + 1 if entry.members else 0
    rows = bits.rows[start:] & entry.row
    if not len(rows):
        return
    wrong, several, support = bits.measure(rows)
    costs = entry.cost + bits.costs[start:]
    distances = np.maximum(bits.distances[start:], entry.distance)
    totals = np.round(bits.cost.price_set(costs, distances.astype(np.float64), support), 9)
    useful = (rows != entry.row).any(axis=1) & (totals <= best.limit)
    if entry.members:
        useful &= (rows != bits.rows[start:]).any(axis=1)
    ambiguous = bits.cost.price_ambiguity(1.0) * several / max(int((~bits.annotated).sum()), 1)
    for n in np.flatnonzero(useful & (wrong == best.floor[0])):
        best.consider((*entry.members, start + int(n)), rows[n], float(totals[n] + ambiguous[n]))
    for n in np.flatnonzero(useful & ((wrong > best.floor[0]) | (several > best.floor[1]))):
        if totals[n] < best.limit:
            extended.append(_Set((*entry.members, start + int(n)), rows[n], float(costs[n]), int(distances[n]), float(totals[n])))


def _reduce_all(bits: _Bits, floor: tuple[int, int]) -> FeatureSet:
    """Makes a set that reaches the floor: takes all features and leaves out those that are not needed, the dearest first."""
    order = sorted(range(len(bits.features)), key=lambda n: (-bits.costs[n], -n))
    rest = [bits.all]  # what the last n features of the order select together
    for n in reversed(order):
        rest.append(rest[-1] & bits.rows[n])
    kept, members = bits.all, []
    for place, n in enumerate(order):
        wrong, several, _ = bits.measure(kept & rest[len(order) - place - 1])
        if (int(wrong), int(several)) != floor:
            members.append(n)
            kept = kept & bits.rows[n]
    return bits.make_set(tuple(sorted(members)), kept)


def _keep_distinct(found: Sequence[MaskedFeature], cost: Cost) -> list[MaskedFeature]:
    """Sorts the features by cost, without those that select all candidates or the same ones as a cheaper feature."""

    def order(row: MaskedFeature) -> tuple[float, float, str, str]:
        feature = row[0]
        return cost.price_set(feature.cost, float(feature.distance), 1.0), feature.cost, feature.kind, feature.words

    seen: set[bytes] = set()
    kept = []
    for feature, mask in sorted(found, key=order):
        packed = np.packbits(mask).tobytes()
        if packed not in seen and not mask.all():
            seen.add(packed)
            kept.append((feature, mask))
    return kept


def _find_always(found: Sequence[MaskedFeature], cost: Cost) -> list[MaskedFeature]:
    """Finds the cheapest name or label that all candidates have. It may be worth asking for, because later candidates may lack it."""
    named = [row for row in found if row[1].all() and row[0].kind not in PLAIN_KINDS and row[0].cost < cost.bare]
    return sorted(named, key=lambda row: (row[0].cost, row[0].words))[:1]


def _choose_representatives(masks: Bools, page: Ints, positive: Bools, annotated: Bools) -> NDArray[np.intp]:
    """Chooses the candidates to keep: all of P-, and two of those that have the same features on the same unannotated page."""
    weights = np.array([hash(f"weight {n}") for n in range(len(masks))], np.int64).view(np.uint64)
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
    """Packs masks into words: returns (the first word of each page, features × words, the row of all candidates).

    Every page has at least one word.
    """
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
