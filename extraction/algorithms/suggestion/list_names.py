"""Names for lists and for their fields, made from what is the same on all pages.

The best name of a list is the heading, the caption or the label above it; that of a field is the label before its values or the header
of its column. On pages of XML both have the names of their elements. Next come class names, except those that only say how something
looks, and last what kind of thing the values are. A text above a list is its name only if most pages have it; otherwise it is a value.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from extraction.algorithms.alignment.mse import Section, SectionField
from extraction.algorithms.dom.nodes import clean, elements, is_xml
from extraction.algorithms.suggestion.kinds import KINDS
from extraction.algorithms.suggestion.naming import MAX_WORDS, PLAIN, VAGUE, WORD, content_words, make_identifier

ABOVE = 120
"""The number of elements before the first row among which the list's name is looked for."""

HEADERS = 400
"""The number of elements before the first row among which the row of column headers is looked for."""

WITHIN = 20
"""The number of elements from the beginning of the first row among which header cells are looked for: rows that are tables have them
inside."""

MOST = 0.5
"""Of the pages with the list, this share and at least two pages must have exactly this header or heading."""

LABEL = 0.8
"""The same for a line above it that is not marked up as a heading: it may be a value that many pages have."""

NEAR = 3
"""The number of elements around a text that may make it a link or an item of a menu."""

MAX_TEXT = 500
"""The largest number of characters of the longest heading or header cell that is read."""

MAX_SPAN = 100
"""The largest number of columns of a header cell."""

_KIND = 0.6
"""Share of a field's values that must look like a kind of thing for the field to be named after it."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend"))
_CHOICES = frozenset(("a", "button", "li", "nav", "option"))
_CELLS = ("td", "th")
_WORDS = re.compile(r"[^\W\d_]+")

Cells = tuple[tuple[int, str], ...]
"""(column from 1, text) of the cells of a row of a table."""


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a list begins on a page. nodes: the page's elements. first: the number of the first row's."""

    nodes: Sequence[etree._Element]
    first: int

    def before(self, most: int) -> list[etree._Element]:
        """The elements that end before it, the nearest first."""
        around = set(self.nodes[self.first].iterancestors())
        return [node for node in reversed(self.nodes[max(0, self.first - most) : self.first]) if node not in around]


