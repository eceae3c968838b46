"""TEXT-MDL: templates as what makes a collection of pages short to write down (`001_…` §3, `000_…` §4; Kim & Shim 2011; ALGORITHMS 8).

M_E, which page has which essential path, is written as M_T · M_D + M_Δ: which cluster's template has which path, which page is in which
cluster, and the differences, 1 for a path the template lacks, −1 for one that the page lacks. A matrix costs |M| H(X) bits, M_D
|D| log2 |D|. Every page starts as a cluster; the pair that saves most is merged until none saves anything. There is no parameter.

What a merge saves depends, by the entropies, on all other clusters. So the pairs keep how it changes the three kinds
of symbols, and each round prices all of them anew, exactly as the naive algorithm does (the paper approximates the
entropies here). Time: (pages)³ price computations and (pages)² · (kinds of paths); memory: 40 bytes a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.clustering.mdl import F64, I32, I64
from extraction.algorithms.clustering.text_paths import EssentialPaths
from extraction.algorithms.sketches.columns import U64

KINDS = 3
"""The symbols that cost: 1s of M_T, 1s of M_Δ, −1s of M_Δ; always the last axis, in this order."""

_PRECISION = 6
"""Decimals of a bit in which savings are compared, so that ties are ties; they go to the clusters that were first."""


@dataclass(frozen=True, slots=True, eq=False)
class TextCluster:
    """members: numbers of pages, ascending. template: the paths of T_i, ascending hashes."""

    members: tuple[int, ...]
    template: U64


@dataclass(frozen=True, slots=True, eq=False)
class TextClustering:
    """clusters: by their first members; every page is in one. bits: L(C), exact. estimated_bits: what an algorithm took it for."""

    clusters: tuple[TextCluster, ...]
    bits: float
    estimated_bits: float


def cost_bits(symbols: F64, *, cells: float, pages: int) -> F64:
    """L(C) of clusterings whose symbols are counted, shape (…, KINDS) to (…). cells: |M_E|. pages: |D|."""
    template, more, missing = symbols[..., 0], symbols[..., 1], symbols[..., 2]
    differences = _xlogx(cells) - _xlogx(more) - _xlogx(missing) - _xlogx(cells - more - missing)
    membership = pages * np.log2(max(pages, 1))
    bits: F64 = _xlogx(cells) - _xlogx(template) - _xlogx(cells - template) + differences + membership
    return bits


def in_template(supports: I32 | I64, pages: int | I64) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """Whether a cluster of so many pages has a path of such support in its template.

    In it costs a 1 and a −1 for each page without, out of it a 1 for each page with; equal goes in, as in the paper's example.
    """
    return np.asarray(2 * supports >= np.asarray(pages) + 1)


def symbols_of(supports: I32, pages: int | I64, weights: F64) -> F64:
    """The symbols of clusters with their best templates, shape (…, KINDS).

    supports: in how many pages of the cluster a path is essential, shape (…, paths). weights: how many paths each column stands for.
    """
    size = np.asarray(pages)[..., None]
    inside = in_template(supports, size)
    rows = [inside, np.where(inside, 0, supports), np.where(inside, size - supports, 0)]
    return np.stack([row @ weights for row in rows], axis=-1).astype(np.float64)


def described(essential: EssentialPaths, groups: Sequence[Sequence[int]], *, estimated_bits: float | None = None) -> TextClustering:
    """The clustering with these groups of pages: template paths and cost, in one scan of the pages."""
    clusters, symbols = [], np.zeros(KINDS)
    for group in sorted(map(sorted, groups)):
        paths, supports = np.unique(np.concatenate([essential.pages[page] for page in group]), return_counts=True)
        symbols += symbols_of(supports.astype(np.int32), len(group), np.ones(len(paths)))
        clusters.append(TextCluster(tuple(group), paths[in_template(supports, len(group))]))
    bits = float(cost_bits(symbols, cells=essential.cells, pages=len(essential.pages)))
    return TextClustering(tuple(clusters), bits, bits if estimated_bits is None else estimated_bits)


def text_mdl(essential: EssentialPaths) -> TextClustering:
    """The clustering of TEXT-MDL."""
    state = _Clusters(essential)
    while state.merge_best():
        pass
    return described(essential, state.groups())


class _Clusters:
    """The clusters with all their pairs. A pair's change: the symbols of both as one, less those of each."""

    def __init__(self, essential: EssentialPaths) -> None:
        self._cells, self._pages = essential.cells, len(essential.pages)
        self._supports, self._weights = _columns(essential.pages)
        self._sizes = np.ones(self._pages, np.int64)
        self._symbols = symbols_of(self._supports, self._sizes, self._weights)
        self._totals = self._symbols.sum(0)
        self._members: dict[int, list[int]] = {page: [page] for page in range(self._pages)}
        rows = [np.zeros((0, 2), np.int64)], [np.zeros((0, KINDS))]
        for page in range(self._pages - 1):
            self._add(page, np.arange(page + 1, self._pages), *rows)
        self._pairs, self._changes = np.concatenate(rows[0]), np.concatenate(rows[1])

    def groups(self) -> list[list[int]]:
        return list(self._members.values())

    def merge_best(self) -> bool:
        """Merges the pair that saves most; False where none saves anything."""
        if not len(self._pairs):
            return False
        before = cost_bits(self._totals, cells=self._cells, pages=self._pages)
        after = cost_bits(self._totals + self._changes, cells=self._cells, pages=self._pages)
        saved = np.round(before - after, _PRECISION)
        best = saved.max()
        if best <= 0:
            return False
        places = np.flatnonzero(saved == best)
        place = places[np.lexsort(self._pairs[places].T[::-1])[0]]
        self._merge(*self._pairs[place].tolist(), change=self._changes[place])
        return True

    def _merge(self, one: int, other: int, *, change: F64) -> None:
        self._totals = self._totals + change
        self._symbols[one] += self._symbols[other] + change
        self._supports[one] += self._supports[other]
        self._sizes[one] += self._sizes[other]
        self._members[one] += self._members.pop(other)
        first, second = self._pairs.T
        kept = (first != one) & (first != other) & (second != one) & (second != other)
        pairs, changes = [self._pairs[kept]], [self._changes[kept]]
        self._add(one, np.array([cluster for cluster in self._members if cluster != one], np.int64), pairs, changes)
        self._pairs, self._changes = np.concatenate(pairs), np.concatenate(changes)

    def _add(self, one: int, others: I64, pairs: list[I64], changes: list[F64]) -> None:
        """Appends the pairs of a cluster with others."""
        both = symbols_of(self._supports[one] + self._supports[others], self._sizes[one] + self._sizes[others], self._weights)
        changes.append(both - self._symbols[one] - self._symbols[others])
        pairs.append(np.stack((np.minimum(one, others), np.maximum(one, others)), axis=1))


def _columns(pages: Sequence[U64]) -> tuple[I32, F64]:
    """(M_E with its different rows as columns, shape (pages, kinds of paths); how many paths each stands for)."""
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *pages]))
    has = np.array([np.isin(every, page, assume_unique=True) for page in pages], np.bool_).reshape(len(pages), len(every))
    _, first, counts = np.unique(np.packbits(has, axis=0), axis=1, return_index=True, return_counts=True)
    return has[:, first].astype(np.int32), counts.astype(np.float64)


def _xlogx(counts: "F64 | float") -> F64:
    """x log2 x, 0 at 0."""
    positive = np.maximum(counts, np.finfo(np.float64).tiny)
    product: F64 = positive * np.log2(positive)
    return product
