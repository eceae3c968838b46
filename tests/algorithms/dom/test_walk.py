"""The walk through a page gives elements and texts in the order and with the numbers of the tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.nodes import RAW_TEXT, elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.walk import walk_page

PARTS = st.recursive(
    st.sampled_from(["a", " ", "<br>", "<!--c-->", "<script>s<!--d--></script>", "<style>t</style>"]),
    lambda inner: st.builds(
        lambda tag, held: f"<{tag}>{''.join(held)}</{tag}>", st.sampled_from(["div", "span"]), st.lists(inner, max_size=4)
    ),
    max_leaves=12,
)


def root_of(body: str) -> etree._Element:
    return parse(f"<html><body>{body}</body></html>".encode()).root


@given(st.lists(PARTS, max_size=5))
def test_every_text_has_the_number_that_xpath_gives_it(parts: list[str]) -> None:
    root = root_of("".join(parts))
    nodes = elements(root)
    walked = [(step.node, step.texts, text) for kind, step, text in walk_page(root) if kind == "text"]
    assert sorted(walked) == [(node, number, text) for node, element in enumerate(nodes) for number, text in enumerate(texts(element), 1)]
    assert [step.element for kind, step, _ in walk_page(root) if kind == "start"] == nodes


def test_steps_come_in_document_order() -> None:
    steps = [(kind, step.tag, text) for kind, step, text in walk_page(root_of("<p>a<b>c</b>d<!-- e -->f</p>"))]
    assert steps[2:-2] == [
        ("start", "p", ""),
        ("text", "p", "a"),
        ("start", "b", ""),
        ("text", "b", "c"),
        ("end", "b", ""),
        ("text", "p", "d"),
        ("text", "p", "f"),
        ("end", "p", ""),
    ]


def test_texts_in_hidden_elements_are_left_out_but_their_elements_count() -> None:
    root = root_of("a<noscript>b<i>c</i>d</noscript>e<p>f</p>")
    seen = [(text, step.texts) for kind, step, text in walk_page(root, hidden=RAW_TEXT) if kind == "text"]
    assert seen == [("a", 1), ("e", 2), ("f", 1)]
    steps = list(walk_page(root, hidden=RAW_TEXT))
    assert [(step.tag, step.hidden) for kind, step, _ in steps if kind == "start"][2:] == [("noscript", True), ("i", True), ("p", False)]
    assert [step.node for kind, step, _ in steps if kind == "start"] == list(range(5))


@pytest.mark.parametrize(("depth", "seen"), [(2, ["a", "d"]), (3, ["a", "b", "d"]), (9, ["a", "b", "c", "d"])])
def test_what_is_too_deep_is_hidden(depth: int, seen: list[str]) -> None:
    root = root_of("a<div>b<div>c</div></div>d")
    assert [text for kind, _, text in walk_page(root, max_depth=depth) if kind == "text"] == seen


def test_the_walk_ends_after_the_element_where_it_is_told_to() -> None:
    seen: list[str] = []
    for kind, step, text in walk_page(root_of("<p>a</p>b<p>c</p>d"), is_done=lambda: len(seen) >= 2):
        if kind == "text":
            seen.append(text)
        assert kind != "end" or step.tag == "p", "elements that are still open are not closed"
    assert seen == ["a", "b"]


def test_deep_pages_do_not_exhaust_the_stack() -> None:
    depths = [step.depth for kind, step, _ in walk_page(root_of("<div>" * 1500)) if kind == "start"]
    assert depths == list(range(1, 1503))
