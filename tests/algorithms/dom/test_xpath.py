"""XPath values: what is refused, how text is quoted and compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.xpath import SPACES, XPath, cleaned, quote
from extraction.algorithms.errors import XPathError

ROOT = parse(b"<html><body><p id=a title=t>one<!-- c --> two</p><p>three</p></body></html>").root
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\"'\xa0\u2003 &<"))


@pytest.mark.parametrize(
    "text", ["", "  ", "//p[", "count(//p)", "//p = 'x'", "string(//p)", "$x", "foo(//p)", "x:p", "document('a')/x", "re:test('a', 'b')"]
)
def test_what_selects_no_nodes_is_refused_and_named(text: str) -> None:
    with pytest.raises(XPathError) as error:
        XPath(text)
    assert text.strip() in str(error.value)


def test_searches_within_searches_of_the_whole_page_are_refused() -> None:
    with pytest.raises(XPathError, match="too long"):
        XPath("//a[.//b[.//c]]")
    with pytest.raises(XPathError, match="too long"):
        XPath("//a//a//a//a//a//a//a")
    with pytest.raises(XPathError, match="4,000"):
        XPath("/html/body" + "/x" * 3000)
    assert XPath("//a[. = '//[//[//[']").text  # text in quotes is no step


def test_places_are_named_as_our_own_nodes() -> None:
    index = {element: n for n, element in enumerate(ROOT.iter(etree.Element))}
    assert XPath("//p[1]/text()[2]").places(ROOT, index) == [(Location(2, "text", 2), "two")]
    assert XPath("//p[1]/@title").places(ROOT, index) == [(Location(2, "attribute", attribute="title"), "t")]
    assert XPath("//p[2]").places(ROOT, index) == [(Location(3), "three")]
    assert XPath("//comment()").places(ROOT, index) == []


@given(TEXTS)
def test_any_text_survives_quoting(text: str) -> None:
    assert etree.XPath(f"string({quote(text)})")(ROOT) == text


@given(TEXTS)
def test_cleaned_is_what_clean_gives(text: str) -> None:
    element = etree.Element("p")
    element.text = text
    assert etree.XPath(f"{cleaned('.')}")(element) == clean(text)


def test_the_white_space_listed_is_all_that_xpath_lacks() -> None:
    ours = set(SPACES) | set(" \t\r\n") | {chr(c) for c in (0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F)}
    assert ours == {chr(c) for c in range(0x110000) if chr(c).isspace()}
