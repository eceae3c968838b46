"""Pages as tables: what the learner compares, one array operation per feature (ALGORITHMS 4.1; Vertex 3.1.3).

A page is read once into numpy arrays (`table`); several pages are laid end to end (`join`). Strings become 64-bit
hashes that are the same in every process, so that a label or class of one page is compared with those of all pages by
one ``==``. Rows are elements in document order (as `nodes.elements` numbers them) and text nodes that are not blank.
What does not exist (no parent, no sibling) is the guard row at the end, all zeros and its own parent, so that steps
along the tree are plain indexing: ``parent[parent[rows]]``.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.dom.nodes import clean, elements

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Bools = NDArray[np.bool_]

MAX_LABEL = 80
"""Longest text, in characters, that can be a label or a heading."""

MAX_NAME = 60
"""Longest attribute value, in characters, that can be a name given by the template's author; longer ones are content."""

NAMING = frozenset(
    ("id", "itemprop", "itemtype", "property", "name", "rel", "role", "aria-label", "headers", "scope", "typeof", "for", "type")
)
"""Attributes that name things, besides class and ``data-*``."""

PRESENTATION = frozenset(
    ("align", "valign", "width", "height", "bgcolor", "color", "size", "face", "border", "cellpadding", "colspan", "style")
)
"""Attributes that named things before there were classes."""

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

MAX_RAW_LABEL = 2_000
"""Longest text looked at for a label, white space included: templates indent, but not that far."""

UNSEEN = frozenset(("script", "style", "template"))
"""Elements whose own texts are no rows: nobody marks them, and they hold most of a modern page's bytes."""

MAX_SHAPE = 30
"""Longest text, in characters, whose digits and signs can be its shape."""

_DIGITS = str.maketrans("123456789", "0" * 9)
_SPACE = re.compile(r"\s+")
_HTML_SPACE = re.compile(r"[ \t\r\n]+")

BLANK, TOO_LONG = 0, 1
"""Hashes of a blank text and of one longer than MAX_LABEL; `key` gives neither."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTable:
    """One page as arrays: n elements and m non-blank text nodes, then one guard row each. Compared by identity.

    root, nodes: the tree and `elements(root)`.

    Of elements (n + 1): tag (hash); parent, before, after (rows; neighbouring element siblings), first (first child
    element); end (row after the last descendant); place (among element siblings, from 1); nth, nth_last (among siblings
    of its tag); whole, shape (hashes of its cleaned text and of that text's `shape`); text_before, text_after (hash of
    the nearest text() sibling); heading (hash of the tag and text of the nearest heading among the siblings before it).

    Of texts (m + 1): owner (row of the element), text_nth, text_last (place among text() children, blank ones counted,
    from either end), text (hash of the cleaned text, however long), left, right (element siblings' rows), left_text
    (hash of the text() before it), text_shape. strings: the m cleaned texts.

    names, name_owners: hash of ``attribute=value`` or ``class~token``, sorted, and the rows of the elements with it.
    """

    root: etree._Element
    nodes: list[etree._Element]
    elements: dict[str, NDArray[np.generic]]
    texts: dict[str, NDArray[np.generic]]
    strings: list[str]
    names: Hashes
    name_owners: Ints

    @property
    def size_bytes(self) -> int:
        """Estimated memory, with the lxml tree and its proxies at some 700 bytes an element."""
        arrays = [*self.elements.values(), *self.texts.values(), self.names, self.name_owners]
        return sum(a.nbytes for a in arrays) + sum(len(text) + 60 for text in self.strings) + 700 * len(self.nodes)


@lru_cache(maxsize=100_000)
def key(text: str) -> int:
    """A 64-bit hash of a text, the same in every process; never 0 or 1, which mean blank and too long."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") | 2


