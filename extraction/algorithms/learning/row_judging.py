"""Judges which elements of the annotated pages are rows, from the few that an editor marked (docs/algorithms.md#rule-learning).

An editor marks some rows and says nothing about the other elements. So each element with the tag of the rows is compared with the marked
rows. It is a row like them (`JudgedRows.likes`), it may be one (`JudgedRows.unsure`), or it is not a row. The search for the rows' XPath
needs to know all three.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.algorithms.learning.page_table import HEADINGS, list_names
from extraction.algorithms.learning.row_levels import MarkedRow, RowLevel
from extraction.algorithms.learning.row_marks import RowMark, find_telling_marks, list_marks
from extraction.algorithms.learning.row_tree import RowTree, make_step, measure_likeness

MAX_HEADERS = 2
"""Up to so many rows before the first marked one are taken for headers, because an editor begins with the first row."""

MIN_COVERAGE = 0.5
"""An element must have at least this share of the fields to be a row."""

MIN_LIKENESS = 0.5
"""An element with all fields is a row if it is at least this share as much like the marked rows as they are like each other."""

MIN_NAMED_LIKENESS = MIN_LIKENESS * MIN_COVERAGE
"""The same for an element with the rows' class and only some of the fields. Its shape lacks what the missing fields would add."""

SEPARATORS = frozenset((*HEADINGS, "caption"))
"""Tags that part one list from the next."""

ALTERNATING = frozenset(("odd", "even", "first", "last", "alt"))
"""Classes that alternate among the rows of one list."""


@dataclass(slots=True)
class JudgedRows:
    """Elements of the annotated pages, by page.

    likes: rows like the marked ones, these included.
    unsure: those not judged.
    refused: those like the marked ones that were said to be no rows, and others that have what only these have.
    strange: what only refused elements have.
    """

    likes: dict[int, list[int]] = field(default_factory=dict)
    unsure: dict[int, list[int]] = field(default_factory=dict)
    refused: dict[int, list[int]] = field(default_factory=dict)
    strange: list[RowMark] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.likes.values()))


def judge_rows(
    trees: Mapping[int, RowTree],
    rows: Sequence[MarkedRow],
    level: RowLevel,
    *,
    refused: Mapping[int, Sequence[int]] | None = None,
    whole: Collection[int] = (),
) -> JudgedRows:
    """Judges the elements of the annotated pages.

    refused: {page: elements that are not part of any row}. If it is given, an element before the first marked row may be a row, too.
    whole: the pages on which every row is marked, so that no other element there is a row.
    """
    judged = JudgedRows()
    for page in dict.fromkeys(row.page for row in rows):
        mine = [element for row, element in zip(rows, level.rows, strict=True) if row.page == page]
        marked = [row for row in rows if row.page == page]
        likes, unsure = _judge_page(trees[page], level, marked, mine, refused=refused)
        if page in whole:
            judged.likes[page], judged.unsure[page] = sorted(mine), []
            judged.refused[page] = [row for row in likes if row not in mine]
            continue
        no_rows = {row for node in (refused or {}).get(page, ()) for row in (*likes, *unsure) if trees[page].holds(row, node)} - set(mine)
        judged.likes[page] = [row for row in likes if row not in no_rows]
        judged.unsure[page] = [row for row in unsure if row not in no_rows]
        judged.refused[page] = sorted(no_rows)
    _refuse_alike(trees, judged, level, rows)
    return judged


def _refuse_alike(trees: Mapping[int, RowTree], judged: JudgedRows, level: RowLevel, rows: Sequence[MarkedRow]) -> None:
    """Refuses elements like the rows that have what only refused ones have."""
    if not any(judged.refused.values()):
        return
    marked: dict[int, list[int]] = {}
    for row, element in zip(rows, level.rows, strict=True):
        marked.setdefault(row.page, []).append(element)
    judged.strange = find_telling_marks(trees, marked, judged.refused, judged.likes)
    for page, tree in ((page, trees[page]) for page in judged.likes):
        more = {row for row in (*judged.likes[page], *judged.unsure[page]) if not list_marks(tree, row).isdisjoint(judged.strange)}
        more -= set(marked[page])
        judged.likes[page] = [row for row in judged.likes[page] if row not in more]
        judged.unsure[page] = [row for row in judged.unsure[page] if row not in more]
        judged.refused[page] = sorted({*judged.refused[page], *more})


def _judge_page(
    tree: RowTree, level: RowLevel, marked: Sequence[MarkedRow], mine: Sequence[int], *, refused: Mapping[int, Sequence[int]] | None
) -> tuple[list[int], list[int]]:
    """Return (rows like the marked ones, elements that may be rows) of a page, before any is refused."""
    likes, unsure = _compare(tree, level, mine, _find_scope(tree, mine))
    inside = _find_inside(tree, marked, mine) if level.grouped else set[int]()
    if inside & set(likes):
        likes = _keep_turn(tree, likes, mine)
    likes = sorted((set(likes) - inside) | set(mine))
    headers = _find_headers(tree, level, likes, mine) if refused is None else set[int]()
    return [row for row in likes if row not in headers], [row for row in unsure if row not in inside]


