"""A place on a page has one name, which leads back to the same value."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import HIDDEN, Location, clean, elements, locate, value, value_text, whole_text
from extraction.algorithms.dom.parse import parse

PIECES = [
    "<p>",
    "</p>",
    "<b title='t'>",
    "</b>",
    "<!-- c -->",
    "<table><tr><td>",
    "</table>",
    "text",
    " ",
    "&nbsp;",
    "<br>",
    "<a href=x>y</a>",
]


def test_texts_are_counted_as_xpath_counts_them() -> None:
    root = parse(b"<p>one<!-- c -->two<b>x</b> <i>y</i>three</p>").root
    nodes = elements(root)
    index = {element: number for number, element in enumerate(nodes)}
    found = [locate(item, index) for item in root.xpath("//p/text()")]
    assert [place.text for place in found if place] == [1, 2, 3, 4]
    assert [value(nodes, place) for place in found if place] == ["one", "two", "", "three"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25))
def test_every_node_that_an_xpath_selects_is_found_again(pieces: list[str]) -> None:
    root = parse(("<html><body>" + "".join(pieces)).encode()).root
    nodes = elements(root)
    index = {element: number for number, element in enumerate(nodes)}
    for item in root.xpath("//text() | //@* | //*"):
        place = locate(item, index)
        assert place is not None
        assert Location.from_json(place.as_json()) == place
        assert value(nodes, place) == clean(whole_text(item) if hasattr(item, "tag") else str(item))


def test_a_comment_is_no_place() -> None:
    root = parse(b"<p>x<!-- c --></p>").root
    assert locate(root.xpath("//comment()")[0], {element: n for n, element in enumerate(elements(root))}) is None


def test_a_part_is_counted_in_the_cleaned_text() -> None:
    nodes = elements(parse(b"<p>  Price:\n 9.95&nbsp;EUR </p>").root)
    whole = Location(len(nodes) - 1, "text", text=1)
    assert value(nodes, whole) == "Price: 9.95 EUR"
    assert value(nodes, Location(whole.node, "text", text=1, start=7, end=11)) == "9.95"


def test_the_text_of_an_element_has_no_comments() -> None:
    root = parse(b"<p>a<!-- hidden -->b<i>c<!-- d --></i>e</p>").root
    assert whole_text(root.xpath("//p")[0]) == "abce"


@pytest.mark.parametrize("place", [Location(99), Location(0, "text", text=9), Location(0, "attribute", attribute="href")])
def test_a_place_that_the_page_does_not_have_has_no_value(place: Location) -> None:
    assert value(elements(parse(b"<p>x</p>").root), place) is None


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"node": -1, "kind": "element"},
        {"node": True, "kind": "element"},
        {"node": 1, "kind": "text"},
        {"node": 1, "kind": "text", "text": "1"},
        {"node": 1, "kind": "text", "text": None},
        {"node": 1, "kind": "text", "text": [1]},
        {"node": "1", "kind": "text", "text": 1},
        {"node": 1, "kind": "attribute", "attribute": 1},
        {"node": 1, "kind": "attribute"},
        {"node": 1, "kind": "element", "start": 3, "end": 3},
        {"node": 1, "kind": "element", "start": 3},
        None,
        "x",
    ],
)
def test_what_is_no_location_is_refused(row: object) -> None:
    with pytest.raises(ValueError, match="not a location"):
        Location.from_json(row)  # type: ignore[arg-type]


def test_a_text_that_could_be_a_value_has_a_word_and_is_not_too_long():
    assert value_text("  12\u00a0 Books ", most=8) == "12 Books"
    assert [value_text(text, most=8) for text in ("", " \n", "– · –", "___", "123456789", "x" + " " * 40)] == [""] * 6


def test_cleaning_takes_every_character_for_a_space_that_regular_expressions_do() -> None:
    for code in range(0x110000):
        assert clean(f"a{chr(code)} b") == re.sub(r"\s+", " ", f"a{chr(code)} b".translate(dict.fromkeys(map(ord, HIDDEN))))
