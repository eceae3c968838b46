"""A learned rule must give what was marked, page by page and row by row; what it does not give is named."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.committee import Committee
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from extraction.services.learning import explanations, rule_checks
from extraction.services.learning.rule_checks import check_list

HTML = "<ul><li><b>Tea</b><i>£1</i></li><li><b>Milk</b></li></ul>"
RULE = ListRule(
    "offers",
    (Selector("//li"),),
    (AttributeRule("thing", alternatives=(Selector("b/text()"),)), AttributeRule("price", alternatives=(Selector("i/text()"),))),
)
NAMES = {1: "thing", 2: "price", 3: "gone"}


class Loaded:
    """A page in memory."""

    def __init__(self, html: str) -> None:
        self.root, self.url = parse(html.encode()).root, "https://shop.example/1"
        self.nodes = elements(self.root)

    def find_value(self, place: Location) -> str | None:
        return value(self.nodes, place)

    def at(self, text: str) -> Location:
        (node,) = [n for n, element in enumerate(self.nodes) if element.text == text]
        return Location(node, "text", text=1)


PAGE: Any = Loaded(HTML)
Row = Mapping[int, tuple[Location, ...]]


def check(*rows: Row, pages: Mapping[int, Any] | None = None) -> str:
    found = check_list(RULE, {7: dict(enumerate(rows, 1))}, NAMES, {7: PAGE} if pages is None else pages)
    return found.message if found else ""


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([{1: ["Tea"], 2: ["£1"]}, {1: ["Milk"], 2: []}], 0),
        ([{1: ["Tea"]}], 0),
        ([{1: ["Tea"], 3: ["£1"]}], 0),
        ([{1: [], 2: []}], 0),
        ([{1: ["Milk"], 2: ["£1"]}], 1),
        ([{1: ["Tea"], 2: []}], 1),
        ([{1: ["Tea"], 2: ["£1"]}, {1: ["£1"]}], 2),
    ],
    ids=["all", "one value", "an attribute that is gone", "an empty row", "of two rows", "one too many", "the second row"],
)
def test_each_marked_row_must_be_one_that_the_rule_gives(rows: Sequence[Mapping[int, Sequence[str]]], wrong: int) -> None:
    placed = [{pk: tuple(PAGE.at(text) for text in texts) for pk, texts in row.items()} for row in rows]
    said = check(*placed)
    assert said == (f"offers: the rule does not give row {wrong} as it was marked (https://shop.example/1)" if wrong else "")


def test_a_page_that_is_no_longer_there_is_not_checked_and_a_place_that_is_gone_is_named() -> None:
    row = {1: (PAGE.at("Milk"),), 2: (PAGE.at("£1"),)}
    assert check(row, pages={}) == ""
    own = AttributeRule("thing", multiple=True, alternatives=(Selector("//b/text()"),))
    labels = {7: [PAGE.at("Tea"), PAGE.at("Milk")]}
    assert rule_checks.check_attribute(own, labels, {7: PAGE}) is None
    assert rule_checks.check_attribute(own, labels, {}) is None
    lost = rule_checks.check_attribute(own, {7: [Location(999, "text", text=1)]}, {7: PAGE})
    assert lost and lost.message == "thing: a marked place is no longer on the page (https://shop.example/1)"
    few = rule_checks.check_attribute(own, {7: [PAGE.at("Tea")]}, {7: PAGE})
    assert few and "Milk" in few.message


def test_without_a_rule_there_is_nothing_to_explain() -> None:
    assert explanations.describe_rivals(Committee(()), []) == () == explanations._describe_features(Committee(()))
