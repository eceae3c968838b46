"""Which part of a page belongs to each row: worked examples on a table, on siblings and on lists beside each other."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.monitoring import row_extents
from extraction.algorithms.monitoring.places import SoughtValue, ValueFinder
from extraction.algorithms.monitoring.row_extents import Extents, _choose_places, _count_between, _list_within
from tests.algorithms.monitoring.shops import page

Rows = Sequence[Mapping[str, tuple[str, ...]]]

TEAS: Rows = [{"thing": ("Tea",), "price": ("£1",)}, {"thing": ("Milk",), "price": ("£2",)}, {"thing": ("Salt",), "price": ()}]

TABLE = (
    "<table><tr><td>Tea</td><td><b><i>£1</i></b></td></tr><tr><td>Milk</td><td><b><i>£2</i></b></td></tr>"
    "<tr><td>Salt</td><td></td></tr></table>"
)
SIBLINGS = "<dl><dt>Tea</dt><dd>£1</dd><dt>Milk</dt><dd>£2</dd><dt>Salt</dt></dl><p>Foot</p>"


def extents(body: str, *path: str, rows: Rows = TEAS, name: str = "thing") -> Extents:
    """Return the extents with the anchors whose tags, up to the body, are `path`."""
    table = page(f"<html><body>{body}</body></html>")
    finder = ValueFinder(table)
    places = [{key: tuple(tuple(finder.find(SoughtValue(value))) for value in values) for key, values in row.items()} for row in rows]
    return Extents(table, rows, places, name=name, kind=("text", *path, "body", "html"))


def tag(found: Extents, node: int) -> str:
    """Return an element as its tag with its number among those of that tag: li2."""
    tags = [str(element.tag) for element in found.table.nodes]
    return f"{tags[node]}{tags[: node + 1].count(tags[node])}"


def test_in_a_table_each_row_is_the_highest_element_with_one_anchor() -> None:
    found = extents(TABLE, "td", "tr", "table")
    assert {row: tag(found, place.node) for row, place in found.chosen.items()} == {0: "td1", 1: "td3", 2: "td5"}
    assert {row: tag(found, top) for row, top in found.tops.items()} == {0: "tr1", 1: "tr2", 2: "tr3"}
    assert [[path for _, path in value] for value in found.inside[0]["price"]] == [[("text", "i", "b", "td", "")]]
    assert [tag(found, place.node) for value in found.inside[1]["price"] for place, _ in value] == ["i2"]
    assert found.inside[2] == {"price": []}


def test_of_siblings_each_row_ends_where_the_next_one_begins() -> None:
    found = extents(SIBLINGS, "dt", "dl")
    assert {row: tag(found, top) for row, top in found.tops.items()} == {0: "dt1", 1: "dt2", 2: "dt3"}
    assert {row: tag(found, stop) for row, stop in found.stops.items()} == {0: "dt2", 1: "dt3", 2: "p1"}
    assert [path for value in found.inside[0]["price"] for _, path in value] == [("text", "dd", "beside")]
    assert [tag(found, place.node) for value in found.inside[1]["price"] for place, _ in value] == ["dd2"]


def test_a_row_ends_with_its_parent_if_the_next_one_stands_elsewhere() -> None:
    lists = "<div><dl><dt>Tea</dt><dd>£1</dd><dt>Milk</dt><dd>£2</dd></dl></div><div><dl><dt>Salt</dt></dl></div>"
    found = extents(lists, "dt", "dl", "div")
    assert {row: tag(found, top) for row, top in found.tops.items()} == {0: "dt1", 1: "dt2", 2: "div2"}
    assert [tag(found, found.stops[row]) for row in (0, 1)] == ["dt2", "div2"] and found.stops[2] == len(found.table.nodes)
    assert [set(found.inside[row]) for row in range(3)] == [{"price"}] * 3


def test_a_row_alone_is_the_whole_page() -> None:
    found = extents(TABLE, "td", "tr", "table", rows=TEAS[:1])
    assert found.tops == {0: 0}


def test_the_search_for_the_top_ends_after_some_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_extents, "MAX_LEVELS", 2)
    found = extents(TABLE, "td", "tr", "table", rows=TEAS[:1])
    assert tag(found, found.tops[0]) == "table1"


def test_a_value_in_the_row_of_another_one_is_not_taken() -> None:
    swapped: Rows = [{"thing": ("Tea",), "price": ("£2",)}, {"thing": ("Milk",), "price": ("£1",)}]
    for body, path in ((TABLE, ("td", "tr", "table")), (SIBLINGS, ("dt", "dl"))):
        found = extents(body, *path, rows=swapped)
        assert found.inside == {0: {}, 1: {}}
        assert [row.fields for row in found.rows(Counter(found.paths()))] == [{"thing": (found.chosen[n],)} for n in (0, 1)]


def lists(*items: Sequence[str]) -> str:
    """Return lists beside each other. An item: "Tea £1"."""
    return "".join(
        "<div><ul>" + "".join("<li>" + "".join(f"<b>{word}</b>" for word in item.split()) + "</li>" for item in one) + "</ul></div>"
        for one in items
    )


@pytest.mark.parametrize(
    ("body", "chosen"),
    [
        (lists(["Tea", "Milk"], ["Tea £1", "Milk £2"]), ["b3", "b5"]),
        (lists(["Tea £1", "Milk £2"], ["Tea", "Milk"]), ["b1", "b3"]),
        (lists(["Tea"], ["Tea", "Milk", "Salt"]), ["b2", "b3", "b4"]),
        (lists(["Tea", "Milk", "Salt"], ["Tea"]), ["b1", "b2", "b3"]),
        (lists(["Tea", "Milk"], ["Tea", "Milk"]), ["b1", "b2"]),
        (lists(["Milk", "Tea", "Milk"]), ["b2", "b3"]),
        (lists(["Milk", "Tea"]), ["b2", "b1"]),
    ],
    ids=["with its price", "before the box", "among most", "most first", "the first", "after the row before", "if it must be, before"],
)
def test_the_anchor_of_a_row_is_the_place_with_its_values_among_the_other_rows(body: str, chosen: Sequence[str]) -> None:
    found = extents(body, "b", "li", "ul", "div")
    assert [tag(found, found.chosen[row].node) for row in sorted(found.chosen)] == chosen


def test_rows_of_the_same_value_get_a_place_each_as_long_as_there_are_some() -> None:
    same: Rows = [{"thing": ("Tea",), "price": (f"£{n}",)} for n in range(3)]
    found = extents(lists(["Tea £1", "Tea £2"]), "b", "li", "ul", "div", rows=same)
    assert {row: tag(found, place.node) for row, place in found.chosen.items()} == {0: "b1", 1: "b3"}


@pytest.mark.parametrize(("most", "chosen"), [(3, "b3"), (2, "b1")])
def test_only_the_first_places_of_a_value_are_compared(most: int, chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_extents, "MAX_PLACES", most)
    found = extents(lists(["Tea", "Tea", "Tea £1", "Milk"]), "b", "li", "ul", "div")
    assert tag(found, found.chosen[0].node) == chosen


def test_places_of_another_kind_are_no_anchors() -> None:
    found = extents("<h1>Tea</h1>" + lists(["Tea £1", "Milk £2"]) + "<p>Milk</p>", "b", "li", "ul", "div")
    assert [tag(found, place.node) for place in found.chosen.values()] == ["b1", "b3"]
    assert extents("<h1>Tea</h1>", "b", "li", "ul", "div").chosen == {}


@pytest.mark.parametrize(("others", "kept"), [(10, True), (11, False)])
def test_a_path_of_under_a_tenth_of_the_rows_is_chance(others: int, kept: bool) -> None:
    found = extents(TABLE, "td", "tr", "table")
    own = ("text", "i", "b", "td", "")
    rows = found.rows(Counter({("price", own): 1, ("price", ("text", "td", "")): others, ("stock", own): 99}))
    assert [("price" in row.fields) for row in rows] == [kept, kept, True], "the third row had none, which is no loss"
    assert [row.old for row in rows] == list(TEAS)


def test_rows_come_in_the_order_of_the_page() -> None:
    found = extents(lists(["Salt", "Tea £1", "Milk £2"]), "b", "li", "ul", "div")
    assert [row.old["thing"] for row in found.rows(Counter(found.paths()))] == [("Salt",), ("Tea",), ("Milk",)]


def test_each_path_counts_once_for_a_row() -> None:
    twice: Rows = [{"thing": ("Tea",), "price": ("£1", "£3")}, {"thing": ("Milk",), "price": ("£2",)}]
    found = extents(lists(["Tea £1 £3 £1", "Milk £2"]), "b", "li", "ul", "div", rows=twice)
    assert Counter(found.paths()) == {("price", ("text", "b", "")): 2}
    (first, _) = found.rows(Counter(found.paths()))
    assert [tag(found, place.node) for place in first.fields["price"]] == ["b2", "b3"]


def at(*choices: tuple[int, int]) -> list[tuple[int, Location]]:
    return [(count, Location(node)) for count, node in choices]


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        ([at((5, 1), (3, 2))], [1]),
        ([at((3, 1), (5, 2))], [2]),
        ([at((5, 2), (5, 1))], [1]),
        ([at((5, 1), (3, 2)), at((5, 1), (3, 2))], [1, 2]),
        ([at((5, 1)), at((5, 1))], [1, 1]),
    ],
    ids=["most frequent", "most frequent last", "first of equal ones", "not one that is taken", "unless there is no other"],
)
def test_the_place_of_a_value_is_the_one_with_the_most_frequent_path(
    values: Sequence[Sequence[tuple[int, Location]]], chosen: Sequence[int]
) -> None:
    assert [place.node for place in _choose_places(values)] == chosen


@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(0, 21), st.integers(0, 21))
def test_what_lies_between_is_what_a_loop_finds(numbers: list[int], low: int, high: int) -> None:
    inside = [number for number in numbers if low <= number < high]
    if low <= high:
        assert _count_between(numbers, low, high) == len(inside)
        assert [place.node for place in _list_within([Location(number) for number in numbers], low, high)] == inside
