"""The steps of relearning one by one, on numbers that can be counted by hand: which place, which pages, which rule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.apriori import learn_attribute
from extraction.algorithms.monitoring.relearning import (
    MAX_LEARNING_PAGES,
    Relearned,
    _FoundValues,
    _merit,
    _Vote,
    count_pages,
    relearn_attribute,
    trace_path,
)
from extraction.algorithms.rules.rule import AttributeRule, Selector
from tests.algorithms.monitoring.shops import BOOKS, new, page

TITLE = AttributeRule("title", alternatives=(Selector("//h6"),))
MANY = AttributeRule("items", multiple=True, alternatives=(Selector("//h6"),))


def vote(before: Sequence[tuple[str, ...] | None], attribute: AttributeRule = TITLE) -> _Vote:
    return _Vote(attribute, [], before)


def marked(sizes: Sequence[int]) -> dict[int, tuple[Location, ...]]:
    """Return that many places of each page."""
    return {n: tuple(map(Location, range(size))) for n, size in enumerate(sizes)}


@pytest.mark.parametrize(
    ("pages", "chosen"),
    [
        (1, [0]),
        (2, [0, 1]),
        (3, [0, 1]),
        (5, [0, 2]),
        (8, [0, 2, 4, 6]),
        (12, [0, 2, 4, 6, 8, 10]),
        (20, [0, 3, 6, 10, 13, 16]),
        (100, [0, 16, 33, 50, 66, 83]),
    ],
)
def test_half_of_the_pages_and_at_most_six_are_examples_spread_over_all(pages: int, chosen: list[int]) -> None:
    assert list(vote([(f"v{n}",) for n in range(pages)])._choose_examples(marked([1] * pages))) == chosen


def test_examples_differ_in_their_values_before_equal_ones_fill_up() -> None:
    same = [("a",), ("a",), ("b",), ("a",), ("b",), ("b",)]
    assert list(vote(same)._choose_examples(marked([1] * 6))) == [0, 2, 1]
    assert list(vote([("a",)] * 6)._choose_examples(marked([1] * 6))) == [0, 1, 2]


def test_pages_with_all_their_values_are_examples_before_others() -> None:
    before = [(f"a{n}", f"b{n}") for n in range(6)]
    assert list(vote(before, MANY)._choose_examples(marked([1, 1, 2, 2, 2, 2]))) == [2, 3, 4]
    assert list(vote(before, MANY)._choose_examples(marked([1] * 6))) == [0, 2, 4], "none has all"


def test_of_several_values_of_a_single_attribute_the_first_was_meant() -> None:
    before = [("a", "b"), ("c",), (), None]
    assert vote(before).before == [("a",), ("c",), (), None]
    assert vote(before, MANY).before == before


def found(*rows: Sequence[tuple[int, str]]) -> _FoundValues:
    """Return values with their places: (node, kind) each."""
    return _FoundValues(
        0, tuple(tuple(Location(n) for n, _ in row) for row in rows), tuple(tuple((kind,) for _, kind in row) for row in rows)
    )


@pytest.mark.parametrize(
    ("rows", "kind", "chosen"),
    [
        ([[(1, "nav"), (5, "li")], [(2, "nav"), (6, "li")]], "li", [5, 6]),
        ([[(1, "nav"), (5, "li")], [(2, "nav"), (6, "li")]], "nav", [1, 2]),
        ([[(1, "li")], [(5, "li")], [(3, "li"), (7, "li")]], "li", [1, 5, 7]),
        ([[(5, "li")], [(3, "li")]], "li", [5, 3]),
        ([[(1, "li"), (2, "li")], [(1, "li"), (2, "li")]], "li", [1, 2]),
        ([[(5, "li")], [(2, "p"), (9, "p")]], "li", [5, 2]),
        ([[(5, "li")], [(1, "p"), (8, "p")]], "li", [5, 8]),
        ([[(1, "li")], [(30, "li")], [(40, "li")], [(3, "p"), (29, "p")]], "li", [1, 30, 40, 29]),
        ([[(4, "li")], [(4, "li")]], "li", [4]),
    ],
    ids=["of the kind", "of another kind", "after the one before", "none after", "not twice", "nearest", "nearest after", "middle", "gone"],
)
def test_each_value_gets_a_place_of_the_kind_behind_the_one_before_or_else_the_nearest(
    rows: Sequence[Sequence[tuple[int, str]]], kind: str, chosen: list[int]
) -> None:
    assert [place.node for place in found(*rows).choose((kind,))] == chosen


def test_the_kinds_of_a_page_are_those_of_all_its_values() -> None:
    assert found([(1, "nav"), (5, "li")], [(2, "p")]).kinds() == {("nav",), ("li",), ("p",)}


def test_a_path_is_the_kind_of_the_place_and_the_tags_up_to_the_root() -> None:
    shown = page("<html><body><ul><li>x</li></ul></body></html>")
    (node,) = [n for n, element in enumerate(shown.nodes) if element.tag == "li"]
    assert trace_path(shown, Location(node, "text", text=1)) == ("text", "li", "ul", "body", "html")


@pytest.fixture(scope="module")
def learned() -> Relearned:
    made = relearn_attribute(TITLE, [new(*book) for book in BOOKS], [(title,) for title, _, _ in BOOKS])
    assert isinstance(made, Relearned)
    return made


def of(made: Relearned, *, ends: str = "//h2", alternatives: int = 1, **values: Any) -> Relearned:
    """Return a rule with other figures. values: of the rule or of its first XPath."""
    own = {name: values.pop(name) for name in ("support", "several", "distance", "features") if name in values}
    first = replace(made.learned.alternatives[0], **{"support": 8, "several": 0, "distance": 1, "features": ("a",), **own})
    rule = replace(made.rule, alternatives=(Selector(ends),) * alternatives)
    figures = {"judged": 1000, "agreeing": 900, "found": 5, "returned": 3, **values}
    return replace(made, rule=rule, learned=replace(made.learned, alternatives=(first,) * alternatives), **figures)


WORSE: Mapping[str, Any] = {
    "found": 1,
    "returned": 9,
    "support": 1,
    "features": ("a", "b", "c"),
    "distance": 9,
}
"""What speaks against a rule in everything that counts less than its agreement and its alternatives."""


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"agreeing": 910, "alternatives": 3, **WORSE}, {"agreeing": 900}),
        ({"alternatives": 1, **WORSE}, {"alternatives": 2}),
        ({"alternatives": 2, **WORSE}, {"alternatives": 3}),
        ({"found": 6, "returned": 9}, {"found": 5, "returned": 0}),
        ({"returned": 2, "support": 1}, {"returned": 3, "support": 9}),
        ({"support": 8, "several": 1, "ends": "//p"}, {"support": 8, "several": 2, "ends": "//h6"}),
        ({"support": 9, "several": 1, "ends": "//p"}, {"support": 7, "several": 0, "ends": "//h6"}),
        ({"ends": "//h6", "features": ("a", "b")}, {"ends": "//h2", "features": ("a",)}),
        ({"features": ("a",), "distance": 9}, {"features": ("a", "b"), "distance": 1}),
        ({"distance": 1}, {"distance": 2}),
    ],
    ids=["agreement", "alternatives", "more alternatives", "found", "returned", "several", "support", "end", "features", "distance"],
)
def test_rules_are_ordered_by_what_counts_most_that_differs(
    learned: Relearned, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> None:
    assert _merit(of(learned, **better), TITLE) > _merit(of(learned, **worse), TITLE)


def test_half_a_percent_of_agreement_does_not_count(learned: Relearned) -> None:
    assert _merit(of(learned, agreeing=904, found=4), TITLE) < _merit(of(learned, agreeing=900, found=5), TITLE)


def test_alternatives_count_from_the_number_that_the_old_rule_had(learned: Relearned) -> None:
    two = replace(TITLE, alternatives=(Selector("//h6"), Selector("//h5")))
    none = replace(TITLE, alternatives=())
    assert [_merit(of(learned, alternatives=n), two)[1] for n in (1, 2, 3)] == [0, 0, -1]
    assert [_merit(of(learned, alternatives=n), none)[1] for n in (1, 2)] == [0, -1]


def test_where_no_page_can_judge_a_rule_agrees(learned: Relearned) -> None:
    assert of(learned, judged=0, agreeing=0).agreement_fraction == 1
    assert of(learned, judged=4, agreeing=3).agreement_fraction == 0.75


def test_pages_with_a_value_and_with_several_different_ones_are_counted() -> None:
    pages = [page(f"<body>{body}</body>") for body in ("", "<h6>a</h6>", "<h6>a</h6><h6>a</h6>", "<h6>a</h6><h6>b</h6><h6>c</h6>")]
    assert count_pages(MANY, pages) == (3, 1)


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True), st.sets(st.sampled_from("abcdef")))
def test_a_list_agrees_from_an_f1_of_four_fifths(expected: list[str], shown: set[str]) -> None:
    table = page("<body>" + "".join(f"<h6>{each}</h6>" for each in sorted(shown)) + "</body>")
    agrees = _Vote(MANY, [table], [tuple(expected)])._agrees(MANY, 0)
    assert agrees == (2 * len(shown & set(expected)) >= 0.8 * (len(shown) + len(expected)))


@pytest.mark.parametrize(
    ("type_", "before", "now", "agrees"),
    [
        ("text", ("The red Book",), "THE RED BOOK!", True),
        ("text", ("The red Book",), "The red", False),
        ("price", ("10.90 EUR",), "€10,90", True),
        ("price", ("10.90 EUR",), "€10,91", False),
        ("price", ("10.90 EUR",), "soon", False),
        ("text", ("10.90 EUR",), "€10,90", False),
        ("price", (), "€10,90", False),
        ("price", (), "", True),
        ("price", None, "", True),
        ("price", ("10.90 EUR",), "", False),
    ],
)
def test_one_value_agrees_if_it_is_the_same_however_it_is_written(
    type_: Any, before: tuple[str, ...] | None, now: str, agrees: bool
) -> None:
    attribute = replace(TITLE, type=type_)
    table = page(f"<body><h6>{now}</h6></body>" if now else "<body><p>x</p></body>")
    assert _Vote(attribute, [table], [before])._agrees(attribute, 0) == agrees


@pytest.mark.parametrize(("gone", "counted"), [(1, True), (2, False)])
def test_a_page_counts_if_four_fifths_of_its_values_are_there(gone: int, counted: bool) -> None:
    items = [f"item {n}" for n in range(5)]
    table = page("<body>" + "".join(f"<p>{each}</p>" for each in items[gone:]) + "</body>")
    places = _Vote(MANY, [table, page("<body></body>")], [tuple(items), tuple(items)])._find_values("exact")
    assert [each.page for each in places] == ([0] if counted else [])
    if counted:
        assert [len(row) for row in places[0].places] == [1] * 4
        assert places[0].paths[0] == (("text", "p", "body", "html"),)


def test_the_learner_gets_the_examples_and_other_pages_spread_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page(f"<body><p>Home</p><h2>Book {n}</h2></body>") for n in range(100)]
    asked: list[tuple[list[int], list[int]]] = []

    def watch(tables: Any, examples: Any, **options: Any) -> Any:
        asked.append(([pages.index(each) for each in tables], [each.page for each in examples]))
        return learn_attribute(tables, examples, **options)

    monkeypatch.setattr("extraction.algorithms.monitoring.relearning.learn_attribute", watch)
    made = relearn_attribute(TITLE, pages, [(f"Book {n}",) for n in range(100)])
    assert isinstance(made, Relearned) and (made.found, made.judged, made.agreeing) == (100, 94, 94)
    (tables, examples) = asked[0]
    first = [0, 16, 33, 50, 66, 83]
    others = [n for n in range(100) if n not in first]
    assert tables == [*first, *others[::3]][:MAX_LEARNING_PAGES] and examples == list(range(6))
    assert made.learned_from == tuple(first) and len(asked) == 1


@pytest.mark.parametrize(("back", "kept"), [(0, 0), (4, 4)])
def test_a_value_that_is_back_on_pages_without_one_is_counted(back: int, kept: int) -> None:
    """The last pages had no title. On some of them a title is shown now, in the same place."""
    rows = [f"<h2>{title}</h2>" for title, _, _ in BOOKS] + ["<h2>The old Book</h2>"] * back + ["<p>x</p>"] * 3
    before: list[tuple[str, ...] | None] = [(title,) for title, _, _ in BOOKS] + [()] * (back + 3)
    made = relearn_attribute(TITLE, [page(f"<body><p>Shop</p>{row}</body>") for row in rows], before)
    assert isinstance(made, Relearned)
    assert (made.returned, made.judged, made.agreeing) == (kept, 4, 4)


def test_a_rule_that_finds_no_price_on_a_page_that_has_it_does_not_agree() -> None:
    """The examples show prices in b. Every third page has its price in another place, where the rule of the first ones finds nothing."""
    price = AttributeRule("price", "price", alternatives=(Selector("//h6"),))
    rows = [f"<b>{cost} EUR</b>" if n % 3 else f"<table><tr><td>{cost} EUR</td></tr></table>" for n, (_, cost, _) in enumerate(BOOKS * 2)]
    before = [(f"{cost} EUR",) for _, cost, _ in BOOKS * 2]
    tables = [page(f"<body><p>Shop</p>{row}</body>") for row in rows]
    only_b = replace(price, alternatives=(Selector("//b"),))
    assert [_Vote(price, tables, before)._agrees(only_b, n) for n in range(16)] == [bool(n % 3) for n in range(16)]


@pytest.mark.parametrize(
    ("agreeing", "returned", "alternatives", "taken"),
    [
        (8, 1, 1, True),
        (9, 1, 1, True),
        (7, 0, 1, False),
        (8, 2, 1, False),
        (8, 3, 1, False),
        (8, 1, 2, False),
    ],
    ids=["as good and fewer", "better and fewer", "worse", "as many", "more", "less simple"],
)
def test_a_rule_that_knows_of_missing_values_is_taken_if_it_is_as_good_and_as_simple_and_gives_fewer_back(
    learned: Relearned, agreeing: int, returned: int, alternatives: int, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rule agrees on 8 of 10 pages, and two pages get a value back."""
    first = of(learned, judged=10, agreeing=8, returned=2)
    second = of(learned, judged=10, agreeing=agreeing, returned=returned, alternatives=alternatives)
    made = _Vote(TITLE, [page("<h2>x</h2>")], [()])
    monkeypatch.setattr(made, "_learn_missed", lambda *_: (first, {}))
    monkeypatch.setattr(made, "_judge", lambda *_: second)
    assert made._learn({}, set(), "exact") is (second if taken else first)
