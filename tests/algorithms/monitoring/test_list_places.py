"""Which attribute anchors the rows, at which stage its values are found, and how many rows it takes: numbers counted by hand."""

from collections.abc import Sequence

import pytest

from extraction.algorithms.monitoring import list_places
from extraction.algorithms.monitoring.list_places import Anchor, SoughtRows
from extraction.algorithms.monitoring.row_extents import Row
from extraction.algorithms.rules.rule import AttributeRule
from tests.algorithms.monitoring.shops import page

THING, PRICE, TAGS = AttributeRule("thing"), AttributeRule("price", "price"), AttributeRule("tags", multiple=True)

KIND = ("text", "b", "li", "ul", "body", "html")
"""Where the names of `shelf` stand."""


def row(thing: str = "", price: str = "", *tags: str) -> Row:
    return {"thing": (thing,) if thing else (), "price": (price,) if price else (), "tags": tags}


def shelf(*items: str) -> str:
    """Return a list of items: "Tea £1"; only "£1" for an item without a name."""
    cells = [[f"<i>{word}</i>" if word.startswith("£") else f"<b>{word}</b>" for word in item.split()] for item in items]
    return f"<ul>{''.join(f'<li>{chr(32).join(each)}</li>' for each in cells)}</ul>"


def sought(*pages: tuple[str, Sequence[Row] | None], attributes: Sequence[AttributeRule] = (THING, PRICE, TAGS)) -> SoughtRows:
    return SoughtRows(attributes, [page(f"<html><body>{body}</body></html>") for body, _ in pages], [rows for _, rows in pages])


def test_rarity_is_how_many_rows_an_attribute_tells_apart() -> None:
    """Four names are found once: 4. Of four prices one is missing and two are £1, on two places each: (1/2 + 1/2 + 1) · (3/4)²."""
    rows = [row("Tea", "£1"), row("Milk", "£1"), row("Salt", "£2"), row("Rice")]
    found = sought((shelf("Tea £1", "Milk £1", "Salt £2", "Rice"), rows))
    assert found._measure_rarity("thing") == 4
    assert found._measure_rarity("price") == pytest.approx((1 / 2 + 1 / 2 + 1) * (3 / 4) ** 2)
    assert found._measure_rarity("tags") == 0
    assert sought((shelf("Tea"), None))._measure_rarity("thing") == 0


def test_an_attribute_with_several_values_in_a_row_is_no_anchor() -> None:
    rows = [row("Tea", "", "hot", "green"), row("Milk", "", "cold")]
    found = sought((shelf("Tea hot green", "Milk cold"), rows))
    assert found._measure_rarity("tags") == 0
    assert {each.name for each in found.anchors()} == {"thing"}


def test_the_two_rarest_attributes_are_anchors_each_at_its_most_frequent_kinds_of_places() -> None:
    rows = [row("Tea", "£1"), row("Milk", "£1"), row("Salt", "£2")]
    box = "<h1>Tea</h1><h2>Tea</h2><h2>Milk</h2><h3>Tea</h3>"
    found = sought((box + shelf("Tea £1", "Milk £1", "Salt £2"), rows))
    assert [(each.name, each.kind[1]) for each in found.anchors()] == [("price", "i"), ("thing", "b"), ("thing", "h2"), ("thing", "h1")]


def test_only_the_first_places_of_a_value_have_a_say_in_the_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sought(("<h2>Tea</h2><h2>Milk</h2>" + shelf("Tea", "Milk", "Salt"), [row("Tea"), row("Milk"), row("Salt")]))
    assert dict(found._count_kinds("thing")) == {KIND: 3, ("text", "h2", "body", "html"): 2}
    monkeypatch.setattr(list_places, "MAX_PLACES", 1)
    assert dict(found._count_kinds("thing")) == {KIND: 1, ("text", "h2", "body", "html"): 2}


@pytest.mark.parametrize(
    ("shown", "stage", "there"),
    [
        (["£1.00", "£2.00", "3,00 GBP", "4,00 GBP"], "exact", 2),
        (["£1.00", "2,00 GBP", "3,00 GBP", "x"], "typed", 3),
        (["£1.00", "x", "x", "x"], "exact", 1),
        (["x", "x", "x", "x"], "exact", 0),
    ],
    ids=["half are enough", "fewer are not", "if no stage finds more", "if nothing is found"],
)
def test_values_are_looked_for_in_less_certain_ways_until_half_are_found(shown: Sequence[str], stage: str, there: int) -> None:
    rows = [row(f"Tea {n}", f"£{n}.00") for n in range(1, 5)]
    found = sought(("".join(f"<p>{text}</p>" for text in shown), rows))
    assert found.stages["price"] == stage
    assert sum(bool(each["price"][0]) for each in found.places[0]) == there


@pytest.mark.parametrize(
    ("old", "shown", "found"),
    [(1, 1, 0), (2, 1, 0), (2, 2, 2), (4, 1, 0), (4, 2, 2), (5, 2, 0), (5, 3, 3), (6, 3, 3)],
)
def test_two_rows_and_half_of_a_pages_rows_must_be_found(old: int, shown: int, found: int) -> None:
    names = [f"Tea{n}" for n in range(old)]
    rows = sought((shelf(*names[:shown]), [row(name) for name in names])).rows(Anchor("thing", KIND))
    assert sum(map(len, rows.values())) == found


@pytest.mark.parametrize(("beside", "found"), [(1, False), (2, True), (4, True)])
def test_half_of_the_rows_with_a_second_value_must_have_it_beside_the_anchor(beside: int, found: bool) -> None:
    """The fifth row had no price, so it has no say."""
    old = [row(f"Tea{n}", f"£{n}.50") for n in range(4)] + [row("Milk")]
    items = [f"Tea{n} £{n}.50" if n < beside else f"Tea{n}" for n in range(4)]
    rows = sought((shelf(*items, "Milk"), old)).rows(Anchor("thing", KIND))
    assert bool(rows) == found
    if found:
        assert [len(each.fields.get("price", ())) for each in rows[0]] == [int(n < beside) for n in range(4)] + [0]


def test_rows_are_found_page_by_page_and_pages_without_old_rows_have_none() -> None:
    two = [row("Tea"), row("Milk")]
    found = sought((shelf("Tea", "Milk"), two), (shelf("Tea", "Milk"), None), (shelf("Tea", "Milk"), ()), ("<p>x</p>", two))
    assert {page: [each.old["thing"] for each in rows] for page, rows in found.rows(Anchor("thing", KIND)).items()} == {
        0: [("Tea",), ("Milk",)]
    }


def test_of_a_long_list_the_first_rows_are_looked_for_and_all_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_places, "MAX_ROWS", 2)
    found = sought((shelf("Tea"), [row("Tea"), row("Milk"), row("Salt")]))
    assert [len(each) for each in (found.before[0], found.places[0], found.whole[0])] == [2, 2, 3]


def test_of_several_values_of_a_single_attribute_the_first_was_meant() -> None:
    found = sought((shelf("Tea"), [{"thing": ("Tea", "Milk"), "tags": ("a", "b")}]))
    assert found.whole == [[{"thing": ("Tea",), "price": (), "tags": ("a", "b")}]]
