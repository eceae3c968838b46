"""Several pages' tables end to end, and the nodes on them that an attribute's value could be (ALGORITHMS 4, 4.1).

A *target* is what kind of node is sought: text nodes of a tag, elements of a tag, or one attribute of a tag. Its
*candidates* are all such nodes with a non-blank value on all pages, in page order.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.dom.nodes import Kind, Location, clean
from extraction.algorithms.learning.page_table import BLANK, Bools, Hashes, Ints, PageTable, hash_text

MAX_LEVEL = 12
"""Ancestors looked at one by one; further up only as "somewhere under"."""

_ELEMENT_ROWS = ("parent", "before", "after", "first", "end")
_TEXT_ROWS = ("owner", "left", "right")


MAX_COMPARED = 10_000
"""Most children of one element where siblings are compared: twice as many nodes, texts between them counted, are what
`rules.apply` lets a rule compare, for that costs their square."""

MAX_NAMED_BYTES = 32_000_000
"""Answers of `Corpus.named` kept, so that a corpus that is kept for long stays small beside the pages it is of."""


@dataclass(frozen=True, slots=True, eq=False)
class HeaderCells:
    """Cells of tables' first rows: keys (ascending) of table and place, and the rows of the cells. Made by `columns`."""

    keys: NDArray[np.int64]
    rows: Ints


class Corpus:
    """The tables as one. Rows are the tables' rows plus each page's offset. Used by one thread at a time."""

    def __init__(self, pages: Sequence[PageTable]) -> None:
        self.pages = pages
        self._named: dict[int, Bools] = {}
        self.stems: dict[int, str] = {}
        self._names: tuple[Hashes, Ints] | None = None
        self.header_cells: HeaderCells | None = None
        sizes = [len(page.nodes) + 1 for page in pages]
        counts = [len(page.strings) + 1 for page in pages]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        self.text_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self._starts: list[int] = self.offsets.tolist()
        self.rows: dict[str, Ints] = {name: self._joined(name, shift=True) for name in _ELEMENT_ROWS}
        self.numbers: dict[str, Hashes] = {
            name: self._joined(name) for name in ("tag", "whole", "shape", "text_before", "text_after", "heading")
        }
        self.places: dict[str, Ints] = {name: self._joined(name) for name in ("place", "nth", "nth_last")}
        self.text_rows: dict[str, Ints] = {name: self._joined(name, shift=True, texts=True) for name in _TEXT_ROWS}
        self.text_numbers: dict[str, Hashes] = {name: self._joined(name, texts=True) for name in ("text", "left_text", "text_shape")}
        self.text_places: dict[str, Ints] = {name: self._joined(name, texts=True) for name in ("text_nth", "text_last")}

    def _joined(self, name: str, *, shift: bool = False, texts: bool = False) -> np.ndarray:
        columns = [page.texts[name] if texts else page.elements[name] for page in self.pages]
        if shift:
            columns = [column + offset for column, offset in zip(columns, self.offsets, strict=False)]
        return np.concatenate(columns)

    def crowded(self, pages: Ints) -> bool:
        """Whether some element of one of the pages has more than MAX_COMPARED children."""
        most = (self.places["place"][self.offsets[page] : self.offsets[page + 1]].max() for page in np.unique(pages).tolist())
        return any(place > MAX_COMPARED for place in most)

    @property
    def size_bytes(self) -> int:
        """Memory beside that of the tables."""
        groups = (self.rows, self.numbers, self.places, self.text_rows, self.text_numbers, self.text_places)
        return sum(array.nbytes for group in groups for array in group.values()) + len(self._named) * int(self.offsets[-1])

    def page_of(self, row: int) -> int:
        """The page that an element's row is on."""
        return bisect_right(self._starts, row) - 1

    def location(self, target: "NodeTarget", row: int, text: int = 0) -> tuple[int, Location]:
        """(page, place) of a target's node given by its element's row and, where it is a text, its text's row."""
        page = self.page_of(row)
        nth = int(self.text_places["text_nth"][text]) if target.kind == "text" else 0
        return page, Location(row - int(self.offsets[page]), target.kind, nth, target.attribute)

    def element(self, row: int) -> etree._Element:
        """The element of a row."""
        page = self.page_of(row)
        return self.pages[page].nodes[row - int(self.offsets[page])]

    def named(self, name_key: int) -> Bools:
        """Which elements have a name, by `features.name_key`. The answer is shared: not to be changed."""
        if name_key not in self._named:
            if len(self._named) * int(self.offsets[-1]) > MAX_NAMED_BYTES:
                self._named.clear()
            mask = np.zeros(int(self.offsets[-1]), np.bool_)
            mask[self.rows_named(name_key)] = True
            self._named[name_key] = mask
        return self._named[name_key]

    def rows_named(self, name_key: int) -> Ints:
        """The rows of the elements that have a name, by `features.name_key`."""
        if self._names is None:
            names = np.concatenate([page.names for page in self.pages])
            owners = np.concatenate([page.name_owners + offset for page, offset in zip(self.pages, self.offsets, strict=False)])
            order = np.argsort(names, kind="stable")
            self._names = names[order], owners[order]
        names, owners = self._names
        wanted = np.uint64(name_key)
        rows: Ints = owners[np.searchsorted(names, wanted, "left") : np.searchsorted(names, wanted, "right")]
        return rows

    def under(self, above: Ints, rows: Ints) -> Bools:
        """Which of `rows` have a proper ancestor among the elements `above`, which ascend."""
        ends = np.maximum.accumulate(np.append(0, self.rows["end"][above]))
        inside: Bools = rows < ends[np.searchsorted(above, rows)]
        return inside


@dataclass(frozen=True, slots=True, order=True)
class NodeTarget:
    """What kind of node is sought: `kind` as in Location, the element's tag, the attribute's name."""

    kind: Kind
    tag: str
    attribute: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All nodes of a target with a value: the element's row, the text's row (0 where not of texts) and the page of each."""

    target: NodeTarget
    rows: Ints
    texts: Ints
    page: Ints

    def find(self, row: int, text: int = 0) -> int:
        """The place of a node among the candidates, -1 when it is none."""
        column, wanted = (self.texts, text) if self.target.kind == "text" else (self.rows, row)
        place = int(np.searchsorted(column, wanted))
        return place if place < len(column) and column[place] == wanted else -1


def find_candidates(corpus: Corpus, target: NodeTarget) -> Candidates:
    """The candidates of a target on all pages, in document order."""
    tag = np.uint64(hash_text(target.tag))
    texts = np.zeros(0, np.int32)
    if target.kind == "text":
        owners = corpus.text_rows["owner"]
        texts = np.flatnonzero((corpus.numbers["tag"][owners] == tag) & (corpus.text_numbers["text"] != BLANK)).astype(np.int32)
        rows = owners[texts]
    else:
        rows = np.flatnonzero(corpus.numbers["tag"] == tag).astype(np.int32)
        if target.kind == "element":
            rows = rows[corpus.numbers["whole"][rows] != BLANK]
        else:
            rows = rows[[bool(clean(corpus.element(int(row)).get(target.attribute) or "")) for row in rows]]
    page = (np.searchsorted(corpus.offsets, rows, side="right") - 1).astype(np.int32)
    return Candidates(target, rows, texts if target.kind == "text" else np.zeros(len(rows), np.int32), page)
