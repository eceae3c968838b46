"""The cheapest restricted top-down mapping of a pattern to a page, and what each wildcard takes.

The costs are those of `tree_mapping`, with additions for wildcards. A wildcard takes a subtree for 1, however large the subtree is.
``?`` and ``*`` may take nothing for 0. Since an equal subtree costs 0, equal parts are paired with each other first.

A *strict* mapping has to describe the whole page: everything outside of wildcards has to be equal, and nothing may be missing.

A mapping compares at most `MAX_CELLS` pairs of children. Beyond that, the rest of the lists stays unpaired, so that mapping a hostile page
still ends.
"""

from collections.abc import Iterator, Sequence

from extraction.algorithms.alignment.node_patterns.page_trees import KLEENE, OPTION, PLUS, SINGLE, WILDCARDS
from extraction.algorithms.alignment.tree_mapping import RestrictedMapping, split_common_ends
from extraction.algorithms.alignment.trees import Tree

MAX_CELLS = 1_000_000
"""The largest number of pairs of children compared for the pages of a cluster, which takes some two seconds. Ten pages of a news site need
a twentieth."""

IMPOSSIBLE = 1 << 40
"""The cost of what a strict mapping forbids. Sums of real costs stay far below it. Many times this cost still fits into 64 bits."""

Step = tuple[int | None, tuple[int, ...]]
"""(number of the pattern's child, None for a child of the page that the pattern lacks; numbers of the page's children at this place)."""

_OMITTED = {SINGLE: 1, OPTION: 0, PLUS: 1, KLEENE: 0}
"""{wildcard: the cost if it takes nothing}."""


class PatternMapping(RestrictedMapping):
    """Maps patterns to pages.

    strict: allow only what the pattern describes.
    cells_left: how many more pairs of children may be compared.
    """

    def __init__(self, *, strict: bool = False, cells_left: int = MAX_CELLS) -> None:
        super().__init__()
        self.strict = strict
        self.cells_left = cells_left

    def pair_cost(self, one: Tree, other: Tree) -> int:
        """Return the cost of pairing a node of the pattern with one of the page, `IMPOSSIBLE` where a strict mapping forbids it."""
        if self.cells_left <= 0:
            return IMPOSSIBLE
        if one is other:
            return 0
        if one.label != other.label:
            if one.label in WILDCARDS:
                return 1
            return IMPOSSIBLE if self.strict else one.size + other.size - 1
        return min(IMPOSSIBLE, self.children_cost(one, other))

    def fits(self, pattern: Tree, page: Tree) -> bool:
        """Return whether the pattern describes the whole page, as far as the remaining cells allow this to be checked."""
        return self.pair_cost(pattern, page) < IMPOSSIBLE and self.cells_left > 0

    def align_children(self, pattern: Sequence[Tree], page: Sequence[Tree]) -> list[Step]:
        """Return the steps that map one list of children to the other, in document order."""
        start, ours, theirs = split_common_ends(pattern, page)
        found: list[Step] = [(n, (n,)) for n in range(start)]
        found += [(None if i is None else i + start, tuple(j + start for j in taken)) for i, taken in self._trace(ours, theirs)]
        after = start + len(ours), start + len(theirs)
        return found + [(after[0] + n, (after[1] + n,)) for n in range(len(pattern) - after[0])]

    def _is_exhausted(self) -> bool:
        return self.cells_left <= 0

    def _count_cells(self, cells: int) -> None:
        self.cells_left -= cells

    def _find_open_pairs(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> Iterator[tuple[Tree, Tree]]:
        if len(ours) * len(theirs) > self.cells_left:
            self.cells_left = 0
        return iter(()) if self._is_exhausted() else super()._find_open_pairs(ours, theirs)

    def _omit_cost(self, one: Tree) -> int:
        if self.strict and one.label not in (OPTION, KLEENE):
            return IMPOSSIBLE
        return _OMITTED.get(one.label, one.size)

    def _insert_costs(self, theirs: Sequence[Tree]) -> list[int]:
        return [number * IMPOSSIBLE for number in range(len(theirs) + 1)] if self.strict else super()._insert_costs(theirs)

    def _insert_costs_after(self, one: Tree, inserted: list[int]) -> list[int]:
        return list(range(len(inserted))) if one.label in (PLUS, KLEENE) else inserted

    def _trace(self, ours: Sequence[Tree], theirs: Sequence[Tree]) -> list[Step]:
        """Read the mapping from the end to the beginning. A pair is preferred to an omission, and an omission to an insertion."""
        rows = self._rows(ours, theirs)
        found: list[Step] = []
        i, j, held = len(ours), len(theirs), list[int]()
        while i or j:
            one = ours[i - 1] if i else None
            if one and j and self.cells_left > 0 and rows[i][j] == rows[i - 1][j - 1] + self.pair_cost(one, theirs[j - 1]):
                found.append((i - 1, (j - 1, *reversed(held))))
                i, j, held = i - 1, j - 1, []
            elif one and rows[i][j] == rows[i - 1][j] + self._omit_cost(one):
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
