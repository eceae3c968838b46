"""Finds the elements that may be the marked rows of a list (docs/algorithms.md#rule-learning).

An editor marks values of two rows. An element may be a row if it contains the marks of just one row, and if the fields of all rows are at
the same steps below their elements. Several nested elements may fit; each is a `RowLevel`. If no element contains a single row, then each
row is a series of siblings, and the first of them stands for the row (`grouped`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.row_tree import Path, RowTree, make_step


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One marked row. page: the index of its page. fields: {name: places}, with () for a value that the row does not have."""

    page: int
    fields: Mapping[str, tuple[Location, ...]]

    def list_nodes(self) -> list[int]:
        """Lists the elements that contain a mark."""
        return sorted({place.node for places in self.fields.values() for place in places})


@dataclass(frozen=True, slots=True)
class RowLevel:
    """One possible answer to which elements the rows are.

    rows: the elements of the marked rows, in the order of the rows.
    paths: {name: the path from a row's element to the field}.
    grouped: whether a row is a series of siblings. Its element is then the first of them.
    """

    rows: tuple[int, ...]
    paths: Mapping[str, Path]
    grouped: bool = False

    def measure_coverage(self, tree: RowTree, row: int) -> float:
        """Return the share of the paths that lead to an element below a row."""
        return sum(bool(tree.find_at(row, path)) for path in self.paths.values()) / len(self.paths) if self.paths else 1.0


def find_row_levels(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow]) -> list[RowLevel]:
    """Finds the levels, the highest first. If no element contains a single row, there is one level, of siblings."""
    tops = {page: _find_top(trees[page], [row for row in rows if row.page == page]) for page in dict.fromkeys(row.page for row in rows)}
    lows = [trees[row.page].find_common(row.list_nodes()) for row in rows]
    if any(low == tops[row.page] or _holds_other(trees, rows, n, low) for n, (row, low) in enumerate(zip(rows, lows, strict=True))):
        starts = _find_starts(trees, rows, tops)
        return [RowLevel(starts, _find_paths(trees, rows, starts), grouped=True)] if starts else []
    chains = [trees[row.page].list_chain(low, tops[row.page]) for row, low in zip(rows, lows, strict=True)]
    found = []
    for place in range(len(chains[0])):
        elements = _align_elements(trees, rows, chains, place)
        if elements and _are_apart(trees, rows, elements):
            found.append(RowLevel(elements, _find_paths(trees, rows, elements)))
    return found


def _find_top(tree: RowTree, rows: Sequence[MarkedRow]) -> int:
    """Finds the lowest element that contains all marked rows of a page; the root if only one row is marked there."""
    return tree.find_common([node for row in rows for node in row.list_nodes()]) if len(rows) > 1 else 0


def _holds_other(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], number: int, low: int) -> bool:
    tree = trees[rows[number].page]
    others = (node for n, row in enumerate(rows) if n != number and row.page == rows[number].page for node in row.list_nodes())
    return any(tree.holds(low, node) for node in others)


def _are_apart(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], elements: Sequence[int]) -> bool:
    """Whether each row has an element of its own, all of one tag."""
    places = [(row.page, element) for row, element in zip(rows, elements, strict=True)]
    return len(set(places)) == len(rows) and len({trees[page].read_tag(element) for page, element in places}) == 1


def _align_elements(
    trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], chains: Sequence[list[int]], place: int
) -> tuple[int, ...] | None:
    """Finds the elements of all rows, given that the first row's element is at `place` of its chain.

    The others are as far above a field that all rows have, or else as deep in their chains.
    """
    first = chains[0][place]
    for name in _list_common_fields(rows):
        nodes = [row.fields[name][0].node for row in rows]
        distance = len(trees[rows[0].page].list_chain(nodes[0], first))
        found = []
        for row, node, chain in zip(rows, nodes, chains, strict=True):
            above = trees[row.page].list_chain(node, -1)
            element = above[-1 - distance] if distance < len(above) else -1
            found.append(element if element in chain else -1)
        if -1 not in found:
            return tuple(found)
    deep = [chain[place] if place < len(chain) else -1 for chain in chains]
    return tuple(deep) if -1 not in deep else None


def _find_starts(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], tops: Mapping[int, int]) -> tuple[int, ...]:
    """Finds the child of the common element that begins each row: the first one with a field that all rows have. () if none does."""
    best: list[list[int]] = []
    for name in _list_common_fields(rows):
        children = []
        for row in rows:
            chain = trees[row.page].list_chain(row.fields[name][0].node, tops[row.page])
            children.append(chain[0] if chain else -1)
        if -1 not in children and len({trees[row.page].read_tag(child) for row, child in zip(rows, children, strict=True)}) == 1:
            best.append(children)
    return tuple(min(best)) if best else ()


def _list_common_fields(rows: Sequence[MarkedRow]) -> list[str]:
    """Lists the fields that have a value in every marked row."""
    return [name for name in rows[0].fields if all(row.fields.get(name) for row in rows)]


def _find_paths(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], elements: Sequence[int]) -> dict[str, Path]:
    """Finds the paths to the fields that all rows have, if the tags on the way are the same. Places are kept only where they are needed."""
    found = {}
    for name in _list_common_fields(rows):
        chains = []
        for row, element in zip(rows, elements, strict=True):
            node = row.fields[name][0].node
            if trees[row.page].holds(element, node):
                chains.append(trees[row.page].list_chain(node, element))
        if len(chains) < len(rows) or len({len(chain) for chain in chains}) > 1:
            continue
        path = _make_path(trees, rows, chains, with_places=False)
        if path is None:
            continue
        several = any(len(row.fields[name]) > 1 for row in rows)
        alone = all(len(trees[row.page].find_at(element, path)) == 1 for row, element in zip(rows, elements, strict=True))
        found[name] = path if alone or several else _make_path(trees, rows, chains, with_places=True) or path
    return found


def _make_path(trees: Mapping[int, RowTree], rows: Sequence[MarkedRow], chains: Sequence[list[int]], *, with_places: bool) -> Path | None:
    steps = []
    for level in zip(*chains, strict=True):
        step = make_step([(trees[row.page], node) for row, node in zip(rows, level, strict=True)], with_place=with_places)
        if step is None:
            return None
        steps.append(step)
    return tuple(steps)
