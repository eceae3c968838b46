"""RTDM: the restricted top-down mapping distance of two trees (Reis et al. 2004; `002_…` §1.7, §1.8.4; ALGORITHMS 10).

A mapping pairs nodes of two ordered, labelled trees, one to one, in order; in a top-down one the parents of a pair are a pair, too; in a
restricted one no descendant of either node of a pair is mapped where their labels differ, the pair of the roots excepted. Each node that
is in no pair costs 1, each pair of different labels 1. Mappings compose to restricted mappings, so the distance of cheapest ones is a
metric: 0 for equal trees only, symmetric, and the triangle inequality holds.

Equal subtrees are interned to one object, so they are recognised at once and cost nothing; equal children at the start and at the end of
two lists are passed over, and two subtrees are compared once however often they stand on the pages. Time: the product of the numbers of
children, for each pair of different subtrees of equal labels whose parents were compared.

Most pages are too far apart to be of one cluster, and `most_alike` tells so without comparing them: a pair has parents that are pairs of
equal labels, so its nodes stand under the same path of labels. Under a path with a and b nodes at most min(a, b) are in pairs, and at most
Σ min over the labels in pairs of equal labels; each node that is in none costs 1, each other pair 1, so that a distance is at least
Σ (max(a, b) − Σ min) over the paths.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree
from numpy.typing import NDArray

I64 = NDArray[np.int64]
Counts = tuple[I64, I64]
"""(numbers of what is counted, ascending; how many)."""

MAX_DEPTH = 200
"""Levels of a page that become a tree: beyond it what is there is left out, so that hostile pages cannot exhaust the stack."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """An interned tree: trees of one `Forest` are equal if and only if they are the same object. size: its nodes."""

    label: str
    children: "tuple[Tree, ...]"
    size: int
    number: int


@dataclass(slots=True)
class Forest:
    """Makes trees and remembers the distances between their subtrees."""

    _trees: dict[tuple[object, ...], Tree] = field(default_factory=dict)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)
    _paths: dict[tuple[int, str], int] = field(default_factory=dict)
    _counted: dict[int, Counts] = field(default_factory=dict)

    def tree(self, label: str, children: Sequence[Tree] = ()) -> Tree:
        """The tree of a label and children that are of this forest."""
        key = (label, *(child.number for child in children))
        if key not in self._trees:
            self._trees[key] = Tree(label, tuple(children), 1 + sum(child.size for child in children), len(self._trees))
        return self._trees[key]

    def page(self, element: etree._Element, *, depth: int = MAX_DEPTH) -> Tree:
        """The tree of an element: its tag names. Text is content and stays out."""
        below = [child for child in element if isinstance(child.tag, str)] if depth else []
        return self.tree(str(element.tag), [self.page(child, depth=depth - 1) for child in below])

    def distance(self, one: Tree, other: Tree) -> int:
        """The cost of the cheapest restricted top-down mapping, from 0 to the nodes of both trees."""
        return int(one.label != other.label) + self._below(one, other)

    def likeness(self, one: Tree, other: Tree) -> float:
        """From 0 to 1, 1 for equal trees only: what is left of the largest distance that trees of these sizes can have."""
        return _likeness(self.distance(one, other), one, other)

    def most_alike(self, one: Tree, other: Tree) -> float:
        """What their likeness cannot exceed, without comparing them. Time: linear in the paths of the smaller one."""
        if one is other:
            return 1.0
        (few, counts), (many, others) = sorted((self._counts(one), self._counts(other)), key=lambda found: len(found[0]))
        at = np.minimum(np.searchsorted(many, few), len(many) - 1) if len(many) else np.zeros(0, np.int64)
        common = int(np.minimum(counts, others[at])[many[at] == few].sum()) if len(few) else 0
        # Σ max(a, b) is the nodes of both but the roots, less Σ min(a, b): both minima are of the same kind.
        return _likeness(int(one.label != other.label) + one.size + other.size - 2 - common, one, other)

    def _counts(self, tree: Tree) -> Counts:
        """How many nodes have each path of labels below the root, even numbers, and how many stand under it, odd ones."""
        if tree.number not in self._counted:
            found: Counter[int] = Counter()
            level = Counter({(tree, 0): 1})
            while level:
                below: Counter[tuple[Tree, int]] = Counter()
                for (above, path), times in level.items():
                    found[2 * path + 1] += times * len(above.children)
                    for child in above.children:
                        number = self._paths.setdefault((path, child.label), len(self._paths) + 1)
                        found[2 * number] += times
                        below[child, number] += times
                level = below
            both = np.array(sorted(found.items()), np.int64).reshape(-1, 2)
            self._counted[tree.number] = both[:, 0].copy(), both[:, 1].copy()
        return self._counted[tree.number]

    def _replaced(self, one: Tree, other: Tree) -> int:
        """The cost of mapping two nodes that are no roots to each other."""
        if one is other:
            return 0
        if one.label != other.label:
            return one.size + other.size - 1
        if not one.children or not other.children:
            return abs(one.size - other.size)
        return self._below(one, other)

    def _below(self, one: Tree, other: Tree) -> int:
        key = (min(one.number, other.number), max(one.number, other.number))
        if key not in self._known:
            self._known[key] = self._children(*_trimmed(one.children, other.children))
        return self._known[key]

    def _children(self, ones: Sequence[Tree], others: Sequence[Tree]) -> int:
        """Cost of two lists of subtrees: the usual dynamic programme, row by row."""
        inserted = np.cumsum([0, *(tree.size for tree in others)])
        row: I64 = inserted.copy()
        for number, costs in zip(range(len(ones)), self._costs(ones, others), strict=True):
            cheapest = row + ones[number].size
            np.minimum(cheapest[1:], row[:-1] + costs, out=cheapest[1:])
            row = inserted + np.minimum.accumulate(cheapest - inserted)
        return int(row[-1])

    def _costs(self, ones: Sequence[Tree], others: Sequence[Tree]) -> I64:
        """Of mapping each of the first to each of the second; different subtrees only once. Shape (ones, others)."""
        first, second = list(dict.fromkeys(ones)), list(dict.fromkeys(others))
        costs = np.array([[self._replaced(one, other) for other in second] for one in first], np.int64).reshape(len(first), len(second))
        rows, columns = {tree: n for n, tree in enumerate(first)}, {tree: n for n, tree in enumerate(second)}
        chosen: I64 = costs[np.ix_([rows[tree] for tree in ones], [columns[tree] for tree in others])]
        return chosen


def _likeness(distance: int, one: Tree, other: Tree) -> float:
    return 1 - distance / max(one.size + other.size - 1, 1)


def _trimmed(ones: Sequence[Tree], others: Sequence[Tree]) -> tuple[Sequence[Tree], Sequence[Tree]]:
    """Both lists without equal trees at their starts and ends, which a cheapest mapping can always map to each other."""
    start, most = 0, min(len(ones), len(others))
    while start < most and ones[start] is others[start]:
        start += 1
    end = 0
    while end < most - start and ones[-1 - end] is others[-1 - end]:
        end += 1
    return ones[start : len(ones) - end], others[start : len(others) - end]
