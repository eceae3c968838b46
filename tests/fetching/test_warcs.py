"""WARC files: pages with their addresses and dates."""

import gzip
import random
import re
import zlib
from datetime import UTC, datetime
from typing import Any

import pytest
import zstandard

from extraction.fetching.archives import ArchiveError, PageItem
from tests.fetching.archive_files import PAGE, make_warc, page_urls, read_items, refusals, skipped_names


def test_a_warc_gives_its_html_with_addresses_and_dates() -> None:
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    compressed = gzip.compress(PAGE)
    records: list[dict[str, Any]] = [
        {"url": "http://e.com/plain#x", "headers": [("Content-Type", "text/html; charset=utf-8")]},
        {"url": "http://e.com/chunked", "headers": [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], "body": chunked},
        {"url": "http://e.com/gzip", "headers": [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], "body": compressed},
        {
            "url": "http://e.com/both",
            "headers": [("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
            "body": b"%x\r\n%s\r\n0\r\n\r\n" % (len(compressed), compressed),
        },
        {
            "url": "http://e.com/deflate",
            "headers": [("Content-Type", "text/html"), ("Content-Encoding", "deflate")],
            "body": zlib.compress(PAGE)[2:-4],
        },
        {"url": "http://e.com/resource", "kind": "resource"},
        {"url": "http://e.com/no-type", "headers": []},
        {"url": "http://e.com/a.png", "headers": [("Content-Type", "image/png")], "body": b"\x89PNG"},
        {"url": "http://e.com/gone", "status": "404 Not Found"},
        {"url": "http://e.com/plain", "kind": "revisit", "body": b""},
        {"url": "http://e.com/request", "kind": "request", "status": "GET / HTTP/1.1"},
    ]
    for packed in (True, False):
        found = read_items(make_warc(records, packed=packed))
        pages = [item for item in found if isinstance(item, PageItem)]
        assert page_urls(found) == [
            f"http://e.com/{name}" for name in ("plain", "chunked", "gzip", "both", "deflate", "resource", "no-type")
        ]
        assert {page.content for page in pages} == {PAGE}
        assert {page.fetched_at for page in pages} == {datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)}
        assert pages[0].content_type == "text/html; charset=utf-8"
        assert skipped_names(found) == ["not HTML", "HTTP 404", "revisit of a page"]
        assert refusals(found) == {}


def test_a_warc_in_one_gzip_member_is_read() -> None:
    data = gzip.compress(make_warc([{"url": "http://e.com/1"}, {"url": "http://e.com/2"}], packed=False))
    assert page_urls(read_items(data)) == ["http://e.com/1", "http://e.com/2"]


@pytest.mark.parametrize("packed", [True, False])
def test_the_first_pages_of_a_truncated_warc_are_read(packed: bool) -> None:
    data = make_warc([{"url": f"http://e.com/{n}", "body": PAGE + random.Random(n).randbytes(3000)} for n in range(10)], packed=packed)
    found = read_items(data[: len(data) * 55 // 100])
    assert page_urls(found) == [f"http://e.com/{n}" for n in range(5)]
    assert refusals(found)["http://e.com/5"] == "it was cut off"


def test_the_bodies_in_a_warc_are_limited_in_size() -> None:
    html = ("Content-Type", "text/html")
    found = read_items(
        make_warc(
            [
                {"url": "http://e.com/bomb", "headers": [html, ("Content-Encoding", "gzip")], "body": gzip.compress(b"\0" * 30_000_000)},
                {"url": "http://e.com/large", "headers": [html], "body": random.Random(1).randbytes(3_000_000)},
                {"url": "http://e.com/other", "headers": [html, ("Content-Encoding", "br2")], "body": b"\x0b\x02\x80"},
                {"url": "http://e.com/cut", "headers": [html, ("Content-Encoding", "gzip")], "body": gzip.compress(PAGE)[:-20]},
                {"url": "http://e.com/a"},
            ]
        )
    )
    assert page_urls(found) == ["http://e.com/a"]
    reasons = refusals(found)
    assert "more than 1,000,000 bytes" in reasons["http://e.com/bomb"]
    assert "more than 1,000,000 bytes" in reasons["http://e.com/large"]
    assert "'br2' is not known" in reasons["http://e.com/other"]
    assert "cut off" in reasons["http://e.com/cut"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_warc_packed_with_zstd_is_read(packed: bool) -> None:
    plain = make_warc([{"url": "http://e.com/a"}, {"url": "http://e.com/b"}], packed=False)
    pack = zstandard.ZstdCompressor().compress
    second = plain.index(b"WARC/", 5)
    whole = pack(plain[:second]) + pack(plain[second:]) if packed else pack(plain)
    assert page_urls(read_items(whole)) == ["http://e.com/a", "http://e.com/b"]
    if packed:
        assert any("cut off" in reason for reason in refusals(read_items(whole[:-40])).values())
    else:
        with pytest.raises(ArchiveError, match="cut off"):
            read_items(whole[:-40])


def test_a_chunked_body_that_was_cut_off_is_refused_by_name() -> None:
    headers = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]
    found = read_items(
        make_warc([{"url": "http://e.com/cut", "headers": headers, "body": b"%x\r\n%s" % (len(PAGE) + 9, PAGE)}, {"url": "http://e.com/a"}])
    )
    assert page_urls(found) == ["http://e.com/a"]
    assert "chunked body was cut off" in refusals(found)["http://e.com/cut"]


@pytest.mark.parametrize("off", [-1, 1])
def test_a_length_that_is_wrong_by_one_loses_no_page_in_silence(off: int) -> None:
    data = make_warc([{"url": "http://e.com/a"}, {"url": "http://e.com/b"}, {"url": "http://e.com/c"}], packed=False)
    length = int(re.search(rb"Content-Length: (\d+)", data)[1])  # type: ignore[index]
    found = read_items(data.replace(b"Content-Length: %d" % length, b"Content-Length: %d" % (length + off), 1))
    assert refusals(found) or page_urls(found) == ["http://e.com/a", "http://e.com/b", "http://e.com/c"]


def test_a_warc_header_without_an_end_stops_reading() -> None:
    found = read_items(make_warc([{"url": "http://e.com/a"}], packed=False) + b"WARC/1.0\r\nX: " + b"x" * 9_000_000)
    assert page_urls(found) == ["http://e.com/a"]
    assert "header without an end" in refusals(found)["upload"]


def test_two_visits_of_a_page_in_a_warc_give_two_pages() -> None:
    assert (
        page_urls(read_items(make_warc([{"url": "http://e.com/"}, {"url": "http://e.com/", "body": PAGE + b"2"}]))) == ["http://e.com/"] * 2
    )


@pytest.mark.parametrize("length", [b"9" * 19, b"9" * 20, b"9" * 5_000, b"-5", b"x", b"1_0", b""])
def test_a_record_with_an_impossible_length_ends_the_reading_with_a_reason(length: bytes) -> None:
    first, second = (make_warc([{"url": f"http://e.com/{name}"}], packed=False) for name in "ab")
    found = read_items(first + re.sub(rb"(?m)^Content-Length: \d+", b"Content-Length: " + length, second, count=1))
    assert page_urls(found) == ["http://e.com/a"]
    assert refusals(found)
