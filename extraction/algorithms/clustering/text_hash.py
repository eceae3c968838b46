"""TEXT-HASH and TEXT-MAX: TEXT-MDL with costs estimated from MinHash signatures (Kim & Shim 2011, section 4; docs/algorithms.md#text-mdl).

A cluster is represented by its extended signature and its number of pages. ξ and the sizes |E(d)| give the number of paths of each support,
and so the number of symbols that the best template costs. The global Pr(1) gives |M_E|. None of this looks at a path, so the time to price
a pair depends only on the length of the signature. Clusters with the same signature are merged first.

TEXT-HASH tries every partner of a cluster. TEXT-MAX tries only those of maximal estimated Jaccard coefficient (all of them on ties). Each
cluster keeps its best partner. Each round prices these pairs at the current cost of symbols. When none of them saves anything, all pairs
are tried once more before the algorithm ends. So in the end no pair that the algorithm considers saves anything. On the way, the pair taken
is the best of those kept; the paper prices all of these at one cost of symbols.

Departure: with more than `TRIED_ALL` clusters, partners first come from an index of the signatures over `BAND` neighbouring equal ranks, so
that pages of one template meet without being compared with all others. All pairs are tried among what is left. Cost: linear for the
signatures, and the square of the clusters that the index leaves.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from extraction.algorithms.arrays import F64, I32, I64, U64
from extraction.algorithms.clustering.text_mdl import KINDS, TextClustering, cost_bits, describe_groups, in_template
from extraction.algorithms.clustering.text_paths import EssentialPaths
from extraction.algorithms.sketches.minhash import LENGTH, SEED, ExtendedSignatures, sign_sets

TRIED_ALL = 64
"""The number of clusters up to which every pair is tried at once."""

BAND = 4
"""The number of ranks that have to be equal for two clusters to meet in the index. At a Jaccard coefficient of 0.5, two clusters meet in
one of 64 bands with a probability of 0.98."""

BUCKET = 8
"""The number of clusters of a bucket that are tried for one of its clusters. All clusters of a bucket are alike."""

_ALONE = -1
_PRECISION = 6


def cluster_by_text_hash(essential: EssentialPaths, *, length: int = LENGTH, seed: int = SEED) -> TextClustering:
    """Return the clustering of TEXT-HASH.

    length: permutations of a signature. The more there are, the nearer its costs are to the exact ones.
    """
    return _run(essential, length, seed, nearest_only=False)


def cluster_by_text_max(essential: EssentialPaths, *, length: int = LENGTH, seed: int = SEED) -> TextClustering:
    """Return the clustering of TEXT-MAX, which tries only a cluster's partners of maximal Jaccard coefficient."""
    return _run(essential, length, seed, nearest_only=True)


def estimate_symbols(attained: I32, sizes: I64, totals: I64) -> F64:
    """Return the estimated symbols of clusters with their best templates (`text_mdl.KINDS`), shape (clusters, KINDS). Exact for one page
    and for equal pages.

    attained: shape (clusters, length).
    sizes: numbers of pages.
    totals: sums of |E(d)|.
    """
    union = totals / np.maximum(attained.mean(1), 1 / attained.shape[1])
    inside = in_template(attained, sizes[:, None])
    rows = [inside, np.where(inside, 0, attained), np.where(inside, sizes[:, None] - attained, 0)]
    estimated: F64 = np.stack([row.mean(1) * union for row in rows], axis=1)
    return estimated


def _run(essential: EssentialPaths, length: int, seed: int, *, nearest_only: bool) -> TextClustering:
    if not essential.pages:
        return describe_groups(essential, [])
    state = _SignedClusters(essential, length, seed, nearest_only=nearest_only)
    if state.count > TRIED_ALL:
        state.merge_all(_Index(state.signatures.ranks))
    state.merge_all(None)
    return describe_groups(essential, state.groups(), estimated_bits=state.bits())


class _Index:
    """An index of clusters by their ranks in each band."""

    def __init__(self, ranks: U64) -> None:
        self._buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        for cluster in range(len(ranks)):
            self.add(cluster, ranks[cluster])

    def add(self, cluster: int, ranks: U64) -> None:
        for key in self._keys(ranks):
            self._buckets[key].append(cluster)

    def meeting(self, ranks: U64, alive: Iterable[bool]) -> I64:
        """Return the clusters that are alive and share a band with these ranks, ascending. Of each bucket, those that came last are
        returned."""
        lives, found = np.asarray(alive), set()
        for key in self._keys(ranks):
            bucket = [cluster for cluster in dict.fromkeys(self._buckets.get(key, ())) if lives[cluster]]
            self._buckets[key] = bucket
            found.update(bucket[-BUCKET:])
        return np.array(sorted(found), np.int64)

    @staticmethod
    def _keys(ranks: U64) -> list[tuple[int, bytes]]:
        return [(start, ranks[start : start + BAND].tobytes()) for start in range(0, len(ranks), BAND)]


