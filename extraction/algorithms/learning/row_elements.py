"""Which elements of an annotated page are rows, judged from a few that were marked (ALGORITHMS 4, repeating records).

An editor marks values of two rows and nothing else, so there are no counter-examples. What the marks do say: each row is
within an element that holds no other row's marks (`Level`); its fields stand at the same steps below it (`Path`). From
that follow the elements that are rows like them (`Judged.likes`), those that are not (everything else of the tag) and
those of which nothing is known (`Judged.unsure`), which is what a search for the rows' XPath needs.

Where no element holds one row alone, the rows are siblings in one element, and a row is the first of them (`grouped`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.algorithms.dom.nodes import Location, clean, whole_text
from extraction.algorithms.learning.page_table import HEADINGS, PageTable, list_names

MAX_HEADERS = 2
"""Most rows like the marked ones, before the first of them, that are taken for headers: an editor begins with the first row."""

ENOUGH_LIKE = 0.5
"""Share of the fields, and of the shape, that an element must have to be a row."""

_DEPTH = 3
"""Levels below an element that are its shape."""


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One marked row. page: its number; fields: {name: places}, () where the row has no such value."""

    page: int
    fields: Mapping[str, tuple[Location, ...]]

    def nodes(self) -> list[int]:
        return sorted({place.node for places in self.fields.values() for place in places})


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step down: the element's tag, the classes it must have, its place among siblings of its tag (0: any)."""

    tag: str
    classes: frozenset[str]
    nth: int


Path = tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class RowLevel:
    """One answer to where the rows are. rows: the elements of the marked rows, in their order; paths: of fields below them."""

    rows: tuple[int, ...]
    paths: Mapping[str, Path]
    grouped: bool = False


