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
    kept = np.flatnonzero(_visible(opens, _spans(buffer, stops, opens)))
    bounds = np.searchsorted(kept, np.searchsorted(opens.places, stops))
    return TagTokens(opens.names[kept], np.concatenate((np.zeros(1, np.int64), bounds)))


def name(token: int) -> str:
    """Return the token as a person writes it: ``div``, ``/div``."""
    letters = (token & ~END_TAG).to_bytes(8, "little").rstrip(b"\0").decode("ascii", "replace")
    return f"/{letters}" if token & END_TAG else letters


_SEPARATOR = b"<" + b" " * 15
"""Put between pages. It leaves no tag open across pages, is no tag itself, and pads the last eight-byte read of a page."""

_WORD_BYTES = 8

_BLOCK_BYTES = 1 << 18
"""The bracket scan goes block by block so that its scratch memory stays in the cache. A whole 20 MB page at once is twice as slow."""

_BOMS = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_HTML_START = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""The beginning of most pages, which tells without a closer look that they are not XML."""

_ONES = 0x0101010101010101


def _word(text: bytes) -> int:
    return int.from_bytes(text[:NAME_BYTES], "little")


_RAW_NAMES = tuple(_word(n) for n in (b"script", b"style", b"title", b"textarea", b"iframe", b"noembed", b"noframes", b"xmp"))
"""Elements whose content HTML 5's tokenizer reads as text."""

_RAW_WORDS = np.array(_RAW_NAMES, np.uint64)
_RAW_PAIRS = np.zeros(1 << 16, np.bool_)
_RAW_PAIRS[[name & 0xFFFF for name in _RAW_NAMES]] = True

_MARKUP = np.zeros(256, np.bool_)
_MARKUP[list(b"!?/")] = True
"""What follows a ``<`` that opens a comment, or what HTML 5 reads as one, up to the next ``>``."""

_SHORT_COMMENT = re.compile(rb"<!--(?:->|>)")
_COMMENT_END = re.compile(rb"--!?>")

_TAG_REST = re.compile(
    rb"[^=>]*+(?>(?:=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\"'\t\n\f\r >][^\t\n\f\r >]*+|(?=>))[^=>]*+)*)>",
)
"""From inside a tag to its closing bracket, with quoted values skipped. Possessive throughout, so linear."""


def _joined(contents: Sequence[bytes]) -> tuple[bytes, I64]:
    """Return (all pages, each followed by a separator, as whole eight-byte words; where each page ends)."""
    pages = [_utf8(content) for content in contents]
    sizes = np.fromiter((len(page) + len(_SEPARATOR) for page in pages), np.int64, len(pages))
    filling = b" " * (-int(sizes.sum()) % _WORD_BYTES)
    return b"".join([part for page in pages for part in (page, _SEPARATOR)] + [filling]), np.cumsum(sizes) - len(_SEPARATOR)


