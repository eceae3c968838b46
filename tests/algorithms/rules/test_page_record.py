"""The record of a page: complete, incomplete or failed, always with the reason, and never more than the limits."""

from typing import Any

import pytest
from lxml import etree

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError, RuleError
from extraction.algorithms.records.record_values import RecordValue
from extraction.algorithms.rules import page_values
from extraction.algorithms.rules.apply import Extraction
from extraction.algorithms.rules.page_record import PageRecord, make_record
from extraction.algorithms.rules.page_values import judge_record, read_page_values, write_search_text
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.values.cleanup.chain import CleanupStep

URL = "https://shop.example/tea"


def attribute(name: str, xpath: str, **more: Any) -> AttributeRule:
    return AttributeRule(name, alternatives=(Selector(xpath),), **more)


OFFERS = ListRule("offers", (Selector("//li"),), (attribute("size", "b", mandatory=True), attribute("cost", "i", type="price")))
SHOP = RuleDefinition(
    (attribute("name", "//h1", mandatory=True), attribute("note", "//p"), attribute("tags", "//a", multiple=True)), (OFFERS,)
)


def record(html: str, rule: RuleDefinition = SHOP, *, url: str = URL, error: str = "") -> PageRecord:
    sheet = Stylesheet.compile(write_stylesheet(rule))
    return make_record(rule, sheet, lambda: parse(html.encode()).root, url=url, error=error)


def test_a_complete_record_has_the_values_as_their_types_and_no_reason() -> None:
    made = record("<html lang=de><h1>Tee</h1><a>x</a><a>y</a><ul><li><b>1 kg</b><i>1.234,50 €</i></li><li><b>2 kg</b></li></ul>")
    assert (made.state, made.reason, made.canonical) == ("complete", "", "")
    assert {name: [one.raw for one in many] for name, many in made.values.items()} == {"name": ["Tee"], "tags": ["x", "y"]}
    assert [{name: [one.value for one in many] for name, many in row.items()} for row in made.rows["offers"]] == [
        {"size": ["1 kg"], "cost": ["1234.50 EUR"]},
        {"size": ["2 kg"]},
    ]


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p>x</p><li><b>1</b></li>", "name is missing"),
        ("<h1>Tea</h1><p>x</p><p>y</p><li><b>1</b></li>", "note has 2 values, but only one is allowed"),
        ("<h1>Tea</h1>", "offers has no rows on this page"),
        ("<h1>Tea</h1><li><i>1</i></li><li><b>1</b></li>", "size has no value in 1 of 2 rows of offers"),
        ("<p>x</p>", "name is missing; offers has no rows on this page"),
    ],
)
def test_an_incomplete_record_says_all_that_is_wrong(html: str, reason: str) -> None:
    made = record(html)
    assert (made.state, made.reason) == ("incomplete", reason)
    assert made.values or made.rows["offers"]


def test_equal_values_of_an_attribute_with_one_value_are_one() -> None:
    assert record("<h1>Tea</h1><p>x</p><p>x</p><li><b>1</b></li>").state == "complete"


def test_a_page_without_anything_fails_and_so_does_one_that_cannot_be_read() -> None:
    assert record("<div>x</div>") == PageRecord("failed", "Nothing was found on the page", {}, {"offers": []})
    assert record("<h1>Tea</h1>", error="it was not fetched") == PageRecord("failed", "The page cannot be read: it was not fetched")


@pytest.mark.parametrize(
    ("error", "words"), [(PageError, "The page cannot be read: "), (RuleError, "The rule cannot be run on this page: ")]
)
def test_an_error_is_the_reason_and_is_cut_to_what_is_kept(error: type[Exception], words: str) -> None:
    def read() -> etree._Element:
        raise error("x" * 1000)

    made = make_record(SHOP, Stylesheet.compile(write_stylesheet(SHOP)), read, url=URL)
    assert (made.state, made.reason) == ("failed", (words + "x" * 1000)[: page_values.MAX_REASON])
    assert (made.values, made.rows, made.canonical) == ({}, {}, "")


@pytest.mark.parametrize(
    ("href", "canonical"),
    [("/tea", ""), ("/black-tea?utm_source=x", "https://shop.example/black-tea"), (URL + "?utm_medium=mail", ""), ("", "")],
)
def test_the_pages_own_address_is_kept_only_if_it_is_another(href: str, canonical: str) -> None:
    made = record(f"<head><link rel=canonical href='{href}'></head><h1>Tea</h1><li><b>1</b></li>")
    assert (made.state, made.canonical) == ("complete", canonical)


