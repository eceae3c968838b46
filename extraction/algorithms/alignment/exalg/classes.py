"""Equivalence classes of token roles (Arasu & Garcia-Molina 2003, sections 3 and 4; FINDEQ and the ordered half of HANDINV).

The *occurrence vector* of a role gives the number of its occurrences on each page. Roles with equal vectors form an equivalence class. A
class is *large and frequently occurring* (an LFEQ) if it has at least SIZE roles on at least SUPPORT pages: chance makes few such classes,
and all tuples of a template are such classes. A class is *ordered* if its roles stand in one order, the same in each occurrence on every
page, and each occurrence ends before the next begins. Of a class that is not ordered, the longest ordered part is kept, and the rest is
tried again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.arrays import I64

SIZE = 3
"""SizeThres: the smallest number of roles of a class."""

SUPPORT = 3
"""SupThres: the smallest number of pages that a class must be on, or all pages if there are fewer."""

MAX_ROLES = 3_000
"""The largest number of roles of a class that are put in order; the cost grows with its square. Further roles, at the end of a long page,
are left out."""

MAX_PIECES = 4
"""The largest number of ordered parts that are sought in one class."""

MAX_COMPARED = 20_000_000
"""The largest number of pairs of roles that are compared in one search, which takes about a second. A hostile page may have nothing but
classes without order."""

COMPARED = 48
"""The number of occurrences on which the order of roles is compared pair by pair. An order that holds on these is then checked on all."""


@dataclass(frozen=True, slots=True, eq=False)
class EqClass:
    """An ordered equivalence class.

    places: shape (roles, occurrences), the tokens; rows in template order, columns in document order.
    support: the number of pages it is on.
    root: whether it occurs once on every page, as the page itself does.
    """

    places: I64
    support: int
    root: bool

    @property
    def size(self) -> int:
        """How many roles it has."""
        return len(self.places)

    @property
    def first(self) -> I64:
        """The first token of each occurrence."""
        found: I64 = self.places[0]
        return found

    @property
    def last(self) -> I64:
        """The last token of each occurrence."""
        found: I64 = self.places[-1]
        return found


def find_classes(roles: I64, bounds: I64, *, size: int, support: int) -> list[EqClass]:
    """Return all LFEQs, ordered. The class of the roles that occur once on every page is included however small it is."""
    pages = len(bounds) - 1
    page = np.repeat(np.arange(pages), np.diff(bounds))
    order = np.argsort(roles, kind="stable")
    starts = np.searchsorted(roles[order], np.arange(int(roles.max()) + 2))
    found, ordering = [], Ordering(page)
    for vector, members in _grouped(roles, page, pages, support):
        root = bool((vector == 1).all())
        if len(members) < (1 if root else size):
            continue
        total = int(vector.sum())
        places = np.stack([order[starts[role] : starts[role] + total] for role in members[:MAX_ROLES]])
        parts = ordering.parts(places, least=1 if root else size, most=1 if root else MAX_PIECES)
        found += [EqClass(part, int(np.count_nonzero(vector)), root) for part in parts]
    return found


def _grouped(roles: I64, page: I64, pages: int, support: int) -> list[tuple[NDArray[np.int32], list[int]]]:
    """Return (vector, roles that have it in the order of their numbers): those on the most pages first, then those of the most roles."""
    pairs = np.unique(roles * pages + page) // pages
    frequent = np.flatnonzero(np.bincount(pairs) >= support)
    row = np.full(int(roles.max()) + 1, -1)
    row[frequent] = np.arange(len(frequent))
    counts = np.zeros((len(frequent), pages), np.int32)
    seen = row[roles] >= 0
    np.add.at(counts, (row[roles[seen]], page[seen]), 1)
    groups: dict[bytes, list[int]] = {}
    for number, role in enumerate(frequent.tolist()):
        groups.setdefault(counts[number].tobytes(), []).append(role)
    vectors = ((np.frombuffer(key, np.int32), members) for key, members in groups.items())
    return sorted(vectors, key=lambda pair: (-np.count_nonzero(pair[0]), -len(pair[1]), pair[1][0]))


@dataclass(slots=True)
class Ordering:
    """Puts classes in order while there are pairs of roles left to compare.

    page: the page of each token.
    """

    page: I64
    left: int = MAX_COMPARED

    def parts(self, places: I64, *, least: int, most: int = MAX_PIECES) -> Iterator[I64]:
        """Yield disjoint ordered parts of a class, the longest first: at most `most` parts of at least `least` roles."""
        for _ in range(most):
            if len(places) < least or self.left <= 0:
                return
            chosen = self._longest(places)
            if len(chosen) < least:
                return
            yield places[chosen]
            rest = np.ones(len(places), np.bool_)
            rest[chosen] = False
            places = places[rest]

    def _longest(self, places: I64) -> I64:
        """Return the rows of a longest ordered part, in order. If it has several occurrences on a page, only rows that stand in each of
        them once count."""
        anchor = places[int(np.argmin(places.sum(axis=1)))]
        again = self.page[anchor[1:]] == self.page[anchor[:-1]]
        fits = np.arange(len(places))
        if again.any():
            following = np.full(len(anchor), np.iinfo(np.int64).max)
            following[:-1][again] = anchor[1:][again]
            fits = np.flatnonzero(((places >= anchor) & (places < following)).all(axis=1))
        rows: I64 = fits[np.argsort(places[fits].sum(axis=1), kind="stable")]
        by_sum = places[rows]
        if (by_sum[1:] > by_sum[:-1]).all():
            return rows
        self.left -= len(rows) ** 2
        return rows[_checked(by_sum, _chain(by_sum))]


def _chain(places: I64) -> list[int]:
    """Return a longest chain of rows, each of which stands before the next in every compared occurrence. Rows are sorted by their sums."""
    step = -(-places.shape[1] // COMPARED)
    some = places[:, ::step]
    best, before = np.ones(len(some), np.int64), np.full(len(some), -1)
    for row in range(1, len(some)):
        smaller = np.flatnonzero((some[:row] < some[row]).all(axis=1))
        if len(smaller):
            before[row] = smaller[int(np.argmax(best[smaller]))]
            best[row] = best[before[row]] + 1
    chain = [int(np.argmax(best))]
    while before[chain[-1]] >= 0:
        chain.append(int(before[chain[-1]]))
    return chain[::-1]


def _checked(places: I64, chain: list[int]) -> list[int]:
    """Return the chain without rows that break it in an occurrence that was not compared."""
    kept = chain[:1]
    for row in chain[1:]:
        if (places[row] > places[kept[-1]]).all():
            kept.append(row)
    return kept
