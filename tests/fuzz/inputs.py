"""What the fuzzers make: pages, style sheets, archives, files of rules, forms and JSON."""

import hashlib
import json
import struct
from typing import Any

from hypothesis import strategies as st

from extraction.algorithms.bundles import bundle
from tests.fetching.archive_files import PAGE, make_tar, make_warc, make_zip
from tests.hostile.bad_pages import make_pages
from tests.hostile.bad_texts import BREAKERS, FORMULAE

TAGS = (
    "a",
    "b",
    "p",
    "div",
    "span",
    "table",
    "tr",
    "td",
    "ul",
    "li",
    "select",
    "option",
    "svg",
    "math",
    "style",
    "script",
    "template",
    "form",
    "input",
    "button",
    "title",
    "textarea",
    "frameset",
    "x:y",
)
PIECES = (
    *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<", ">", "</", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE html>", "<?x", "?>", "&", "&#0;",
    "&#xD800;", "&lt;", "&x;", "\0", "\x1b$B", "\ufeff", "\ud800", "\u202e", " style='background:url(//e/x)'", " onclick=x", " href='javascript:x'", "<p a=1 a=2",
    "=\"", "='", "{{", "{%", "<meta charset=", "utf-16", "big5", "<base href=//e/>", "<?xml version='1.0'?>", "xmlns:a='u'", "<rss>", "<a:b>", "x" * 300, "<b>" * 300,
)  # fmt: skip
CSS = (
    "a", "*", "{", "}", "(", ")", "[", "]", ";", ":", ",", "@import ", "@media ", "@font-face", "@layer", "url(//e.example/x)", "url(", "'", '"', "\\", "\\75 rl(",
    "/*", "*/", "position", "fixed", "--v-x", "var(", "image-set(", "src:", "behavior:", "expression(", "<!--", "-->", "\0", "!important", "</style>", "calc(" * 70, "&",
)  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.sampled_from([*FORMULAE, *BREAKERS]), st.text(max_size=12)
)

markup = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join)


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A page: markup in some encoding, or a page of the corpus with bytes changed, taken away or put in."""
    if draw(st.booleans()):
        return draw(markup).encode(draw(st.sampled_from(["utf-8", "utf-16", "utf-16-be", "latin-1", "shift_jis"])), "replace")
    return damage(draw, draw(st.sampled_from(_SMALL)))


def damage(draw: st.DrawFn, data: bytes) -> bytes:
    """Return the bytes with up to five changes at places of their own."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, max(0, len(changed) - 1)))
        put = draw(st.one_of(st.binary(max_size=8), st.sampled_from([struct.pack("<I", 2**32 - 1), b"\0" * 8, b"9" * 30, b"PK\x01\x02"])))
        changed[at : at + draw(st.integers(0, 12))] = put
    return bytes(changed)


_SMALL = [page.content for page in make_pages() if 0 < len(page.content) < 3_000]
_ARCHIVES = (
    make_zip({"a.html": PAGE, "manifest.csv": b"file,url\na.html,http://e.com/a\n", "b/c.html": PAGE * 3}),
    make_tar({"a.html": PAGE, "manifest.csv": b"file,url\na.html,http://e.com/a\n", "x" * 150 + ".html": PAGE}, "w:"),
    make_tar({"a.html": PAGE}),
    make_warc([{"url": "http://e.com/a"}, {"url": "http://e.com/b", "kind": "resource"}], packed=False),
    make_warc([{"url": "http://e.com/a"}]),
)

sheets = st.lists(st.one_of(st.sampled_from(CSS), st.text(max_size=5)), max_size=30).map("".join)


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """An archive with bytes changed."""
    return damage(draw, draw(st.sampled_from(_ARCHIVES)))


def json_values(*names: str) -> st.SearchStrategy[Any]:
    """JSON values whose objects use these names."""
    keys = st.one_of(st.sampled_from(names), st.text(max_size=4)) if names else st.text(max_size=4)
    return st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5), max_leaves=12)


_NAMES = (
    "templates",
    "lists",
    "rule",
    "number",
    "id",
    "stylesheet",
    "masks",
    "core",
    "patterns",
    "attributes",
    "name",
    "type",
    "placed",
    "schemes",
    "definition",
)


@st.composite
def bundles(draw: st.DrawFn) -> bytes:
    """A file of rules that has the right digest, so that its content is read."""
    content = draw(json_values(*_NAMES))
    try:
        digest = hashlib.sha256(bundle._write_canonically(content)).hexdigest()
        return json.dumps({"kind": bundle.KIND, "format": bundle.FORMAT, "digest": digest, "content": content}).encode()
    except (ValueError, UnicodeEncodeError):
        return b"{}"


form_values = st.one_of(
    st.sampled_from(
        [
            *FORMULAE,
            *(text for text in BREAKERS if text != "\ud800"),
            "",
            "1",
            "0",
            "-1",
            "new",
            "on",
            "merge",
            "9" * 19,
            "9" * 30,
            "1e9",
            "²",
            "x" * 3_000,
        ]
    ),
    st.text(max_size=8),
)
