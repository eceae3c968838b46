"""Values that a stylesheet gives: as JSON, joined, found attribute by attribute, and given up where it takes too long."""

import json

import pytest

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.apply import (
    Extraction,
    ValueProblem,
    extract_or_nothing,
    extract_values,
    find_attribute_places,
    find_problems,
    read_attribute,
)
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet

ROOT = parse(b"<body><h1>Tea</h1><p>by <b>Ann</b> 1999</p><p></p><p>by Bob 2001</p><!-- <p>by C</p> --></body>").root
EXTRACTION = Extraction(
    {"name": ("a", "b", "a"), "none": ()},
    {"bad": "cannot"},
    {"l": ({"x": ("1", "2"), "y": ()}, {"x": ("1",)}), "m": ({"x": ("3",)},), "n": ()},
)


def test_values_are_written_as_json_and_read_back() -> None:
    assert Extraction.from_json(json.loads(json.dumps(EXTRACTION.as_json()))) == EXTRACTION


def test_values_of_rows_are_joined_row_after_row_and_distinct_ones_are_listed_once() -> None:
    assert EXTRACTION.columns() == {"x": ("1", "2", "1", "3"), "y": ()}
    assert EXTRACTION.merged() == {"name": ("a", "b"), "none": (), "x": ("1", "2", "3"), "y": ()}


@pytest.mark.parametrize(
    ("xpaths", "part", "values"),
    [
        (["//p"], None, ("by Ann 1999", "by Bob 2001")),
        (["//p/text()"], None, ("by", "1999", "by Bob 2001")),
        (["//h9", "//h1", "//p"], None, ("Tea",)),
        (["//p"], TextPart(pattern=r"(\d+)"), ("1999", "2001")),
        (["//h1", "//p"], TextPart(prefix="by "), ("Ann 1999", "Bob 2001")),
        (["//h9"], None, ()),
    ],
)
def test_the_first_alternative_that_gives_any_value_is_taken_with_places_or_without(
    xpaths: list[str], part: TextPart | None, values: tuple[str, ...]
) -> None:
    attribute = AttributeRule("a", multiple=True, alternatives=tuple(Selector(xpath, part) for xpath in xpaths))
    assert read_attribute(attribute, ROOT) == values
    index = {element: number for number, element in enumerate(elements(ROOT))}
    assert tuple(text for _, text in find_attribute_places(attribute, ROOT, index)) == values
    assert extract_values(Stylesheet.compile(write_stylesheet(RuleDefinition((attribute,)))), ROOT).values == {"a": values}


def test_problems_are_missing_values_that_must_be_there_and_different_ones_where_one_is_expected() -> None:
    rule = RuleDefinition(
        (AttributeRule("must", mandatory=True), AttributeRule("one"), AttributeRule("many", multiple=True), AttributeRule("may"))
    )
    given = Extraction({"one": ("x" * 50, "b", "b", "c", "d"), "many": ("1", "2")})
    assert find_problems(rule, given) == (
        ValueProblem("must", "has no value on this page"),
        ValueProblem("one", f"has 4 different values on this page: “{'x' * 40}”, “b”, “c”"),
    )
    assert find_problems(rule, Extraction({"must": ("a",), "one": ("b", "b")})) == ()


def test_an_expression_that_was_given_up_on_some_pages_is_not_tried_on_others(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def give_up(function: object) -> None:
        calls.append(function)
        raise RuleError("it took too long")

    monkeypatch.setattr(apply, "call_carefully", give_up)
    monkeypatch.setattr(apply, "may_run_long", lambda *_: True)
    apply._slow.clear()
    sheets = [
        Stylesheet.compile(write_stylesheet(RuleDefinition((AttributeRule("a", alternatives=(Selector(xpath),)),))))
        for xpath in ("//p", "//b")
    ]
    for tried in range(1, apply.MAX_SLOW_PAGES + 1):
        with pytest.raises(RuleError, match="it took too long"):
            extract_values(sheets[0], ROOT)
        assert len(calls) == tried
    with pytest.raises(RuleError, match=f"given up on {apply.MAX_SLOW_PAGES} pages and is not tried"):
        extract_values(sheets[0], ROOT)
    assert extract_or_nothing(sheets[0], ROOT) == Extraction()
    assert len(calls) == apply.MAX_SLOW_PAGES
    with pytest.raises(RuleError, match="it took too long"):
        extract_values(sheets[1], ROOT)
    apply._slow.clear()