@dataclass(slots=True)
class JudgedRows:
    """Elements of the annotated pages, by page: rows like the marked ones (these included), and those not judged."""

    likes: dict[int, list[int]] = field(default_factory=dict)
    unsure: dict[int, list[int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(map(len, self.likes.values()))


class IndexedTree:
    """A page's tree by row numbers, as Python values."""

    def __init__(self, table: PageTable) -> None:
        self.table, self.nodes = table, table.nodes
        self.parents = table.elements["parent"].tolist()
        self.ends = table.elements["end"].tolist()
        self.first, self.after = table.elements["first"].tolist(), table.elements["after"].tolist()
        self.nth = table.elements["nth"].tolist()
        self.none = len(self.nodes)
        self._shapes: dict[int, frozenset[tuple[str, ...]]] = {}

    def tag(self, row: int) -> str:
        return str(self.nodes[row].tag)

    def classes(self, row: int) -> frozenset[str]:
        return frozenset((self.nodes[row].get("class") or "").split())

    def children(self, row: int) -> Iterator[int]:
        child = self.first[row]
        while child != self.none:
            yield child
            child = self.after[child]

    def chain(self, row: int, top: int) -> list[int]:
        """The elements from below `top` down to `row`."""
        found = []
        while row not in (top, self.none):
            found.append(row)
            row = self.parents[row]
        return found[::-1]

    def common(self, rows: Sequence[int]) -> int:
        """The lowest element that holds all of them."""
        low, high = min(rows), max(rows)
        while self.ends[low] <= high:
            low = self.parents[low]
        return low

    def holds(self, above: int, row: int) -> bool:
        return bool(above <= row < self.ends[above])

    def find(self, row: int, path: Path) -> list[int]:
        """Elements at a path below a row."""
        level = [row]
        for step in path:
            level = [child for each in level for child in self.children(each) if self._fits(child, step)]
        return level

    def _fits(self, row: int, step: PathStep) -> bool:
        return self.tag(row) == step.tag and (not step.nth or self.nth[row] == step.nth) and step.classes <= self.classes(row)

    def shape(self, row: int) -> frozenset[tuple[str, ...]]:
        """The paths below an element as tags; cells by their places, since a column is one by its place."""
        if row not in self._shapes:
            self._shapes[row] = frozenset(self._paths(row, _DEPTH))
        return self._shapes[row]

    def _paths(self, row: int, depth: int) -> Iterator[tuple[str, ...]]:
        for child in self.children(row):
            name = self._word(child)
            yield (name,)
            if depth > 1:
                for path in self._paths(child, depth - 1):
                    yield (name, *path)

    def _word(self, row: int) -> str:
        tag = self.tag(row)
        if tag not in ("td", "th"):
            return tag
        return f"{tag}{self.nth[row]}{'+' if self.nodes[row].get('colspan') else ''}"

    def text(self, row: int) -> str:
        return clean(whole_text(self.nodes[row]))


def measure_likeness(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Share of paths that two shapes have in common."""
    return len(one & other) / len(one | other) if one or other else 1.0


def find_row_levels(views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow]) -> list[RowLevel]:
    """Where the rows may be, highest first; one level of siblings where no element holds a single row."""
    tops = {page: _top(views[page], [row for row in rows if row.page == page]) for page in dict.fromkeys(row.page for row in rows)}
    lows = [views[row.page].common(row.nodes()) for row in rows]
    if any(low == tops[row.page] or _holds_other(views, rows, n, low) for n, (row, low) in enumerate(zip(rows, lows, strict=True))):
        starts = _starts(views, rows, tops)
        return [RowLevel(starts, _paths(views, rows, starts), grouped=True)] if starts else []
    chains = [views[row.page].chain(low, tops[row.page]) for row, low in zip(rows, lows, strict=True)]
    found = []
    for place in range(len(chains[0])):
        elements = _aligned(views, rows, chains, place)
        apart = elements and len({(row.page, element) for row, element in zip(rows, elements, strict=True)}) == len(rows)
        if elements and apart and len({views[row.page].tag(element) for row, element in zip(rows, elements, strict=True)}) == 1:
            found.append(RowLevel(elements, _paths(views, rows, elements)))
    return found


def _top(view: IndexedTree, rows: Sequence[MarkedRow]) -> int:
    """The lowest element above all marked rows of a page; of a single row that has none, the page's root."""
    return view.common([node for row in rows for node in row.nodes()]) if len(rows) > 1 else 0


def _holds_other(views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow], number: int, low: int) -> bool:
    view = views[rows[number].page]
    others = (node for n, row in enumerate(rows) if n != number and row.page == rows[number].page for node in row.nodes())
    return any(view.holds(low, node) for node in others)


def _aligned(
    views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow], chains: Sequence[list[int]], place: int
) -> tuple[int, ...] | None:
    """The rows' elements when the first one's is at `place` of its chain: as far above a field that all rows have, or as deep."""
    first = chains[0][place]
    for name in _core(rows):
        nodes = [row.fields[name][0].node for row in rows]
        distance = len(views[rows[0].page].chain(nodes[0], first))
        found = []
        for row, node, chain in zip(rows, nodes, chains, strict=True):
            above = views[row.page].chain(node, -1)
            element = above[-1 - distance] if distance < len(above) else -1
            found.append(element if element in chain else -1)
        if -1 not in found:
            return tuple(found)
    deep = [chain[place] if place < len(chain) else -1 for chain in chains]
    return tuple(deep) if -1 not in deep else None


def _starts(views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow], tops: Mapping[int, int]) -> tuple[int, ...]:
    """The child of the common element that begins each row: the first with a value that all rows have; () if there is none."""
    best: list[list[int]] = []
    for name in _core(rows):
        children = []
        for row in rows:
            chain = views[row.page].chain(row.fields[name][0].node, tops[row.page])
            children.append(chain[0] if chain else -1)
        if -1 not in children and len({views[row.page].tag(child) for row, child in zip(rows, children, strict=True)}) == 1:
            best.append(children)
    return tuple(min(best)) if best else ()


def _core(rows: Sequence[MarkedRow]) -> list[str]:
    """The fields that every marked row has a value of."""
    return [name for name in rows[0].fields if all(row.fields.get(name) for row in rows)]


