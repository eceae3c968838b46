"""Builds a pattern that generalises several pages, and matches a pattern with a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from extraction.algorithms.alignment.node_patterns.page_trees import (
    KLEENE,
    OPTION,
    PLUS,
    SINGLE,
    PlacedTree,
    is_text,
    is_wildcard,
)
from extraction.algorithms.alignment.node_patterns.pattern_mapping import PatternMapping
from extraction.algorithms.alignment.trees import Forest, Tree

_LOOSER = {SINGLE: OPTION, OPTION: OPTION, PLUS: KLEENE, KLEENE: KLEENE}
"""What a wildcard becomes that has nothing to take on some page."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern and the forest of its tree. Its nodes are numbered in document order, from 0 for the root."""

    tree: Tree
    forest: Forest

    def nodes(self) -> list[tuple[Tree, int]]:
        """Return a (node, number of its parent) pair for each node, ordered by node number. The root's parent is -1."""
        found: list[tuple[Tree, int]] = []
        _number(self.tree, -1, found)
        return found


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """How a page fits a pattern.

    taken: {number of a node of the pattern: the trees of the page matched there, in order}. An option that matches nothing has no entry.
    strict: whether the pattern describes the whole page. If not, the page was mapped at the least cost.
    """

    taken: dict[int, tuple[PlacedTree, ...]]
    strict: bool


def generalise_pages(pages: Sequence[PlacedTree], forest: Forest) -> Pattern:
    """Return the pattern of some pages, whose trees belong to the forest. Raises ValueError without pages."""
    if not pages:
        raise ValueError("a pattern needs a page")
    mapping, tree = PatternMapping(), pages[0].tree
    for page in pages[1:]:
        tree = _generalise(tree, page.tree, forest, mapping)
    return Pattern(tree, forest)


def match_page(pattern: Pattern, page: PlacedTree) -> PatternMatch:
    """Return which parts of the page match each node of the pattern: strictly if possible, else at the least cost."""
    strict = PatternMapping(strict=True)
    fits = strict.fits(pattern.tree, page.tree)
    taken: dict[int, tuple[PlacedTree, ...]] = {}
    _take(pattern.tree, page, 0, strict if fits else PatternMapping(), taken)
    return PatternMatch(taken, fits)


def write_pattern(tree: Tree) -> str:
    """Return a pattern as text: ``p["Title:" b[.] ?]``."""
    if is_text(tree):
        return f'"{tree.label[1:]}"'
    return f"{tree.label}[{' '.join(map(write_pattern, tree.children))}]" if tree.children else tree.label


def _generalise(pattern: Tree, page: Tree, forest: Forest, mapping: PatternMapping) -> Tree:
    if pattern is page or is_wildcard(pattern):
        return pattern
    if pattern.label != page.label:
        return forest.tree(SINGLE)
    parts: list[Tree] = []
    for number, taken in mapping.align_children(pattern.children, page.children):
        if number is None:
            parts.append(forest.tree(OPTION))
        elif taken:
            parts.append(_generalise(pattern.children[number], page.children[taken[0]], forest, mapping))
        else:
            parts.append(forest.tree(_LOOSER.get(pattern.children[number].label, OPTION)))
    return forest.tree(pattern.label, _join_wildcards(parts, forest))


def _join_wildcards(parts: Sequence[Tree], forest: Forest) -> list[Tree]:
    """Join neighbouring wildcards, unless each takes exactly one subtree: otherwise it is unclear which of them takes what."""
    found: list[Tree] = []
    for wild, group in groupby(parts, key=is_wildcard):
        run = list(group)
        labels = {part.label for part in run}
        if wild and len(run) > 1 and labels != {SINGLE}:
            run = [forest.tree(PLUS if labels & {SINGLE, PLUS} else KLEENE)]
        found += run
    return found


def _take(pattern: Tree, page: PlacedTree, number: int, mapping: PatternMapping, taken: dict[int, tuple[PlacedTree, ...]]) -> None:
    """Record in `taken` which trees of the page match a node of the pattern and each node below it."""
    taken[number] = (page,)
    if is_wildcard(pattern) or pattern.label != page.tree.label:
        return
    numbers, at = [], number + 1
    for child in pattern.children:
        numbers.append(at)
        at += child.size
    for place, found in mapping.align_children(pattern.children, page.tree.children):
        if place is None or not found:
            continue
        if is_wildcard(pattern.children[place]):
            taken[numbers[place]] = tuple(page.children[each] for each in found)
        else:
            _take(pattern.children[place], page.children[found[0]], numbers[place], mapping, taken)


def _number(tree: Tree, parent: int, found: list[tuple[Tree, int]]) -> None:
    number = len(found)
    found.append((tree, parent))
    for child in tree.children:
        _number(child, number, found)
