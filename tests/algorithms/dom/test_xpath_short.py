"""Long idioms have short forms for people, which mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.xpath import XPath, cleaned, expand, name_test, quote, shorten

WORDS = st.text(alphabet="abc (),.:é'\"", min_size=1, max_size=12)


def test_the_learners_idioms_are_short_to_read() -> None:
    label = f'//td[{cleaned("preceding-sibling::*[1]")} = "ISBN-13:"]/text()'
    assert shorten(label) == '//td[clean(preceding-sibling::*[1]) = "ISBN-13:"]/text()'
    assert shorten(f"//p[{name_test('class', 'price')}]") == '//p[has-class("price")]'


@given(WORDS, st.sampled_from(["price", "a-b", "x_1"]))
def test_what_is_shortened_comes_back(label: str, name: str) -> None:
    condition = f"{cleaned('i')} = {quote(label)}"
    inner = f"string({cleaned(f'b[{condition}]')})"
    text = f"//p[{name_test('class', name)}][{cleaned(inner)} = {quote(label)}]/text()"
    assert expand(shorten(text)) == text
    assert XPath(expand(shorten(text)))


@pytest.mark.parametrize(
    "text", ["//p", "//p[. = 'clean(x)']", "//clean", "my-clean(x)", "clean(x", "normalize-space(translate(a, 'b', 'c'))"]
)
def test_what_is_no_short_form_stays(text: str) -> None:
    assert expand(text) == text