def _paths(views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow], elements: Sequence[int]) -> dict[str, Path]:
    """The paths to the fields that all rows have, where they have the same tags; positions only where needed to tell values apart."""
    found = {}
    for name in _core(rows):
        chains = []
        for row, element in zip(rows, elements, strict=True):
            node = row.fields[name][0].node
            if views[row.page].holds(element, node):
                chains.append(views[row.page].chain(node, element))
        if len(chains) < len(rows) or len({len(chain) for chain in chains}) > 1:
            continue
        path = _path(views, rows, chains)
        if path is None:
            continue
        several = any(len(row.fields[name]) > 1 for row in rows)
        alone = all(len(views[row.page].find(element, path)) == 1 for row, element in zip(rows, elements, strict=True))
        found[name] = path if alone or several else _path(views, rows, chains, nth=True) or path
    return found


def _path(views: Mapping[int, IndexedTree], rows: Sequence[MarkedRow], chains: Sequence[list[int]], *, nth: bool = False) -> Path | None:
    steps = []
    for level in zip(*chains, strict=True):
        places = [(views[row.page], node) for row, node in zip(rows, level, strict=True)]
        tags = {view.tag(node) for view, node in places}
        if len(tags) > 1:
            return None
        numbers = {view.nth[node] for view, node in places}
        classes = frozenset.intersection(*(view.classes(node) for view, node in places))
        steps.append(PathStep(tags.pop(), classes, numbers.pop() if nth and len(numbers) == 1 else 0))
    return tuple(steps)


def judge_rows(
    views: Mapping[int, IndexedTree],
    rows: Sequence[MarkedRow],
    level: RowLevel,
    *,
    refused: Mapping[int, Sequence[int]] | None = None,
    whole: Collection[int] = (),
) -> JudgedRows:
    """Which elements of the annotated pages are rows like the marked ones.

    refused: elements by page that are in no row. Where they are given, what comes before the first marked row is no header for that alone.
    whole: pages of which all rows are marked, so that nothing else there is one.
    """
    judged = JudgedRows()
    for page in dict.fromkeys(row.page for row in rows):
        mine = [element for row, element in zip(rows, level.rows, strict=True) if row.page == page]
        marked = [row for row in rows if row.page == page]
        if page in whole:
            judged.likes[page], judged.unsure[page] = sorted(mine), []
            continue
        view = views[page]
        likes, unsure = _judge_page(view, level, mine, _scope(view, mine))
        inside = _inside_marked(view, marked, mine) if level.grouped else set[int]()
        if inside & set(likes):
            likes = _every_other(view, likes, mine)
        likes = sorted((set(likes) - inside) | set(mine))
        headers = _headers(view, level, likes, mine) if refused is None else set[int]()
        no_rows = {row for node in (refused or {}).get(page, ()) for row in (*likes, *unsure) if view.holds(row, node)} - set(mine)
        judged.likes[page] = [row for row in likes if row not in headers | no_rows]
        judged.unsure[page] = [row for row in unsure if row not in inside | no_rows]
    return judged


def _scope(view: IndexedTree, mine: Sequence[int]) -> list[int]:
    """Elements of the rows' tag where rows of the same list can be."""
    tag, parents = view.tag(mine[0]), {view.parents[row] for row in mine}
    if len(parents) == 1:
        return [child for holder in _containers(view, parents.pop()) for child in view.children(holder) if view.tag(child) == tag]
    top = view.common(list(mine))
    chains = [view.chain(row, top) for row in mine]
    if len({tuple(view.tag(row) for row in chain) for chain in chains}) > 1:
        return list(mine)
    found = [top]
    for depth, level in enumerate(zip(*chains, strict=True)):
        numbers = {view.nth[row] for row in level}
        classes = frozenset.intersection(*(view.classes(row) for row in level)) if depth < len(chains[0]) - 1 else frozenset()
        step = PathStep(view.tag(level[0]), classes, numbers.pop() if len(numbers) == 1 else 0)
        found = [child for each in found for child in view.find(each, (step,))]
    return found