def _utf8(content: bytes) -> bytes:
    if not _HTML_START.match(content) and xml.what(content) in ("xml", "feed"):
        content = xml.tags(content)
    if content[:1] in (b"\xff", b"\xfe", b"\0"):
        for mark, encoding in _BOMS:
            if content.startswith(mark):
                return content[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    return content


def _bracket_words(data: NDArray[np.uint8]) -> I64:
    """Return the numbers of the eight-byte words that hold a ``<`` (0x3C) or a ``>`` (0x3E), which differ in one bit."""
    scratch, flags = np.empty(_BLOCK_BYTES, np.uint8), np.empty(_BLOCK_BYTES, np.bool_)
    found: list[I64] = [np.zeros(0, np.int64)]
    for start in range(0, len(data), _BLOCK_BYTES):
        block = data[start : start + _BLOCK_BYTES]
        size = len(block)
        np.bitwise_and(block, 0xFD, out=scratch[:size])
        np.equal(scratch[:size], ord("<"), out=flags[:size])
        found.append(np.flatnonzero(flags[:size].view(np.uint64) != 0) + start // _WORD_BYTES)
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
        """Find the words that hold brackets, and in these the brackets themselves: most of a page is neither read nor written twice."""
        words, data = np.frombuffer(buffer, "<u8"), np.frombuffer(buffer, np.uint8)
        held = _bracket_words(data)
        near = words[held].view(np.uint8)
        brackets = np.flatnonzero((near & 0xFD) == ord("<"))
        order = np.flatnonzero(near[brackets] == ord("<"))
        at = brackets[order]
        numbers, shifts = held[at >> 3], at & 7
        following = _words_after(words, numbers, shifts)
        names, is_tag = _names(following)
        is_open = np.zeros(len(order), np.bool_)
        np.equal(order[1:], order[:-1] + 1, out=is_open[:-1])
        is_comment = np.zeros(len(order), np.bool_)
        others = np.flatnonzero(~is_tag)
        is_open[others] &= _MARKUP[following[others].astype(np.uint8)]
        comments = others[(following[others] & np.uint64(0xFFFFFF)) == _word(b"!--")]
        nexts = brackets[order[comments] + 1]
        ends = held[nexts >> 3] * _WORD_BYTES + (nexts & 7)
        is_comment[comments] = is_open[comments] | (data[ends - 1] != ord("-")) | (data[ends - 2] != ord("-"))
        return cls(numbers * _WORD_BYTES + shifts, names, is_tag, is_open, is_comment)


def _words_after(words: U64, numbers: I64, places: I64) -> U64:
    """Return the eight bytes after each byte of `words`, a part of them from the next word. Reading aligned words and shifting them is
    faster than reading unaligned ones.

    numbers: of the words.
    places: of the bytes in their words, from 0 to 7.
    """
    bits = places.astype(np.uint64) << np.uint64(3)
    low = words[numbers] >> bits >> np.uint64(8)
    return low | words[numbers + 1] << (np.uint64(56) - bits)


def _names(words: U64) -> tuple[U64, Flags]:
    """Return (token, whether it is a tag at all) of the eight bytes after each ``<``. The first byte is the lowest in a word.

    A name ends before the first byte that is at most a space, ``/`` or ``>``. The high bit of a byte of `stop` tells that it is one. Above
    the first such byte the bits may be wrong; they are not used.
    """
    is_end = (words.astype(np.uint8) == ord("/")).astype(np.uint64)
    names = words >> (is_end << np.uint64(3)) & np.uint64((1 << 56) - 1)
    stop = names - np.uint64(0x21 * _ONES)
    for mark in b"/>":
        stop |= (names ^ np.uint64(mark * _ONES)) - np.uint64(_ONES)
    stop &= ~names
    stop = stop >> np.uint64(7) & np.uint64(_ONES)
    lowered = names | np.uint64(0x20 * _ONES)
    is_tag = lowered.astype(np.uint8) - np.uint8(ord("a")) < 26
    return lowered & (stop - np.uint64(1)) & ~stop | is_end << np.uint64(63), is_tag


def _visible(opens: _Opens, spans: Sequence[tuple[int, int]]) -> Flags:
    """Return which ``<`` start a tag and lie in none of the disjoint, ascending [start, end)."""
    visible = opens.is_tag.copy()
    edges = np.searchsorted(opens.places, np.array(spans, np.int64).reshape(-1, 2))
    for first, end in edges[edges[:, 0] < edges[:, 1]].tolist():
        visible[first:end] = False
    return visible


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
            if start < done:
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
    names = opens.names[likely] & np.uint64(END_TAG - 1)
    is_raw = (names[:, np.newaxis] == _RAW_WORDS).any(axis=1) & opens.is_tag[likely]
    raw: I64 = likely[is_raw]
    return raw


class _Closers:
    """The end tags of raw-text elements, by name and place."""

    def __init__(self, places: I64, names: U64) -> None:
        self._places: dict[int, list[int]] = {name: [] for name in _RAW_NAMES}
        for place, name in zip(places.tolist(), (names & np.uint64(END_TAG - 1)).tolist(), strict=True):
            self._places[name].append(place)

    def after(self, place: int, stop: int, raw: int) -> int:
        """Return the first end tag of that name between `place` and `stop`; `stop` if there is none."""
        places = self._places[raw]
        index = bisect_left(places, place)
        return places[index] if index < len(places) and places[index] < stop else stop
