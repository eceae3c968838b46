"""An XPath is asked for in a quicker way, and selects the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.xpath import name_test
from extraction.algorithms.dom.xpath_rewriting import rewrite_xpath
from tests.algorithms.learning.pages import page, trees

CLASS = name_test("class", "x")
CONDITIONS = [
    "[1]",
    "[last()]",
    "[position() = 1 or @id]",
    "[count(b)]",
    "[2 - 1]",
    "[@id]",
    "[. = 'a']",
    "[preceding-sibling::*[1][self::b]]",
    f"[{CLASS}]",
    "[ancestor::div]",
    "[ancestor::div[@id]]",
    f"[ancestor::div[{CLASS}]]",
    "[ancestor::*[preceding-sibling::b]]",
    "[ancestor::div[span[2]]]",
    "[contains(., ']')]",
]


@settings(max_examples=150, deadline=None)
@given(
    trees(),
    st.lists(st.sampled_from(CONDITIONS), max_size=3),
    st.sampled_from(["div", "span", "b"]),
    st.sampled_from(["", "/text()", "/*"]),
)
def test_the_same_nodes_in_the_same_order(body: str, conditions: list[str], tag: str, rest: str) -> None:
    root = page(body).root
    xpath = f"/descendant::{tag}{''.join(conditions)}{rest}"
    assert etree.XPath(rewrite_xpath(xpath))(root) == etree.XPath(xpath)(root)


@pytest.mark.parametrize(
    ("xpath", "asked"),
    [
        ("/descendant::li[ancestor::ul[@id]]/text()", "/descendant::ul[@id]/descendant::li/text()"),
        ("/descendant::li[a = 1][ancestor::*[b]] | //p", "/descendant::*[b]/descendant::li[a = 1] | //p"),
        ("/descendant::li[2][ancestor::ul[@id]]", "/descendant::li[2][ancestor::ul[@id]]"),
        ("/descendant::li[a | b]", "/descendant::li[a | b]"),
        ("(//li | //p)[1]", "(//li | //p)[1]"),
        ("//li[ancestor::ul[@id]]", "//li[ancestor::ul[@id]]"),
        ("/descendant::li[. = ']']/a", "/descendant::li[. = ']']/a"),
    ],
)
def test_what_is_turned_around(xpath: str, asked: str) -> None:
    assert rewrite_xpath(xpath) == asked
