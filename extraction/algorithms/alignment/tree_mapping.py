"""The cheapest restricted top-down mapping of two trees (Reis et al. 2004, section 3).

A mapping pairs nodes of two ordered, labelled trees, one to one and in order. It is *top-down* if the parents of every pair are a pair
too. It is *restricted* if the descendants of two paired nodes with different labels are in no pair.

The cost of the children of two nodes follows from the usual edit distance recurrence over the two lists of subtrees. With A the first
i and B the first j subtrees of the lists a and b:

    cost(A, B) = min( cost(A - a[i], B - b[j]) + pair(a[i], b[j]),  cost(A - a[i], B) + omit(a[i]),  cost(A, B - b[j]) + insert(b[j]) )

`RestrictedMapping` uses the costs of RTDM: a node that is in no pair costs 1, and so does a pair of different labels. `node_patterns`
overrides them for trees with wildcards, and `rtdm` has large trees compared in batches.

Three shortcuts keep it fast. Equal subtrees cost nothing and are recognised at once, because trees are interned. Equal subtrees at the
beginning and at the end of the two lists are paired without a search. Two subtrees are compared once, however often they occur.
Time: the product of the numbers of children, for each pair of different subtrees of equal labels whose parents were compared.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from extraction.algorithms.alignment.trees import Tree
from extraction.algorithms.arrays import I64

VECTORISED_FROM = 24
"""Length of a list of children from which numpy is faster than a plain loop. Most lists on pages have up to ten children."""


class RestrictedMapping:
    """Costs of mapping trees of one forest to each other. Keeps what it has computed."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], int] = {}

    def pair_cost(self, one: Tree, other: Tree) -> int:
        """Return the cost of pairing two nodes that are not roots, with everything below them."""
        if one is other:
            return 0
        if one.label != other.label:
            return one.size + other.size - 1
        if not one.children or not other.children:
            return abs(one.size - other.size)
        return self.children_cost(one, other)

    def children_cost(self, one: Tree, other: Tree) -> int:
        """Return the cost of mapping everything below two nodes. Does not recurse, because pages may be 2,048 levels deep."""
        waiting = [(one, other)]
        while waiting:
            if self._is_exhausted():
                del waiting[1:]
            first, second = waiting[-1]
            if _key(first, second) in self._known:
                waiting.pop()
                continue
            _, ours, theirs = split_common_ends(first.children, second.children)
            open_pairs = list(self._find_open_pairs(ours, theirs))
            waiting += open_pairs
            if not open_pairs:
                self._known[_key(first, second)] = self._rows(ours, theirs, last_only=True)[-1][-1]
                waiting.pop()
        return self._known[_key(one, other)]

    def _find_open_pairs(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> Iterator[tuple[Tree, Tree]]:
        """Yield the pairs of subtrees whose costs have to be computed first."""
        second: dict[str, list[Tree]] = {}
        for other in dict.fromkeys(theirs):
            if other.children:
                second.setdefault(other.label, []).append(other)
        for one in dict.fromkeys(ours):
            if one.children:
                for other in second.get(one.label, ()):
                    if one is not other and _key(one, other) not in self._known:
                        yield one, other

    def _rows(self, ours: Sequence[Tree], theirs: Sequence[Tree], *, last_only: bool = False) -> list[list[int]]:
        """Return the rows of the recurrence: entry j of row i is the cost of our first i and their first j subtrees."""
        self._count_cells(len(ours) * len(theirs))
        inserted = self._insert_costs(theirs)
        rows = [inserted]
        many = self._pair_costs_of_many(ours, theirs) if min(len(ours), len(theirs)) >= VECTORISED_FROM else None
        for i, one in enumerate(ours):
            omitted, added = self._omit_cost(one), self._insert_costs_after(one, inserted)
            if many is None:
                row = _next_row(rows[-1], [self.pair_cost(one, other) for other in theirs], omitted, added)
            else:
                row = _next_long_row(rows[-1], many[i], omitted, added)
            if last_only:
                rows[0] = row
            else:
                rows.append(row)
        return rows

    def _is_exhausted(self) -> bool:
        """Return whether no further pairs may be compared, so that the first ones have to do with what is known."""
        return False

    def _count_cells(self, cells: int) -> None:
        """Count pairs of children that are compared."""

    def _omit_cost(self, one: Tree) -> int:
        """Return what it costs that one of our subtrees is in no pair."""
        return one.size

    def _insert_costs(self, theirs: Sequence[Tree]) -> list[int]:
        """Return what it costs that their first 0, 1, 2, ... subtrees are in no pair."""
        return list(accumulate((tree.size for tree in theirs), initial=0))

    def _insert_costs_after(self, one: Tree, inserted: list[int]) -> list[int]:  # noqa: ARG002 - for patterns
        """Return the costs of `_insert_costs` for subtrees inserted right after our subtree `one`."""
        return inserted

    def _pair_costs_of_many(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> I64:
        """Return the cost of each pair, shape (ours, theirs). Equal pairs, of which long lists have many, are looked up once."""
        first, second = list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))
        costs = np.array([[self.pair_cost(one, other) for other in second] for one in first], np.int64)
        rows, columns = {tree: n for n, tree in enumerate(first)}, {tree: n for n, tree in enumerate(second)}
        chosen: I64 = costs[np.ix_([rows[tree] for tree in ours], [columns[tree] for tree in theirs])]
        return chosen


def _key(one: Tree, other: Tree) -> tuple[int, int]:
    return (one.number, other.number) if one.number < other.number else (other.number, one.number)


def _next_row(row: list[int], pairs: list[int], omitted: int, inserted: list[int]) -> list[int]:
    """Return the row after `row`, whose subtree costs `pairs` if it is paired and `omitted` if it is not."""
    cost = row[0] + omitted
    found = [cost]
    for j, pair in enumerate(pairs):
        cost += inserted[j + 1] - inserted[j]
        if row[j] + pair < cost:
            cost = row[j] + pair
        if row[j + 1] + omitted < cost:
            cost = row[j + 1] + omitted
        found.append(cost)
    return found


def _next_long_row(row: list[int], pairs: I64, omitted: int, inserted: list[int]) -> list[int]:
    """Return the same as `_next_row`, vectorised: less the cost of insertions before it, an entry is the minimum of entries up to it."""
    before, added = np.array(row), np.array(inserted)
    cheapest = before + omitted
    np.minimum(cheapest[1:], before[:-1] + pairs, out=cheapest[1:])
    found: list[int] = (added + np.minimum.accumulate(cheapest - added)).tolist()
    return found


def split_common_ends(ours: Sequence[Tree], theirs: Sequence[Tree]) -> tuple[int, Sequence[Tree], Sequence[Tree]]:
    """Return how many equal trees both lists begin with, and the rest of each list without equal trees at the end.

    A cheapest mapping can always pair equal trees at the ends of the lists.
    """
    start, most = 0, min(len(ours), len(theirs))
    while start < most and ours[start] is theirs[start]:
        start += 1
    end = 0
    while end < most - start and ours[-1 - end] is theirs[-1 - end]:
        end += 1
    return start, ours[start : len(ours) - end], theirs[start : len(theirs) - end]