def names_of(element: etree._Element) -> list[tuple[str, str]]:
    """(attribute, value) pairs an element may be named by; one pair per class token."""
    pairs = []
    for name, value in element.attrib.items():
        name, value = str(name), str(value)
        if name == "class":
            pairs += [("class", token) for token in _HTML_SPACE.split(value) if 0 < len(token) <= MAX_NAME]
        elif 0 < len(value) <= MAX_NAME and (name in NAMING or name in PRESENTATION or name.startswith("data-")):
            pairs.append((name, value))
    return pairs


def name_key(name: str, value: str) -> int:
    """The hash under which `PageTable.names` lists a pair of `names_of`."""
    return key(f"{name}={value}")


def label_key(text: str) -> int:
    """The hash of a cleaned text as labels are compared: BLANK, TOO_LONG or its key."""
    return (key(text) if len(text) <= MAX_LABEL else TOO_LONG) if text else BLANK


def shape(text: str) -> str:
    """A text with all digits as 0, "" when it has none: "(325) 674-2000" is "(000) 000-0000"."""
    digits = text.translate(_DIGITS)
    return digits if "0" in digits and len(text) <= MAX_SHAPE else ""


def table(root: etree._Element) -> PageTable:
    """The page's table. Cost: some 10 µs an element. The tree must not be changed while the table is in use."""
    builder = _Builder(elements(root))
    for row in range(len(builder.nodes)):
        builder.add(row)
    return builder.finish(root)


class _Builder:
    """Rows as Python lists while a page is walked."""

    def __init__(self, nodes: list[etree._Element]) -> None:
        self.nodes = nodes
        self.index = {element: row for row, element in enumerate(nodes)}
        self.none = n = len(nodes)
        self.rows = {name: [n] * (n + 1) for name in ("parent", "before", "after", "first", "heading")}
        self.numbers = {name: [0] * (n + 1) for name in ("tag", "place", "nth", "nth_last", "whole", "shape", "text_before", "text_after")}
        self.numbers["nth"][0] = self.numbers["nth_last"][0] = 1  # the root
        self.texts: dict[str, list[int]] = {
            name: [] for name in ("owner", "text_nth", "text_last", "text", "left", "right", "left_text", "text_shape")
        }
        self.strings: list[str] = []
        self.names: list[int] = []
        self.name_owners: list[int] = []

    def add(self, row: int) -> None:
        """One element's names, its children's places and its own texts."""
        element = self.nodes[row]
        tag = str(element.tag)
        self.numbers["tag"][row] = key(tag)
        for pair in names_of(element):
            self.names.append(name_key(*pair))
            self.name_owners.append(row)
        if tag in UNSEEN:
            return
        scan = _Siblings(self, row)
        if element.text:
            scan.text(element.text)
        for child in element:
            child_row = self.index.get(child)
            if child_row is not None:
                scan.child(child_row, str(child.tag))
            if child.tail:
                scan.text(child.tail)
        scan.close()

    def finish(self, root: etree._Element) -> PageTable:
        end = self._ends_and_wholes()
        rows = {name: np.array(column, np.int32) for name, column in self.rows.items()}
        numbers = {
            name: np.array(column, np.int32 if name in ("place", "nth", "nth_last") else np.uint64) for name, column in self.numbers.items()
        }
        heading = rows.pop("heading")
        tags, wholes = np.array(self.numbers["tag"], np.uint64), np.array(self.numbers["whole"], np.uint64)
        numbers["heading"] = _with_tag(tags[heading], wholes[heading])
        guards = {"owner": self.none, "left": self.none, "right": self.none}
        texts = {
            name: np.array([*column, guards.get(name, 0)], np.uint64 if name in ("text", "left_text", "text_shape") else np.int32)
            for name, column in self.texts.items()
        }
        names = np.array(self.names, np.uint64)
        order = np.argsort(names, kind="stable")
        owners = np.array(self.name_owners, np.int32)[order]
        return PageTable(root, self.nodes, rows | numbers | {"end": end}, texts, self.strings, names[order], owners)

    def _ends_and_wholes(self) -> Ints:
        """Last rows of subtrees, and the elements' whole texts as long as they can be labels, from the leaves up."""
        end = list(range(1, self.none + 2))
        whole, parent = self.numbers["whole"], self.rows["parent"]
        short: list[str | None] = [None] * self.none
        for row in range(self.none - 1, -1, -1):
            text = self._short_text(row, short)
            short[row] = text
            cleaned = "" if text is None else clean(text)
            whole[row] = TOO_LONG if text is None else label_key(cleaned)
            self.numbers["shape"][row] = label_key(shape(cleaned))
            above = parent[row]
            if above != self.none:
                end[above] = max(end[above], end[row])
        return np.array(end, np.int32)

    def _short_text(self, row: int, short: list[str | None]) -> str | None:
        """The element's whole text with white space collapsed, None when it is too long for a label."""
        element = self.nodes[row]
        parts = [element.text or ""]
        if len(parts[0]) > MAX_RAW_LABEL:
            return None
        for child in element:
            child_row = self.index.get(child)
            if child_row is not None:
                inner = short[child_row]
                if inner is None:
                    return None
                parts.append(inner)
            parts.append(child.tail or "")
        raw = "".join(parts)
        if len(raw) > MAX_RAW_LABEL:
            return None
        text = _SPACE.sub(" ", raw)
        return text if len(text) <= MAX_LABEL + 2 else None


