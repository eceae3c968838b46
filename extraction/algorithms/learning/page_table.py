"""Pages as tables: what the learner compares, one array operation per feature (ALGORITHMS 4.1; Vertex 3.1.3).

A page is read once into numpy arrays (`tables.table`); several pages are laid end to end (`Corpus`). Strings become 64-bit
hashes, so that a label or class of one page is compared with those of all pages by one ``==``. Rows are elements in
document order (as `nodes.elements` numbers them) and text nodes that are not blank. What does not exist (no parent, no
sibling) is the guard row at the end, all zeros and its own parent, so that steps along the tree are plain indexing:
``parent[parent[rows]]``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.dom.nodes import is_xml

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

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

MAX_RAW_LABEL = 2_000
"""Longest text looked at for a label, white space included: templates indent, but not that far."""

UNREAD_TAGS = frozenset(("script", "style", "template"))
"""Elements whose own texts are no rows: nobody marks them, and they hold most of a modern page's bytes."""


def find_unread_tags(root: etree._Element) -> frozenset[str]:
    """`UNSEEN` on a page of HTML, nothing on one of XML: there a style may be one of dresses."""
    return frozenset() if is_xml(root) else UNREAD_TAGS


MAX_SHAPE = 30
"""Longest text, in characters, whose digits and signs can be its shape."""

_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
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


def hash_text(text: str) -> int:
    """A 64-bit hash of a text, of this process only; never 0 or 1, which mean blank and too long.

    Python's own hash is keyed, so a page cannot be written to have two texts of one hash.
    """
    return hash(text) & 0xFFFF_FFFF_FFFF_FFFF | 2


def list_names(element: etree._Element) -> list[tuple[str, str]]:
    """(attribute, value) pairs an element may be named by; one pair per class token."""
    return [pair for name, value in element.items() for pair in split_names(str(name), str(value))]


def split_names(name: str, value: str) -> list[tuple[str, str]]:
    """The pairs that one attribute gives."""
    if name == "class":
        return [("class", token) for token in _HTML_SPACE.split(value) if 0 < len(token) <= MAX_NAME]
    return [(name, value)] if is_naming(name) and 0 < len(value) <= MAX_NAME else []


def is_naming(name: str) -> bool:
    """Whether an attribute's value may be a name."""
    return name in NAMING or name in PRESENTATION or name == "class" or name.startswith("data-")


def hash_name(name: str, value: str) -> int:
    """The hash under which `PageTable.names` lists a pair of `names_of`."""
    return hash_text(f"{name}={value}")


def hash_label(text: str) -> int:
    """The hash of a cleaned text as labels are compared: BLANK, TOO_LONG or its key."""
    return (hash_text(text) if len(text) <= MAX_LABEL else TOO_LONG) if text else BLANK


def make_shape(text: str) -> str:
    """A text with all digits as 0, "" when it has none: "(325) 674-2000" is "(000) 000-0000"."""
    return make_shapes([text])[0] if len(text) <= MAX_SHAPE else ""


def make_shapes(texts: Sequence[str]) -> list[str]:
    """The shapes of cleaned texts of at most MAX_SHAPE characters."""
    if not texts:
        return []
    together = "\n".join(texts).encode("utf-8", "surrogatepass")  # cleaned texts hold no line breaks
    digits = together.translate(_DIGITS).decode("utf-8", "surrogatepass")
    return [text if "0" in text else "" for text in digits.split("\n")]
