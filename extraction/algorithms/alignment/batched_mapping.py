"""The cheapest restricted top-down mapping of two large trees, for many pairs of subtrees at once (`tree_mapping` says what is computed).

From the roots down, the pairs of subtrees whose costs others depend on are collected, each pair once. Then their costs are computed from
the leaves up. Pairs whose lists of children have about the same lengths are computed together: each row of the recurrence is one step for
all of them. The lists of a pair are padded with subtrees of size 0 that no subtree may be paired with, which changes no cost.

The work is bounded. When a level would exceed the bound, its pairs and all below are not compared: nothing below their nodes is mapped. The
result is then the cost of a mapping, but perhaps not of the cheapest one, and says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.alignment.trees import Tree
from extraction.algorithms.arrays import I64

Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

MAX_CELLS = 60_000_000
"""The largest number of pairs of children that are compared, which takes some seconds. Two lists of 600 items that all differ, each with 12
children, have 52 million."""

CHUNK_CELLS = 300_000
"""The number of pairs of children in one step, so that its arrays stay in the processor's cache."""

NEVER = 1 << 40
"""The cost of a pair with what only pads a list. Sums of real costs stay far below it."""


@dataclass(frozen=True, slots=True)
class BoundedCost:
    """The cost of a mapping.

    complete: whether every pair that could matter was compared, so that no mapping is cheaper.
    """

    cost: int
    complete: bool


def measure_children_cost(one: Tree, other: Tree, *, max_cells: int = MAX_CELLS) -> BoundedCost:
    """Return the cost of mapping everything below two nodes of one forest. Time: linear in the pairs of children, up to `max_cells`."""
    return _Batches(_Trees([one, other]), max_cells).measure(one, other)


