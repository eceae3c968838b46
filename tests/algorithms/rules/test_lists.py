"""Lists in a rule: the stylesheet gives what the XPaths give, beside the page's own values; JSON, problems, refusals."""

import pytest

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.apriori import Learned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import LearnedRecords, RowField, learn_records
from extraction.algorithms.rules.apply import Extraction, ValueProblem, extract_values, find_places, find_problems, find_row_places
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.algorithms.learning.listings import MARKUPS, Markup, listing, mark

PAGE = b"""<html><body><h1>Shop</h1><dl><dt>Tea</dt><dd>$1</dd><dd>$2</dd><dt>Salt</dt><dt>Rice</dt><dd>$3</dd></dl>
<p>after</p><dl><dt>Oil</dt><dd>$4</dd></dl><ul><li>a</li><li><i>b</i></li></ul></body></html>"""


def one(name: str, xpath: str, *, multiple: bool = False, mandatory: bool = False) -> AttributeRule:
    return AttributeRule(name, multiple=multiple, mandatory=mandatory, alternatives=(Selector(xpath),))


OFFERS = ListRule("offers", (Selector("//dl/dt"),), (one("thing", "."), one("price", "following-sibling::dd", multiple=True)))
RULE = RuleDefinition((one("shop", "//h1"),), (OFFERS, ListRule("none", (Selector("//h9"), Selector("//h8")), (one("x", "."),))))


def learned_rule(markup: Markup, page: PageTable, learned: object) -> RuleDefinition:
    assert isinstance(learned, LearnedRecords), learned
    attributes = []
    for name in markup.fields:
        found = learned.fields[name]
        assert isinstance(found, Learned)
        selectors = tuple(Selector(a.xpath, a.part) for a in found.alternatives)
        attributes.append(AttributeRule(name, multiple=name == "authors", alternatives=selectors))
    return RuleDefinition((one("heading", "//h1"),), (ListRule("items", (Selector(learned.rows.xpath),), tuple(attributes)),))


def compiled(rule: RuleDefinition) -> Stylesheet:
    return Stylesheet.compile(write_stylesheet(rule))


def test_a_rows_values_end_where_the_next_row_begins_and_lists_come_beside_the_pages_own() -> None:
    given = extract_values(compiled(RULE), parse(PAGE).root)
    assert given.values == {"shop": ("Shop",)}
    assert [(row["thing"], row["price"]) for row in given.rows["offers"]] == [
        (("Tea",), ("$1", "$2")),
        (("Salt",), ()),
        (("Rice",), ("$3",)),
        (("Oil",), ("$4",)),
    ]
    assert given.rows["none"] == ()


@pytest.mark.parametrize("markup", MARKUPS, ids=lambda markup: markup.name)
def test_the_stylesheet_gives_the_rows_that_the_xpaths_give(markup: Markup) -> None:
    pages = [listing(markup, 40 + n, count) for n, count in enumerate((9, 14))]
    names = [RowField(name, multiple=name == "authors") for name in markup.fields]
    learned = learn_records([one.page for one in pages], mark(pages[0], (0, 1)), names)
    rule = learned_rule(markup, pages[0].page, learned)
    assert RuleDefinition.from_json(rule.as_json()) == rule
    sheet = compiled(rule)
    for shown in pages:
        root, nodes = shown.page.root, elements(shown.page.root)
        found = find_row_places(rule.lists[0], root, {element: n for n, element in enumerate(nodes)})
        rows = [{name: tuple(text for _, text in row) for name, row in each.items()} for each in found]
        assert list(extract_values(sheet, root).rows["items"]) == rows
        assert [{name: list(values) for name, values in row.items()} for row in rows] == shown.truth()
        assert all(value(nodes, place) == text for each in found for row in each.values() for place, text in row)
        assert extract_values(sheet, root).values == {name: tuple(t for _, t in row) for name, row in find_places(rule, root).items()}


def test_alternatives_of_rows_are_tried_in_order() -> None:
    rule = RuleDefinition((), (ListRule("l", (Selector("//h9"), Selector("//li[i] | //h9"), Selector("//li")), (one("x", "."),)),))
    root = parse(PAGE).root
    assert extract_values(compiled(rule), root).rows["l"] == ({"x": ("b",)},)
    assert [row["x"][0][1] for row in find_row_places(rule.lists[0], root, {e: n for n, e in enumerate(elements(root))})] == ["b"]


def test_a_list_whose_xpath_fails_on_a_page_takes_nothing_else_with_it() -> None:
    deep = "count(ancestor::*[" * 1 + "position() = last()" + "])"
    rule = RuleDefinition((one("shop", "//h1"),), (OFFERS, ListRule("bad", (Selector("//li"),), (one("x", "."),))))
    text = write_stylesheet(rule).replace('select="//li"', f'select="//li[{deep} + undefined-function()]"')
    given = extract_values(Stylesheet.compile(text), parse(PAGE).root)
    assert given.values == {"shop": ("Shop",)}
    assert len(given.rows["offers"]) == 4
    assert given.rows["bad"] == ()
    assert "bad" in given.failed["bad"]


def test_a_rule_without_lists_is_written_as_it_always_was() -> None:
    rule = RuleDefinition((one("shop", "//h1"),))
    assert rule.as_json()["format"] == 1
    assert "lists" not in rule.as_json()
    assert RULE.as_json()["format"] == 2
    assert RuleDefinition.from_json(RULE.as_json()) == RULE
    assert "<list" not in write_stylesheet(rule)


def test_problems_of_rows_are_counted_and_a_list_without_rows_is_one_when_a_field_has_to_be_there() -> None:
    must = ListRule(
        "offers", (Selector("//dl/dt"),), (one("thing", ".", mandatory=True), one("price", "following-sibling::dd", mandatory=True))
    )
    rule = RuleDefinition((), (must,))
    given = extract_values(compiled(rule), parse(PAGE).root)
    assert find_problems(rule, given) == (
        ValueProblem("price", "has no value in 1 of 4 rows of offers"),
        ValueProblem("price", "has different values in 1 of 4 rows of offers"),
    )
    assert find_problems(rule, Extraction()) == (ValueProblem("offers", "has no rows on this page"),)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ListRule("l", ()), "need an XPath"),
        (lambda: ListRule(" ", (Selector("//li"),)), "cannot be the name"),
        (lambda: ListRule("l", (Selector("//li"),), (one("x", "//b"),)), "begins at the page"),
        (lambda: RuleDefinition((one("x", "//b"),), (ListRule("l", (Selector("//li"),), (one("x", "b"),)),)), "attribute “x” twice"),
        (lambda: RuleDefinition((), (OFFERS, OFFERS)), "twice"),
    ],
)
def test_what_is_no_list_is_refused_in_words(make: object, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        make()  # type: ignore[operator]
