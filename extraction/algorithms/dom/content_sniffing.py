"""Files that are not pages, whatever their names say: bytes that are not text, and text without a single tag.

An HTML parser makes a tree out of any bytes. The tests here are few and let doubtful files pass: a page with null bytes, one in UTF-16, one
with a damaged end and one that begins with rubbish are pages. Time is linear in the bytes.
"""

import re

from extraction.algorithms.dom.xml import HTML_NAMES

LOOK_BYTES = 65_536
"""How much of a file is read to tell whether it is text."""

BINARY_SHARE = 0.05
"""A file without an HTML tag is not text if at least this share of it is control characters. Compressed data has a tenth, and text
hardly any."""

_CONTROLS = bytes(number for number in range(32) if number not in b"\t\n\v\f\r\x1b")
"""Control characters that text does not have. The escape character is not among them, because it switches alphabets in ISO-2022-JP."""

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_TAG = re.compile(rb"<\0{0,3}[A-Za-z_!?:\x80-\xff]")
"""The beginning of a tag, in UTF-16 and UTF-32 too."""

_KNOWN = re.compile(rb"<(?:!doctype|\?xml|%s)[\s>/]" % "|".join(sorted(HTML_NAMES)).encode(), re.IGNORECASE)


def explain_non_page(content: bytes) -> str:
    """Return in words why the bytes are not a page of HTML or XML, "" if they may be one. Empty files are refused elsewhere."""
    head = content[:LOOK_BYTES]
    if not head.startswith(_WIDE) and not _KNOWN.search(head.replace(b"\0", b"")):
        share = (len(head) - len(head.translate(None, _CONTROLS))) / max(1, len(head))
        if share >= BINARY_SHARE:
            return f"it is binary, not a page: {share:.0%} of its first bytes are control characters"
    if content.strip() and not _TAG.search(content):
        return "it contains no tags, so it is not an HTML or XML page"
    return ""
