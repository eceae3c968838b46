"""What HTML pages (`sanitize`) and XML pages (`xml_tree`) for the frame have in common: their limits and how text is written. Pure."""

import re
from dataclasses import dataclass

MAX_ELEMENTS = 50_000
"""The largest number of elements shown. A browser lays them out within a second or two. The largest of 1,900 real pages has 11,000."""

MAX_CHARS = 4_000_000
"""The largest number of characters of text shown, for the same reason."""

MAX_DEPTH = 500
"""The largest number of levels shown. Chromium limits its own HTML trees to about 512 levels; deeper XML can exhaust its stack."""

ALL_IN_TREE, READ_IN_TREE = "The tree has all of them: press t.", "The tree has all that was read: press t."

XHTML = "http://www.w3.org/1999/xhtml"

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


@dataclass(frozen=True, slots=True)
class InertPage:
    """A page for the frame.

    opening: the start tag of the root.
    content: the content of the root, without anything that Vertex adds.
    elements: how many of the page's elements are in it.
    notice: what is not shown, in words; empty if everything is shown.
    styled: whether the page has its own styles, so that Vertex's default style is not needed.
    xml: whether it is an XML page, which has its own style.
    """

    opening: str
    content: str
    elements: int
    notice: str = ""
    styled: bool = False
    xml: bool = False


def escape_text(text: str) -> str:
    """Return text escaped for XML. Each character that XML does not allow becomes U+FFFD."""
    return _NOT_XML.sub("\ufffd", text).translate(_TEXT)


def escape_value(text: str) -> str:
    """Return an attribute value escaped for XML, for use in double quotes."""
    return _NOT_XML.sub("\ufffd", text).translate(_VALUE)