def _compare(tree: RowTree, level: RowLevel, mine: Sequence[int], scope: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return (the elements that are like the marked rows, those that may be), judged by their fields, their shapes and their classes."""
    shapes = [tree.read_shape(row) for row in mine]
    own = min((measure_likeness(one, other) for one in shapes for other in shapes), default=1.0)
    classes = frozenset.intersection(*(tree.read_classes(row) for row in mine))
    likes, unsure = [], []
    for row in scope:
        covered = level.measure_coverage(tree, row)
        alike = max(measure_likeness(tree.read_shape(row), shape) for shape in shapes) if not level.grouped else 1.0
        named = not classes or bool(classes & tree.read_classes(row))
        complete = covered == 1 and alike >= MIN_LIKENESS * own
        if complete or (named and covered >= MIN_COVERAGE and alike >= MIN_NAMED_LIKENESS * own):
            likes.append(row)
        elif covered and alike and (named or covered == 1):
            unsure.append(row)
    return likes, unsure


def _find_scope(tree: RowTree, mine: Sequence[int]) -> list[int]:
    """Lists the elements with the rows' tag at places where rows of the same list can be."""
    tag, parents = tree.read_tag(mine[0]), {tree.parents[row] for row in mine}
    if len(parents) == 1:
        return [
            child for holder in _find_containers(tree, parents.pop()) for child in tree.list_children(holder) if tree.read_tag(child) == tag
        ]
    top = tree.find_common(list(mine))
    chains = [tree.list_chain(row, top) for row in mine]
    if len({tuple(tree.read_tag(row) for row in chain) for chain in chains}) > 1:
        return [row for row in range(top + 1, tree.ends[top]) if tree.read_tag(row) == tag]
    found = [top]
    for depth, level in enumerate(zip(*chains, strict=True)):
        last = depth == len(chains[0]) - 1
        # The first row of one box and the first of the next have the same place, but it is not why they are rows.
        step = make_step([(tree, row) for row in level], with_classes=not last, with_place=not last)
        found = [child for each in found for child in tree.find_at(each, (step,) if step else ())]
    return found


def _find_containers(tree: RowTree, holder: int) -> list[int]:
    """Lists the element that holds the marked rows, and its siblings that look the same, such as the parts of a table.

    A sibling after a heading, or with another name, is a list of its own.
    """
    siblings = list(tree.list_children(tree.parents[holder])) if tree.parents[holder] != tree.none else [holder]
    at = siblings.index(holder)
    after = _find_run(tree, holder, siblings[at + 1 :])
    before = _find_run(tree, holder, siblings[:at][::-1])
    return [*before[::-1], holder, *after]


def _find_run(tree: RowTree, holder: int, siblings: Sequence[int]) -> list[int]:
    """Lists the siblings that look like `holder`, up to the first one that ends the list."""
    found = []
    for row in siblings:
        if tree.read_tag(row) in SEPARATORS:
            break
        if tree.read_tag(row) == tree.read_tag(holder):
            if _read_looks(tree, row) != _read_looks(tree, holder):
                break
            found.append(row)
    return found


def _read_looks(tree: RowTree, row: int) -> list[tuple[str, str]]:
    """Reads an element's names without their digits, so that ``row-1`` and ``row-2`` are the same."""
    named = {(name, "".join(c for c in value if not c.isdigit())) for name, value in list_names(tree.nodes[row])}
    return sorted(named - {("class", word) for word in ALTERNATING})


def _find_inside(tree: RowTree, marked: Sequence[MarkedRow], mine: Sequence[int]) -> set[int]:
    """Finds the siblings that belong to a marked row but do not begin it."""
    found = set[int]()
    parent = tree.parents[mine[0]]
    for row, start in zip(marked, mine, strict=True):
        last = max(row.list_nodes())
        found |= {child for child in tree.list_children(parent) if start < child <= last}
    return found - set(mine)


def _keep_turn(tree: RowTree, likes: Sequence[int], mine: Sequence[int]) -> list[int]:
    """Of siblings that all look like the beginning of a row, keeps those that are as far apart as the marked ones."""
    numbers = sorted(tree.nth[row] for row in mine)
    turn = min((b - a for a, b in pairwise(numbers)), default=1)
    return [row for row in likes if not turn or (tree.nth[row] - numbers[0]) % turn == 0]


def _find_headers(tree: RowTree, level: RowLevel, likes: Sequence[int], mine: Sequence[int]) -> set[int]:
    """Finds rows that are headers: the few before the first marked row, and later ones with the same texts."""
    first = likes.index(min(mine))
    adjacent = len(mine) > 1 and likes.index(sorted(mine)[1]) == first + 1
    if level.grouped or not adjacent or not 0 < first <= MAX_HEADERS:
        return set()
    texts = {tree.read_text(row) for row in likes[:first]}
    return {row for row in likes if row not in mine and tree.read_text(row) in texts}
