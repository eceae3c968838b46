"""Shingle vectors estimate the likeness of pages, and never change."""

import random
import subprocess
import sys
from collections import Counter
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.sketches.shingles import SCHEME, SHINGLE_TAGS, Mask, collect_shingles, compute_vector, compute_vectors

NAMES = ["div", "p", "span", "a", "li", "ul", "td", "tr", "table", "h2", "b", "i", "em", "img", "br", "dl", "dd", "dt", "form", "input"]
PAGE = b"<html><body>" + b"<div><p>a<b>c</b></p><ul><li>1</li><li>2</li></ul></div>" * 3 + b"</body></html>"

bytes64 = st.integers(0, 2**64 - 1)


def random_page(seed: int, tags: int) -> bytes:
    chosen = random.Random(seed)
    return "".join(f"<{chosen.choice(NAMES)}>" for _ in range(tags)).encode()


def jaccard(one: bytes, other: bytes) -> float:
    a, b = collect_shingles(one), collect_shingles(other)
    return len(a & b) / len(a | b)


def test_golden_vectors_never_change() -> None:
    assert SCHEME == "tags10-minwise64-8x8/1"
    assert {text: f"{compute_vector(text):016x}" for text in (b"", b"<p>", b"<p></p>", PAGE)} == {
        b"": "0000000000000000",
        b"<p>": "412b582146bb6e7c",
        b"<p></p>": "7f6f36d1571e6db0",
        PAGE: "f128403b058b9cef",
    }
    assert f"{compute_vector(PAGE, seed=1):016x}" == "1a854a7b118cf6f8"


def test_vectors_are_the_same_in_another_process() -> None:
    code = f"from extraction.algorithms.sketches.shingles import compute_vector; print(compute_vector({PAGE!r}))"
    other = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True)
    assert int(other.stdout) == compute_vector(PAGE)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(0, 300))
def test_bytes_agree_as_often_as_b_bit_minwise_hashing_predicts(seed: int, changed: int) -> None:
    """P(v[i] = v'[i]) = J + (1 - J)/256, over eight functions of 120 seeds."""
    shared = random_page(seed, 300)
    pages = [shared + random_page(seed + 1, changed), shared + random_page(seed + 2, changed)]
    share = jaccard(*pages)
    expected = share + (1 - share) / 256
    agreeing = 0
    for hash_seed in range(120):
        one, other = compute_vectors(pages, seed=hash_seed)
        agreeing += sum(a == b for a, b in zip(one.to_bytes(8, "big"), other.to_bytes(8, "big"), strict=True))
    deviation = (960 * expected * (1 - expected)) ** 0.5
    assert abs(agreeing - 960 * expected) <= 4.5 * deviation + 1


def test_the_eight_functions_are_independent() -> None:
    """How many bytes of one vector agree is binomial over seeds: no function follows another."""
    shared = random_page(1, 300)
    pages = [shared + random_page(2, 200), shared + random_page(3, 200)]
    share = jaccard(*pages)
    agree = share + (1 - share) / 256
    found: Counter[int] = Counter()
    for hash_seed in range(400):
        one, other = compute_vectors(pages, seed=hash_seed)
        found[sum(a == b for a, b in zip(one.to_bytes(8, "big"), other.to_bytes(8, "big"), strict=True))] += 1
    expected = [400 * comb(8, n) * agree**n * (1 - agree) ** (8 - n) for n in range(9)]
    assert all(abs(found[n] - expected[n]) <= 4 * max(expected[n], 1) ** 0.5 for n in range(9))


def test_read_literally_eight_bit_minima_saturate() -> None:
    """Why the minimum is taken over 64 bits: pages that share nothing agree when it is taken over one byte."""
    pages = [random_page(seed, 900) for seed in range(20)]
    literal = [
        bytes(min(random.Random(f"{i}{shingle}").randrange(256) for shingle in collect_shingles(page)) for i in range(8)) for page in pages
    ]
    wide = [value.to_bytes(8, "big") for value in compute_vectors(pages)]
    pairs = [(a, b) for a in range(20) for b in range(a)]

    def alike(rows: list[bytes]) -> float:
        return sum(sum(x == y for x, y in zip(rows[a], rows[b], strict=True)) >= 6 for a, b in pairs) / len(pairs)

    assert sum(row.count(0) for row in literal) / 160 > 0.9
    assert alike(literal) > 0.85
    assert alike(wide) == 0


def test_bytes_of_the_vector_are_spread_evenly() -> None:
    rows = b"".join(value.to_bytes(8, "big") for value in compute_vectors(random_page(seed, 60) for seed in range(1000)))
    assert len(set(rows)) == 256
    assert max(rows.count(byte) for byte in range(256)) < 3 * len(rows) / 256


