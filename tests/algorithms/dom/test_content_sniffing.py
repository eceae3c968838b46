"""What is no page is told, and what is a page in spite of its bytes is not."""

import random
import zlib
from pathlib import Path

import pytest

from extraction.algorithms.dom.content_sniffing import explain_non_page

DATA = Path(__file__).parents[3] / ".data" / "extraction"
PAGE = "<!doctype html><html><head><title>Café 東京</title></head><body><p>3 < 4</p></body></html>"
NOISE = random.Random(1).randbytes(20_000)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\0\xff" * 600, "binary"),
        (b"\0" * 1200, "binary"),
        (b"\x89PNG\r\n\x1a\n" + NOISE, "binary"),
        (b"%PDF-1.7\n<</Type /Page>>\nstream\n" + zlib.compress(NOISE), "binary"),
        (b"\x1f\x8b\x08" + zlib.compress(PAGE.encode() * 50), "binary"),
        (b"just text", "no tag"),
        (b"x" * 3_000_000, "no tag"),
        (b"1 < 2 and 3 > 2, {}", "no tag"),
        (b"\xff" * 1200, "no tag"),
    ],
)
def test_what_is_no_page_is_told(content: bytes, why: str) -> None:
    assert why in explain_non_page(content)


@pytest.mark.parametrize(
    "content",
    [
        PAGE.encode(),
        *(PAGE.encode(encoding) for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "gb18030", "iso2022_jp_2")),
        "<?xml version='1.0'?><東京 x='1'/>".encode("utf-16-be"),
        "<東京/>".encode(),
        PAGE.encode().replace(b"p>", b"p>" + b"\0" * 400),
        PAGE.encode() + b"\0" * 100_000,
        b"\0" * 600 + PAGE.encode(),
        b"\xef\xbb\xbf<base href='/'>" + PAGE.encode(),
        b"<p>a page of one line",
        b"<feed><entry>1</entry></feed>",
        NOISE[:100] + PAGE.encode() + NOISE,
        b" \n",
        b"",
    ],
)
def test_pages_with_strange_bytes_are_pages(content: bytes) -> None:
    assert explain_non_page(content) == ""


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation pages are not in .data/extraction")
def test_no_real_page_is_taken_for_junk() -> None:
    files = sorted(DATA.glob("*/pages/*.html"))[::25]
    assert files and [file.name for file in files if explain_non_page(file.read_bytes())] == []
