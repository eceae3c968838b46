"""The tag stream follows HTML 5's tokenizer, whatever the bytes."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.tokens import NAME_BYTES, name, tag_tokens

RAW = {"script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"}

PIECES = [
    "<div>", '<DIV class="a<b>c">', "<p title='x <i> y'>", "</p >", "</DIV\n>", "<br/>", "<my-element-of-ours>",
    "<h1>", "</h1>", "<a href=x<y>", "<!-- <b> -->", "<!-->", "<!--->", "<!---!>", "<!-- a --!>", "<!-- > <u> -->", "<!--", "-->",
    "<script>if (a<b) w('<i>')</script>", "<SCRIPT>", "</Script x>", "<style>a<b</style>", "<title>a <b> c</title>",
    "<textarea><p></textarea>", "<iframe><b></iframe>", "text < 5", "<3", "<", ">", "</>", "</3 <b>", "<?php <b> ?>",
    "<!DOCTYPE html>", "<![CDATA[ <b> ]]>", "<script", "</script", "<b", "é \"'", " ", "=", "<a =b>", "<i a==b>", "<td <td>",
]  # fmt: skip


def stream(content: bytes | str) -> list[str]:
    data = content.encode() if isinstance(content, str) else content
    return [name(token) for token in tag_tokens([data]).tokens.tolist()]


def reference(text: str) -> list[str]:
    """HTML 5's tokenizer (WHATWG 13.2.5), character by character, for start and end tags only."""
    tags: list[str] = []
    at = 0
    while (at := text.find("<", at)) >= 0:
        if text.startswith("<!--", at):
            at = comment_end(text, at)
        elif match := re.compile(r"</?([a-zA-Z][^\t\n\f\r />]*)").match(text, at):
            at = tag_end(text, match.end())
            if at < 0:
                break
            slash, tag = ("/" if text[match.start() + 1] == "/" else ""), match[1].lower()
            tags.append(slash + lowered(match[1]))
            if tag in RAW and not slash:
                closer = re.compile(rf"</{tag}[\t\n\f\r />]", re.I).search(text, at)
                at = closer.start() if closer else -1
        elif text.startswith("</>", at):
            at += 3
        elif text[at + 1 : at + 2] in ("!", "?", "/"):
            at = text.find(">", at)
        else:
            at += 1
        if at < 0:
            break
    return tags


def lowered(tag: str) -> str:
    """As a token holds it: bit 5 set in every byte, which is lower case for letters and no matter for the rest."""
    return bytes(byte | 0x20 for byte in tag.encode()[:NAME_BYTES]).decode("ascii", "replace")


def comment_end(text: str, at: int) -> int:
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, at):
            return at + len(short)
    ends = [(text.find(mark, at + 4), len(mark)) for mark in ("-->", "--!>")]
    return min((place + size for place, size in ends if place >= 0), default=-1)


def tag_end(text: str, at: int) -> int:
    """The place after the tag's ``>``, or -1: attributes as the tokenizer's states read them."""
    state = "name"
    while at < len(text):
        char = text[at]
        if state in ('"', "'"):
            state = "name" if char == state else state
        elif char == ">":
            return at + 1
        elif state == "value":
            if char not in "\t\n\f\r ":
                state = char if char in "\"'" else "unquoted"
        elif state == "unquoted":
            state = "name" if char in "\t\n\f\r " else state
        elif char == "=" and text[at - 1] not in "\t\n\f\r ":
            state = "value"
        at += 1
    return -1


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_agrees_with_html5_tokenizer(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert stream(text) == reference(text)


def test_tags_come_lower_cased_with_their_ends() -> None:
    assert stream("<HTML><Body class=x><p>one<br/>two</P></body>") == ["html", "body", "p", "br", "/p", "/body"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><!-- <b>no</b> --></p>", ["p", "/p"]),
        ("<script>'<b>'</script><i>", ["script", "/script", "i"]),
        ("<style><b></style><i>", ["style", "/style", "i"]),
        ("<title>A <b></title><i>", ["title", "/title", "i"]),
        ("<textarea><b></textarea><i>", ["textare", "/textare", "i"]),
        ("<p title='a > b' class=\"c>d\">x</p>", ["p", "/p"]),
        ('<a data-html="<div><b>x</b></div>">x</a>', ["a", "/a"]),
        ("<a href='never closed>x</a><b>", ["a", "/a", "b"]),
        ("a < b <3 &lt;p&gt;", []),
        ("<p>one<!-- never closed <b>", ["p"]),
        ("<p>one<script> never closed <b>", ["p", "script"]),
        ("<p>cut off<a hre", ["p"]),
    ],
)
def test_only_real_tags_count(html: str, expected: list[str]) -> None:
    assert stream(html) == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_pages_with_a_byte_order_mark_are_decoded(encoding: str) -> None:
    mark = "" if encoding in ("utf-16", "utf-32", "utf-8-sig") else "\ufeff"
    assert stream((mark + "<p>日本<b></b></p>").encode(encoding)) == ["p", "b", "/b", "/p"]


@given(
    st.lists(st.one_of(st.binary(max_size=60), st.lists(st.sampled_from([*PIECES, '<a title="', "<b x='", "\0"]), max_size=12)), max_size=6)
)
def test_a_page_does_not_depend_on_its_neighbours(raw: list[bytes | list[str]]) -> None:
    pages = [page if isinstance(page, bytes) else "".join(page).encode() for page in raw]
    batch = tag_tokens(pages)
    assert len(batch.bounds) == len(pages) + 1
    for index, page in enumerate(pages):
        alone = tag_tokens([page])
        assert batch.tokens[batch.bounds[index] : batch.bounds[index + 1]].tolist() == alone.tokens.tolist()
    assert 0 not in batch.tokens.tolist()


@pytest.mark.parametrize(
    "unit",
    [b"<", b">", b"<a ", b"<a <b>", b"<!--", b"<!---->", b"<!--x--!>", b"<!-- > ", b"<script>", b"<script></script>",
     b"<a b='", b'<a "', b"<a b=c ", b"</", b"<?", b"\0"],
)  # fmt: skip
def test_hostile_repetition_takes_linear_time(unit: bytes) -> None:
    page = b"<p>" + unit * (2_000_000 // len(unit))
    started = time.process_time()
    tag_tokens([page])
    assert time.process_time() - started < 3
