"""The cheapest restricted top-down mapping of a pattern to a page's tree, with what each wildcard takes.

As in RTDM, nodes in no pair cost 1 each, and a pair of different labels costs its whole subtrees but one. A wildcard takes a subtree for 1,
however large it is, and ``?`` and ``*`` take none for nothing; so what is the same is mapped to itself first. Strictly, a pattern has to
describe the whole page: whatever stands at no wildcard has to be equal, and nothing may be missing.

Equal trees are one object and cost nothing; equal ones at the ends of two lists of children are mapped to each other at once, and a pair of
trees is compared once. Beyond `MAX_CELLS` comparisons the rest of the lists is not mapped at all, so that hostile pages end.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from extraction.algorithms.alignment.node_patterns.trees import KLEENE, OPTION, PLUS, SINGLE, Tree

MAX_CELLS = 1_000_000
"""Pairs of children looked at for the pages of a cluster, some two seconds. Ten pages of a news site take a twentieth."""

Step = tuple[int | None, tuple[int, ...]]
"""(number of the pattern's child, None for what it does not have; numbers of the page's children that stand there)."""

_DROPPED = {SINGLE: 1.0, OPTION: 0.0, PLUS: 1.0, KLEENE: 0.0}


@dataclass(slots=True)
class Mapper:
    """Maps patterns to pages. strict: only what the pattern describes."""

    strict: bool = False
    cells_left: int = MAX_CELLS
    _known: dict[tuple[int, int], float] = field(default_factory=dict)

    def cost(self, pattern: Tree, page: Tree) -> float:
        """Of mapping two nodes to each other."""
        if pattern is page:
            return 0.0
        if pattern.is_wildcard:
            return 1.0
        if pattern.label != page.label:
            return math.inf if self.strict else float(pattern.size + page.size - 1)
        key = pattern.number, page.number
        if key not in self._known:
            self._known[key] = self._rows(*_middle(pattern.children, page.children)[1:])[-1][-1]
        return self._known[key]

    def steps(self, pattern: Sequence[Tree], page: Sequence[Tree]) -> list[Step]:
        """How two lists of children are mapped, in their order."""
        start, ours, theirs = _middle(pattern, page)
        found: list[Step] = [(n, (n,)) for n in range(start)]
        found += [(None if i is None else i + start, tuple(j + start for j in taken)) for i, taken in self._back(ours, theirs)]
        after = start + len(ours), start + len(theirs)
        return found + [(after[0] + n, (after[1] + n,)) for n in range(len(pattern) - after[0])]

    def _rows(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> list[list[float]]:
        """The dynamic programme: [i][j] is the least cost of the first i of the pattern's and the first j of the page's children."""
        added = [0.0]
        for tree in theirs:
            added.append(added[-1] + (math.inf if self.strict else tree.size))
        rows = [added]
        self.cells_left -= len(ours) * len(theirs)
        for one in ours:
            before, drop = rows[-1], self._drop(one)
            row = [before[0] + drop]
            several = one.label in (PLUS, KLEENE)
            for j, other in enumerate(theirs):
                paired = before[j] + self.cost(one, other) if self.cells_left > 0 else math.inf
                more = row[j] + (1.0 if several else math.inf if self.strict else other.size)
                row.append(min(paired, before[j + 1] + drop, more))
            rows.append(row)
        return rows

    def _drop(self, tree: Tree) -> float:
        if self.strict and tree.label not in (OPTION, KLEENE):
            return math.inf
        return _DROPPED[tree.label] if tree.is_wildcard else float(tree.size)

    def _back(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> list[Step]:
        """From the end to the beginning: a pair before one that is left out, that before one that is added."""
        rows = self._rows(ours, theirs)
        found: list[Step] = []
        i, j, held = len(ours), len(theirs), list[int]()
        while i or j:
            one = ours[i - 1] if i else None
            if one and j and self.cells_left > 0 and rows[i][j] == rows[i - 1][j - 1] + self.cost(one, theirs[j - 1]):
                found.append((i - 1, (j - 1, *reversed(held))))
                i, j, held = i - 1, j - 1, []
            elif one and rows[i][j] == rows[i - 1][j] + self._drop(one):
                found.append((i - 1, tuple(reversed(held))))
                i, held = i - 1, []
            elif one and j and one.label in (PLUS, KLEENE) and rows[i][j] == rows[i][j - 1] + 1:
                held.append(j - 1)
                j -= 1
            elif j:
                found.append((None, (j - 1,)))
                j -= 1
            else:
                found.append((i - 1, ()))
                i -= 1
        return found[::-1]


def _middle(ours: Sequence[Tree], theirs: Sequence[Tree]) -> tuple[int, Sequence[Tree], Sequence[Tree]]:
    """(how many equal ones both begin with, the rest of both without equal ones at the end)."""
    start, most = 0, min(len(ours), len(theirs))
    while start < most and ours[start] is theirs[start]:
        start += 1
    end = 0
    while end < most - start and ours[-1 - end] is theirs[-1 - end]:
        end += 1
    return start, ours[start : len(ours) - end], theirs[start : len(theirs) - end]
