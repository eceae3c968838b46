"""The tag stream: a page's start and end tags in document order, straight from its bytes (docs/algorithms.md#page-clustering).

lxml's tree is repaired, and walking it costs twice a parse. So tags are read from the bytes: the places of all ``<`` and ``>`` in one
vectorised scan over many pages, then the eight bytes at each ``<`` as one 64-bit word, masked to the tag's name. The rest follows HTML 5's
tokenizer where it matters. Nothing inside comments, scripts, styles, titles, text areas and the other raw-text elements is a tag, nor is a
``<`` inside an attribute of a tag that is still open. Only such places are visited one by one.

We depart from the tokenizer on purpose in two ways. Names count by their first `NAME_BYTES` bytes. And a ``>`` inside quotes is taken for
the tag's end. This changes the stream only if a ``<`` and a letter follow inside the same quotes; in return, a forgotten closing quote does
not swallow the page. Scripts inside comments inside scripts are not told apart.

Bytes may be raw, or decoded and encoded again as UTF-8. Every encoding of the web keeps ``<``, ``>`` and names in ASCII, except UTF-16 and
UTF-32, which are decoded here if a byte-order mark says so. Text in ISO-2022-JP can hold a stray ``<``; callers to whom this matters decode
first. A page whose content says that it is XML gives the tags that `xml.tags` makes of it. Time and memory are linear in the bytes, even on
hostile pages.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.arrays import I64, U64, Flags
from extraction.algorithms.dom import xml

NAME_BYTES = 7
"""Bytes of a tag's name that count: what a 64-bit word holds beside the end-tag flag. HTML's own names differ within them."""

END_TAG = 1 << 63
"""Set in the token of an end tag."""


@dataclass(frozen=True, slots=True, eq=False)
class TagTokens:
    """The tags of a batch of pages. No token is 0.

    tokens: shape (tags,), the first bytes of the lower-cased name, first byte lowest, with `END_TAG` for end tags.
    bounds: shape (pages + 1,); page i has tokens[bounds[i]:bounds[i + 1]].
    """

    tokens: U64
    bounds: I64


def tag_tokens(contents: Sequence[bytes]) -> TagTokens:
    """Return the tag streams of pages. Any bytes give a stream, which is empty if there is no tag."""
    buffer, stops = _joined(contents)
    opens = _Opens.scan(buffer)
    spans = _spans(buffer, stops, opens)
    keep = opens.is_tag & ~_within(opens.places, spans)
    kept = opens.places[keep]
    bounds = np.concatenate((np.zeros(1, np.int64), np.searchsorted(kept, stops)))
    return TagTokens(opens.names[keep], bounds)


def name(token: int) -> str:
    """Return the token as a person writes it: ``div``, ``/div``."""
    letters = (token & ~END_TAG).to_bytes(8, "little").rstrip(b"\0").decode("ascii", "replace")
    return f"/{letters}" if token & END_TAG else letters


_SEPARATOR = b"<" + b" " * 15
"""Put between pages. It leaves no tag open across pages, is no tag itself, and pads the last eight-byte read of a page."""

_BLOCK_BYTES = 1 << 18
"""The bracket scan goes block by block so that its scratch memory stays in the cache. A whole 20 MB page at once is twice as slow."""

_BOMS = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_HTML_START = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""The beginning of most pages, which tells without a closer look that they are not XML."""

_ONES = 0x0101010101010101
_HIGHS = 0x8080808080808080


def _word(text: bytes) -> int:
    return int.from_bytes(text[:NAME_BYTES], "little")


_RAW_NAMES = tuple(_word(n) for n in (b"script", b"style", b"title", b"textarea", b"iframe", b"noembed", b"noframes", b"xmp"))
"""Elements whose content HTML 5's tokenizer reads as text."""

_RAW_PAIRS = np.zeros(1 << 16, np.bool_)
_RAW_PAIRS[[name & 0xFFFF for name in _RAW_NAMES]] = True

_MARKUP = np.array([ord(mark) for mark in "!?/"], np.uint64)
"""What follows a ``<`` that opens a comment, or what HTML 5 reads as one, up to the next ``>``."""

_SHORT_COMMENT = re.compile(rb"<!--(?:->|>)")
_COMMENT_END = re.compile(rb"--!?>")