class ListNames:
    """What one section and its fields could be called."""

    def __init__(self, section: Section, roots: Sequence[etree._Element]) -> None:
        self.section = section
        self.starts = [_Start(elements(roots[page]), rows[0].first) for page, rows in section.rows.items()]
        self.named = all(is_xml(roots[page]) for page in section.rows)
        self.headers = {} if self.named else self._headers()

    def name_list(self) -> str:
        """An identifier, "rows" where nothing says more."""
        return next(filter(None, map(make_identifier, self._list_ideas())), "rows")

    def name_field(self, field: SectionField, texts: Sequence[str], *, first: bool) -> str:
        """An identifier, "field" where nothing says more. first: whether it is the first field, whose name may be that of the rows."""
        ideas = self._element_words(field) if self.named else self._field_ideas(field, texts, first=first)
        return next(filter(None, map(make_identifier, ideas)), "field")

    def _list_ideas(self) -> Iterator[Sequence[str]]:
        if self.named:
            yield self._container()
            return
        label, headers = _plain(self.section.label), _plain(" ".join(self.headers.values()))
        if not set(label.split()) <= set(headers.split()) and self._above(label):
            yield _short(label)
        yield from self._headings()
        steps = self.section.fields[self._find_usual()].steps[:1]
        yield _class_words(steps[0]) if steps else []
        yield self._around()

    def _find_usual(self) -> int:
        """Return the number of the first field that most rows have. A rare one may be that of an advert."""
        counts = Counter(number for rows in self.section.rows.values() for row in rows for number in row.values)
        total = sum(map(len, self.section.rows.values()))
        return min((number for number, count in counts.items() if count >= MOST * total), default=0)

    def _container(self) -> list[str]:
        """On pages of XML: the name of the element around the rows, if it holds nothing else, or of the rows themselves."""
        start = self.starts[0]
        row = start.nodes[start.first]
        around = row.getparent()
        alone = around is not None and all(child.tag == row.tag for child in around.iterchildren(etree.Element))
        return _tag_words(around if alone and around is not None and around.getparent() is not None else row)

    def _above(self, label: str) -> bool:
        """Whether an element before the list has this text on nearly all pages and is neither an item of a menu nor a link."""
        saying = ([node for node in start.before(ABOVE) if _plain(_said(node)) == label] for start in self.starts)
        told = sum(bool(nodes) and not any(map(_chosen, nodes)) for nodes in saying)
        return bool(label) and told >= max(2.0, LABEL * len(self.starts))

    def _headings(self) -> Iterator[list[str]]:
        """The headings above it that most pages have, the nearest first. Those above the nearest heading element name other parts."""
        told = [_headings(start) for start in self.starts]
        counts = Counter(text for texts in told for text in texts)
        yield from (_short(text) for text in told[0] if counts[text] >= self._least())

    def _around(self) -> list[str]:
        """The class names of the element around the rows, if most pages have them."""
        said = (start.nodes[start.first].getparent() for start in self.starts)
        names = Counter("" if node is None else node.get("class") or "" for node in said)
        name, count = names.most_common(1)[0]
        return _class_words(".".join(("", *name.split()))) if count >= self._least() else []

    def _field_ideas(self, field: SectionField, texts: Sequence[str], *, first: bool) -> Iterator[Sequence[str]]:
        """Words for a name, the best first. The row's own class names say what a row is, so they name its first field at most."""
        yield _short(field.label) if self._always(field) else []
        header = PLAIN.findall(self.headers.get(field.column, "").lower())
        yield content_words(header)[: MAX_WORDS + 1] or header
        row, *inside = field.steps or ("",)
        own, *above = [_class_words(step) for step in reversed(inside)] or [[]]
        tags = {step.split("[")[0].split(".")[0] for step in field.steps}
        yield own
        yield [name for name, pattern in KINDS if sum(bool(pattern.fullmatch(text)) for text in texts) >= _KIND * len(texts)][:1]
        yield ["title"] if tags & {"h1", "h2", "h3", "h4", "h5", "h6", "dt"} else []
        yield from above
        yield _class_words(row) if first else []
        yield ["name"] if "a" in tags or first else []

    def _always(self, field: SectionField) -> bool:
        """Whether the field's label is always there. Where values stand there without the label, it is a value of some rows."""
        others = (each for each in self.section.fields if each.steps == field.steps and not each.label)
        return field.label.rstrip().endswith((":", "：")) or not any(others)

    def _element_words(self, field: SectionField) -> Iterator[Sequence[str]]:
        """On pages of XML: the element's name, after that of the element around it where it says little on its own."""
        steps = [[word.lower() for word in WORD.findall(step.split("[")[0].split(".")[0])] for step in field.steps]
        own, above = (*reversed(steps), [], [])[:2]
        yield [*above, *own] if set(own) <= VAGUE and above != own else own
        yield own

    def _headers(self) -> dict[int, str]:
        """{column: text of the header cell above it}, from the nearest row with the most cells that is a header on most pages."""
        told = [[cells for row in _rows(start) if (cells := _cells(row))] for start in self.starts]
        counts = Counter(cell for rows in told for cell in {cell for cells in rows for cell in cells})
        best: list[tuple[int, str]] = []
        for cells in told[0]:
            same = [(column, text) for column, text in cells if counts[column, text] >= self._least()]
            if len(same) > max(1, len(cells) // 2, len(best)):
                best = same
        return dict(best)

    def _least(self) -> float:
        return max(2.0, MOST * len(self.starts))


def make_unique(names: Iterable[str]) -> list[str]:
    """The names, with a number after each that was there before."""
    taken: list[str] = []
    for name in names:
        number = 1
        each = name
        while each in taken:
            number += 1
            each = f"{name}_{number}"
        taken.append(each)
    return taken


def _rows(start: _Start) -> Iterator[etree._Element]:
    """Rows that may hold headers, the nearest first: those before the first row in its table, and rows of header cells near it or in it."""
    table = next(start.nodes[start.first].iterancestors("table"), None)
    for node in start.before(HEADERS):
        if node.tag == "tr" and (_of_headers(node) or (table is not None and next(node.iterancestors("table"), None) is table)):
            yield node
    for node in start.nodes[start.first : start.first + WITHIN]:
        if node.tag == "tr" and _of_headers(node):
            yield node


def _of_headers(row: etree._Element) -> bool:
    cells = [child.tag for child in row.iterchildren(*_CELLS)]
    return cells.count("th") * 2 > len(cells)


def _cells(row: etree._Element) -> Cells:
    """The texts of a row's cells, each for all columns that the cell spans."""
    found, column, said = list[tuple[int, str]](), 1, 0
    for cell in row.iterchildren(*_CELLS):
        text, span = _said(cell), cell.get("colspan") or ""
        wide = min(max(int(span), 1), MAX_SPAN) if span.isascii() and span.isdigit() and len(span) < 6 else 1
        found += [(each, text) for each in range(column, column + wide) if text]
        column += wide
        said += bool(text)
    return tuple(found) if said > 1 else ()


def _headings(start: _Start) -> list[str]:
    """The texts of the headings above a list, the nearest first, up to the first heading element."""
    found: dict[str, None] = {}
    for node in start.before(ABOVE):
        if text := _heading(node):
            found[text] = None
            if node.tag in _HEADINGS and node.tag != "caption":
                break
    return list(found)


def _heading(node: etree._Element) -> str:
    """The text of an element without numbers, if it is a heading: by its name, or as a row with a single cell.

    A title with a number is the page's own name.
    """
    if node.tag == "tr":
        cells = list(node.iterchildren(*_CELLS))
        return _plain(_said(cells[0])) if len(cells) == 1 else ""
    said = _said(node) if node.tag in _HEADINGS else ""
    return "" if node.tag == "h1" and any(map(str.isdigit, said)) else _plain(said)


def _chosen(node: etree._Element) -> bool:
    """Whether an element, or one closely around it, is something to choose among others: a link, a button, an item of a menu."""
    return bool(_CHOICES & {node.tag, *(around.tag for around in islice(node.iterancestors(), NEAR))})


def _plain(text: str) -> str:
    """The words of a text without numbers, because a heading may name the season."""
    return " ".join(_WORDS.findall(text))


def _said(node: etree._Element) -> str:
    """The text in an element, empty where it is too long for a name."""
    parts, size = list[str](), 0
    for part in node.itertext(etree.Element):
        parts.append(part)
        size += len(part)
        if size > MAX_TEXT:
            return ""
    return clean("".join(parts))


def _class_words(step: str) -> list[str]:
    """The words of the first of a step's classes that says something."""
    return next(filter(None, (content_words(WORD.findall(name)) for name in step.split("[")[0].split(".")[1:])), [])


def _tag_words(element: etree._Element) -> list[str]:
    return [word.lower() for word in WORD.findall(str(element.tag))]


def _short(text: str) -> list[str]:
    words = content_words(PLAIN.findall(text))
    return words if len(words) <= MAX_WORDS else []