def test_addresses_are_joined_with_the_pages_own_base() -> None:
    rule = RuleDefinition((attribute("picture", "//img/@src", type="image"),))
    assert record("<img src='a.png'>", rule).values["picture"][0].value == "https://shop.example/a.png"
    based = record("<head><base href='https://cdn.example/x/'></head><img src='a.png'>", rule)
    assert based.values["picture"][0].value == "https://cdn.example/x/a.png"


def read(rule: RuleDefinition, extraction: Extraction) -> page_values.PageValues:
    return read_page_values(rule, extraction, base_url=URL, language="en")


def test_what_a_clean_up_changed_is_kept_as_the_page_has_it_and_what_it_did_not_change_is_not() -> None:
    step = CleanupStep("part", r"\d+")
    rule = RuleDefinition(
        (attribute("size", "//b", cleanup=(step,)), attribute("plain", "//i")),
        (ListRule("l", (Selector("//li"),), (attribute("n", "b", cleanup=(step,)),)),),
    )
    found = read(rule, Extraction({"size": ("12 kg",), "plain": ("x",)}, rows={"l": ({"n": ("3",)}, {"n": ("4 g",)}, {"n": ()})}))
    assert found.values == {"size": [RecordValue("12", "12")], "plain": [RecordValue("x", "x")]}
    assert [(each.attribute, each.list_name, each.row, each.page) for each in found.origins.entries] == [
        ("size", "", None, ("12 kg",)),
        ("n", "l", 1, ("4 g",)),
    ]
    assert [[one.raw for one in row.get("n", ())] for row in found.rows["l"]] == [["3"], ["4"], []]


def test_too_many_rows_and_notes_are_cut_with_a_word_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_values, "MAX_ROWS", 3)
    monkeypatch.setattr(page_values, "MAX_NOTES", 4)
    monkeypatch.setattr(page_values, "MAX_VALUES", 2)
    lists = tuple(ListRule(f"l{n}", (Selector("//li"),), (attribute(f"a{n}", "b"),)) for n in range(5))
    rule = RuleDefinition((attribute("many", "//p", multiple=True), attribute("two", "//q", multiple=True)), lists)
    rows = {each.name: tuple({each.attributes[0].name: (str(n),)} for n in range(4)) for each in lists[:4]}
    found = read(rule, Extraction({"many": ("1", "2", "3"), "two": ("1", "2")}, rows=rows))
    assert [one.raw for one in found.values["many"]] == ["1", "2"]
    assert {name: len(many) for name, many in found.rows.items()} == {"l0": 3, "l1": 3, "l2": 3, "l3": 3, "l4": 0}
    assert found.origins.notes == (
        "many has 3 values, of which 2 are kept",
        "l0 has 4 rows, of which 3 are kept",
        "l1 has 4 rows, of which 3 are kept",
        "l2 has 4 rows, of which 3 are kept",
        "1 more notes are left out",
    )
    exact = read(rule, Extraction({"many": ("1", "2", "3")}, rows=dict(list(rows.items())[:3])))
    assert len(exact.origins.notes) == 4, "as many as are kept: none is left out"


def test_attributes_whose_xpath_failed_say_that_and_not_that_they_are_missing() -> None:
    found = read(SHOP, Extraction({"note": ("x",)}, failed={"name": "name failed", "offers": "offers failed"}))
    assert judge_record(SHOP, found.values, found.rows, found.origins) == ("incomplete", "name failed; offers failed")
    nothing = read(SHOP, Extraction(failed={"name": "name failed"}))
    assert judge_record(SHOP, nothing.values, nothing.rows, nothing.origins) == ("failed", "name failed")


@pytest.mark.parametrize(("length", "shown"), [(500, "n" * 500), (501, "n" * 499 + "…")])
def test_a_reason_is_as_long_as_is_kept_and_says_by_dots_that_it_goes_on(length: int, shown: str) -> None:
    found = read(SHOP, Extraction(failed={"name": "n" * length}))
    assert judge_record(SHOP, found.values, found.rows, found.origins) == ("failed", shown)


def test_a_record_is_searched_by_all_its_texts_without_regard_to_case() -> None:
    values = {"a": [RecordValue("Straße"), RecordValue("B")], "c": []}
    assert write_search_text(values, {"l": [{"d": [RecordValue("ROW")]}, {}]}) == "strasse\nb\nrow"
    assert write_search_text({}, {}) == ""
