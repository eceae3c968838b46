"""The fields of a list whose rows are rows of a table with spans (docs/algorithms.md#rule-learning).

There the n-th cell of a row is not the n-th column: a group's name stands once, before the first of its rows. So a field is a column of the
table's grid. Several XPaths can select the cell of a column. The simplest one that selects only the grid's cell, in all rows of all known
pages, is taken. A value inside the cell is learned like a value inside a row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, whole_text
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.dom.xpath_rewriting import split_union
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import row_pages
from extraction.algorithms.learning.apriori import learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.learned import Example, Learned, LearnedXPath, NotLearned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_grid import CELLS, GridRow, resolve_rows

_BEFORE, _AFTER = "preceding-sibling", "following-sibling"


MAX_WIDTHS = 4
"""The largest number of different numbers of cells in the rows of a table that an XPath tells apart."""

MAX_CELLS = 40
"""The largest number of cells beside the marked ones that are learned from."""


@dataclass(frozen=True, slots=True)
class TaughtCell:
    """A marked value of a row.

    page: the page.
    row: the ``tr`` that it is marked for; its cell may be one of a row above.
    places: where the value was marked.
    """

    page: PageTable
    row: etree._Element
    places: tuple[Location, ...]

    @property
    def cell(self) -> etree._Element:
        """The cell that holds the value. Raises LearningError if it is in none, or in several."""
        cells = {_find_cell(self.page.nodes[place.node]) for place in self.places}
        cell = cells.pop()
        if cell is None or cells:
            raise LearningError("a value was marked outside the cells of the table, or in several of them")
        return cell


class TableGrids:
    """The grids of the tables that some rows are in, made once for each element that holds rows."""

    def __init__(self) -> None:
        self._rows: dict[etree._Element, GridRow] = {}
        self._holders: set[etree._Element] = set()

    def read_row(self, row: etree._Element) -> GridRow:
        """What covers the columns of a ``tr``."""
        holder = row.getparent()
        if holder is not None and holder not in self._holders:
            self._holders.add(holder)
            self._rows.update(resolve_rows(holder))
        return self._rows.get(row, {})


def _find_cell(element: etree._Element) -> etree._Element | None:
    """The innermost table cell that an element is or is in, None if it is in none."""
    return next((each for each in (element, *element.iterancestors()) if each.tag in CELLS), None)


def learn_column(taught: Sequence[TaughtCell], rows: Sequence[etree._Element], *, multiple: bool) -> Learned | NotLearned:
    """Learns a field of rows of a table with spans. Raises LearningError.

    taught: its marked values, at least one.
    rows: all rows of the known pages.
    """
    grids = TableGrids()
    xpath = find_column_xpath(grids, taught, rows)
    compiled = XPath(xpath)
    cells = list(dict.fromkeys(cell for row in rows for cell in compiled.select(row)))
    support = len([row for row in rows if compiled.select(row)]) / len(rows)
    words = f"the column of “{_read_text(taught[0].cell)[:30]}”"
    if all(_is_whole(each) for each in taught):
        return Learned((LearnedXPath(xpath, None, 1.0, 0, support, 0.0, (words,)),))
    marked = list(dict.fromkeys(each.cell for each in taught))
    others = [cell for cell in cells if cell not in marked][:MAX_CELLS]
    copies = Corpus([row_pages.copy_row(cell, None, grouped=False) for cell in [*marked, *others]])
    examples = [_make_example(marked, each) for each in taught]
    inside = learn_attribute(copies, list(dict.fromkeys(examples)), multiple=multiple, cost=row_pages.price_row_features(grouped=False))
    if isinstance(inside, NotLearned):
        return inside
    tag = str(taught[0].cell.tag)
    return Learned(tuple(_write_inside(xpath, tag, words, one) for one in inside.alternatives))


def _write_inside(xpath: str, tag: str, words: str, one: LearnedXPath) -> LearnedXPath:
    """What was learned of the inside of a cell, as an XPath from the row."""
    parts = split_union(row_pages.make_relative(one.xpath, tag, grouped=False))
    path = " | ".join(f"{xpath}/{part}" for part in parts)
    return replace(one, xpath=path, features=(words, *(each for each in one.features if row_pages.WRAPPER not in each)))


def _make_example(marked: Sequence[etree._Element], taught: TaughtCell) -> Example:
    row = taught.page.nodes.index(taught.cell)
    places = tuple(row_pages.shift_location(place, taught.page, row) for place in taught.places)
    return Example(marked.index(taught.cell), places)


def _is_whole(taught: TaughtCell) -> bool:
    """Whether the mark is the whole text of the cell."""
    values = [taught.page.read_value(place) for place in taught.places]
    return len(values) == 1 and taught.places[0].kind != "attribute" and values[0] == _read_text(taught.cell)


def find_column_xpath(grids: TableGrids, marked: Sequence[TaughtCell], rows: Sequence[etree._Element]) -> str:
    """Return the XPath, from a row, of the cell of a column.

    marked: the column's cell in the marked rows.
    rows: all rows of the known pages. Raises LearningError if the marks are in several columns, or if no XPath follows the column.
    """
    columns = set.intersection(*({n for n, cell in grids.read_row(place.row).items() if cell is place.cell} for place in marked))
    if not columns:
        raise LearningError("the values are marked in different columns of the table")
    column = min(columns)
    wanted = [grids.read_row(row).get(column) for row in rows]
    widths = {max(grids.read_row(row), default=-1) + 1 for row in rows}
    for xpath in _list_xpaths(column, max(widths) - 1 - column):
        compiled = XPath(xpath)
        if all(compiled.select(row) == ([] if cell is None else [cell]) for row, cell in zip(rows, wanted, strict=True)):
            return xpath
    by_width = _write_by_width(rows, wanted)
    if by_width and all(XPath(by_width).select(row) == ([] if cell is None else [cell]) for row, cell in zip(rows, wanted, strict=True)):
        return by_width
    raise LearningError("cells of this table span rows or columns in a way that no XPath can follow")


def _write_by_width(rows: Sequence[etree._Element], wanted: Sequence[etree._Element | None]) -> str:
    """The XPath of a column by the number of cells that a row has: its n-th cell, or that of the nearest row above which has one.

    Returns "" where rows with the same number of cells have the column's cell at different places.
    """
    places: dict[int, set[int]] = {}
    for row, cell in zip(rows, wanted, strict=True):
        own = list(row.iterchildren(*CELLS))
        places.setdefault(len(own), set()).add(own.index(cell) + 1 if cell in own else 0)
    if len(places) > MAX_WIDTHS or any(len(each) > 1 for each in places.values()):
        return ""
    at = {width: each.pop() for width, each in sorted(places.items())}
    holding = [width for width, place in at.items() if place]
    any_holding = " or ".join(f"count(*) = {width}" for width in holding)
    parts = [f"self::tr[count(*) = {width}]/*[{at[width]}]" for width in holding]
    parts += [
        f"self::tr[count(*) = {width}]/preceding-sibling::tr[{any_holding}][1][count(*) = {above}]/*[{at[above]}]"
        for width in sorted(at.keys() - set(holding))
        for above in holding
    ]
    return " | ".join(parts)


def _list_xpaths(column: int, from_end: int) -> Iterator[str]:
    """XPaths of the cell in a column, the simplest first: counted from either end, with columns spanned, and with rows spanned."""
    counted = [f"*[{column + 1}]", f"*[last() - {from_end}]" if from_end else "*[last()]"]
    spanned = [_write_spanned(column, _BEFORE), _write_spanned(from_end, _AFTER)]
    yield from (*counted, *spanned)
    for cell in (counted[1], spanned[1], counted[0], spanned[0]):
        yield f"({cell} | preceding-sibling::tr/{cell}[@rowspan])[last()]"


def _write_spanned(columns: int, axis: str) -> str:
    """The cell beside which, on one side, there are this many columns, or which covers the one where this many are."""
    beside = f"count({axis}::*[not(@colspan)]) + sum({axis}::*/@colspan)"
    own = "sum(@colspan) + count(self::*[not(@colspan)])"
    return f"*[{beside} <= {columns} and {beside} + {own} > {columns}]"


def list_carried(places: Mapping[str, Sequence[Location]], nodes: Sequence[etree._Element]) -> set[str]:
    """The fields of a marked row whose cell is in a ``tr`` above the row's own, which it covers by its ``rowspan``.

    places: {field: places} of the row.
    nodes: the page's elements.
    """
    cells = {name: _find_cell(nodes[each[0].node]) for name, each in places.items() if each}
    rows = {name: cell.getparent() for name, cell in cells.items() if cell is not None}
    own = max((row for row in rows.values() if row is not None), key=nodes.index, default=None)
    if own is None or len(set(rows.values())) < 2:
        return set()
    holder = own.getparent()
    covered = dict(resolve_rows(holder)).get(own, {}) if holder is not None else {}
    return {name for name, row in rows.items() if row is not own and any(cell is cells[name] for cell in covered.values())}


def _read_text(cell: etree._Element) -> str:
    """The cleaned text of a cell."""
    return clean(whole_text(cell))