_TAG_REST = re.compile(
    rb"[^=>]*+(?:=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\"'\t\n\f\r >][^\t\n\f\r >]*+|(?=>))[^=>]*+)*+>",
)
"""From inside a tag to its closing bracket, with quoted values skipped. Possessive throughout, so linear."""


def _joined(contents: Sequence[bytes]) -> tuple[bytes, I64]:
    """Return (all pages, each followed by a separator; where each page ends)."""
    pages = [_utf8(content) for content in contents]
    sizes = np.fromiter((len(page) + len(_SEPARATOR) for page in pages), np.int64, len(pages))
    return b"".join(part for page in pages for part in (page, _SEPARATOR)), np.cumsum(sizes) - len(_SEPARATOR)


def _utf8(content: bytes) -> bytes:
    if not _HTML_START.match(content) and xml.what(content) in ("xml", "feed"):
        content = xml.tags(content)
    if content[:1] in (b"\xff", b"\xfe", b"\0"):
        for mark, encoding in _BOMS:
            if content.startswith(mark):
                return content[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    return content


def _brackets(data: NDArray[np.uint8]) -> I64:
    """Return the places of ``<`` (0x3C) and ``>`` (0x3E), which differ in one bit."""
    scratch = np.empty(min(len(data), _BLOCK_BYTES), np.uint8)
    found: list[I64] = [np.zeros(0, np.int64)]
    for start in range(0, len(data), _BLOCK_BYTES):
        block = data[start : start + _BLOCK_BYTES]
        masked = np.bitwise_and(block, 0xFD, out=scratch[: len(block)])
        found.append(np.flatnonzero(masked == ord("<")) + start)
    return np.concatenate(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Opens:
    """Every ``<`` of a batch, in order. All arrays have one entry for each.

    places: where it stands.
    names: the token, if it is a tag.
    is_tag: whether a letter follows.
    is_open: whether it is markup and another ``<`` comes before any ``>``. Then it is a tag with brackets in its attributes, or cut off by
        the page's end.
    is_comment: whether it opens a comment that has to be looked at. A comment that ends with its next bracket hides nothing.
    """

    places: I64
    names: U64
    is_tag: Flags
    is_open: Flags
    is_comment: Flags

    @classmethod
    def scan(cls, buffer: bytes) -> "_Opens":
        data = np.frombuffer(buffer, np.uint8)
        brackets = _brackets(data)
        order = np.flatnonzero(data[brackets] == ord("<"))
        places = brackets[order]
        following = brackets[np.minimum(order + 1, len(brackets) - 1)]
        is_open = data[following] == ord("<")
        words = np.ndarray((max(len(buffer) - 7, 0),), "<u8", buffer, strides=(1,))[places + 1]
        names, is_tag = _names(words)
        is_comment = np.zeros(len(places), np.bool_)
        others = np.flatnonzero(~is_tag)
        is_open[others] &= np.isin(words[others] & np.uint64(0xFF), _MARKUP)
        comments = others[(words[others] & np.uint64(0xFFFFFF)) == _word(b"!--")]
        ends = following[comments]
        is_comment[comments] = is_open[comments] | (data[ends - 1] != ord("-")) | (data[ends - 2] != ord("-"))
        return cls(places, names, is_tag, is_open, is_comment)


def _names(words: U64) -> tuple[U64, Flags]:
    """Return (token, whether it is a tag at all) of the eight bytes after each ``<``. The first byte is the lowest in a word."""
    is_end = (words & np.uint64(0xFF)) == ord("/")
    names = np.where(is_end, words >> np.uint64(8), words & np.uint64((1 << 56) - 1))
    is_tag = ((names & np.uint64(0xFF) | np.uint64(0x20)) - np.uint64(ord("a"))) < np.uint64(26)
    stop = _zero_bytes(names ^ np.uint64(ord("/") * _ONES)) | _zero_bytes(names ^ np.uint64(ord(">") * _ONES))
    stop |= (names - np.uint64(0x21 * _ONES)) & ~names & np.uint64(_HIGHS)  # bytes of at most a space
    lowest = stop & (~stop + np.uint64(1))
    mask = (lowest >> np.uint64(7)) - np.uint64(1)
    lowered = (names | np.uint64(0x20 * _ONES)) & mask & np.uint64((1 << 56) - 1)
    return lowered | (is_end.astype(np.uint64) << np.uint64(63)), is_tag


def _zero_bytes(words: U64) -> U64:
    """Return the high bit of each zero byte. Above the lowest zero byte, bits may be wrong; they are not used."""
    return (words - np.uint64(_ONES)) & ~words & np.uint64(_HIGHS)


def _within(places: I64, spans: Sequence[tuple[int, int]]) -> Flags:
    """Return which places lie in one of the disjoint, ascending [start, end)."""
    if not spans:
        return np.zeros(len(places), np.bool_)
    edges = np.searchsorted(places, np.array(spans, np.int64))
    edges = edges[edges[:, 0] < edges[:, 1]]
    depth = np.zeros(len(places) + 1, np.int8)
    depth[edges[:, 0]] += 1
    depth[edges[:, 1]] -= 1
    return np.cumsum(depth[:-1], dtype=np.int8).astype(np.bool_)


def _spans(buffer: bytes, stops: I64, opens: _Opens) -> list[tuple[int, int]]:
    """Return the spans in which a ``<`` starts no tag: comments, raw text, the rest of tags that hold brackets."""
    raw = _raw(opens)
    is_end = opens.names[raw] >= np.uint64(END_TAG)
    closers = _Closers(opens.places[raw[is_end]], opens.names[raw[is_end]])
    raw_names = np.zeros(len(opens.places), np.uint64)
    raw_names[raw[~is_end]] = opens.names[raw[~is_end]]
    chosen = np.flatnonzero((raw_names > 0) | opens.is_comment | opens.is_open)
    at = opens.places[chosen]
    ends = np.append(stops, 0)[np.searchsorted(stops, at)]  # 0: the last separator, which no page holds
    columns = (at, ends, opens.is_comment[chosen], opens.is_open[chosen], opens.is_tag[chosen], raw_names[chosen])
    spans: list[tuple[int, int]] = []
    done = 0
    for place, stop, comment, is_open, tag, name_ in zip(*(column.tolist() for column in columns), strict=True):
        if done <= place < stop:
            start, done = _span(buffer, place, stop, comment, is_open, tag)
            if name_ and done < stop:
                done = closers.after(done, stop, name_)
            spans.append((start, done))
    return spans


def _span(buffer: bytes, place: int, stop: int, comment: bool, is_open: bool, tag: bool) -> tuple[int, int]:
    """Return what the ``<`` at `place` hides by itself, up to `stop`, the page's end: [start, end)."""
    if comment:
        return place, _comment_end(buffer, place, stop)
    if tag and is_open:
        rest = _TAG_REST.match(buffer, place, stop)
        return (place + 1, rest.end()) if rest else (place, stop)  # a tag that never ends is none
    if is_open:
        return place, buffer.find(b">", place, stop) + 1 or stop  # what HTML 5 calls a bogus comment
    return place + 1, place + 1


def _comment_end(buffer: bytes, place: int, stop: int) -> int:
    """Return where a comment ends: at ``-->``, at ``--!>``, or with the page. ``<!-->`` is a whole comment."""
    short = _SHORT_COMMENT.match(buffer, place, stop)
    end = short or _COMMENT_END.search(buffer, place + 4, stop)
    return end.end() if end else stop


def _raw(opens: _Opens) -> I64:
    """Return which tags, start or end, are those of raw-text elements. Two letters are compared first, so few tags are compared whole."""
    likely = np.flatnonzero(_RAW_PAIRS[opens.names.astype(np.uint16)])
    is_raw = np.isin(opens.names[likely] & np.uint64(END_TAG - 1), np.array(_RAW_NAMES, np.uint64)) & opens.is_tag[likely]
    return likely[is_raw]


class _Closers:
    """The end tags of raw-text elements, by name and place."""

    def __init__(self, places: I64, names: U64) -> None:
        self._places = {raw: places[names == np.uint64(raw | END_TAG)].tolist() for raw in _RAW_NAMES}

    def after(self, place: int, stop: int, raw: int) -> int:
        """Return the first end tag of that name between `place` and `stop`; `stop` if there is none."""
        places = self._places[raw]
        index = bisect_left(places, place)
        return places[index] if index < len(places) and places[index] < stop else stop
