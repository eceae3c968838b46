"""Bytes to tree: the one place where pages are read (docs/algorithms.md#reading-a-page).

Encoding: the byte-order mark decides first, then the HTTP charset, then ``<meta>``, then detection, with the WHATWG label aliases
(``iso-8859-1`` means windows-1252). w3lib does this, and it reads an XML declaration's encoding too. Tree: lxml's HTML parser, without
network and without external entities. Pages of XML are read by `dom.xml`, whose description says which pages those are and how their names
appear. libxml2 stops at ``MAX_DEPTH`` nested elements. Of a deeper page, everything before that point is kept and a notice is added,
because half a page is more useful to an editor than none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from charset_normalizer import from_bytes
from lxml import etree
from w3lib.encoding import html_to_unicode

from extraction.algorithms.dom.attribute_limit import limit_attributes
from extraction.algorithms.dom.xml import XmlError, as_written, is_xml, readable, tree
from extraction.algorithms.errors import PageError

MAX_BYTES = 32 * 1024 * 1024
"""Largest page that is parsed. The largest real page seen is 1.5 MB. lxml needs some ten times the bytes as memory."""

MAX_DEPTH = 2048
"""libxml2's own bound on nested elements with huge_tree on. Without it, the bound is 256, which real pages reach."""

_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f]")

DETECTION_BYTES = 65_536
"""How much of a page without any declaration is read to guess its encoding."""


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as a tree.

    notices: what was lost on the way, in words; empty if nothing was.
    """

    root: etree._Element
    encoding: str
    size_bytes: int
    notices: tuple[str, ...] = ()


def _name_failures(read: Callable[..., ParsedPage]) -> Callable[..., ParsedPage]:
    """Make any failure of reading a page a PageError: one page that nobody thought of must not end the work on thousands."""

    @wraps(read)
    def named(content: bytes, *, content_type: str | None = None) -> ParsedPage:
        try:
            return read(content, content_type=content_type)
        except PageError:
            raise
        except Exception as error:
            reason = str(error).partition("\n")[0][:200]
            raise PageError(f"reading the page failed: {type(error).__name__}: {reason}") from error

    return named


@_name_failures
def parse(content: bytes, *, content_type: str | None = None) -> ParsedPage:
    """Return the tree of a page. Raises PageError for a page that is empty, too large or without any element.

    content_type: the value of the HTTP header, if known.
    """
    if not content.strip():
        raise PageError("the page is empty")
    if len(content) > MAX_BYTES:
        raise PageError(f"the page has {len(content):,} bytes; at most {MAX_BYTES:,} are read")
    encoding, text = decode(content, content_type=content_type)
    if is_xml(text, content_type):
        return _xml(content, encoding, text, tree)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(limit_attributes(text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise PageError(f"the page is not HTML: {error.msg}") from error
    if root is None:
        raise PageError("the page contains no elements")
    return ParsedPage(root, encoding, len(content), _notices(parser))


def _xml(content: bytes, encoding: str, text: str, read: Callable[[str], tuple[etree._Element, tuple[str, ...]]]) -> ParsedPage:
    try:
        root, notices = read(text)
    except XmlError as error:
        raise PageError(f"the page is XML, and {error}") from error
    return ParsedPage(root, encoding, len(content), notices)


def xml_as_written(content: bytes, *, content_type: str | None = None) -> ParsedPage | None:
    """Return the tree of an XML page with its prefixes and namespaces, or None for an HTML page. Raises PageError as `parse` does."""
    if len(content) > MAX_BYTES:
        raise PageError(f"the page has {len(content):,} bytes; at most {MAX_BYTES:,} are read")
    encoding, text = decode(content, content_type=content_type)
    return _xml(content, encoding, text, as_written) if is_xml(text, content_type) else None


def decode(content: bytes, *, content_type: str | None = None) -> tuple[str, str]:
    """Return (encoding name, text without byte-order mark) of a page's bytes. Control characters, which no XPath can name, become
    spaces."""
    content = readable(content)
    encoding, text = html_to_unicode(content_type, content, auto_detect_fun=_detect, default_encoding="utf-8")
    return encoding, _CONTROL.sub(" ", text.lstrip("\ufeff"))


def _detect(content: bytes) -> str | None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(content[:DETECTION_BYTES]).best()
        return best.encoding if best else "cp1252"
    return "utf-8"


def _notices(parser: etree.HTMLParser) -> tuple[str, ...]:
    if any("xcessive depth" in entry.message for entry in parser.error_log):
        return (f"elements nested deeper than {MAX_DEPTH:,} levels were left out",)
    return ()
