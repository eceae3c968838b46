"""RTDM: the restricted top-down mapping distance of two pages (Reis et al. 2004; docs/algorithms.md#rtdm).

The distance is the cost of the cheapest restricted top-down mapping (`tree_mapping`), in which the roots are paired whatever their labels
are. Mappings compose to restricted mappings, so the distance is a metric: it is 0 for equal trees only, symmetric, and the triangle
inequality holds.

Most pages are too far apart to belong to one cluster, and `likeness_bound` shows this without comparing them. The parents of a pair are
themselves a pair with equal labels, so both nodes of a pair lie under the same path of labels. Under a path with a and b nodes, at most
min(a, b) nodes are in pairs, and at most Σ min over the labels are in pairs of equal labels. Each node that is in no pair costs 1, and each
other pair costs 1. So a distance is at least Σ (max(a, b) - Σ min) over the paths.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from lxml import etree

from extraction.algorithms.alignment.batched_mapping import MAX_CELLS, measure_children_cost
from extraction.algorithms.alignment.tree_mapping import RestrictedMapping
from extraction.algorithms.alignment.trees import Forest, Tree
from extraction.algorithms.arrays import I64

Counts = tuple[I64, I64]
"""(numbers of what is counted, ascending; how often each occurs)."""

PLAIN_CELLS = 20_000
"""The number of pairs of children of two pages that are compared one by one, which suffices for most pages. More of them are compared in
batches."""


class TreeDistance:
    """Reads pages as trees of one forest and measures their distances. Keeps what it has computed.

    incomplete: how many pairs of pages were too large to be compared in full. Their distances are those of mappings that may not be the
        cheapest, so these pages may be more alike than it seems.
    """

    def __init__(self, *, max_cells: int | None = None) -> None:
        self.forest = Forest()
        self.incomplete = 0
        self._max_cells = MAX_CELLS if max_cells is None else max_cells
        self._mapping = _PlainMapping()
        self._large: dict[tuple[int, int], int] = {}
        self._paths: dict[tuple[int, str], int] = {}
        self._counted: dict[int, Counts] = {}

    def read_page(self, element: etree._Element) -> Tree:
        """Return the tree of an element's tag names. Text is content and is left out."""
        below: dict[etree._Element | None, list[Tree]] = {}
        tree = self.forest.tree(str(element.tag))
        for each in reversed(list(element.iter(etree.Element))):
            tree = self.forest.tree(str(each.tag), below.pop(each, [])[::-1])
            below.setdefault(each.getparent(), []).append(tree)
        return tree

    def distance(self, one: Tree, other: Tree) -> int:
        """Return the cost of the cheapest restricted top-down mapping, from 0 to the number of nodes of both trees."""
        return int(one.label != other.label) + self._children_cost(one, other)

    def _children_cost(self, one: Tree, other: Tree) -> int:
        key = (min(one.number, other.number), max(one.number, other.number))
        if key not in self._large:
            try:
                return self._mapping.children_cost(one, other)
            except _TooManyCellsError:
                found = measure_children_cost(one, other, max_cells=self._max_cells)
                self.incomplete += not found.complete
                self._large[key] = found.cost
        return self._large[key]

    def likeness(self, one: Tree, other: Tree) -> float:
        """Return 1 for equal trees, and 0 for trees as far apart as trees of these sizes can be."""
        return _likeness(self.distance(one, other), one, other)

    def likeness_bound(self, one: Tree, other: Tree) -> float:
        """Return an upper bound of the likeness, without comparing the trees. Time: linear in the paths of the smaller one."""
        if one is other:
            return 1.0
        (few, counts), (many, others) = sorted((self._counts(one), self._counts(other)), key=lambda found: len(found[0]))
        at = np.minimum(np.searchsorted(many, few), len(many) - 1) if len(many) else np.zeros(0, np.int64)
        common = int(np.minimum(counts, others[at])[many[at] == few].sum()) if len(few) else 0
        # Σ max(a, b) is the nodes of both but the roots, less Σ min(a, b): both minima are of the same kind.
        return _likeness(int(one.label != other.label) + one.size + other.size - 2 - common, one, other)

    def _counts(self, tree: Tree) -> Counts:
        """Count the nodes below the root by their path of labels (even numbers), and the nodes under each path (odd numbers)."""
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


class _TooManyCellsError(Exception):
    """Two trees are too large to compare their pairs of children one by one."""


class _PlainMapping(RestrictedMapping):
    """Compares at most `PLAIN_CELLS` pairs of children at a time. What it found before it gave up is kept."""

    def __init__(self) -> None:
        super().__init__()
        self._left = PLAIN_CELLS

    def children_cost(self, one: Tree, other: Tree) -> int:
        self._left = PLAIN_CELLS
        return super().children_cost(one, other)

    def _find_open_pairs(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> Iterator[tuple[Tree, Tree]]:
        self._left -= len(ours) * len(theirs)
        if self._left < 0:
            raise _TooManyCellsError
        return super()._find_open_pairs(ours, theirs)


def _likeness(distance: int, one: Tree, other: Tree) -> float:
    return 1 - distance / max(one.size + other.size - 1, 1)
