"""The steps of relearning a list one by one: which pages and rows are marked, which rule is the best, what is said of the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.learning.apriori import Learned, NotLearned
from extraction.algorithms.learning.learned import LearnedXPath
from extraction.algorithms.learning.records import LearnedRecords, learn_records
from extraction.algorithms.monitoring import list_relearning
from extraction.algorithms.monitoring.list_places import Anchor
from extraction.algorithms.monitoring.list_relearning import MAX_LEARNING_PAGES, RelearnedList, _merit, _Trial, relearn_list
from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned
from extraction.algorithms.monitoring.row_extents import FoundRow, Row
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from tests.algorithms.monitoring.shops import page

THING = AttributeRule("thing", alternatives=(Selector("./b"),))
PRICE = AttributeRule("price", alternatives=(Selector("./i"),))
OLD = ListRule("offers", (Selector("//li"),), (THING, PRICE))
XPATH = LearnedXPath("//li", None, 1.0, 1, 1.0, 0.0, ())


def found(*names: str) -> FoundRow:
    """Return an old row that had both values, and of which some were found."""
    return FoundRow({"thing": ("a",), "price": ("b",)}, {name: (Location(1),) for name in names})


def trial(rows: Mapping[int, Sequence[FoundRow]], before: Sequence[Sequence[Row]] = ()) -> _Trial:
    sought: Any = SimpleNamespace(rows=lambda _: rows, before=before, pages=())
    return _Trial(OLD, ["price"], sought, (), Anchor("thing", ()))


WHOLE, PART = found("thing", "price"), found("thing")


@pytest.mark.parametrize(
    ("pages", "chosen"),
    [
        ([[WHOLE]] * 1, [0]),
        ([[WHOLE]] * 3, [0]),
        ([[WHOLE]] * 5, [0, 1]),
        ([[WHOLE]] * 8, [0, 1, 2]),
        ([[WHOLE]] * 20, [0, 3, 6]),
        ([[PART]] * 10 + [[WHOLE]] * 10, [10, 13, 16]),
        ([[WHOLE, PART], [WHOLE, WHOLE], [PART, PART], [WHOLE, PART, PART]], [0, 1]),
        ([[PART] * 9 + [WHOLE], [WHOLE] * 9 + [PART], [WHOLE] * 12 + [PART], [WHOLE] * 10], [1, 3]),
    ],
    ids=["one", "three", "five", "eight", "twenty", "complete first", "by share", "rounded to tenths"],
)
def test_the_pages_whose_rows_are_most_complete_are_examples_spread_over_all(
    pages: Sequence[Sequence[FoundRow]], chosen: Sequence[int]
) -> None:
    assert trial(dict(enumerate(pages)))._choose_examples() == chosen


@pytest.mark.parametrize(
    ("priced", "marked"),
    [([0], 6), ([5], 6), ([6], 7), ([9], 7), ([6, 7], 7), ([], 6)],
    ids=["first", "last of six", "seventh", "last", "only one more", "none"],
)
def test_six_rows_are_marked_and_one_more_for_what_they_lack(priced: Sequence[int], marked: int) -> None:
    rows = [WHOLE if n in priced else PART for n in range(10)]
    chosen = trial({0: rows})._choose_marked_rows(0)
    assert len(chosen) == marked and chosen[:6] == rows[:6]
    assert any(row is WHOLE for row in chosen) == bool(priced)


@pytest.mark.parametrize(("before", "had"), [([], False), ([[{"price": ()}]], False), ([[{"price": ()}], [{"price": ("£1",)}]], True)])
def test_an_attribute_had_values_if_any_old_row_had_one(before: Sequence[Sequence[Row]], had: bool) -> None:
    assert trial({}, before)._had_values("price") == had


def test_why_an_attribute_was_not_learned_is_said_in_the_learners_words() -> None:
    made = LearnedRecords(XPATH, {"price": NotLearned("two marks are in the way"), "thing": Learned((XPATH,))}, 4)
    assert trial({})._explain_failure(made, "price") == "two marks are in the way"
    assert trial({})._explain_failure(made, "thing") == "none of its old values is in the rows"
    assert trial({})._explain_failure(made, "stock") == "none of its old values is in the rows"


def figures(agreeing: int, judged: int = 1000) -> Relearned:
    return Relearned(PRICE, Learned(()), 1, (), judged, agreeing, 0, "exact")


def made(*attributes: Relearned, rows: int = 5, distance: int = 1) -> RelearnedList:
    learned = LearnedRecords(replace(XPATH, distance=distance), {}, 1)
    return RelearnedList(OLD, learned, {str(n): each for n, each in enumerate(attributes)}, {}, rows)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (made(figures(500), figures(500)), made(figures(1000), figures(0, judged=0), figures(1000), rows=9, distance=0)),
        (made(figures(910), figures(910)), made(figures(900), figures(1000), figures(1000), rows=9, distance=0)),
        (made(figures(900), figures(900), rows=1, distance=9), made(figures(904), rows=9, distance=0)),
        (made(figures(900), figures(900), rows=6, distance=9), made(figures(900), figures(1000), rows=5, distance=0)),
        (made(figures(900), figures(920), distance=9), made(figures(900), figures(901), distance=0)),
        (made(figures(900), figures(900), figures(970)), made(figures(900), figures(930), figures(930), distance=9)),
        (made(figures(900), distance=1), made(figures(900), distance=2)),
    ],
    ids=["judged", "the worst attribute", "attributes", "rows", "the mean", "all in the mean", "distance"],
)
def test_rules_are_ordered_by_what_counts_most_that_differs(better: RelearnedList, worse: RelearnedList) -> None:
    assert _merit(better) > _merit(worse)


def shelf(number: int) -> str:
    rows = "".join(f'<li class="deal"><b>Tea {number}-{n}</b><u>£{n + 1}.{number:02d}</u></li>' for n in range(4))
    return f"<body><h1>Shop {number}</h1><ul>{rows}</ul><p>Foot</p></body>"


def relearn(pages: int, broken: Sequence[str] = ("thing", "price")) -> RelearnedList | NotRelearned:
    tables = [page(shelf(n)) for n in range(pages)]
    before = [[{"thing": (f"Tea {n}-{k}",), "price": (f"£{k + 1}.{n:02d}",)} for k in range(4)] for n in range(pages)]
    rule = replace(OLD, rows=(Selector("//li[@class='offer']"),))
    return relearn_list(rule, broken, tables, before, old_pages=tables)


def test_the_learner_gets_the_examples_and_other_pages_spread_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, Counter[int]]] = []

    def watch(tables: Any, marked: Any, fields: Any, **options: Any) -> Any:
        asked.append((len(tables), Counter(each.page for each in marked)))
        heads.append([int(table.root.findtext(".//h1").split()[1]) for table in tables])
        return learn_records(tables, marked, fields, **options)

    heads: list[list[int]] = []
    monkeypatch.setattr(list_relearning, "learn_records", watch)
    result = relearn(30)
    assert isinstance(result, RelearnedList)
    assert asked[0] == (MAX_LEARNING_PAGES, Counter({0: 4, 1: 4, 2: 4}))
    assert heads[0] == [0, 5, 10, 1, 6, 11, 15, 19, 23, 27]
    assert result.found == 120 and {each.judged for each in result.attributes.values()} == {27}


@pytest.mark.parametrize("error", [RuleError("no rule"), XPathError("no XPath")])
def test_a_rule_that_cannot_be_run_is_no_rule(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(list_relearning, "ListJudge", fail)
    assert relearn(6) == NotRelearned("offers", str(error))


def test_where_the_rows_have_moved_the_attributes_that_worked_are_learned_too() -> None:
    """Only the price is said to be broken, but no row is where the old rule looks. Only the price stands in another element."""
    result = relearn(6, broken=["price"])
    assert isinstance(result, RelearnedList)
    assert result.rule.rows != OLD.rows and set(result.attributes) == {"thing", "price"} and not result.failed
    kept = next(each for each in result.rule.attributes if each.name == "thing")
    assert kept == THING, "the old XPath gives the same names in the new rows"
    assert next(each for each in result.rule.attributes if each.name == "price").alternatives != PRICE.alternatives


def test_an_attribute_that_never_had_a_value_is_not_lost_when_the_rows_move() -> None:
    stock = AttributeRule("stock", alternatives=(Selector("./s"),))
    rule = replace(OLD, rows=(Selector("//li[@class='offer']"),), attributes=(*OLD.attributes, stock))
    tables = [page(shelf(n)) for n in range(6)]
    before = [[{"thing": (f"Tea {n}-{k}",), "price": (f"£{k + 1}.{n:02d}",), "stock": ()} for k in range(4)] for n in range(6)]
    result = relearn_list(rule, ["price"], tables, before, old_pages=tables)
    assert isinstance(result, RelearnedList) and result.failed == {}
    rows = [[{**row, "stock": ("gone",)} for row in many] for many in before]
    result = relearn_list(rule, ["price"], tables, rows, old_pages=tables)
    assert isinstance(result, RelearnedList) and set(result.failed) == {"stock"}
