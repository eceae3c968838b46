"""Generalising a pattern over pages, and matching it with a page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from extraction.algorithms.alignment.node_patterns.mapping import Mapper
from extraction.algorithms.alignment.node_patterns.trees import KLEENE, OPTION, PLUS, SINGLE, Grove, Placed, Tree

_LOOSER = {SINGLE: OPTION, OPTION: OPTION, PLUS: KLEENE, KLEENE: KLEENE}
"""What a wildcard becomes that has nothing to take on some page."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern and the grove of its tree. Its nodes are numbered in document order, the root 0."""

    tree: Tree
    grove: Grove

    def nodes(self) -> list[tuple[Tree, int]]:
        """(node, number of its parent; -1 for the root) by number."""
        found: list[tuple[Tree, int]] = []
        _number(self.tree, -1, found)
        return found


@dataclass(frozen=True, slots=True)
class Match:
    """How a page fits. taken: {number of a node of the pattern: the trees of the page that stand there, in order}; none of an option has no
    entry. strict: whether the pattern describes the whole page; else it was mapped as cheaply as it goes."""

    taken: dict[int, tuple[Placed, ...]]
    strict: bool


def generalise(pages: Sequence[Placed], grove: Grove) -> Pattern:
    """The pattern of pages of one grove. Raises ValueError for none."""
    if not pages:
        raise ValueError("a pattern needs a page")
    mapper, tree = Mapper(), pages[0].tree
    for page in pages[1:]:
        tree = _composed(tree, page.tree, grove, mapper)
    return Pattern(tree, grove)


def match(pattern: Pattern, page: Placed) -> Match:
    """What of the page stands at each node of the pattern: strictly where the pattern describes the page, else as cheaply as it goes."""
    strict = Mapper(strict=True)
    fits = math.isfinite(strict.cost(pattern.tree, page.tree)) and strict.cells_left > 0
    taken: dict[int, tuple[Placed, ...]] = {}
    _take(pattern.tree, page, 0, strict if fits else Mapper(), taken)
    return Match(taken, fits)


def written(tree: Tree) -> str:
    """A pattern as text: ``p["Title:" b[.] ?]``."""
    if tree.is_text:
        return f'"{tree.label[1:]}"'
    return f"{tree.label}[{' '.join(map(written, tree.children))}]" if tree.children else tree.label


def _composed(pattern: Tree, page: Tree, grove: Grove, mapper: Mapper) -> Tree:
    if pattern is page or pattern.is_wildcard:
        return pattern
    if pattern.label != page.label:
        return grove.tree(SINGLE)
    parts: list[Tree] = []
    for number, taken in mapper.steps(pattern.children, page.children):
        if number is None:
            parts.append(grove.tree(OPTION))
        elif taken:
            parts.append(_composed(pattern.children[number], page.children[taken[0]], grove, mapper))
        else:
            parts.append(grove.tree(_LOOSER.get(pattern.children[number].label, OPTION)))
    return grove.tree(pattern.label, _joined(parts, grove))


def _joined(parts: Sequence[Tree], grove: Grove) -> list[Tree]:
    """Wildcards side by side as one, unless each takes one: which of them takes what could not be told."""
    found: list[Tree] = []
    for wild, group in groupby(parts, key=lambda part: part.is_wildcard):
        run = list(group)
        labels = {part.label for part in run}
        if wild and len(run) > 1 and labels != {SINGLE}:
            run = [grove.tree(PLUS if labels & {SINGLE, PLUS} else KLEENE)]
        found += run
    return found


def _take(pattern: Tree, page: Placed, number: int, mapper: Mapper, taken: dict[int, tuple[Placed, ...]]) -> None:
    taken[number] = (page,)
    if pattern.is_wildcard or pattern.label != page.tree.label:
        return
    numbers, at = [], number + 1
    for child in pattern.children:
        numbers.append(at)
        at += child.size
    for place, found in mapper.steps(pattern.children, page.tree.children):
        if place is None or not found:
            continue
        if pattern.children[place].is_wildcard:
            taken[numbers[place]] = tuple(page.children[each] for each in found)
        else:
            _take(pattern.children[place], page.children[found[0]], numbers[place], mapper, taken)


def _number(tree: Tree, parent: int, found: list[tuple[Tree, int]]) -> None:
    number = len(found)
    found.append((tree, parent))
    for child in tree.children:
        _number(child, number, found)