class _Trees:
    """All subtrees of some trees as arrays. A subtree is known by its rank, and children have lower ranks than their parents."""

    def __init__(self, roots: list[Tree]) -> None:
        found: dict[int, Tree] = {}
        waiting = list(roots)
        while waiting:
            tree = waiting.pop()
            if tree.number not in found:
                found[tree.number] = tree
                waiting += tree.children
        ordered = [found[number] for number in sorted(found)]  # a forest makes children before their parents
        self.ranks = {tree.number: rank for rank, tree in enumerate(ordered)}
        names: dict[str, int] = {}
        self.labels = np.array([names.setdefault(tree.label, len(names)) for tree in ordered] + [-1], np.int64)
        self.sizes = np.array([tree.size for tree in ordered] + [0], np.int64)
        self.counts = np.array([len(tree.children) for tree in ordered] + [0], np.int64)
        self.starts = np.cumsum(self.counts) - self.counts
        self.children = np.array([self.ranks[child.number] for tree in ordered for child in tree.children] + [-1], np.int64)
        self.heights = np.zeros(len(ordered), np.int64)
        for rank, tree in enumerate(ordered):
            self.heights[rank] = 1 + max((self.heights[self.ranks[child.number]] for child in tree.children), default=-1)

    def __len__(self) -> int:
        return len(self.heights)

    def list_children(self, trees: I64, skipped: I64, kept: I64, width: int) -> I64:
        """Return children of trees, shape (trees, width), padded with -1.

        skipped: how many children at the beginning are left out.
        kept: how many children follow.
        """
        places = self.starts[trees][:, None] + skipped[:, None] + np.arange(width)
        inside = np.arange(width) < kept[:, None]
        found: I64 = np.where(inside, self.children[np.where(inside, places, -1)], -1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Pairs of trees, each with the lists of children that remain without equal ones at both ends.

    keys: of the pairs.
    ours, theirs: shapes (pairs, width) and (pairs, other width), padded with -1.
    """

    keys: I64
    ours: I64
    theirs: I64


class _Batches:
    """Pairs of two trees. The key of a pair is the lower rank times the number of trees, plus the higher one."""

    def __init__(self, trees: _Trees, max_cells: int) -> None:
        self._trees, self._left = trees, max_cells
        self._keys = np.zeros(0, np.int64)
        self._costs = np.zeros(0, np.int64)

    def measure(self, one: Tree, other: Tree) -> BoundedCost:
        key = self._key(*(np.array([self._trees.ranks[tree.number]]) for tree in (one, other)))
        complete = self._collect(key)
        if not len(self._keys):
            return BoundedCost(int(self._look_up(key)[0]), complete)
        heights = np.maximum(*(self._trees.heights[part] for part in self._split(self._keys)))
        order = np.argsort(heights, kind="stable")
        for wave in np.split(order, np.flatnonzero(np.diff(heights[order])) + 1):
            for lists in self._list(self._keys[wave]):
                self._costs[np.searchsorted(self._keys, lists.keys)] = self._map(lists)
        return BoundedCost(int(self._look_up(key)[0]), complete)

    def _collect(self, level: I64) -> bool:
        """Collect the pairs of these keys and all pairs that their costs depend on. Return False if the bound was reached."""
        self._keys = np.zeros(0, np.int64)
        while len(level):
            one, other = self._split(level)
            _, first, second = self._trim(one, other)
            self._left -= int((first * second).sum())
            if self._left < 0:
                break
            self._keys = _distinct(np.concatenate([self._keys, level]))
            below = _distinct(np.concatenate([self._open(lists) for lists in self._list(level)]))
            level = below[~self._is_known(below)]
        self._costs = np.zeros(len(self._keys), np.int64)
        return not len(level)

    def _open(self, lists: _Lists) -> I64:
        """Return the keys of the pairs of children that have to be compared themselves, each once."""
        found = [np.zeros(0, np.int64)]
        for ours in _rows_in_blocks(lists):
            pairs = np.nonzero(self._is_open(ours, lists.theirs))
            found.append(_distinct(self._key(ours[pairs[0], pairs[1]], lists.theirs[pairs[0], pairs[2]])))
        return np.concatenate(found)

    def _is_open(self, ours: I64, theirs: I64) -> Flags:
        """Return for each pair of children whether its cost depends on pairs below it."""
        counts, labels = self._trees.counts, self._trees.labels
        mine, other = np.where(counts[ours] > 0, labels[ours], -1), np.where(counts[theirs] > 0, labels[theirs], -2)
        found: Flags = mine[:, :, None] == other[:, None, :]
        found &= ours[:, :, None] != theirs[:, None, :]
        return found

    def _map(self, lists: _Lists) -> I64:
        """Return the costs of pairs: the recurrence of `tree_mapping`, a row at a time."""
        theirs, sizes = lists.theirs, self._trees.sizes
        inserted = np.concatenate([np.zeros((len(theirs), 1), np.int64), np.cumsum(sizes[theirs], axis=1)], axis=1)
        row = inserted
        for ours in _rows_in_blocks(lists):
            pairs = self._pair_costs(ours, theirs)
            for n in range(ours.shape[1]):
                cheapest = row + sizes[ours[:, n]][:, None]
                np.minimum(cheapest[:, 1:], row[:, :-1] + pairs[:, n], out=cheapest[:, 1:])
                row = inserted + np.minimum.accumulate(cheapest - inserted, axis=1)
        last: I64 = row[:, -1]
        return last

    def _pair_costs(self, ours: I64, theirs: I64) -> I64:
        """Return the cost of each pair of children, shape (pairs, ours, theirs)."""
        trees = self._trees
        sizes, others = trees.sizes[ours][:, :, None], trees.sizes[theirs][:, None, :]
        same = trees.labels[ours][:, :, None] == trees.labels[theirs][:, None, :]
        costs: I64 = np.where(same, np.abs(sizes - others), sizes + others - 1)  # right where a list below is empty, and for equal trees
        pairs = np.nonzero(self._is_open(ours, theirs))
        costs[pairs] = self._look_up(self._key(ours[pairs[0], pairs[1]], theirs[pairs[0], pairs[2]]))
        costs[(ours < 0)[:, :, None] | (theirs < 0)[:, None, :]] = NEVER
        return costs

    def _is_known(self, keys: I64) -> Flags:
        found: Flags = self._keys[np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)] == keys
        return found

    def _look_up(self, keys: I64) -> I64:
        """Return the costs of pairs. Where a pair was not compared, nothing below its nodes is mapped."""
        one, other = self._split(keys)
        unmapped: I64 = self._trees.sizes[one] + self._trees.sizes[other] - 2
        if not len(self._keys):
            return unmapped
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found: I64 = np.where(self._keys[places] == keys, self._costs[places], unmapped)
        return found

    def _list(self, keys: I64) -> Iterator[_Lists]:
        """Yield the pairs in chunks, each of lists of about the same length."""
        ours, theirs = self._split(keys)
        start, first, second = self._trim(ours, theirs)
        widths, others = _round_up(first), _round_up(second)
        order = np.lexsort((others, widths))
        for bucket in np.split(order, np.flatnonzero(np.diff(widths[order]) | np.diff(others[order])) + 1):
            width, other = int(widths[bucket[0]]), int(others[bucket[0]])
            step = max(1, CHUNK_CELLS // max(1, width * other))
            for at in range(0, len(bucket), step):
                part = bucket[at : at + step]
                yield _Lists(
                    keys[part],
                    self._trees.list_children(ours[part], start[part], first[part], width),
                    self._trees.list_children(theirs[part], start[part], second[part], other),
                )

    def _trim(self, ours: I64, theirs: I64) -> tuple[I64, I64, I64]:
        """Return (how many equal children both lists begin with, how many remain of ours and theirs without equal ones at both ends)."""
        trees = self._trees
        first, second = trees.counts[ours].copy(), trees.counts[theirs].copy()
        start = np.zeros(len(ours), np.int64)
        going = np.flatnonzero((first > 0) & (second > 0))
        while len(going):
            going = going[(start[going] < first[going]) & (start[going] < second[going])]
            at = start[going]
            going = going[trees.children[trees.starts[ours[going]] + at] == trees.children[trees.starts[theirs[going]] + at]]
            start[going] += 1
        going = np.arange(len(ours))
        while len(going):
            going = going[(start[going] < first[going]) & (start[going] < second[going])]
            mine, other = trees.starts[ours[going]] + first[going] - 1, trees.starts[theirs[going]] + second[going] - 1
            going = going[trees.children[mine] == trees.children[other]]
            first[going] -= 1
            second[going] -= 1
        return start, first - start, second - start

    def _key(self, ours: I64, theirs: I64) -> I64:
        found: I64 = np.minimum(ours, theirs) * len(self._trees) + np.maximum(ours, theirs)
        return found

    def _split(self, keys: I64) -> tuple[I64, I64]:
        return keys // len(self._trees), keys % len(self._trees)


def _distinct(keys: I64) -> I64:
    """Return each key once, ascending. Sorting is several times faster here than numpy's `unique`, which hashes."""
    ordered = np.sort(keys)
    found: I64 = ordered[np.concatenate([np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1]])]
    return found


def _rows_in_blocks(lists: _Lists) -> Iterator[I64]:
    """Yield our children of all pairs in blocks of about `CHUNK_CELLS` cells, so that two long lists need little memory."""
    pairs, width = lists.ours.shape
    step = max(1, CHUNK_CELLS // max(1, pairs * lists.theirs.shape[1]))
    for at in range(0, width, step):
        yield lists.ours[:, at : at + step]


def _round_up(lengths: I64) -> I64:
    """Return the least of 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, … that reaches each length."""
    steps = np.array([0, 1, *sorted(base << power for base in (2, 3) for power in range(40))], np.int64)
    found: I64 = steps[np.searchsorted(steps, lengths)]
    return found
