"""The tables of several pages joined end to end, and the nodes in them that could hold an attribute's value.

A *target* is the kind of node that is sought: the text nodes of a tag, the elements of a tag, or one attribute of a tag. Its
*candidates* are all such nodes with a value that is not blank, on all pages, in page order.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.dom.nodes import Kind, Location
from extraction.algorithms.learning.page_table import (
    BLANK,
    TOO_LONG,
    Bools,
    ElementColumns,
    Hashes,
    Ints,
    PageTable,
    TextColumns,
    hash_label,
    hash_name,
    hash_text,
    list_names,
    make_shape,
)

MAX_COMPARED = 10_000
"""The largest number of children of one element where siblings are compared. `rules.apply` lets a rule compare twice as many nodes, the
texts between them included, because the cost grows with their square."""

MAX_NAMED_BYTES = 32_000_000
"""Memory for the answers of `Corpus.find_named` that are kept. It keeps a long-lived corpus small beside its pages."""

Columns = TypeVar("Columns", ElementColumns, TextColumns)


@dataclass(frozen=True, slots=True, order=True)
class NodeTarget:
    """The kind of node that is sought: `kind` as in Location, the element's tag, the attribute's name."""

    kind: Kind
    tag: str
    attribute: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All nodes of a target with a value: the element's row, the text's row (0 for other kinds) and the page of each."""

    target: NodeTarget
    rows: Ints
    texts: Ints
    page: Ints

    def find(self, row: int, text: int = 0) -> int:
        """The index of a node among the candidates, -1 when it is not one of them."""
        column, wanted = (self.texts, text) if self.target.kind == "text" else (self.rows, row)
        place = int(np.searchsorted(column, wanted))
        return place if place < len(column) and column[place] == wanted else -1


@dataclass(frozen=True, slots=True, eq=False)
class HeaderCells:
    """Cells of tables' first rows: keys (ascending) of table and place, and the rows of the cells. Made by `columns`."""

    keys: NDArray[np.int64]
    rows: Ints