class _Siblings:
    """What the children and texts of one parent are to each other."""

    def __init__(self, builder: _Builder, row: int) -> None:
        self.builder, self.row = builder, row
        self.last = self.heading = builder.none
        self.last_text = 0
        self.children: list[int] = []
        self.counts: dict[str, int] = {}
        self.tags: list[str] = []
        self.after_text = 0  # children from here on have no text after them yet
        self.open_texts: list[int] = []
        self.text_nth = 0
        self.first_text = len(builder.strings)

    def child(self, row: int, tag: str) -> None:
        rows, numbers = self.builder.rows, self.builder.numbers
        rows["parent"][row], rows["before"][row], rows["heading"][row] = self.row, self.last, self.heading
        if self.children:
            rows["after"][self.last] = row
        else:
            rows["first"][self.row] = row
        self.counts[tag] = numbers["nth"][row] = self.counts.get(tag, 0) + 1
        numbers["text_before"][row] = self.last_text
        for text in self.open_texts:
            self.builder.texts["right"][text] = row
        self.open_texts.clear()
        self.children.append(row)
        numbers["place"][row] = len(self.children)
        self.tags.append(tag)
        self.last = row
        if tag in HEADINGS:
            self.heading = row

    def text(self, raw: str) -> None:
        text, texts = clean(raw), self.builder.texts
        label = label_key(text)
        self.text_nth += 1
        if text:
            self.open_texts.append(len(self.builder.strings))
            self.builder.strings.append(text)
            place = (self.row, self.text_nth, 0, key(text), self.last, self.builder.none, self.last_text, label_key(shape(text)))
            for column, value in zip(texts.values(), place, strict=True):
                column.append(value)
        for child in self.children[self.after_text :]:
            self.builder.numbers["text_after"][child] = label
        self.after_text = len(self.children)
        self.last_text = label

    def close(self) -> None:
        numbers, texts = self.builder.numbers, self.builder.texts
        for row, tag in zip(self.children, self.tags, strict=True):
            numbers["nth_last"][row] = self.counts[tag] - numbers["nth"][row] + 1
        for text in range(self.first_text, len(self.builder.strings)):
            texts["text_last"][text] = self.text_nth - texts["text_nth"][text] + 1


def _with_tag(tag: Hashes, whole: Hashes) -> Hashes:
    """One hash of a heading's tag and text, 0 where it has no text that can be one."""
    mixed: Hashes = np.where(whole > TOO_LONG, (tag * np.uint64(0x9E3779B97F4A7C15)) ^ whole, np.uint64(0))
    return mixed
