"""Rules as values: what is refused, and their JSON form."""

import json

import pytest

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector

RULE = RuleDefinition(
    (
        AttributeRule("title", mandatory=True, alternatives=(Selector("//h1/text()"), Selector("//h2/text()"))),
        AttributeRule("year", "number", alternatives=(Selector("//p/text()", TextPart("Published ", " by")),)),
        AttributeRule("tags", multiple=True, alternatives=(Selector("//li", TextPart(pattern=r"(\d+)")),)),
        AttributeRule("nothing"),
    )
)


def test_a_rule_survives_json() -> None:
    assert RuleDefinition.from_json(json.loads(json.dumps(RULE.as_json()))) == RULE


def test_equal_rules_give_equal_json() -> None:
    assert json.dumps(RULE.as_json()) == json.dumps(RuleDefinition.from_json(RULE.as_json()).as_json())


@pytest.mark.parametrize(
    "row", [{}, {"format": 3, "attributes": []}, {"format": 1}, {"format": 1, "attributes": [{}]}, {"format": 1, "attributes": 3}, []]
)
def test_other_json_is_refused(row: object) -> None:
    with pytest.raises(RuleError):
        RuleDefinition.from_json(row)  # type: ignore[arg-type]


def test_a_bad_xpath_is_refused_where_it_is_made() -> None:
    with pytest.raises(XPathError, match=r"count\(//p\)"):
        Selector("count(//p)")


def test_names_are_unique_and_types_known() -> None:
    with pytest.raises(RuleError, match="“a” twice"):
        RuleDefinition((AttributeRule("a"), AttributeRule("a")))
    with pytest.raises(RuleError, match="unknown type 'colour'"):
        AttributeRule("a", "colour")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="cannot be the name"):
        AttributeRule(" ")
