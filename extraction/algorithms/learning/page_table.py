"""A page as arrays, which the learner compares with one array operation per feature.

`table_reader.read_page_table` reads a page once into numpy arrays; `corpus.Corpus` lays several pages end to end. Strings become
64-bit hashes, so a single ``==`` compares a label or a class of one page with those of all pages. Rows are the elements in document
order (as `nodes.elements` numbers them) and the text nodes that are not blank. A parent or sibling that does not exist is the guard
row at the end, which is all zeros and its own parent. A step along the tree is therefore plain indexing:
``parent[parent[rows]]``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.dom.nodes import Location, clean, is_xml, raw_text, string_value, value, whole_text

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Bools = NDArray[np.bool_]

MAX_LABEL = 80
"""Longest text, in characters, that can be a label or a heading."""

MAX_NAME = 60
"""Longest attribute value, in characters, that can be a name given by the template's author; longer ones are content."""

MAX_CLASSES = 2_000
"""Longest class attribute, in characters, that is looked at."""

NAMING = frozenset(
    ("id", "itemprop", "itemtype", "property", "name", "rel", "role", "aria-label", "headers", "scope", "typeof", "for", "type", "key")
)
"""Attributes that name things, besides class and ``data-*``."""

PRESENTATION = frozenset(
    ("align", "valign", "width", "height", "bgcolor", "color", "size", "face", "border", "cellpadding", "colspan", "style")
)
"""Attributes that named things before there were classes."""

UNREAD_TAGS = frozenset(("script", "style", "template"))
"""Elements of HTML whose own texts no rule can use: nobody marks them, and they hold most of a modern page's bytes."""

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

HEADS = (*HEADINGS, "dt")
"""Elements that stand before all that belongs to them, up to the next such element: a ``dt`` may have several ``dd``."""

MAX_RAW_LABEL = 2_000
"""Longest text looked at for a label, white space included: templates indent, but not that far."""

MAX_SHAPE = 30
"""Longest text, in characters, that has a shape, which is made of its digits and signs."""

MAX_KNOWN_CLASS = 200
"""Longest class attribute whose names are remembered for the next element that has it."""

_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_HTML_SPACE = re.compile(r"[ \t\r\n]+")

BLANK, TOO_LONG = 0, 1
"""Hashes of a blank text and of one longer than MAX_LABEL; `key` gives neither."""


ELEMENT_ROW = {"element_row": True}
"""Metadata of columns whose values are element rows. `corpus` shifts them when it lays pages end to end."""


@dataclass(frozen=True, slots=True, eq=False)
class ElementColumns:
    """The elements of a page or of a corpus, one array per property.

    tag: hash of the tag.
    parent, before, after: rows of the parent and of the neighbouring element siblings.
    first: row of the first child element.
    end: the row after the last descendant.
    place: position among the element siblings, from 1.
    nth, nth_last: position among the siblings of the same tag, from either end.
    whole: hash of the cleaned text.
    shape: hash of that text's shape (`make_shape`).
    text_before, text_after: hashes of the nearest text() sibling before and after the element.
    heading: hash of the tag and text of the nearest of HEADS among the siblings before it.
    """

    tag: Hashes
    parent: Ints = field(metadata=ELEMENT_ROW)
    before: Ints = field(metadata=ELEMENT_ROW)
    after: Ints = field(metadata=ELEMENT_ROW)
    first: Ints = field(metadata=ELEMENT_ROW)
    end: Ints = field(metadata=ELEMENT_ROW)
    place: Ints
    nth: Ints
    nth_last: Ints
    whole: Hashes
    shape: Hashes
    text_before: Hashes
    text_after: Hashes
    heading: Hashes


@dataclass(frozen=True, slots=True, eq=False)
class TextColumns:
    """The text nodes of a page or of a corpus that are not blank, one array per property.

    owner: row of the element.
    nth, nth_last: position among the element's text() children, blank ones counted, from either end.
    text: hash of the cleaned text, whatever its length.
    left, right: rows of the neighbouring element siblings.
    left_text: hash of the text() before it.
    shape: hash of the text's shape (`make_shape`).
    """

    owner: Ints = field(metadata=ELEMENT_ROW)
    nth: Ints
    nth_last: Ints
    text: Hashes
    left: Ints = field(metadata=ELEMENT_ROW)
    right: Ints = field(metadata=ELEMENT_ROW)
    left_text: Hashes
    shape: Hashes


