"""Bodies come out as they went in, in whatever coding, and what is cut off or unknown says so."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from extraction.fetching.codings import join_chunks, unpack
from extraction.fetching.items import EntryError

PAGE = b"<!doctype html><html><body>" + b"<p>a page</p>" * 500 + b"</body></html>"
LIMIT = 1_000_000
PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("coding", PACKERS)
@given(content=st.binary(min_size=1, max_size=500))
def test_what_was_packed_comes_out(coding: str, content: bytes) -> None:
    assert unpack(PACKERS[coding](b"<html>" + content), coding, limit=LIMIT) == b"<html>" + content


@pytest.mark.parametrize("coding", PACKERS)
def test_a_body_that_was_unpacked_before_stays_as_it_is(coding: str) -> None:
    assert unpack(PAGE, coding, limit=LIMIT) == PAGE


@pytest.mark.parametrize("coding", PACKERS)
@pytest.mark.parametrize("rest", [1, 10, 30])
def test_a_body_that_was_cut_off_says_so(coding: str, rest: int) -> None:
    with pytest.raises(EntryError, match="cut off"):
        unpack(PACKERS[coding](PAGE)[:-rest], coding, limit=LIMIT)


@pytest.mark.parametrize("coding", PACKERS)
def test_no_more_is_unpacked_than_allowed(coding: str) -> None:
    assert len(unpack(PACKERS[coding](b"\0" * 50_000_000), coding, limit=LIMIT)) == LIMIT


def test_several_codings_are_undone_from_the_last_one() -> None:
    assert unpack(gzip.compress(brotli.compress(PAGE)), "br, gzip", limit=LIMIT) == PAGE
    assert unpack(gzip.compress(gzip.compress(PAGE)), "gzip", limit=LIMIT) == PAGE
    assert unpack(gzip.compress(gzip.compress(PAGE)), "gzip, gzip", limit=LIMIT) == PAGE
    assert unpack(gzip.compress(PAGE), "gzip, gzip", limit=LIMIT) == PAGE


def test_a_coding_that_is_not_known_is_named() -> None:
    with pytest.raises(EntryError, match="'compress'"):
        unpack(b"\x1f\x9d\x90", "compress", limit=LIMIT)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5))
def test_chunks_are_joined(parts: list[bytes]) -> None:
    chunked = b"".join(b"%x;name=value\r\n%s\r\n" % (len(part), part) for part in parts)
    assert join_chunks(chunked + b"0\r\n\r\n") == b"".join(parts)


@pytest.mark.parametrize("rest", range(1, 12))
def test_a_chunked_body_that_was_cut_off_says_so(rest: int) -> None:
    whole = b"7\r\n<p>abcd\r\n4\r\nefgh\r\n0\r\n"
    with pytest.raises(EntryError, match="cut off"):
        join_chunks(whole[:-rest])


def test_a_body_without_chunks_stays_as_it_is() -> None:
    assert join_chunks(PAGE) == PAGE
