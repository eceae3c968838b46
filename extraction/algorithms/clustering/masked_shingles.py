"""Page clusters by masked shingle vectors (Gulhane et al. 2011, section 3.1.1, Algorithm 1; docs/algorithms.md#page-clustering).

The paper's symbols: P is the set of pages and v a page's shingle vector. A k/8 masked vector has 8 - k wildcards and covers the vectors
that agree with it on the other k bytes. With k = 6, 7 and 8, 28 + 8 + 1 = 37 candidates cover a page. H holds their counts.

1. Count every candidate.
2. Take the distinct vectors by increasing count. Of the candidates that cover one, the largest keeps its count, and all others lose this
   vector's count. Then drop the candidates under the threshold.
3. Give each page to the surviving candidate with the largest count among those that cover it. A page that none covers is *unclustered*.

The paper says nothing about ties. Here the larger count wins, then fewer wildcards, then the smaller value, then the smaller wildcard mask.
Vectors of equal count are taken by value. So the order of the pages does not matter.

Pages are only counted. The cost follows the distinct vectors, which are kept with their multiplicities in 64-bit arrays. Two shortcuts do
not change the result. Counts only fall, so a candidate under the threshold can go before pass 2. A vector covered by at most one live
candidate takes nothing from another one, so pass 2 leaves it out.

Pages need not fit in memory: feed `VectorCounts` in one reading, call `VectorCounts.select` for the masks, and place the pages in a second
reading with `Masks.assign`.
"""

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Generic, TypeVar

import numpy as np

from extraction.algorithms.arrays import I64, U64, Flags
from extraction.algorithms.sketches.shingles import VECTOR_BYTES, Mask, ShingleVector

Page = TypeVar("Page", bound=Hashable)

DEFAULT_THRESHOLD = 5
"""The smallest number of pages of a template. The paper drops "negligible counts" without giving a number. Five is the fewest pages on
which a rule can be learned from two and checked on some others."""

MAX_WILDCARDS = 2
"""8 - k for the smallest k: the paper uses 6/8, 7/8 and 8/8 vectors."""


@dataclass(frozen=True, slots=True)
class PageCluster(Generic[Page]):
    """Pages of one template.

    members: in the order they came.
    count: the mask's count after pass 2, at least the threshold.
    """

    mask: Mask
    members: tuple[Page, ...]
    count: int


@dataclass(frozen=True, slots=True)
class MaskClustering(Generic[Page]):
    """The result of Algorithm 1.

    clusters: the largest count first, none of them empty.
    unclustered: pages that no cluster's mask covers, in their order.
    """

    clusters: tuple[PageCluster[Page], ...]
    unclustered: tuple[Page, ...]


def cluster_vectors(
    vectors: Mapping[Page, ShingleVector] | Sequence[tuple[Page, ShingleVector]], *, threshold: int = DEFAULT_THRESHOLD
) -> MaskClustering[Page]:
    """Return the clusters of pages given as {page: vector} or (page, vector). Raises ValueError for a threshold under 1."""
    items = list(vectors.items() if isinstance(vectors, Mapping) else vectors)
    counts = VectorCounts()
    counts.extend(vector for _, vector in items)
    masks = counts.select(threshold=threshold)
    members: list[list[Page]] = [[] for _ in masks.masks]
    unclustered: list[Page] = []
    for (page, _), place in zip(items, masks.assign(_array(v for _, v in items)).tolist(), strict=True):
        (members[place] if place >= 0 else unclustered).append(page)
    rows = zip(masks.masks, members, masks.counts, strict=True)
    return MaskClustering(tuple(PageCluster(mask, tuple(pages), count) for mask, pages, count in rows if pages), tuple(unclustered))


