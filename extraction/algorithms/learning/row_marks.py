"""Marks of elements that look like rows but are none: a name, a text or an element that only they have.

Adverts between the rows of a list often have the rows' form. An editor refuses one. What it has, but no marked row has, shows which
other elements are adverts, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.xpath import name_test, same_text, step
from extraction.algorithms.learning.page_table import list_names
from extraction.algorithms.learning.row_tree import RowTree

MAX_INSIDE = 200
"""The largest number of elements of a row that are looked at."""

MAX_TEXT = 30
"""Longest text, in characters, that can be the word for an advert."""

MAX_MARKS = 5
"""The largest number of conditions by which a rule leaves out such elements."""


@dataclass(frozen=True, slots=True, order=True)
class RowMark:
    """Something in an element.

    rank: 0 for a name, 1 for a text, 2 for an element alone; a smaller one says more.
    tag: of the element that has it.
    name, value: the attribute and its value, or "" and the text, or "" twice.
    """

    rank: int
    tag: str
    name: str = ""
    value: str = ""

    @property
    def test(self) -> str:
        """The XPath condition that neither an element nor anything in it has the mark."""
        inside = f"descendant-or-self::{step(self.tag)}"
        if self.rank == 0:
            return f"not({inside}[{name_test(self.name, self.value)}])"
        return f"not({inside}[{same_text('.', self.value)}])" if self.rank == 1 else f"not({inside})"

    @property
    def words(self) -> str:
        """The condition for people."""
        has = f" with {self.name} “{self.value}”" if self.rank == 0 else f" with the text “{self.value}”" if self.rank == 1 else ""
        return f"no <{self.tag}>{has}"


def list_marks(tree: RowTree, row: int) -> set[RowMark]:
    """The marks of an element and of all elements in it."""
    inside = range(row, tree.ends[row])
    if len(inside) > MAX_INSIDE:
        return set()
    marks = {RowMark(0, tree.read_tag(each), *pair) for each in inside for pair in list_names(tree.nodes[each])}
    for each in inside[1:]:
        marks.add(RowMark(2, tree.read_tag(each)))
        text = tree.read_text(each)
        if 0 < len(text) <= MAX_TEXT:
            marks.add(RowMark(1, tree.read_tag(each), "", text))
    return marks


def find_telling_marks(
    trees: Mapping[int, RowTree],
    marked: Mapping[int, Sequence[int]],
    refused: Mapping[int, Sequence[int]],
    likes: Mapping[int, Sequence[int]],
) -> list[RowMark]:
    """The marks of refused elements that no marked row has. Of several kinds, the one that says most.

    A text counts only if another element of the list has it, too: else it is the content of this one. A name with a digit counts likewise.

    marked, refused, likes: elements by page; `likes` are those that look like rows.
    """
    owned = {mark for page, rows in marked.items() for row in rows for mark in list_marks(trees[page], row)}
    seen: dict[RowMark, int] = {}
    for page in likes:
        for row in {*likes[page], *refused.get(page, ())}:
            for mark in list_marks(trees[page], row) - owned:
                seen[mark] = seen.get(mark, 0) + 1
    strange = {mark for page, rows in refused.items() for row in rows for mark in list_marks(trees[page], row) - owned}
    certain = {mark for mark in strange if seen.get(mark, 0) > 1 or mark.rank == 2 or (mark.rank == 0 and not _has_digit(mark.value))}
    if not certain:
        return []
    best = min(mark.rank for mark in certain)
    return sorted((mark for mark in certain if mark.rank == best), key=lambda mark: (-seen.get(mark, 0), mark))[:MAX_MARKS]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
