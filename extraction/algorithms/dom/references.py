"""What a page and its stylesheets need to look right: the addresses of sheets, pictures and fonts, as a browser would load them.

A picture may have several addresses. The one chosen is what a browser would show after the page's lazy loading has run. The order is:
`src`, unless it is only a placeholder for a lazy attribute; the lazy attributes; `srcset`; the sources of a <picture> around it. Addresses
in styles are read by tinycss2, so escapes and comments hide nothing. Cost: one pass over the elements. A style is tokenised only if it can
load something.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urldefrag, urljoin, urlsplit

import tinycss2
from lxml import etree
from tinycss2 import ast

from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.dom.urls import find_base_address, join_address, split_srcset

MAX_ADDRESS = 2000
"""Longest address that is kept, as for pages."""

MAX_PER_PAGE = 300
"""The largest number of files looked for on a page. Of 1,900 real pages, one in a hundred names more. What comes later is far down the
page."""

MAX_STYLE_CHARS = 1_300_000
"""How many characters of a page's styles are looked through. The frame shows no more: `stylesheets.MAX_CHARS`, `MAX_ATTRIBUTE_CHARS`."""

LOADS = re.compile(r"url|image|import|src|\\", re.IGNORECASE)
"""A style without any of these words, and without an escape that could spell one, loads nothing."""

_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-srcset", "data-lazy-srcset")
_STANDS_IN = re.compile(
    r"data:|about:|.*(?:blank|placeholder|spacer|transparent|lazy|loading|pixel)[^/]*\.(?:gif|png|svg|jpe?g|webp)", re.I
)
_SIZE = re.compile(r"(?:(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})([wx]))?")
MAX_SRCSET = 10_000
_WIDE_ENOUGH = 640
"""Of a srcset by widths, the smallest width that is still sharp in the workbench's page pane."""


class ResourceKind(StrEnum):
    """The kind of file that an address leads to."""

    STYLE = "style"
    IMAGE = "image"
    FONT = "font"


@dataclass(frozen=True, slots=True)
class Reference:
    """An address as it is written in the page, and the kind of file it leads to."""

    address: str
    kind: ResourceKind


@dataclass(frozen=True, slots=True)
class NeededResource:
    """An absolute address and the kind of file it leads to. In an archive without addresses, `url` is a file's name in the archive."""

    url: str
    kind: ResourceKind


def find_references(root: etree._Element) -> Iterator[Reference]:
    """Yield the references of a page in document order, one for each picture. An XML page has none.

    Styles beyond MAX_STYLE_CHARS are not looked through.
    """
    if is_xml(root):
        return
    chars_left = MAX_STYLE_CHARS
    for node in root.iter(etree.Element):
        tag = node.tag
        if tag == "link":
            yield from _as([sheet_address(node)], ResourceKind.STYLE)
        elif tag == "style":
            yield from find_style_references((node.text or "")[:chars_left])
            chars_left = max(0, chars_left - len(node.text or ""))
        elif tag == "img":
            yield from _as(picture_addresses(node)[:1], ResourceKind.IMAGE)
        elif tag == "video":
            yield from _as([node.get("poster")], ResourceKind.IMAGE)
        if node.get("background") and tag in {"body", "table", "tr", "td", "th"}:
            yield from _as([node.get("background")], ResourceKind.IMAGE)
        style = node.get("style")
        if style and chars_left and LOADS.search(style):
            yield from find_style_references(style[:chars_left])
            chars_left = max(0, chars_left - len(style))


def find_style_references(text: str) -> Iterator[Reference]:
    """Yield the references of a sheet or of a style attribute."""
    if LOADS.search(text):
        yield from _of_tokens(tinycss2.parse_component_value_list(text, skip_comments=True))


def resolve_references(references: Iterable[Reference], base: str) -> list[NeededResource]:
    """Return the references as absolute addresses, each once, at most MAX_PER_PAGE.

    base: the address that the references are relative to.
    """
    found: dict[str, NeededResource] = {}
    for reference in references:
        url = resolve_address(base, reference.address)
        if url is not None and url not in found:
            found[url] = NeededResource(url, reference.kind)
            if len(found) >= MAX_PER_PAGE:
                break
    return list(found.values())


def find_base(root: etree._Element, url: str) -> str:
    """Return the address that the page's references are relative to: its first <base href>, else its own address.

    url: the page's address, or its name in an archive.
    """
    if "://" in url:
        return find_base_address(root, url)
    base = next((node for node in root.iter("base") if node.get("href") and next(node.iterancestors("template"), None) is None), None)
    return resolve_address(url, base.get("href") or "") or url if base is not None else url