def _containers(view: IndexedTree, holder: int) -> list[int]:
    """The element that holds the marked rows and the neighbours that look the same: rows of a grid, parts of a table.

    A heading between them, or a name of their own, makes them lists of their own.
    """
    siblings = list(view.children(view.parents[holder])) if view.parents[holder] != view.none else [holder]
    at = siblings.index(holder)
    after = _run(view, holder, siblings[at + 1 :])
    before = _run(view, holder, siblings[:at][::-1])
    return [*before[::-1], holder, *after]


def _run(view: IndexedTree, holder: int, siblings: Sequence[int]) -> list[int]:
    found = []
    for row in siblings:
        if view.tag(row) in HEADINGS or view.tag(row) == "caption":
            break
        if view.tag(row) == view.tag(holder):
            if _looks(view, row) != _looks(view, holder):
                break
            found.append(row)
    return found


def _looks(view: IndexedTree, row: int) -> list[tuple[str, str]]:
    """An element's names, digits left out: ``row-1`` and ``row-2`` are the same."""
    named = {(name, "".join(c for c in value if not c.isdigit())) for name, value in list_names(view.nodes[row])}
    return sorted(named - {("class", word) for word in ("odd", "even", "first", "last", "alt")})


def _judge_page(view: IndexedTree, level: RowLevel, mine: Sequence[int], scope: Sequence[int]) -> tuple[list[int], list[int]]:
    shapes = [view.shape(row) for row in mine]
    own = min((measure_likeness(one, other) for one in shapes for other in shapes), default=1.0)
    classes = frozenset.intersection(*(view.classes(row) for row in mine))
    likes, unsure = [], []
    for row in scope:
        there = measure_coverage(view, level, row)
        alike = max(measure_likeness(view.shape(row), shape) for shape in shapes) if not level.grouped else 1.0
        named = not classes or bool(classes & view.classes(row))
        if (there == 1 and alike >= ENOUGH_LIKE * own) or (named and there >= ENOUGH_LIKE and alike >= ENOUGH_LIKE * ENOUGH_LIKE * own):
            likes.append(row)
        elif there and alike and (named or there == 1):
            unsure.append(row)
    return likes, unsure


def measure_coverage(view: IndexedTree, level: RowLevel, row: int) -> float:
    """Share of the paths that lead to just one element below a row, or to some where a field has several."""
    return sum(bool(view.find(row, path)) for path in level.paths.values()) / len(level.paths) if level.paths else 1.0


def _inside_marked(view: IndexedTree, marked: Sequence[MarkedRow], mine: Sequence[int]) -> set[int]:
    """Siblings that belong to a marked row and do not begin it."""
    found = set[int]()
    parent = view.parents[mine[0]]
    for row, start in zip(marked, mine, strict=True):
        last = max(row.nodes())
        found |= {child for child in view.children(parent) if start < child <= last}
    return found - set(mine)


def _every_other(view: IndexedTree, likes: Sequence[int], mine: Sequence[int]) -> list[int]:
    """Of siblings that all look like the beginning of a row, those as far apart as the marked ones."""
    numbers = sorted(view.nth[row] for row in mine)
    turn = min((b - a for a, b in pairwise(numbers)), default=1)
    return [row for row in likes if (view.nth[row] - numbers[0]) % turn == 0]


def _headers(view: IndexedTree, level: RowLevel, likes: Sequence[int], mine: Sequence[int]) -> set[int]:
    """Rows like the marked ones that are headers: the one or two before the first marked one, and what repeats their texts."""
    first = likes.index(min(mine))
    adjacent = len(mine) > 1 and likes.index(sorted(mine)[1]) == first + 1
    if level.grouped or not adjacent or not 0 < first <= MAX_HEADERS:
        return set()
    texts = {view.text(row) for row in likes[:first]}
    return {row for row in likes if row not in mine and view.text(row) in texts}
