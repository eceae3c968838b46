"""A page is read by the web's rules, whatever its bytes; what cannot be read says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom import parse as module
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError

EURO = "<p>Preis: 5 € – Müller</p>"


def text(content: bytes, **options: str) -> str:
    return str(parse(content, **options).root.xpath("string(//p)"))


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"\xef\xbb\xbf<base href='/x'><!doctype html>" + EURO.encode(), "text/html; charset=iso-8859-1"),
        (EURO.encode("utf-16"), None),
        (EURO.encode("cp1252"), "text/html; charset=iso-8859-1"),
        (b"<meta charset='latin1'>" + EURO.encode("utf-8"), "text/html; charset=utf-8"),
        (b"<meta http-equiv='Content-Type' content='text/html; charset=windows-1252'>" + EURO.encode("cp1252"), None),
        (EURO.encode("utf-8"), None),
        (
            b"<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><body>" + EURO.encode() + b"</body></html>",
            None,
        ),
    ],
    ids=["BOM first", "UTF-16", "latin1 means windows-1252", "header before meta", "http-equiv", "nothing declared", "XHTML"],
)
def test_the_encoding_is_found(content: bytes, content_type: str | None) -> None:
    assert parse(content, content_type=content_type).root.xpath("string(//*[local-name() = 'p'])") == "Preis: 5 € – Müller"


def test_null_bytes_and_control_characters_leave_the_text_around_them() -> None:
    assert text(b"<p>a\x00b\x0bc\x1fd</p>") == "a\ufffdb c d"


def test_what_is_nested_too_deep_is_put_beside_each_other_and_the_page_says_so() -> None:
    page = parse(b"<p>before</p>" + b"<div>" * 5000 + b"deep" + b"</div>" * 5000 + b"<p>after</p>")
    assert page.root.xpath("string()") == "beforedeepafter"
    assert "deeper than 512 levels were put beside each other" in page.notices[0]
    assert max(sum(1 for _ in element.iterancestors()) for element in page.root.iter()) <= 512
    assert parse(b"<div>" * 1000 + b"<p>x</p>").notices == ()


@pytest.mark.parametrize(("content", "reason"), [(b"", "empty"), (b" \n\t ", "empty"), (b"<!-- only -->", "no element|not HTML")])
def test_what_is_no_page_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(PageError, match=reason):
        parse(content)


def test_a_page_too_large_is_refused_with_both_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(PageError, match="12 bytes; at most 10"):
        parse(b"<p>hello</p>")


def test_no_entity_of_a_page_reads_a_file() -> None:
    page = b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>&x;</p>'
    assert "root:" not in str(parse(page).root.xpath("string()"))


@given(st.binary(max_size=300))
def test_any_bytes_give_a_tree_or_a_reason(content: bytes) -> None:
    try:
        assert parse(content).root is not None
    except PageError as error:
        assert str(error)