def resolve_address(base: str, address: str) -> str | None:
    """Return the absolute address without its fragment.

    Return None if it does not lead to a file on a web server or in the archive (data:, javascript:, #part).
    """
    address = address.strip()
    if not address or address.startswith("#"):
        return None
    if "://" in base:
        joined = join_address(base, address)
        if joined is None:
            return None
        address = joined
    try:
        url = urldefrag(urljoin(base, address)).url.replace(" ", "%20")
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"}:
        if parts.scheme or parts.netloc or urlsplit(base).scheme:
            return None
        url = re.sub(r"^(?:\.{0,2}/)+", "", url)  # a name in the archive: ".." cannot lead above the archive's top folder
    return url if 0 < len(url) <= MAX_ADDRESS and url != base and url.isprintable() else None


def sheet_address(link: etree._Element) -> str | None:
    """Return the address of the sheet that a <link> loads, at once or after its `onload` ran; None if the <link> loads no sheet."""
    rel = (link.get("rel") or "").lower().split()
    late = "preload" in rel and (link.get("as") or "").lower() == "style" and "rel" in (link.get("onload") or "")
    if not late and ("stylesheet" not in rel or "alternate" in rel or link.get("disabled") is not None):
        return None
    if (link.get("type") or "text/css").partition(";")[0].strip().lower() != "text/css":
        return None
    return link.get("href")


def sheet_media(link: etree._Element) -> str:
    """Return the media that a <link>'s sheet is for: all media if it says "print" and its `onload` changes that, the usual way to load a
    sheet late."""
    media = (link.get("media") or "").strip()
    return "" if "media" in (link.get("onload") or "") else media


def picture_addresses(image: etree._Element) -> list[str]:
    """Return the addresses of an <img>, the preferred one first."""
    source = (image.get("src") or "").strip()
    lazy = [address for name in _LAZY for address in _chosen(name, image.get(name))]
    found = [source] if source and not (lazy and _STANDS_IN.match(source[:MAX_ADDRESS])) else []
    found += lazy + _chosen("srcset", image.get("srcset"))
    # Our parser does not close a <source>, so the elements that follow it are nested in it.
    picture = next(image.iterancestors("picture"), None)
    if picture is not None:
        for node in picture.iter("source"):
            found += _chosen("srcset", node.get("srcset") or node.get("data-srcset"))
    return [address for address in dict.fromkeys([*found, source]) if address]


def _chosen(name: str, value: str | None) -> list[str]:
    """Return the address in an attribute; if it is a srcset, the address for a window of usual width."""
    if not value or not name.endswith("srcset"):
        return [value.strip()] if value and value.strip() else []
    listed = [(address, _SIZE.fullmatch(size.partition(" ")[0])) for address, size in split_srcset(value[:MAX_SRCSET])]
    candidates = [(address, float(size[1] or 1), size[2] or "x") for address, size in listed if size]
    if not candidates:
        return []
    wide = sorted(candidates, key=lambda each: (each[1] < (_WIDE_ENOUGH if each[2] == "w" else 1), abs(each[1])))
    return [wide[0][0]]


def _as(addresses: Iterable[str | None], kind: ResourceKind) -> Iterator[Reference]:
    for address in addresses:
        if address:
            yield Reference(address, kind)


def _of_tokens(tokens: Iterable[ast.Node], kind: ResourceKind = ResourceKind.IMAGE) -> Iterator[Reference]:
    """Yield the references in tokens. An explicit stack replaces recursion, because brackets may be nested as deep as the author likes."""
    stack = [(iter(tokens), kind)]
    rule: ResourceKind | None = None
    while stack:
        running, inside = stack[-1]
        token = next(running, None)
        if token is None:
            stack.pop()
            continue
        if token.type == "at-keyword":
            rule = {"import": ResourceKind.STYLE, "font-face": ResourceKind.FONT}.get(token.lower_value)
        elif token.type == "literal" and token.value == ";":
            rule = None
        elif token.type == "url" or (token.type == "string" and rule is ResourceKind.STYLE):
            yield Reference(token.value, rule if rule is ResourceKind.STYLE else inside)
            rule = None if rule is ResourceKind.STYLE else rule
        elif token.type == "function":
            yield from _as(_strings(token), rule if rule is ResourceKind.STYLE else inside)
            stack.append((iter(token.arguments), inside))
        elif token.type.endswith("block"):
            stack.append((iter(token.content), rule if rule is ResourceKind.FONT and token.type == "{} block" else inside))
            rule = None


def _strings(function: ast.Node) -> list[str]:
    """Return the addresses given as strings: url("x"), src("x"), image-set("x" 1x)."""
    if function.lower_name not in {"url", "src", "image", "image-set", "-webkit-image-set"}:
        return []
    return [each.value for each in function.arguments if each.type == "string"]
