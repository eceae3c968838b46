"""Tags with very many attributes: thinned, wherever their values try to hide them; all other pages are as they were."""

import re
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom import attribute_limit
from extraction.algorithms.dom.attribute_limit import MAX_TAG_ATTRIBUTES, limit_attributes
from extraction.algorithms.dom.parse import decode, parse

DATA = Path(__file__).parents[3] / ".data"

FORMS = ("q{}={}", "q{}='>{}<'", 'q{}="{} x=\'"', "q{}", "q{} = {}", "q{}=it's{}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tag", ["p", "script", "custom-element"])
def test_only_the_first_attributes_of_a_flood_are_kept_and_what_follows_stays(form: str, tag: str) -> None:
    flood = " ".join(form.format(number, number) for number in range(20_000))
    root = parse(f"<html><body><i>before</i><{tag} {flood}>inside</{tag}><b class=c>after</b></body></html>".encode()).root
    found = next(root.iter(tag))
    assert len(found) == 0 and 1 <= len(found.attrib) <= MAX_TAG_ATTRIBUTES and found.get("q0") is not None
    assert "".join(root.itertext()) == "beforeinsideafter" and next(root.iter("b")).get("class") == "c"


def test_what_only_looks_like_tags_in_scripts_and_comments_stays() -> None:
    code = "if (a <b " + "c = d " * 6_000 + ") e();"
    page = f"<html><body><!-- {code} --><script>{code}</script><p>text</p></body></html>"
    assert limit_attributes(page) == page


@pytest.mark.parametrize("piece", ["<script>", "<p a='", "<p a=1 ", "<!--", "<a =", '<a b="', "="])
def test_hostile_pages_are_gone_through_once(piece: str) -> None:
    page = "<html>" + piece * 60_000 + "=" * attribute_limit.MANY_VALUES
    assert len(limit_attributes(page)) <= len(page)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["<p", " a", "=", "'", '"', "b", ">", "<", "/", "</script>", "<script", "<!--", "-->", " "]), max_size=40))
def test_a_page_without_a_flood_is_as_it_was(parts: list[str]) -> None:
    page = "".join(parts)
    assert limit_attributes(page + "=" * attribute_limit.MANY_VALUES) == page + "=" * attribute_limit.MANY_VALUES


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "extraction").is_dir(), reason="the evaluation pages are not in .data/extraction")
def test_real_pages_are_as_they_were() -> None:
    for file in sorted((DATA / "extraction").glob("*/pages/*.html"))[::25]:
        text = decode(file.read_bytes())[1]
        assert limit_attributes(text) == text


@given(st.lists(st.sampled_from(["<", ">", "<a", "x" * 7, "x" * 40, " ", "=1"]), max_size=60))
def test_no_long_tag_is_overlooked(parts: list[str]) -> None:
    text, long = "".join(parts), re.compile("<[a-zA-Z][^<>]{50}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attribute_limit, "LONG_TAG", 50)
        assert attribute_limit._may_have_long_tag(text) or not long.search(text)
        event(f"may have one: {attribute_limit._may_have_long_tag(text)}")