class VectorCounts:
    """Pass 1: the number of pages of each distinct vector, in any order of pages. Memory: 16 bytes for each distinct vector."""

    def __init__(self) -> None:
        self._values = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int64)
        self._fresh = array("Q")

    def extend(self, vectors: Iterable[ShingleVector]) -> None:
        """Count pages."""
        stream = iter(vectors)
        while block := array("Q", islice(stream, _BLOCK)):
            self._fresh.extend(block)
            if len(self._fresh) >= max(_BLOCK, len(self._values)):  # merged when it doubles: sorting stays linear in the pages
                self._merge()

    def distinct(self) -> tuple[U64, I64]:
        """Return (distinct vectors in ascending order, how many pages have each)."""
        self._merge()
        return self._values, self._counts

    def select(self, *, threshold: int = DEFAULT_THRESHOLD) -> "Masks":
        """Return the surviving masks (pass 2). Raises ValueError for a threshold under 1."""
        return Masks.select(*self.distinct(), threshold=threshold)

    def _merge(self) -> None:
        if not self._fresh:
            return
        values = np.concatenate((self._values, np.frombuffer(self._fresh, np.uint64)))
        counts = np.concatenate((self._counts, np.ones(len(self._fresh), np.int64)))
        self._values, self._counts = _grouped(values, counts)
        self._fresh = array("Q")


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """The masks that pass 2 left, the largest count first. Ties: fewer wildcards, then the smaller value, then the smaller wildcard
    mask."""

    masks: tuple[Mask, ...]
    counts: tuple[int, ...]
    _tables: "tuple[_Table, ...]"

    @classmethod
    def select(cls, values: U64, counts: I64, *, threshold: int = DEFAULT_THRESHOLD) -> "Masks":
        """Return the surviving masks (passes 1 and 2). Raises ValueError for a threshold under 1.

        values: the distinct vectors in ascending order.
        counts: how many pages have each.
        """
        if threshold < 1:
            raise ValueError(f"a cluster has at least 1 page, the threshold is {threshold}")
        candidates = _Candidates.count(values, counts, threshold)
        return _surviving(candidates, candidates.settle(values, counts), threshold)

    @classmethod
    def of(cls, masks: Sequence[Mask], counts: Sequence[int]) -> "Masks":
        """Return distinct masks in the order in which a page takes the first that covers it. counts: of their pages after pass 2."""
        values, wildcards = _array(mask.value for mask in masks), _array(mask.wildcards for mask in masks)
        return cls(tuple(masks), tuple(counts), _make_tables(values, wildcards))

    def assign(self, vectors: U64) -> I64:
        """Return for each vector the place in `masks` of the one it belongs to, -1 where none covers it (pass 3)."""
        best = np.full(len(vectors), len(self.masks), np.int64)
        for table in self._tables:
            np.minimum(best, table.find(vectors, len(self.masks)), out=best)
        return np.where(best < len(self.masks), best, -1)


_BLOCK = 1 << 16
"""The largest number of vectors handled at a time where there are temporary arrays or lists, which take some tens of megabytes."""


def _wildcards() -> tuple[int, ...]:
    """Return the wildcard masks of all candidates, fewest wildcards first, then the smaller number."""
    found = []
    for count in range(MAX_WILDCARDS + 1):
        found += sorted(sum(0xFF << 8 * place for place in places) for places in combinations(range(VECTOR_BYTES), count))
    return tuple(found)


def _array(vectors: Iterable[ShingleVector]) -> U64:
    return np.fromiter(vectors, np.uint64)


def _runs(values: U64) -> tuple[I64, I64]:
    """Return (the order that sorts the values, where in that order each run of equal values starts)."""
    order = np.argsort(values)
    ordered = values[order]
    return order, np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])


def _grouped(values: U64, counts: I64) -> tuple[U64, I64]:
    """Return (distinct values in ascending order, the sum of the counts of each)."""
    order, starts = _runs(values)
    return values[order[starts]], np.add.reduceat(counts[order], starts)


def _likely_enough(values: U64, counts: I64, threshold: int) -> I64:
    """Return the places of values whose counts may reach the threshold together, those that do among them. Equal values share a slot of a
    table, so a slot under the threshold has none. This is linear, and leaves fewer values to sort."""
    bits = max(10, len(values).bit_length())
    slots = _slots(values, bits)
    sums = np.bincount(slots, weights=counts, minlength=1 << bits)
    return np.flatnonzero(sums[slots] >= threshold)


