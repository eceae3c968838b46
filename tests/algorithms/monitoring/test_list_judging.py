"""How far a list's rule agrees with the old rows, page by page: how many may differ, and which rows belong to something else."""

from collections.abc import Sequence

import pytest

from extraction.algorithms.learning.apriori import Learned
from extraction.algorithms.monitoring import list_places
from extraction.algorithms.monitoring.list_judging import ListJudge
from extraction.algorithms.monitoring.list_places import Anchor, SoughtRows
from extraction.algorithms.monitoring.places import ValueFinder
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from tests.algorithms.monitoring.shops import page

THING = AttributeRule("thing", alternatives=(Selector("./b"),))
PRICE = AttributeRule("price", alternatives=(Selector("./i"),))
RULE = ListRule("offers", (Selector("//li"),), (THING, PRICE))
ANCHOR = Anchor("thing", ("text", "b", "li", "ul", "body", "html"))
KNOWN = Learned(())

Item = tuple[str, str]
"""A name and a price, "" for none."""


def teas(count: int, number: int = 0) -> list[Item]:
    return [(f"Tea {number}-{n}", f"cost {number}-{n}") for n in range(count)]


def html(items: Sequence[Item]) -> str:
    rows = "".join(f"<li><b>{name}</b>{f'<i>{price}</i>' if price else ''}</li>" for name, price in items)
    return f"<html><body><ul>{rows}</ul></body></html>"


def judge(*pages: tuple[Sequence[Item], Sequence[Item]], rule: ListRule = RULE, beside: Sequence[str] = ()) -> ListJudge:
    """Return the judge of pages whose rows were the first and are the second. beside: what else stood on the old pages."""
    before = [[{"thing": (name,), "price": (price,) if price else ()} for name, price in old] for old, _ in pages]
    stood = [page(html([*old, *((text, "") for text in beside)])) for old, _ in pages]
    sought = SoughtRows(rule.attributes, [page(html(now)) for _, now in pages], before)
    return ListJudge(rule, sought, sought.rows(ANCHOR), [ValueFinder(each) for each in stood], ANCHOR)


@pytest.mark.parametrize(("more", "agrees"), [(0, True), (4, True), (5, False)])
def test_half_as_many_rows_more_than_before_still_agree(more: int, agrees: bool) -> None:
    """Of 8 rows all are there: 2 · 8 of 16 + `more` is a share of 0.8 up to 20."""
    made = judge((teas(8), [*teas(8), *teas(more, 7)]))
    assert made._agrees(THING, 0) == agrees
    assert made._agrees(PRICE, 0), "other attributes are judged in the old rows only"


@pytest.mark.parametrize(("wrong", "agrees"), [(0, True), (1, True), (2, False)])
def test_a_fifth_of_the_values_in_the_old_rows_may_be_others(wrong: int, agrees: bool) -> None:
    """The rule takes the last text of the row. In some of the five rows a note follows the price."""
    last = ListRule("offers", RULE.rows, (THING, AttributeRule("price", alternatives=(Selector("./*[last()]"),))))
    old = teas(5)
    before = [[{"thing": (name,), "price": (price,)} for name, price in old]]
    rows = "".join(f"<li><b>{name}</b><i>{price}</i>{'<em>new</em>' if n < wrong else ''}</li>" for n, (name, price) in enumerate(old))
    sought = SoughtRows(last.attributes, [page(f"<html><body><ul>{rows}</ul></body></html>")], before)
    made = ListJudge(last, sought, sought.rows(ANCHOR), [ValueFinder(page(html(old)))], ANCHOR)
    assert made._agrees(last.attributes[1], 0) == agrees


def test_a_row_whose_value_changed_does_not_count() -> None:
    today = [(name, "sold" if n < 3 else price) for n, (name, price) in enumerate(teas(6))]
    made = judge((teas(6), today))
    assert made._agrees(PRICE, 0) and made._agrees(THING, 0)
    figures = made.figures(PRICE, KNOWN, [])
    assert (figures.found, figures.judged, figures.agreeing, figures.learned_from) == (1, 1, 1, ())


@pytest.mark.parametrize(
    ("pages", "having", "strange"), [(2, 1, False), (2, 2, True), (4, 1, False), (4, 2, True), (8, 3, False), (8, 4, True), (8, 5, True)]
)
def test_a_row_that_is_the_same_on_half_of_the_pages_and_on_two_is_strange(pages: int, having: int, strange: bool) -> None:
    made = judge(*((teas(4, n), [*teas(4, n), ("Sponsored", "")] if n < having else teas(4, n)) for n in range(pages)))
    (item,) = [n for n, element in enumerate(made.sought.pages[0].nodes) if element.text == "Sponsored"]
    assert made.strangers(0) == ([item] if strange else [])
    assert made._agrees(THING, 0) == (not strange)
    assert made.strangers(pages - 1) == ([item] if strange and having == pages else [])


def test_a_row_whose_values_stood_on_the_old_page_is_strange() -> None:
    new = [*teas(4), ("Home", "here")]
    assert judge((teas(4), new)).strangers(0) == []
    assert judge((teas(4), new), beside=["Home"]).strangers(0) == [], "one of its values is new"
    assert len(judge((teas(4), new), beside=["Home", "here"]).strangers(0)) == 1


def test_a_row_that_had_been_there_is_not_strange_however_it_is_written_or_placed() -> None:
    again = [*teas(4), ("TEA 0-1!", "cost 0-1")]
    made = judge((teas(4), again), beside=["TEA 0-1!"])
    assert made._find_unknown_rows(0) == []


def test_a_value_is_back_where_its_row_or_its_page_had_none() -> None:
    old = [*teas(3), ("Milk", "")]
    assert judge((old, old)).figures(PRICE, KNOWN, []).returned == 0
    now = [*teas(3), ("Milk", "cheap")]
    assert judge((old, now), (old, old), (old, now)).figures(PRICE, KNOWN, []).returned == 2
    assert judge((old, now), (old, old), (old, now)).figures(PRICE, KNOWN, [0]).returned == 1
    empty = judge((old, old), ([], teas(2)), ([], []))
    assert empty.figures(THING, KNOWN, []).returned == 1
    assert judge((teas(3), [*teas(3), ("Cake", "new")])).figures(PRICE, KNOWN, []).returned == 0, "a new row is no return"


def test_the_pages_learned_from_do_not_judge() -> None:
    made = judge(*((teas(4, n), teas(4, n) if n != 3 else [*teas(4, n), *teas(9, 9)]) for n in range(5)))
    figures = made.figures(THING, KNOWN, [0, 2])
    assert (figures.found, figures.judged, figures.agreeing, figures.learned_from) == (5, 3, 2, (0, 2))


def test_after_the_last_row_that_was_looked_for_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_places, "MAX_ROWS", 3)
    made = judge((teas(20), teas(20)), (teas(3, 1), [*teas(3, 1), *teas(9, 2)]))
    assert made._agrees(THING, 0), "the other rows are cut off"
    assert not made._agrees(THING, 1), "three rows were all of the page"
    pair, other = (frozenset({"a"}), frozenset({"b"})), (frozenset({"c"}), frozenset({"d"}))
    assert [ListJudge._find_last_old_row([pair], given) for given in ([pair, other], [other, pair], [other, other], [])] == [1, 2, 2, 0]
