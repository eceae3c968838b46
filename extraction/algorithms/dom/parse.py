"""Bytes to tree: the one place where pages are read (docs/algorithms.md#reading-a-page).

Encoding: `dom.encoding`. Tree: lxml's HTML parser, without network and without external entities. A page of which libxml2 loses text, or
misplaces it, is read by `dom.browser_tree`, whose description says which pages those are. Pages of XML are read by `dom.xml`, whose
description says which pages those are and how their names appear.
"""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps

from lxml import etree

from extraction.algorithms.dom.attribute_limit import limit_attributes
from extraction.algorithms.dom.browser_tree import MAX_LEVELS, MAX_OPEN, build_tree, differs_from_browser, has_many_unclosed
from extraction.algorithms.dom.encoding import DecodedPage, decode_page
from extraction.algorithms.dom.xml import XmlError, as_written, declares_xml, is_xml, readable, tree
from extraction.algorithms.errors import PageError

MAX_BYTES = 32 * 1024 * 1024
"""Largest page that is parsed. The largest real page seen is 1.5 MB. lxml needs some ten times the bytes as memory."""


class _Parsers(threading.local):
    """The parser of each thread. To make one for each page would take a tenth of the time of a small page."""

    def __init__(self) -> None:
        self.html = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True, collect_ids=False)


_parsers = _Parsers()
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f]")
_CONTROL_BYTES = bytes(code for code in range(1, 32) if code not in b"\t\n\r")


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as a tree.

    notices: what was lost on the way, in words; empty if nothing was.
    as_browser: whether the tree is a browser's, because lxml's own parser reads the page otherwise.
    """

    root: etree._Element
    encoding: str
    size_bytes: int
    notices: tuple[str, ...] = ()
    as_browser: bool = False


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


def is_unexpected(error: PageError) -> bool:
    """Return whether a page could not be read because of a mistake of ours, which its cause shows."""
    return error.__cause__ is not None and not isinstance(error.__cause__, XmlError)


@_name_failures
def parse(content: bytes, *, content_type: str | None = None) -> ParsedPage:
    """Return the tree of a page. Raises PageError for a page that is empty, too large or without any element.

    content_type: the value of the HTTP header, if known.
    """
    if not content or content.isspace():
        raise PageError("the page is empty")
    if len(content) > MAX_BYTES:
        raise PageError(f"the page has {len(content):,} bytes; at most {MAX_BYTES:,} are read")
    decoded = _decode(content, content_type)
    if is_xml(decoded.text, content_type):
        page = _xml(content, decoded, tree)
        if page.notices == decoded.notices or declares_xml(decoded.text, content_type):
            return page
    text = limit_attributes(decoded.text)
    root, message = _libxml2_tree(text)
    notices = decoded.notices
    crowded = has_many_unclosed(text)
    as_browser = not crowded and differs_from_browser(root, text)
    if as_browser:
        root, too_deep = build_tree(text)
        if too_deep:
            notices += (f"elements nested deeper than {MAX_LEVELS:,} levels were put beside each other, as browsers do",)
    elif crowded:
        notices += (f"more than {MAX_OPEN:,} tags such as <b> are left open; text may be missing or in the wrong place",)
    if root is None:
        raise PageError(f"the page is not HTML: {message}" if message else "the page contains no elements")
    return ParsedPage(root, decoded.encoding, len(content), notices, as_browser)


def _libxml2_tree(text: str) -> tuple[etree._Element | None, str]:
    """Return (root, "") or (None, why there is none)."""
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), _parsers.html), ""
    except etree.XMLSyntaxError as error:
        return None, str(error.msg)


def _xml(content: bytes, decoded: DecodedPage, read: Callable[[str], tuple[etree._Element, tuple[str, ...]]]) -> ParsedPage:
    try:
        root, notices = read(decoded.text)
    except XmlError as error:
        raise PageError(f"the page is XML, and {error}") from error
    return ParsedPage(root, decoded.encoding, len(content), (*decoded.notices, *notices))


def xml_as_written(content: bytes, *, content_type: str | None = None) -> ParsedPage | None:
    """Return the tree of an XML page with its prefixes and namespaces, or None for an HTML page. Raises PageError as `parse` does."""
    if len(content) > MAX_BYTES:
        raise PageError(f"the page has {len(content):,} bytes; at most {MAX_BYTES:,} are read")
    decoded = _decode(content, content_type)
    return _xml(content, decoded, as_written) if is_xml(decoded.text, content_type) else None


def decode(content: bytes, *, content_type: str | None = None) -> tuple[str, str]:
    """Return (encoding name, text without byte-order mark) of a page's bytes. Control characters, which no XPath can name, become
    spaces."""
    decoded = _decode(content, content_type)
    return decoded.encoding, decoded.text


def _decode(content: bytes, content_type: str | None) -> DecodedPage:
    readable_content = readable(content)
    decoded = decode_page(readable_content, content_type)
    text = decoded.text.lstrip("\ufeff")
    if len(readable_content.translate(None, delete=_CONTROL_BYTES)) < len(readable_content):  # far quicker than to look through the text
        text = _CONTROL.sub(" ", text)
    return replace(decoded, text=text)