class _SignedClusters:
    """Clusters with the best known partner of each. A cluster's number is the place of its first page's signature among the distinct ones.
    Only rows of clusters that are alive mean anything.

    partner: `_ALONE` where there is none.
    jaccard, change: of the pair with the partner.
    """

    def __init__(self, essential: EssentialPaths, length: int, seed: int, *, nearest_only: bool) -> None:
        ranks, first, which = _distinct(sign_sets(essential.pages, length=length, seed=seed))
        self._members = [np.flatnonzero(which == cluster).tolist() for cluster in range(len(first))]
        lengths = np.array([len(page) for page in essential.pages], np.int64)
        totals = np.bincount(which, lengths, minlength=len(first)).astype(np.int64)
        self.signatures = ExtendedSignatures.of_equal_sets(ranks, np.bincount(which, minlength=len(first)), totals)
        self._alive = np.ones(len(first), np.bool_)
        self._pages = len(essential.pages)
        ones = float(lengths.sum()) / essential.cells if essential.cells else 0.0
        self._cells = lengths.sum() / ones if ones else 0.0
        self._symbols = estimate_symbols(self.signatures.attained, self.signatures.sets, totals)
        self._partner, self._jaccard = np.full(len(first), _ALONE), np.zeros(len(first))
        self._change = np.zeros((len(first), KINDS))
        self._nearest_only = nearest_only

    @property
    def count(self) -> int:
        return int(self._alive.sum())

    def groups(self) -> list[list[int]]:
        return [members for members, lives in zip(self._members, self._alive.tolist(), strict=True) if lives]

    def bits(self) -> float:
        """Return the estimated cost of the clustering."""
        return float(cost_bits(self._sum(), cells=self._cells, pages=self._pages))

    def merge_all(self, index: _Index | None) -> None:
        """Merge best pairs until no pair saves anything: of those that meet in the index, or of all if there is no index."""
        fresh = False
        while True:
            rows = np.flatnonzero(self._alive)
            saved = self._saved(self._change[rows], self._partner[rows])
            if len(rows) > 1 and saved.max() > 0:
                row = int(rows[np.argmax(saved)])
                partner = int(self._partner[row])
                self._merge(min(row, partner), max(row, partner), index)
                fresh = False
            elif fresh or len(rows) < 2:
                return
            else:
                for row in rows.tolist():
                    self._look(row, index)
                fresh = True

    def _sum(self) -> F64:
        total: F64 = self._symbols[self._alive].sum(0)
        return total

    def _saved(self, changes: F64, partners: "I64 | None" = None) -> F64:
        """Return the bits that pairs save at present prices; 0 where there is no partner."""
        total = self._sum()
        before = cost_bits(total, cells=self._cells, pages=self._pages)
        saved: F64 = np.round(before - cost_bits(total + changes, cells=self._cells, pages=self._pages), _PRECISION)
        return saved if partners is None else np.where(partners == _ALONE, 0, saved)

    def _merge(self, one: int, other: int, index: _Index | None) -> None:
        held = self.signatures
        held.merge(one, other)
        self._members[one] += self._members[other]
        self._alive[other] = False
        here = slice(one, one + 1)
        self._symbols[one] = estimate_symbols(held.attained[here], held.sets[here], held.totals[here])[0]
        if index is not None:
            index.add(one, held.ranks[one])
        others = self._look(one, index)
        widowed = self._alive & np.isin(self._partner, (one, other))
        widowed[one] = False
        for row in np.flatnonzero(widowed).tolist():
            self._look(row, index)
        self._offer(one, others[~widowed[others]])

    def _look(self, row: int, index: _Index | None) -> I64:
        """Find the best partner of a cluster anew, and return all clusters it was compared with."""
        others: I64 = np.flatnonzero(self._alive) if index is None else index.meeting(self.signatures.ranks[row], self._alive)
        others = np.asarray(others[others != row], np.int64)
        self._partner[row] = _ALONE
        if len(others):
            jaccard, change = self._compared(row, others)
            saved = self._saved(change)
            if self._nearest_only:
                saved = np.where((jaccard == jaccard.max()) & (jaccard > 0), saved, -np.inf)
            best = int(np.argmax(saved))
            if np.isfinite(saved[best]):
                self._partner[row], self._jaccard[row], self._change[row] = others[best], jaccard[best], change[best]
        return others

    def _offer(self, new: int, others: I64) -> None:
        """Make a cluster the partner of each of the others for which it is better than the present partner."""
        if not len(others):
            return
        jaccard, change = self._compared(new, others)
        better = self._saved(change) > self._saved(self._change[others], self._partner[others])
        if self._nearest_only:
            same = jaccard == self._jaccard[others]
            better = (jaccard > 0) & ((self._partner[others] == _ALONE) | (jaccard > self._jaccard[others]) | (same & better))
        chosen = others[better]
        self._partner[chosen], self._jaccard[chosen], self._change[chosen] = new, jaccard[better], change[better]

    def _compared(self, row: int, others: I64) -> tuple[F64, F64]:
        """Return (estimated Jaccard coefficients, changes of the symbols) of merging a cluster with others."""
        held = self.signatures
        both = held.attained_by_both(row, others)
        merged = estimate_symbols(both, held.sets[row] + held.sets[others], held.totals[row] + held.totals[others])
        return held.jaccard(row, others), merged - self._symbols[row] - self._symbols[others]


def _distinct(sketched: U64) -> tuple[U64, I64, I64]:
    """Return (different signatures in the order of the pages, the first page of each, which of them each page has)."""
    _, first, which = np.unique(sketched, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return sketched[first[order]].copy(), first[order], place[which.ravel()]