def _slots(values: U64, bits: int) -> I64:
    """Return a slot for each value in a table of 2**bits."""
    return ((values * _MULTIPLIER) >> np.uint64(64 - bits)).view(np.int64)


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number that spreads values over slots: 2**64 divided by the golden ratio (Knuth's multiplicative hashing)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The masks with the same wildcards: their values in ascending order and the place of each in a list.

    bits, taken: a table of 2**bits slots, and which of them the values have. Most vectors that no mask covers have another slot.
    """

    wildcards: int
    values: U64
    places: I64
    bits: int
    taken: Flags

    @classmethod
    def of(cls, wildcards: int, values: U64, places: I64) -> "_Table":
        bits = len(values).bit_length() + 3
        taken = np.zeros(1 << bits, np.bool_)
        taken[_slots(values, bits)] = True
        return cls(wildcards, values, places, bits, taken)

    def find(self, vectors: U64, missing: int) -> I64:
        """Return the place of the mask that covers each vector, `missing` where there is none."""
        found = np.full(len(vectors), missing, np.int64)
        kept = vectors & np.uint64(~self.wildcards & (2**64 - 1))
        likely = np.flatnonzero(self.taken[_slots(kept, self.bits)])
        if len(likely):
            kept = kept[likely]
            at = np.minimum(np.searchsorted(self.values, kept), len(self.values) - 1)
            found[likely] = np.where(self.values[at] == kept, self.places[at], missing)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Candidates with at least the threshold's count, in the order of ties: fewer wildcards, smaller value, smaller wildcard mask."""

    wildcards: U64
    values: U64
    counts: I64
    tables: tuple[_Table, ...]
    contested: I64
    """Which distinct vectors two or more candidates cover."""

    @classmethod
    def count(cls, values: U64, counts: I64, threshold: int) -> "_Candidates":
        """Count the candidates of distinct vectors (pass 1), with one sort for each kind of mask."""
        kinds = _wildcards()
        parts: list[tuple[U64, I64]] = []
        covering = np.zeros(len(values), np.int8)
        for wildcards in kinds:
            kept = values & np.uint64(~wildcards & (2**64 - 1))
            likely = _likely_enough(kept, counts, threshold)
            order, starts = _runs(kept[likely])
            order = likely[order]
            sums = np.add.reduceat(counts[order], starts) if len(starts) else counts[:0]
            enough = sums >= threshold
            covering[order] += np.repeat(enough, np.diff(np.append(starts, len(order))))
            parts.append((kept[order[starts[enough]]], sums[enough]))
        sizes = [len(kept) for kept, _ in parts]
        wild = np.repeat(np.array(kinds, np.uint64), sizes)
        kept = np.concatenate([kept for kept, _ in parts])
        sums = np.concatenate([sums for _, sums in parts])
        order = np.lexsort((wild, kept, np.bitwise_count(wild)))
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        split = np.split(places, np.cumsum(sizes)[:-1])
        tables = tuple(_Table.of(w, part[0], place) for w, part, place in zip(kinds, parts, split, strict=True))
        return cls(wild[order], kept[order], sums[order], tables, np.flatnonzero(covering > 1))

    def settle(self, values: U64, counts: I64) -> list[int]:
        """Return the counts after each vector has chosen (pass 2). values: ascending, so the stable sort leaves ties in the order of
        values."""
        live: list[int] = self.counts.tolist()
        missing = len(live)
        order = self.contested[np.argsort(counts[self.contested], kind="stable")]
        for first in range(0, len(order), _BLOCK):
            block = order[first : first + _BLOCK]
            covering = np.sort(np.stack([table.find(values[block], missing) for table in self.tables], axis=1), axis=1)
            is_live = covering < missing
            places: list[int] = covering[is_live].tolist()
            end = 0
            for number, count in zip(is_live.sum(axis=1).tolist(), counts[block].tolist(), strict=True):
                start, end = end, end + number
                _choose(live, places[start:end], count)
        return live


def _choose(live: list[int], places: list[int], count: int) -> None:
    """Let one vector choose: of the candidates that cover it, in the order of ties, all but the first largest lose its count."""
    sizes = [live[place] for place in places]
    winner = places[sizes.index(max(sizes))]
    for place in places:
        live[place] -= count
    live[winner] += count


def _surviving(candidates: _Candidates, live: list[int], threshold: int) -> Masks:
    counts = np.array(live, np.int64)
    kept = np.flatnonzero(counts >= threshold)
    kept = kept[np.argsort(-counts[kept], kind="stable")]
    values, wildcards = candidates.values[kept], candidates.wildcards[kept]
    masks = tuple(Mask(int(v), int(w)) for v, w in zip(values, wildcards, strict=True))
    return Masks(masks, tuple(counts[kept].tolist()), _make_tables(values, wildcards))


def _make_tables(values: U64, wildcards: U64) -> tuple[_Table, ...]:
    """Return the tables of masks in the order in which they are preferred."""
    tables = []
    for each in _wildcards():
        places = np.flatnonzero(wildcards == np.uint64(each))
        order = np.argsort(values[places])
        if len(order):
            tables.append(_Table.of(each, values[places][order], places[order]))
    return tuple(tables)
