"""A page as content lines and the tree around them (Zhao, Meng & Yu 2006, section 3).

The paper renders a page: content that appears side by side is a line, with a type code, a position and text attributes. Here nothing is
rendered. A line is the content between two breaks in the markup. Breaks are ``br``, ``hr``, and each start and end of a non-inline element.
The cells of a table's row are one line if none of them holds a break. The type code follows from the tags. Position and font are not known,
so the path of the first text replaces both: element names with the class names that pages share, and the column of a cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.alignment import class_names
from extraction.algorithms.alignment.mse.page import ContentLine, LineKind, LineNode, LinePage, PathNumbers
from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.nodes import Location, raw_text, value_text
from extraction.algorithms.dom.walk import OpenElement, walk_page

MAX_LINES = 12_000
"""The largest number of lines read of a page, from its beginning: 5,000 records of two lines, which take some seconds. The longest list of
the evaluation pages has 1,200. Beyond them, the page is said to be cut."""

MAX_ELEMENTS = 60_000
"""The largest number of elements read of a page. The largest of the evaluation pages has 11,000."""

MAX_LENGTH = 5_000
"""Longest text node, in characters, that is read."""

MAX_SPAN = 100
"""The largest number of columns or rows of a cell."""

INLINE = frozenset(
    """a abbr acronym b bdi bdo big button cite code data dfn em font i img input kbd label mark nobr q s samp select small span
    strike strong sub sup time tt u var wbr svg picture source""".split()  # noqa: SIM905
)
CELLS = frozenset(("td", "th"))
FORM = frozenset(("input", "select", "button", "textarea"))


def read_pages(roots: Sequence[etree._Element]) -> tuple[list[LinePage], PathNumbers]:
    """Return the lines and trees of pages of one template."""
    shared, paths = class_names.find_shared_names(roots), PathNumbers()
    return [_LineReader(shared, paths).page(root) for root in roots], paths


@dataclass(slots=True)
class _OpenNode:
    """The state of an element whose end has not been read yet.

    link, heading: whether it is in a link or in a heading.
    flat: whether it is a table row that is read as one line.
    column: for a row, the column of the previous cell.
    taken: for a row, the columns of cells that begin in a row above it.
    spans: for the element around rows, {column: the number of further rows that a cell extends into}.
    """

    number: int
    link: bool
    heading: bool
    flat: bool
    column: int = 0
    taken: frozenset[int] = frozenset()
    spans: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Growing:
    """A line that is being read."""

    values: list[Value] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    kinds: set[LineKind] = field(default_factory=set)
    first: int = -1
    path: int = -1

    def kind(self) -> LineKind:
        """Return the type code of the line."""
        if LineKind.HEADING in self.kinds:
            return LineKind.HEADING
        if {LineKind.LINK, LineKind.TEXT} <= self.kinds:
            return LineKind.LINK_TEXT
        return min(self.kinds)


class _LineReader:
    """Reads one page."""

    def __init__(self, shared: frozenset[str], paths: PathNumbers) -> None:
        self.shared, self.paths = shared, paths
        self.nodes: list[LineNode] = []
        self.lines: list[ContentLine] = []
        self.growing = _Growing()

    def page(self, root: etree._Element) -> LinePage:
        """Return the page's lines and tree."""
        broken = _broken(root)
        chain: list[_OpenNode] = []
        for kind, element, text in walk_page(root, hidden=raw_text(root), is_done=self._is_full):
            if kind == "start":
                chain.append(self._open(element, chain, broken))
            elif kind == "text":
                self._text(element, chain[-1], text)
            else:
                self._close(chain.pop(), chain[-1] if chain else None)
        while chain:
            self._close(chain.pop(), chain[-1] if chain else None)
        return LinePage(tuple(self.nodes), tuple(self.lines), self._is_full())

    def _is_full(self) -> bool:
        return len(self.lines) >= MAX_LINES or len(self.nodes) >= MAX_ELEMENTS

    def _open(self, element: OpenElement, chain: Sequence[_OpenNode], broken: set[etree._Element]) -> _OpenNode:
        above = chain[-1] if chain else None
        tag, number = element.tag, element.node
        step = class_names.name_step(element.element, self.shared)
        if above is not None and tag in CELLS:
            step = f"{step}[{_column(element.element, above, chain[-2] if len(chain) > 1 else above)}]"
        path = self.paths.number(self.nodes[above.number].path if above else -1, step)
        if tag not in INLINE and not (tag in CELLS and above is not None and above.flat):
            self._flush()
        if above is not None:
            self.nodes[above.number].children.append(number)
        self.nodes.append(LineNode(tag, step, path, above.number if above else -1, [], [number + 1, len(self.lines), 0]))
        opened = _OpenNode(
            number,
            (above is not None and above.link) or tag == "a",
            (above is not None and above.heading) or tag in ("h1", "h2", "h3", "h4", "h5", "h6"),
            tag == "tr" and element.element not in broken,
        )
        if tag == "tr" and above is not None:
            opened.taken = frozenset(above.spans)
            above.spans = {column: rows - 1 for column, rows in above.spans.items() if rows > 1}
        if tag in ("img", "hr") or tag in FORM:
            self._sign(LineKind.IMAGE if tag == "img" else LineKind.RULE if tag == "hr" else LineKind.FORM, number, path)
        return opened

    def _close(self, closed: _OpenNode, above: _OpenNode | None) -> None:
        node = self.nodes[closed.number]
        if node.tag not in INLINE and not (node.tag in CELLS and above is not None and above.flat):
            self._flush()
        node.bounds[0] = len(self.nodes)
        node.bounds[2] = len(self.lines) + bool(self.growing.kinds)

    def _text(self, element: OpenElement, owner: _OpenNode, text: str) -> None:
        cleaned = value_text(text, most=MAX_LENGTH)
        if not cleaned:
            return
        path = self.nodes[owner.number].path
        self._sign(LineKind.HEADING if owner.heading else LineKind.LINK if owner.link else LineKind.TEXT, owner.number, path)
        self.growing.values.append(Value(cleaned, Location(owner.number, "text", element.texts)))
        self.growing.paths.append(path)

    def _sign(self, kind: LineKind, number: int, path: int) -> None:
        if not self.growing.kinds:
            self.growing.first, self.growing.path = number, path
        self.growing.kinds.add(kind)

    def _flush(self) -> None:
        grown = self.growing
        if grown.kinds:
            self.lines.append(ContentLine(grown.kind(), grown.path, grown.first, tuple(grown.values), tuple(grown.paths)))
            self.growing = _Growing()


def _column(cell: etree._Element, row: _OpenNode, around: _OpenNode) -> int:
    """Return the column of the next cell of a row, skipping the columns of cells that reach into the row from above."""
    column = row.column + 1
    while column in row.taken:
        column += 1
    row.column = column + _span(cell, "colspan") - 1
    rows = _span(cell, "rowspan")
    around.spans |= {each: rows - 1 for each in range(column, row.column + 1) if rows > 1}
    return column


def _span(cell: etree._Element, name: str) -> int:
    text = (cell.get(name) or "").strip()
    return min(max(int(text), 1), MAX_SPAN) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _broken(root: etree._Element) -> set[etree._Element]:
    """Return the table rows that have a cell with a break in it."""
    found: set[etree._Element] = set()
    rows: list[etree._Element] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if element.tag == "tr" and event == "end":
            rows.pop()
        breaks = element in found if event == "end" else element.tag not in INLINE and element.tag not in CELLS
        if rows and breaks:
            found.add(rows[-1])
        if element.tag == "tr" and event == "start":
            rows.append(element)
    return found
