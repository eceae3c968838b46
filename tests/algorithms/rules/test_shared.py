"""A stylesheet asks in another way than the XPaths do, for the same nodes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.xpath import name_test
from extraction.algorithms.learning.corpus import Corpus, NodeTarget
from extraction.algorithms.learning.costs import CALIBRATED
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.strong_features import find_features
from extraction.algorithms.rules.apply import extract_values, read_attribute
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.shared import find_shared_steps
from extraction.algorithms.rules.xslt import Stylesheet, split_stylesheet, write_stylesheet
from tests.algorithms.learning.pages import page, trees

LIST = f"ul[{name_test('class', 'tags')}]"


@settings(max_examples=60, deadline=None)
@given(trees(), st.data())
def test_learned_xpaths_give_the_same_through_the_stylesheet(body: str, data: st.DataObject) -> None:
    table = page(body)
    corpus, xpaths = Corpus([table]), []
    for _ in range(3):
        target = NodeTarget(data.draw(st.sampled_from(["text", "element"])), str(data.draw(st.sampled_from(table.nodes)).tag))
        nodes = corpus.find_candidates(target)
        if len(nodes.rows):
            found = find_features(corpus, nodes, nodes.rows[:1] * 0, cost=CALIBRATED)
            chosen = data.draw(st.lists(st.sampled_from(found), max_size=3, unique_by=lambda row: row[0].words)) if found else []
            xpaths.append(write_xpath(target, [feature for feature, _ in chosen]))
    attributes = tuple(AttributeRule(f"a{n}", multiple=True, alternatives=(Selector(xpath),)) for n, xpath in enumerate(xpaths))
    values = extract_values(Stylesheet.compile(write_stylesheet(RuleDefinition(attributes))), table.root).values
    assert values == {each.name: read_attribute(each, table.root) for each in attributes}


@pytest.mark.parametrize(
    ("xpath", "asked"),
    [
        (f"/descendant::li[ancestor::{LIST}]/text()", "$all-0/descendant::li/text()"),
        (f"/descendant::li[2][ancestor::{LIST}]", None),
        (f"/descendant::li[b = 1][ancestor::{LIST}] | //p", "$all-0/descendant::li[b = 1] | //p"),
        ("/descendant::li[a | b]", "/descendant::li[a | b]"),
        ("(//li | //p)[1]", "(//li | //p)[1]"),
        ("/descendant::li[. = ']']/a", "/descendant::li[. = ']']/a"),
        ("/descendant::lists", "/descendant::lists"),
    ],
)
def test_what_is_shared_and_turned_around(xpath: str, asked: str | None) -> None:
    known = find_shared_steps([f"/descendant::li[ancestor::{LIST}]", f"/descendant::b[ancestor::{LIST}]"])
    assert len(known.variables) == 1
    assert asked is None or known.rewritten(xpath) == asked
    assert (asked is None) == ("ancestor::" in known.rewritten(xpath))


def test_one_attribute_alone_leaves_what_others_share() -> None:
    shares = tuple(AttributeRule(name, alternatives=(Selector(f"/descendant::p[b]/{name}"),)) for name in ("i", "u"))
    rule = RuleDefinition((*shares, AttributeRule("title", alternatives=(Selector("//h1"),))))
    assert "all-0" in write_stylesheet(rule)
    sheets = dict(split_stylesheet(write_stylesheet(rule)))
    assert "all-0" in sheets["i"].text
    assert "all-0" not in sheets["title"].text
    assert extract_values(sheets["u"], page("<p><b>x</b><u>y</u></p>").root).values == {"u": ("y",)}


@pytest.mark.parametrize(
    ("xpaths", "shared"),
    [
        (["/descendant::p[b]/i"], []),
        (["/descendant::p[b]/i", "/descendant::p[b]/u"], ["/descendant::p[b]"]),
        (["/descendant::p[b]/i", "/descendant::p[c]/u"], ["/descendant::p"]),
        (["/descendant::p/i", "/descendant::p/u"], ["/descendant::p"]),
        (["/descendant::p[b]/i | /descendant::p[b]/u"], ["/descendant::p[b]"]),
        (
            ["/descendant::p[b]/i", "/descendant::p[b]/u", "/descendant::p[c]/a", "/descendant::li/a"],
            ["/descendant::p[b]", "/descendant::p"],
        ),
        ([], []),
    ],
)
def test_only_what_two_parts_begin_with_is_shared_the_longest_first(xpaths: list[str], shared: list[str]) -> None:
    assert [step for step, _ in find_shared_steps(xpaths).variables] == shared