def test_text_does_not_matter_and_tags_do() -> None:
    assert compute_vector(b"<div>" * 20 + b"one") == compute_vector(b"<DIV class='x'>two" * 20)
    assert compute_vector(b"<div>" * 20) != compute_vector(b"<p>" * 20)


def test_order_of_start_and_end_tags_matters() -> None:
    assert compute_vector(b"<div></div>" * 5) != compute_vector(b"</div><div>" * 5)


def test_pages_shorter_than_a_shingle_have_vectors_of_their_own() -> None:
    short = [b"<p>" * count for count in range(SHINGLE_TAGS + 1)]
    assert len(set(compute_vectors(short))) == len(short)
    assert compute_vector(b"") == compute_vector(b"no tag at all") == compute_vector(b"<!-- <p> -->") == compute_vector(b"\0\xff\xfe")


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_batches_give_the_same_vectors_as_single_pages(pages: list[bytes]) -> None:
    assert compute_vectors(pages) == [compute_vector(page) for page in pages]


@pytest.mark.parametrize(
    "page",
    [b"", b"<", b"\0" * 100, b"\xff" * 100, b"<div>" * 5000 + b"</div>" * 5000, b"<!--" + b"<p>" * 5000, b"<script>" + b"<p>" * 5000,
     b"<a title='>'>" * 1000, b'<a title="' + b"<p>" * 5000, b"\xff\xfe<\0", b"<p>\xed\xa0\x80\xc3(" * 50, b"x<p>" * 5_000_000],
    ids=["empty", "bracket", "nulls", "ff", "deep", "comment", "script", "quotes", "open quote", "odd utf-16", "bad utf-8", "20 MB"],
)  # fmt: skip
def test_any_bytes_have_a_vector(page: bytes) -> None:
    assert 0 <= compute_vector(page) < 2**64


def test_large_pages_in_several_batches_have_the_vectors_that_each_has_alone() -> None:
    pages = [random_page(seed, 4000) + b"x" * size for seed, size in enumerate((300_000, 300_000, 0, 600_000, 1, 510_000, 14_000))]
    assert compute_vectors(pages) == [compute_vector(page) for page in pages]


@pytest.mark.parametrize(("tags", "shingles"), [(0, 1), (1, 1), (9, 1), (10, 1), (11, 2), (19, 10)])
def test_each_window_of_ten_different_tags_is_a_shingle_and_short_pages_are_filled_up(tags: int, shingles: int) -> None:
    page = "".join(f"<{name}>" for name in NAMES[:tags]).encode()
    found = collect_shingles(page)
    assert len(found) == shingles
    assert {len(each) for each in found} == {SHINGLE_TAGS}
    if tags < SHINGLE_TAGS:
        assert [token == 0 for token in min(found)] == [False] * tags + [True] * (SHINGLE_TAGS - tags)


def test_no_pages_give_no_vectors() -> None:
    assert compute_vectors([]) == []


@given(bytes64, st.integers(0, 255), bytes64)
def test_a_mask_covers_vectors_that_agree_outside_its_wildcards(value: int, chosen: int, other: int) -> None:
    wild = int.from_bytes(bytes(0xFF if chosen >> i & 1 else 0 for i in range(8)), "big")
    mask = Mask(value & ~wild, wild)
    assert mask.covers(value)
    assert mask.covers(value & ~wild | other & wild)
    assert mask.covers(other) == (value & ~wild == other & ~wild)
    assert mask.wildcard_count == chosen.bit_count()
    assert Mask.from_text(mask.text()) == mask


def test_a_mask_is_written_byte_by_byte() -> None:
    mask = Mask(0x3FA2001000000001, 0x0000FF0000000000)
    assert mask.text() == "3f.a2.**.10.00.00.00.01"


@pytest.mark.parametrize(
    "text", ["", "3f", "3f.a2.**.10.00.00.00", "3f.a2.*.10.00.00.00.01", "3F.a2.**.10.00.00.00.01", "3f.a2.**.10.00.00.00.0g"]
)
def test_a_text_that_is_not_a_mask_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a masked shingle vector"):
        Mask.from_text(text)


@pytest.mark.parametrize(("value", "wildcards"), [(1, 0xFF), (0, 0x0F), (-1, 0), (1 << 64, 0), (0, 1 << 64)])
def test_inconsistent_masks_are_refused(value: int, wildcards: int) -> None:
    with pytest.raises(ValueError, match="not a"):
        Mask(value, wildcards)
