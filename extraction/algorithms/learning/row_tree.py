"""The tree of a page as Python values, for finding out which of its elements are rows of a list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_grid import CELLS, GridRow, has_row_spans, resolve_rows

SHAPE_DEPTH = 3
"""The shape of an element is made of so many levels below it."""

Shape = frozenset[tuple[str, ...]]
"""The paths below an element, as tags."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step down the tree.

    tag: the tag of the element.
    classes: the classes that it must have.
    nth: its place among its siblings of the same tag, from 1; 0 for any place.
    """

    tag: str
    classes: frozenset[str]
    nth: int


Path = tuple[PathStep, ...]


class RowTree:
    """The tree of one page. An element is given by its number in the page's table."""

    def __init__(self, table: PageTable) -> None:
        self.table, self.nodes = table, table.nodes
        self.parents, self.ends = table.elements.parent.tolist(), table.elements.end.tolist()
        self.first, self.after = table.elements.first.tolist(), table.elements.after.tolist()
        self.nth = table.elements.nth.tolist()
        self.none = len(self.nodes)
        self._shapes: dict[int, Shape] = {}
        self._covered = self._read_grids()

    def read_place(self, row: int) -> int:
        """An element's place among its siblings of the same tag, or the first column that a cell covers where cells cover several rows."""
        columns = self._covered.get(self.parents[row], {}).get(row)
        return columns.start if columns else self.nth[row]

    def read_tag(self, row: int) -> str:
        """An element's tag."""
        return str(self.nodes[row].tag)

    def read_classes(self, row: int) -> frozenset[str]:
        """An element's classes."""
        return frozenset((self.nodes[row].get("class") or "").split())

    def list_children(self, row: int) -> Iterator[int]:
        """The child elements."""
        child = self.first[row]
        while child != self.none:
            yield child
            child = self.after[child]

    def _read_grids(self) -> dict[int, dict[int, range]]:
        """{row of a table: {cell: the columns from 1 that it covers}} where cells cover several rows, those of rows above included."""
        covered: dict[int, dict[int, range]] = {}
        holders = {node.getparent() for node in self.nodes if node.tag in CELLS and (node.get("rowspan") or "1") != "1"}
        holders = {holder.getparent() for holder in holders if holder is not None and holder.tag == "tr"}
        index: dict[etree._Element, int] = {}
        for holder in holders:
            if holder is None or not has_row_spans(holder):
                continue
            index = index or {node: place for place, node in enumerate(self.nodes)}
            for row, grid in resolve_rows(holder):
                cells = dict.fromkeys(grid.values())
                covered[index[row]] = {index[cell]: _cover(grid, cell) for cell in cells}
        return covered

    def list_cells(self, row: int) -> Iterator[int]:
        """The child elements; of a row of a table whose cells cover several rows, the cells that cover its columns."""
        yield from self._covered[row] if row in self._covered else self.list_children(row)

    def list_chain(self, row: int, top: int) -> list[int]:
        """Lists the elements on the way from `top` down to `row`, without `top`."""
        found = []
        while row not in (top, self.none):
            found.append(row)
            row = self.parents[row]
        return found[::-1]

    def find_common(self, rows: Sequence[int]) -> int:
        """Finds the lowest element that contains all of them."""
        low, high = min(rows), max(rows)
        while self.ends[low] <= high:
            low = self.parents[low]
        return low

    def holds(self, above: int, row: int) -> bool:
        """Whether `row` is the element `above` or is in it."""
        return bool(above <= row < self.ends[above])

    def find_at(self, row: int, path: Path) -> list[int]:
        """Finds the elements at a path below a row."""
        level = [row]
        for step in path:
            level = [child for each in level for child in self.list_cells(each) if self._fits(child, step, each)]
        return level

    def read_shape(self, row: int) -> Shape:
        """Reads the shape of an element. A cell counts with its place, which says in which column it is."""
        if row not in self._shapes:
            self._shapes[row] = frozenset(self._list_paths(row, SHAPE_DEPTH))
        return self._shapes[row]

    def read_text(self, row: int) -> str:
        """An element's cleaned text."""
        return self.table.read_text(row)

    def _fits(self, row: int, step: PathStep, above: int) -> bool:
        return self.read_tag(row) == step.tag and step.classes <= self.read_classes(row) and self._is_at(row, step.nth, above)

    def _is_at(self, row: int, place: int, above: int) -> bool:
        """Whether an element is at a place among its siblings of the same tag, or covers that column of a table's row. 0: any place."""
        columns = self._covered.get(above, {}).get(row)
        return not place or (place in columns if columns else self.nth[row] == place)

    def _list_paths(self, row: int, depth: int) -> Iterator[tuple[str, ...]]:
        for child in self.list_cells(row):
            name = self._name(child, row)
            yield (name,)
            if depth > 1:
                for path in self._list_paths(child, depth - 1):
                    yield (name, *path)

    def _name(self, row: int, above: int) -> str:
        tag = self.read_tag(row)
        if tag not in CELLS:
            return tag
        columns = self._covered.get(above, {}).get(row)
        if columns:
            return f"{tag}{columns.start}{'+' if len(columns) > 1 else ''}"
        return f"{tag}{self.nth[row]}{'+' if self.nodes[row].get('colspan') else ''}"


def _cover(grid: GridRow, cell: etree._Element) -> range:
    """The columns, from 1, that a cell covers."""
    columns = [column for column, each in grid.items() if each is cell]
    return range(columns[0] + 1, columns[-1] + 2)


def make_step(places: Sequence[tuple[RowTree, int]], *, with_classes: bool = True, with_place: bool = True) -> PathStep | None:
    """Makes the step that leads to all of some elements: their tag, the classes that all have, and their place if it is the same.

    Returns None if their tags differ. places: (tree, element).
    """
    tags = {tree.read_tag(node) for tree, node in places}
    if len(tags) > 1:
        return None
    numbers = {tree.read_place(node) for tree, node in places}
    classes = frozenset.intersection(*(tree.read_classes(node) for tree, node in places)) if with_classes else frozenset[str]()
    return PathStep(tags.pop(), classes, numbers.pop() if with_place and len(numbers) == 1 else 0)


def measure_likeness(one: Shape, other: Shape) -> float:
    """Return the share of paths that two shapes have in common (the Jaccard index)."""
    return len(one & other) / len(one | other) if one or other else 1.0