class Corpus:
    """Page tables as one. A row is the table's row plus the page's offset. Not safe for use by several threads at a time.

    elements, texts: the pages' columns end to end.
    offsets, text_offsets: the first row of each page, and the number of all rows.
    values: texts that are known to be values, so that they are no labels.
    label_stems: stems of labels by their hash, as `strong_features` finds them.
    short_texts: the different short texts of a target's candidates and which each has, as `text_forms` finds them.
    header_cells: made by `columns` when they are first asked for.
    label_places: whether labels stand at a kind of place, as `label_trust` finds it.
    """

    def __init__(self, pages: Sequence[PageTable]) -> None:
        self.pages = pages
        self.offsets = np.concatenate([[0], np.cumsum([len(page.nodes) + 1 for page in pages])]).astype(np.int32)
        self.text_offsets = np.concatenate([[0], np.cumsum([len(page.strings) + 1 for page in pages])]).astype(np.int32)
        self.elements = self._join(ElementColumns, [page.elements for page in pages])
        self.texts = self._join(TextColumns, [page.texts for page in pages])
        self.values: frozenset[str] = frozenset()
        self.label_stems: dict[int, str] = {}
        self.short_texts: dict[NodeTarget, tuple[list[str], NDArray[np.intp]]] = {}
        self.header_cells: HeaderCells | None = None
        self.label_places: dict[tuple[int, ...], bool] = {}
        self._starts: list[int] = self.offsets.tolist()
        self._named: dict[int, Bools] = {}
        self._addresses: dict[NodeTarget, list[str]] = {}
        self._names: tuple[Hashes, Ints] | None = None
        self._by_text: tuple[Hashes, Ints] | None = None
        self._pages_with: dict[int, Ints] = {}

    def _join(self, kind: type[Columns], parts: Sequence[Columns]) -> Columns:
        joined = {}
        for each in fields(kind):
            columns = [getattr(part, each.name) for part in parts]
            if each.metadata.get("element_row"):
                columns = [column + offset for column, offset in zip(columns, self.offsets, strict=False)]
            joined[each.name] = np.concatenate(columns)
        return kind(**joined)

    @property
    def size_bytes(self) -> int:
        """The memory used in addition to that of the tables."""
        columns = [getattr(group, each.name) for group in (self.elements, self.texts) for each in fields(group)]
        return sum(int(column.nbytes) for column in columns) + len(self._named) * int(self.offsets[-1])

    def page_of(self, row: int) -> int:
        """The page that an element's row is on."""
        return bisect_right(self._starts, row) - 1

    def is_crowded(self, pages: Ints) -> bool:
        """Whether some element of one of the pages has more than MAX_COMPARED children."""
        most = (self.elements.place[self.offsets[page] : self.offsets[page + 1]].max() for page in np.unique(pages).tolist())
        return any(place > MAX_COMPARED for place in most)

    def element(self, row: int) -> etree._Element:
        """The element of a row."""
        page = self.page_of(row)
        return self.pages[page].nodes[row - int(self.offsets[page])]

    def read_tag(self, row: int) -> str:
        """The tag of an element."""
        return str(self.element(row).tag)

    def read_text(self, row: int) -> str:
        """The cleaned text of an element with all its descendants', as the conditions of a rule see it."""
        page = self.page_of(row)
        return self.pages[page].read_text(row - int(self.offsets[page]))

    def read_whole(self, row: int) -> str:
        """The value of a whole element."""
        page = self.page_of(row)
        return self.pages[page].read_whole(row - int(self.offsets[page]))

    def read_names(self, row: int) -> list[tuple[str, str]]:
        """The (attribute, value) pairs that may name an element."""
        return list_names(self.element(row))

    def read_value(self, nodes: Candidates, place: int) -> str:
        """The cleaned value of a candidate."""
        if nodes.target.kind == "text":
            return self.read_text_node(int(nodes.page[place]), int(nodes.texts[place]))
        page, location = self.locate(nodes, place)
        return self.pages[page].read_value(location)

    def read_shape(self, nodes: Candidates, place: int) -> str:
        """The shape of a candidate's text."""
        return make_shape(self.read_condition_text(nodes, place))

    def read_condition_text(self, nodes: Candidates, place: int) -> str:
        """The cleaned text of a candidate as the conditions of a rule see it, which is not always its value."""
        return self.read_text(int(nodes.rows[place])) if nodes.target.kind == "element" else self.read_value(nodes, place)

    def read_location(self, page: int, location: Location) -> str:
        """The cleaned value at a place of a page, empty where there is none."""
        return self.pages[page].read_value(location)

    def find_raw_text_tags(self, page: int) -> frozenset[str]:
        """The tags of elements whose text is no running text on a page."""
        return self.pages[page].find_raw_text_tags()

    def read_text_node(self, page: int, text: int) -> str:
        """The cleaned text of a text node, by its row."""
        return self.pages[page].strings[text - int(self.text_offsets[page])]

    def locate(self, nodes: Candidates, place: int) -> tuple[int, Location]:
        """(page, location) of a candidate."""
        target, row = nodes.target, int(nodes.rows[place])
        page = self.page_of(row)
        nth = int(self.texts.nth[nodes.texts[place]]) if target.kind == "text" else 0
        return page, Location(row - int(self.offsets[page]), target.kind, nth, target.attribute)

    def read_addresses(self, nodes: Candidates) -> list[str]:
        """The addresses that the candidates' elements link to, empty where there is none."""
        if nodes.target not in self._addresses:
            bounds = np.searchsorted(nodes.rows, self.offsets)
            self._addresses[nodes.target] = [
                str(page.nodes[row].get("href") or "")
                for page, offset, begin, end in zip(self.pages, self.offsets, bounds, bounds[1:], strict=False)
                for row in (nodes.rows[begin:end] - offset).tolist()
            ]
        return self._addresses[nodes.target]

    def find_named(self, pair: tuple[str, str]) -> Bools:
        """A mask of the elements that have the given name, an (attribute, value) pair. The array is shared: do not change it."""
        name = hash_name(*pair)
        if name not in self._named:
            if len(self._named) * int(self.offsets[-1]) > MAX_NAMED_BYTES:
                self._named.clear()
            mask = np.zeros(int(self.offsets[-1]), np.bool_)
            mask[self._rows_named(name)] = True
            self._named[name] = mask
        return self._named[name]

    def list_named(self, pair: tuple[str, str], tag: str) -> Ints:
        """The rows of the elements with this tag that have the given name, an (attribute, value) pair."""
        rows = self._rows_named(hash_name(*pair))
        named: Ints = rows[self.elements.tag[rows] == np.uint64(hash_text(tag))]
        return named

    def _rows_named(self, name: int) -> Ints:
        if self._names is None:
            names = np.concatenate([page.names for page in self.pages])
            owners = np.concatenate([page.name_owners + offset for page, offset in zip(self.pages, self.offsets, strict=False)])
            order = np.argsort(names, kind="stable")
            self._names = names[order], owners[order]
        names, owners = self._names
        wanted = np.uint64(name)
        rows: Ints = owners[np.searchsorted(names, wanted, "left") : np.searchsorted(names, wanted, "right")]
        return rows

    def find_pages_named(self, pair: tuple[str, str]) -> Ints:
        """The pages on which some element has the given name, an (attribute, value) pair."""
        return np.unique(self.find_pages(self._rows_named(hash_name(*pair))))

    def find_pages_with(self, text: str) -> Ints:
        """The pages on which this is the whole text of some element or text node. The text is no longer than a label."""
        if self._by_text is None:
            whole, own, owner = self.elements.whole, self.texts.text, self.texts.owner
            rows = np.flatnonzero((whole > TOO_LONG) & (whole != whole[self.elements.parent])).astype(np.int32)
            mixed = np.flatnonzero(own != whole[owner])  # other texts are those of their elements
            hashes = np.concatenate([whole[rows], own[mixed]])
            pages = np.concatenate([self.find_pages(rows), self.find_pages(owner[mixed])])
            order = np.argsort(hashes)
            self._by_text = hashes[order], pages[order]
        hashes, pages = self._by_text
        number = hash_label(text)
        if number not in self._pages_with:
            wanted = np.uint64(number)
            found = pages[np.searchsorted(hashes, wanted, "left") : np.searchsorted(hashes, wanted, "right")]
            self._pages_with[number] = np.unique(found)
        return self._pages_with[number]

    def find_under(self, above: Ints, rows: Ints) -> Bools:
        """A mask of the `rows` that have a proper ancestor among the elements `above`, which are in ascending order."""
        ends = np.maximum.accumulate(np.append(0, self.elements.end[above]))
        inside: Bools = rows < ends[np.searchsorted(above, rows)]
        return inside

    def find_elements(self, tag: str) -> Candidates:
        """All elements of a tag as candidates, blank ones included."""
        rows = np.flatnonzero(self.elements.tag == np.uint64(hash_text(tag))).astype(np.int32)
        return Candidates(NodeTarget("element", tag), rows, np.zeros(len(rows), np.int32), self.find_pages(rows))

    def find_candidates(self, target: NodeTarget) -> Candidates:
        """The candidates of a target on all pages, in document order."""
        if target.kind == "text":
            tags, owners = self.elements.tag, self.texts.owner
            texts = np.flatnonzero((tags[owners] == np.uint64(hash_text(target.tag))) & (self.texts.text != BLANK)).astype(np.int32)
            return Candidates(target, owners[texts], texts, self.find_pages(owners[texts]))
        rows = self.find_elements(target.tag).rows
        if target.kind == "element":
            rows = rows[self.elements.whole[rows] != BLANK]
        else:
            rows = rows[[bool((self.element(int(row)).get(target.attribute) or "").strip()) for row in rows]]
        return Candidates(target, rows, np.zeros(len(rows), np.int32), self.find_pages(rows))

    def find_equal(self, nodes: Candidates, page: int, text: str) -> Bools:
        """The candidates on a page whose value equals `text`; none for attributes, or when the text is too long to be compared."""
        if nodes.target.kind == "attribute":
            return np.zeros(len(nodes.rows), np.bool_)
        is_text = nodes.target.kind == "text"
        column = self.texts.text[nodes.texts] if is_text else self.elements.whole[nodes.rows]
        wanted = hash_text(text) if is_text else hash_label(text)
        equal: Bools = (nodes.page == page) & (column == np.uint64(wanted))
        return equal if wanted > TOO_LONG else np.zeros(len(nodes.rows), np.bool_)

    def list_equal_texts(self, page: int, text: str) -> Ints:
        """The rows, numbered within the page, of the text nodes with exactly this text."""
        return np.flatnonzero(self.pages[page].texts.text == np.uint64(hash_text(text))).astype(np.int32)

    def list_equal_elements(self, page: int, text: str) -> Ints:
        """The rows, numbered within the page, of the elements with exactly this text; none for a text too long for a label."""
        wanted = hash_label(text)
        equal = self.pages[page].elements.whole == np.uint64(wanted)
        return np.flatnonzero(equal & (wanted > TOO_LONG)).astype(np.int32)

    def find_pages(self, rows: Ints) -> Ints:
        """The page that each element's row is on."""
        return (np.searchsorted(self.offsets, rows, side="right") - 1).astype(np.int32)
