"""Pages as lists of what could be a value: text nodes and paragraphs with inline elements, each with its structural path.

On pages of XML attributes are values as well, and the names of elements say what they hold (`UnitPaths.named`).

A *path* is the chain of steps from the root. A step is an element's name with those of its classes, ids and itemprops that at least half
of the pages share: the template gave these, the content did not. Paths are numbered over all pages, so one number means one path, and a
deep page costs no more than its nodes.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, is_xml, raw_text, value_text, whole_text
from extraction.algorithms.dom.walk import OpenElement, walk_page
from extraction.algorithms.learning.page_table import split_names

MAX_TEXTS = 20_000
"""The largest number of texts read of a page, from its beginning. Pages with more are listings, whose beginning shows what they hold."""

MAX_ELEMENTS = 200_000
"""The largest number of elements of a page that are searched for the template's classes and ids."""

MAX_LENGTH = 5_000
"""Longest text, in characters, that is a value."""

MAX_PARTS = 60
"""The largest number of texts inside an element that is one value."""

MAX_ROW = 12
"""The largest number of texts of a label and its values."""

SHARED = 0.5
"""Share of the pages, and at least two, that must have a class or id for it to be the template's."""

COLONS = (":", "：")

INLINE = frozenset(
    """a abbr acronym b bdi bdo big br cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var
    wbr""".split()  # noqa: SIM905
)
"""Elements that do not break a line: people read a block that holds only these as one text."""

_ASIDE = re.compile(
    r"(?<![a-z])(?:nav|foot|breadcrumb|crumb|reviews?|comments?|related|recommend|sidebar|banner|menu|ads?|sponsor|similar)|sidebar|footer|related|recommend|review"
)
_NAMES = ("class", "id", "itemprop")
_NAMES_IN_XML = (*_NAMES, "name", "key", "type")


@dataclass(frozen=True, slots=True)
class Unit:
    """A text or an element that could be a value.

    text: the cleaned text.
    place: where it stands.
    path: number of its element's path.
    first, end: the texts of the page that are in it, as a half-open range.
    position: share of the page's texts that stand before it, 0 to 1.
    before_colon: whether a colon alone comes after it, as in `<b>Weight</b>:`. The colon is no unit, since it is no value.
    """

    text: str
    place: Location
    path: int
    first: int
    end: int
    position: float
    before_colon: bool = False


@dataclass(frozen=True, slots=True)
class TextRow:
    """An element that holds one text and beside it another element with texts, as in ``<div><i>Colour</i><i>red</i></div>``.

    path: number of its path.
    first, end: its texts, as a half-open range.
    """

    path: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class PageUnits:
    """The units of one page.

    texts: text nodes in document order.
    wholes: elements, in the order in which they end.
    title: the cleaned text of `title`.
    rows: elements that may be a label and its value.
    """

    texts: tuple[Unit, ...]
    wholes: tuple[Unit, ...]
    title: str
    rows: tuple[TextRow, ...] = ()


