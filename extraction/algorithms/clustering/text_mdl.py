"""TEXT-MDL: templates as what makes a collection of pages short to write down (Kim & Shim 2011, section 3; docs/algorithms.md#text-mdl).

M_E tells which page has which essential path. It is written as M_T · M_D + M_Δ: M_T tells which cluster's template has which path, M_D
which page is in which cluster, and M_Δ holds the differences, 1 for a path that the template lacks and -1 for one that the page lacks. A
matrix M costs |M| H(X) bits, and M_D costs |D| log2 |D|. Every page starts as a cluster. The pair that saves most is merged until none
saves anything. There is no parameter. Equal pages are together from the start.

What a merge saves depends, by the entropies, on all other clusters. So each pair stores how merging it changes the numbers of the three
kinds of symbols. Each round prices all pairs again, exactly as the naive algorithm does; the paper approximates the entropies here. If one
of the two clusters is a single page, the change is a sum over that page's paths. Time: (pages)³ price computations and (pages)² · (kinds of
paths). Memory: 40 bytes for each pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64, U64
from extraction.algorithms.clustering.text_paths import EssentialPaths

KINDS = 3
"""The symbols that cost: 1s of M_T, 1s of M_Δ and -1s of M_Δ. They are always the last axis, in this order."""

_LAID_OUT = 0.8
"""The pairs are laid out anew when less than this share of the clusters is alive."""

_PRECISION = 6
"""Savings are compared in bits with this many decimals, so that ties are ties. In a tie, the clusters that were first win."""


@dataclass(frozen=True, slots=True, eq=False)
class TextCluster:
    """A cluster of pages.

    members: numbers of pages, ascending.
    template: hashes of the paths of T_i, ascending.
    """

    members: tuple[int, ...]
    template: U64


@dataclass(frozen=True, slots=True, eq=False)
class TextClustering:
    """A clustering with its cost.

    clusters: sorted by their first members; every page is in one.
    bits: the exact L(C).
    estimated_bits: the value of L(C) that the algorithm estimated.
    """

    clusters: tuple[TextCluster, ...]
    bits: float
    estimated_bits: float


def cost_bits(symbols: F64, *, cells: float, pages: int) -> F64:
    """Return L(C) of clusterings whose symbols are counted, from shape (…, KINDS) to (…).

    cells: |M_E|.
    pages: |D|.
    """
    template, more, missing = symbols[..., 0], symbols[..., 1], symbols[..., 2]
    differences = _xlogx(cells) - _xlogx(more) - _xlogx(missing) - _xlogx(cells - more - missing)
    membership = pages * np.log2(max(pages, 1))
    bits: F64 = _xlogx(cells) - _xlogx(template) - _xlogx(cells - template) + differences + membership
    return bits


def in_template(supports: I32 | I64 | F64, pages: int | I64) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """Return whether a cluster of this many pages has a path of this support in its template.

    A path in the template costs a 1, and a -1 for each page without it. A path outside costs a 1 for each page that has it. If both cost
    the same, the path is in the template, as in the paper's example.
    """
    return np.asarray(2 * supports >= np.asarray(pages) + 1)


def count_symbols(supports: I32 | F64, pages: int | I64, weights: F64) -> F64:
    """Return the symbols of clusters with their best templates, shape (…, KINDS).

    supports: in how many pages of the cluster a path is essential, shape (…, paths).
    weights: how many paths each column stands for.
    """
    size = np.asarray(pages)
    inside = in_template(supports, size[..., None])
    kept, template = np.where(inside, supports, 0) @ weights, inside @ weights
    # Whole numbers far below 2^53: exact, in whichever order they are summed.
    return np.stack([template, supports @ weights - kept, size * template - kept], axis=-1).astype(np.float64)


def describe_groups(essential: EssentialPaths, groups: Sequence[Sequence[int]], *, estimated_bits: float | None = None) -> TextClustering:
    """Return the clustering with these groups of pages: template paths and cost, in one scan of the pages."""
    clusters, symbols = [], np.zeros(KINDS)
    for group in sorted(map(sorted, groups)):
        paths, supports = np.unique(np.concatenate([essential.pages[page] for page in group]), return_counts=True)
        symbols += count_symbols(supports.astype(np.int32), len(group), np.ones(len(paths)))
        clusters.append(TextCluster(tuple(group), paths[in_template(supports, len(group))]))
    bits = float(cost_bits(symbols, cells=essential.cells, pages=len(essential.pages)))
    return TextClustering(tuple(clusters), bits, bits if estimated_bits is None else estimated_bits)


def cluster_by_text_mdl(essential: EssentialPaths) -> TextClustering:
    """Return the clustering of TEXT-MDL."""
    state = _ExactClusters(essential)
    while state.merge_best():
        pass
    return describe_groups(essential, state.groups())


class _ExactClusters:
    """The clusters with all their pairs. A pair's change is the number of symbols of the merged cluster minus those of the two clusters.

    A cluster is known by its first page. Pairs are kept in the order of their clusters, for those clusters that were alive when the pairs
    were last laid out. A pair of a cluster that is gone changes nothing, so it saves nothing. When enough clusters are gone, the rest is
    laid out anew.
    """

    def __init__(self, essential: EssentialPaths) -> None:
        self._cells, self._pages = essential.cells, len(essential.pages)
        self._supports, self._weights = _columns(essential.pages)
        pages, self._kinds = np.nonzero(self._supports)
        self._bounds = np.searchsorted(pages, np.arange(self._pages + 1))
        self._sizes = np.ones(self._pages, np.int64)
        self._symbols = count_symbols(self._supports, self._sizes, self._weights)
        self._totals = self._symbols.sum(0)
        self._members: dict[int, list[int]] = {page: [page] for page in range(self._pages)}
        self._laid = self._rank = np.arange(self._pages)
        self._first, self._second = np.triu_indices(self._pages, 1)
        self._changes = np.zeros((self._pages * (self._pages - 1) // 2, KINDS))
        for page in range(self._pages - 1):
            self._compare(page, np.arange(page + 1, self._pages))
        for first, other in _equal_pages(essential.pages):
            self._merge(first, other, change=self._changes[self._places(np.array([first]), np.array([other]))][0])

    def groups(self) -> list[list[int]]:
        return list(self._members.values())

    def merge_best(self) -> bool:
        """Merge the pair that saves most. Return False if none saves anything."""
        if len(self._members) < 2:
            return False
        before = cost_bits(self._totals, cells=self._cells, pages=self._pages)
        after = cost_bits(self._totals + self._changes, cells=self._cells, pages=self._pages)
        saved = np.round(before - after, _PRECISION)
        place = int(np.argmax(saved))
        if saved[place] <= 0:
            return False
        self._merge(int(self._laid[self._first[place]]), int(self._laid[self._second[place]]), change=self._changes[place])
        return True

    def _merge(self, one: int, other: int, *, change: F64) -> None:
        self._totals = self._totals + change
        self._symbols[one] += self._symbols[other] + change
        self._supports[one] += self._supports[other]
        self._sizes[one] += self._sizes[other]
        self._members[one] += self._members.pop(other)
        alive = np.array(list(self._members), np.int64)
        self._changes[self._places(np.full(len(alive), other), alive)] = 0
        self._compare(one, alive[alive != one])
        if len(alive) < _LAID_OUT * len(self._laid):
            self._first, self._second = np.triu_indices(len(alive), 1)
            self._changes = self._changes[self._places(alive[self._first], alive[self._second])]
            self._laid = alive
            self._rank[alive] = np.arange(len(alive))

    def _places(self, ones: I64, others: I64) -> I64:
        """Return where the pairs of these clusters, which are laid out, are kept."""
        low, high = np.minimum(self._rank[ones], self._rank[others]), np.maximum(self._rank[ones], self._rank[others])
        places: I64 = low * (2 * len(self._laid) - low - 1) // 2 + high - low - 1
        return places

    def _compare(self, one: int, others: I64) -> None:
        """Note the changes of the pairs of a cluster with others."""
        both = np.empty((len(others), KINDS))
        single = self._sizes[others] == 1
        both[single] = self._with_pages(one, others[single])
        several = others[~single]
        both[~single] = count_symbols(self._supports[one] + self._supports[several], self._sizes[one] + self._sizes[several], self._weights)
        self._changes[self._places(np.full(len(others), one), others)] = both - self._symbols[one] - self._symbols[others]

    def _with_pages(self, one: int, pages: I64) -> F64:
        """Return the symbols of a cluster together with each of some single pages: those without the page, plus what its paths change."""
        size = self._sizes[one] + 1
        without, within = (_symbols_by_path(supports, size, self._weights) for supports in (self._supports[one], self._supports[one] + 1))
        changed = np.cumsum(np.pad((within - without)[:, self._kinds], ((0, 0), (1, 0))), axis=1)
        symbols: F64 = without.sum(1) + (changed[:, self._bounds[pages + 1]] - changed[:, self._bounds[pages]]).T
        return symbols


def _equal_pages(pages: Sequence[U64]) -> list[tuple[int, int]]:
    """Return (first page with these paths, another with the same). Nothing tells them apart, and where all pages are equal, no merge saves
    anything."""
    first: dict[bytes, int] = {}
    pairs = ((first.setdefault(page.tobytes(), number), number) for number, page in enumerate(pages))
    return [(one, other) for one, other in pairs if one != other]


def _symbols_by_path(supports: F64, pages: int, weights: F64) -> F64:
    """Return the symbols of one cluster for each kind of path, shape (KINDS, kinds of paths)."""
    inside = in_template(supports, pages)
    return np.stack([inside, np.where(inside, 0, supports), np.where(inside, pages - supports, 0)]) * weights


def _columns(pages: Sequence[U64]) -> tuple[F64, F64]:
    """Return (M_E with its different rows as columns, shape (pages, kinds of paths); how many paths each column stands for)."""
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *pages]))
    has = np.array([np.isin(every, page, assume_unique=True) for page in pages], np.bool_).reshape(len(pages), len(every))
    _, first, counts = np.unique(np.packbits(has, axis=0), axis=1, return_index=True, return_counts=True)
    return has[:, first].astype(np.float64), counts.astype(np.float64)


def _xlogx(counts: "F64 | float") -> F64:
    """Return x log2 x, and 0 for 0."""
    positive = np.maximum(counts, np.finfo(np.float64).tiny)
    product: F64 = positive * np.log2(positive)
    return product