@dataclass(frozen=True, slots=True, eq=False)
class PageTable:
    """One page as arrays: n elements and m text nodes that are not blank, then one guard row each. Compared by identity.

    root, nodes: the tree and `elements(root)`.
    elements, texts: n + 1 and m + 1 rows.
    strings: the m cleaned texts.
    names, name_owners: hashes of ``attribute=value`` or ``class~token``, sorted, and the rows of the elements that have them.
    size_bytes: estimated memory, the lxml tree included.
    """

    root: etree._Element
    nodes: list[etree._Element]
    elements: ElementColumns
    texts: TextColumns
    strings: list[str]
    names: Hashes
    name_owners: Ints
    size_bytes: int

    def read_tag(self, row: int) -> str:
        """The tag of an element."""
        return str(self.nodes[row].tag)

    def read_text(self, row: int) -> str:
        """The cleaned text of an element with all its descendants', as the conditions of a rule see it."""
        return clean(string_value(self.nodes[row]))

    def read_whole(self, row: int) -> str:
        """The value of a whole element."""
        return clean(whole_text(self.nodes[row]))

    def read_value(self, location: Location) -> str:
        """The cleaned value at a place of the page, empty where there is none."""
        return value(self.nodes, location) or ""

    def find_raw_text_tags(self) -> frozenset[str]:
        """The tags of elements whose text is not running text on this page."""
        return raw_text(self.root)


def find_unread_tags(root: etree._Element) -> frozenset[str]:
    """Return `UNREAD_TAGS` for an HTML page, and nothing for an XML page, where `style` may be the style of a dress."""
    return frozenset() if is_xml(root) else UNREAD_TAGS


def hash_text(text: str) -> int:
    """Return a 64-bit hash of a text, valid in this process only; never 0 or 1, which mean blank and too long.

    Python's own hash is keyed, so nobody can craft a page on which two texts have the same hash.
    """
    return hash(text) & 0xFFFF_FFFF_FFFF_FFFF | 2


def list_names(element: etree._Element) -> list[tuple[str, str]]:
    """The (attribute, value) pairs that may name an element; one pair per class token."""
    return [pair for name, value in element.items() for pair in split_names(str(name), str(value))]


def split_names(name: str, value: str) -> list[tuple[str, str]]:
    """The (attribute, value) pairs that one attribute yields."""
    if name == "class":
        split = _split_known_class if len(value) <= MAX_KNOWN_CLASS else _split_class
        return list(split(value))
    return [(name, value)] if is_naming(name) and 0 < len(value) <= MAX_NAME else []


def _split_class(value: str) -> tuple[tuple[str, str], ...]:
    return tuple(("class", token) for token in _HTML_SPACE.split(value) if 0 < len(token) <= MAX_NAME)


_split_known_class = lru_cache(maxsize=4096)(_split_class)
"""A template has few class attributes, each on many elements of many pages."""


def is_naming(name: str) -> bool:
    """Whether an attribute's value may be a name."""
    return name in NAMING or name in PRESENTATION or name == "class" or name.startswith("data-")


def hash_name(name: str, value: str) -> int:
    """The hash under which `PageTable.names` lists a pair of `list_names`."""
    return hash_text(f"{name}={value}")


def hash_label(text: str) -> int:
    """The key by which labels are compared: BLANK, TOO_LONG, or the hash of the cleaned text."""
    return (hash_text(text) if len(text) <= MAX_LABEL else TOO_LONG) if text else BLANK


def make_shape(text: str) -> str:
    """Replaces every digit by 0: "(325) 674-2000" becomes "(000) 000-0000". Returns "" for a text without digits."""
    return make_shapes([text])[0] if len(text) <= MAX_SHAPE else ""


def make_shapes(texts: Sequence[str]) -> list[str]:
    """The shapes of cleaned texts of at most MAX_SHAPE characters."""
    if not texts:
        return []
    together = "\n".join(texts).encode("utf-8", "surrogatepass")  # cleaned texts hold no line breaks
    digits = together.translate(_DIGITS).decode("utf-8", "surrogatepass")
    return [text if "0" in text else "" for text in digits.split("\n")]
