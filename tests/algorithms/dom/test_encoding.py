"""The encoding of a page is found in all the ways in which pages declare it, or guessed from all of its bytes."""

from collections.abc import Iterable

import pytest

from extraction.algorithms.dom.encoding import decode_page, find_label, guess_encoding
from tests.algorithms.dom.encoded_pages import (
    REPEATS,
    SIGNS,
    TEXTS,
    EncodedPage,
    declared_pages,
    encode,
    late_pages,
    make_page,
    undeclared_pages,
    wrong_pages,
)


def find_misread(pages: Iterable[EncodedPage]) -> tuple[list[str], int]:
    """Return (what was misread, how many pages there were)."""
    read = [(page, decode_page(page.content, page.content_type)) for page in pages]
    return [f"{page.name} as {found.encoding}" for page, found in read if page.expected not in found.text], len(read)


@pytest.mark.parametrize("pages", [declared_pages, wrong_pages])
def test_every_declaration_counts_as_in_a_browser(pages) -> None:
    wrong, count = find_misread(pages())
    assert not wrong
    assert count > 300


@pytest.mark.parametrize("length", REPEATS)
@pytest.mark.parametrize("with_language", [False, True])
def test_pages_without_a_declaration_are_read_in_all_their_languages(length: str, with_language: bool) -> None:
    wrong, count = find_misread(undeclared_pages(length, with_language=with_language))
    assert len(wrong) <= (0.02 if length == "short" else 0) * count, wrong


def test_the_first_accent_may_stand_far_behind() -> None:
    assert find_misread(late_pages())[0] == []


@pytest.mark.parametrize("text", SIGNS)
def test_signs_alone_are_read_as_windows_1252(text: str) -> None:
    page = make_page(text).encode("cp1252")
    assert text in decode_page(page).text


@pytest.mark.parametrize("language", TEXTS)
def test_one_bad_byte_does_not_change_the_encoding_of_a_long_page(language: str) -> None:
    text = " ".join(TEXTS[language][1])
    assert guess_encoding(make_page(text).encode() + b"\xe9 ") == "utf-8"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("latin1", "windows-1252"),
        (" UTF8 ", "utf-8"),
        ("iso-8859-8-i", "iso-8859-8-i"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
    ],
)
def test_labels_mean_what_the_encoding_standard_says(label: str, name: str) -> None:
    assert find_label(label) == name
    assert decode_page(f"<meta charset='{label}'>".encode()).encoding == name


def test_what_may_be_wrong_with_a_text_is_said() -> None:
    text = TEXTS["de"][1][0]
    wrong = decode_page(make_page(text).encode(), "text/html; charset=windows-1252")
    assert text not in wrong.text
    assert "valid UTF-8" in wrong.notices[0]
    broken = decode_page(make_page(text).encode("cp1252"), "text/html; charset=utf-8")
    assert "5 places are not valid in utf-8" in broken.notices[0]
    assert decode_page(make_page(text).encode()).notices == ()


def test_a_page_in_two_encodings_is_read_in_the_one_that_most_of_it_is_in() -> None:
    text = " ".join(TEXTS["cs"][1])
    page = make_page(text).encode() + encode("für", "windows-1252")
    assert text in decode_page(page).text