@dataclass(slots=True)
class UnitPaths:
    """The paths seen. Each list has one entry for each path, by the path's number.

    above: the number of the path without its last step, -1 for none.
    tags, names, steps: the last step's element name, its template names, and both together.
    aside: whether the path leads into navigation, comments and the like.
    marks: hashes that do not depend on the order of the pages, to break ties.
    numbers: the number of each path.
    named: whether the pages are XML, where the names of elements say what they hold.
    """

    above: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    names: list[tuple[tuple[str, str], ...]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    aside: list[bool] = field(default_factory=list)
    marks: list[bytes] = field(default_factory=list)
    numbers: dict[tuple[int, str, tuple[tuple[str, str], ...]], int] = field(default_factory=dict)
    named: bool = False

    def number(self, above: int, tag: str, names: tuple[tuple[str, str], ...]) -> int:
        """Return the number of the path that continues the path `above` by a step."""
        key = above, tag, names
        if key not in self.numbers:
            self.numbers[key] = len(self.above)
            self.above.append(above)
            self.tags.append(tag)
            self.names.append(names)
            self.steps.append(tag + "".join(f".{value}" for _, value in names))
            before = self.marks[above] if above >= 0 else b""
            self.marks.append(blake2b(before + self.steps[-1].encode("utf-8", "replace"), digest_size=8).digest())
            said = "" if tag in ("html", "body") else " ".join(value.lower() for _, value in names)
            here = tag in ("nav", "footer", "aside") or _ASIDE.search(said) is not None
            self.aside.append(here or (above >= 0 and self.aside[above]))
        return self.numbers[key]

    def mark(self, path: int) -> bytes:
        """Return the hash of a path, empty for -1."""
        return self.marks[path] if path >= 0 else b""

    def list_above(self, path: int) -> list[int]:
        """Return the paths above a path, the nearest first."""
        found = []
        while (path := self.above[path]) >= 0:
            found.append(path)
        return found

    def tail(self, path: int) -> str:
        """Return the last two steps of a path."""
        above = self.above[path]
        return f"{self.steps[above] if above >= 0 else ''}/{self.steps[path]}"


def read_units(roots: Sequence[etree._Element], *, every_element: bool = False) -> tuple[list[PageUnits], UnitPaths]:
    """Return the pages' units and their paths.

    every_element: whether each element with text inside it is a unit, not only blocks of running text.
    """
    shared, paths = _find_shared_names(roots), UnitPaths(named=bool(roots) and all(map(is_xml, roots)))
    return [_UnitReader(root, shared, paths, every_element=every_element).read_page() for root in roots], paths


def _find_shared_names(roots: Sequence[etree._Element]) -> frozenset[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for root in roots:
        names = _list_naming_attributes(root)
        counts.update({pair for element in islice(root.iter(etree.Element), MAX_ELEMENTS) for pair in _names(element, names)})
    return frozenset(pair for pair, count in counts.items() if count >= max(min(2, len(roots)), SHARED * len(roots)))


def _list_naming_attributes(root: etree._Element) -> tuple[str, ...]:
    return _NAMES_IN_XML if is_xml(root) else _NAMES


def _names(element: etree._Element, naming: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the pairs of the naming attributes, in the order of the attributes."""
    return [pair for name, value in element.items() if name in naming for pair in split_names(str(name), str(value))]


@dataclass(slots=True)
class _OpenUnit:
    """An element that the walk is in.

    path: the number of its path.
    first: how many texts come before it.
    own: how many texts are its own.
    flat: whether only inline elements are inside it.
    parts: where the texts of its child elements begin, of those that have any.
    """

    element: OpenElement
    path: int
    first: int
    own: int = 0
    flat: bool = True
    parts: list[int] = field(default_factory=list)


class _UnitReader:
    """Reads one page."""

    def __init__(self, root: etree._Element, shared: frozenset[tuple[str, str]], paths: UnitPaths, *, every_element: bool) -> None:
        self.root, self.shared, self.paths, self.every_element = root, shared, paths, every_element
        self.texts: list[tuple[str, Location, int]] = []
        self.wholes: list[tuple[str, _OpenUnit]] = []
        self.ends: list[int] = []
        self.before_colons = set[int]()
        self.rows: list[TextRow] = []
        self.title = ""
        self.xml, self.naming = is_xml(root), _list_naming_attributes(root)

    def read_page(self) -> PageUnits:
        """Return the page's units."""
        self._walk()
        count = max(1, len(self.texts))
        texts = (
            Unit(text, place, path, at, at + 1, at / count, at in self.before_colons) for at, (text, place, path) in enumerate(self.texts)
        )
        wholes = (
            Unit(text, Location(each.element.node), each.path, each.first, end, each.first / count)
            for (text, each), end in zip(self.wholes, self.ends, strict=True)
        )
        return PageUnits(tuple(texts), tuple(wholes), self.title, tuple(self.rows))

    def _walk(self) -> None:
        chain: list[_OpenUnit] = []
        for kind, element, text in walk_page(self.root, hidden=raw_text(self.root), is_done=lambda: len(self.texts) >= MAX_TEXTS):
            if kind == "start":
                chain.append(self._open(element, chain[-1] if chain else None))
                if self.xml:
                    self._read_attributes(chain[-1])
            elif kind == "text":
                self._read_text(chain[-1], text)
            else:
                self._close(chain.pop(), chain[-1] if chain else None)

    def _open(self, element: OpenElement, above: _OpenUnit | None) -> _OpenUnit:
        names = tuple(sorted({pair for pair in _names(element.element, self.naming) if pair in self.shared}))
        path = self.paths.number(above.path if above else -1, element.tag, names)
        if element.tag == "title" and not self.title and not self.xml:
            self.title = clean(whole_text(element.element))
        return _OpenUnit(element, path, len(self.texts))

    def _read_attributes(self, owner: _OpenUnit) -> None:
        """Read the attributes of an element of XML, which are values like its texts."""
        for name, text in owner.element.element.items():
            if cleaned := value_text(str(text), most=MAX_LENGTH):
                place = Location(owner.element.node, "attribute", attribute=str(name))
                self.texts.append((cleaned, place, self.paths.number(owner.path, f"@{name}", ())))

    def _read_text(self, owner: _OpenUnit, text: str) -> None:
        if cleaned := value_text(text, most=MAX_LENGTH):
            owner.own += 1
            self.texts.append((cleaned, Location(owner.element.node, "text", owner.element.texts), owner.path))
        elif self.texts and text.strip() in COLONS:
            self.before_colons.add(len(self.texts) - 1)

    def _close(self, closed: _OpenUnit, above: _OpenUnit | None) -> None:
        """Make a unit of a block that has text of its own and inline elements with text."""
        inline = closed.element.tag in INLINE and not self.xml
        if above is not None and not (inline and closed.flat):
            above.flat = False
        end = len(self.texts)
        inside = end - closed.first
        if above is not None and inside:
            above.parts.append(closed.first)
        if len(closed.parts) == 2 and not closed.own and closed.parts[1] == closed.first + 1 and inside <= MAX_ROW:
            self.rows.append(TextRow(closed.path, closed.first, end))
        is_running_text = not inline and closed.flat and 0 < closed.own < inside
        if closed.element.hidden or not (is_running_text or (self.every_element and 0 < inside <= MAX_PARTS)):
            return
        if sum(len(text) for text, _, _ in self.texts[closed.first : end]) <= MAX_LENGTH:
            self.wholes.append((clean(whole_text(closed.element.element)), closed))
            self.ends.append(end)
