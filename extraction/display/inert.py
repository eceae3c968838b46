"""What pages for the frame have in common, of HTML (`sanitize`) and of XML (`xml_tree`): their bounds and how text is written. Pure."""

import re
from dataclasses import dataclass

MAX_ELEMENTS = 50_000
"""Elements shown: a browser lays them out within a second or two. The largest of 1,900 real pages has 11,000."""

MAX_CHARS = 4_000_000
"""Characters of text shown, for the same reason."""

MAX_DEPTH = 500
"""Levels shown. Chromium stops laying out at about 512 levels of its own HTML trees; deeper XML can exhaust its stack."""

ALL_IN_TREE, READ_IN_TREE = "The tree has all of them: press t.", "The tree has all that was read: press t."

XHTML = "http://www.w3.org/1999/xhtml"

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


@dataclass(frozen=True, slots=True)
class InertPage:
    """A page for the frame: `opening` (the start tag of the root), `content` (all that is in it, without what is ours).

    elements: how many of the page's are in it. notice: what is not shown, in words, empty when all is. styled: the page
    brings styles, so nothing of our own taste is to be added. xml: it is a tree of XML, which our style shows as one.
    """

    opening: str
    content: str
    elements: int
    notice: str = ""
    styled: bool = False
    xml: bool = False


def escape_text(text: str) -> str:
    """Text for XML; what XML cannot hold becomes U+FFFD, one for one."""
    return _NOT_XML.sub("\ufffd", text).translate(_TEXT)


def escape_value(text: str) -> str:
    """An attribute value for XML, to stand in double quotes."""
    return _NOT_XML.sub("\ufffd", text).translate(_VALUE)
