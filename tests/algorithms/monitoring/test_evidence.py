"""Each sign holds on a page made for it, and on no page made for another."""

from collections.abc import Callable

import pytest

from extraction.algorithms.monitoring import evidence
from extraction.algorithms.monitoring.chance import PageTexts
from extraction.algorithms.monitoring.evidence import Revisit, ValueChange
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.evidence import ColumnEvidence
from tests.algorithms.monitoring.shops import page

TITLE = AttributeRule("title", mandatory=True)
PROFILE = Profile.learn([(f"The red book {n}",) for n in range(10)])
CONDITIONS = Profile.learn([("New",), ("Used",)] * 8)
OLD = page("<body><h1>The red book</h1><p>A neighbour</p></body>")


def change(
    body: str,
    *now: str,
    attribute: AttributeRule = TITLE,
    before: tuple[str, ...] = ("The red book",),
    profile: Profile = PROFILE,
    least: float = 0.0,
) -> ValueChange:
    new = page(f"<body>{body}</body>")
    visit = Revisit("u", OLD, new, {"title": before}, {"title": now}, covered=True)
    return ValueChange(attribute, profile, visit, PageTexts(OLD, new), least)


CASES = {
    "is_overlooked": change("<h2>The red book</h2>"),
    "is_missing": change("<h2>Sold</h2>"),
    "is_slipped": change("<h2>The red book</h2><p>A neighbour</p>", "A neighbour"),
    "is_crowded": change("<h2>The red book</h2>", "One", "Another"),
    "is_misread": change("<h2>The red book</h2>", "New: The red book!"),
    "is_replaced": change("<h2>The red book</h2>", "The blue book"),
    "is_unknown": change("<h1>Cart</h1>", "Cart", before=("New",), profile=CONDITIONS),
    "is_odd": change("<h1>x</h1>", "12345 67890 12345"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_sign_holds_on_its_page(name: str) -> None:
    holds: Callable[[ValueChange], str | None] = getattr(evidence, name)
    assert holds(CASES[name])


@pytest.mark.parametrize(
    "made",
    [
        change("<h1>The red book</h1>", "The red book"),
        change("<h1>THE RED BOOK.</h1>", "THE RED BOOK."),  # the same in another writing
        change("<h1>The blue book</h1>", "The blue book"),  # news
        change("<p>Sold</p>", attribute=AttributeRule("title")),  # an optional value is gone
    ],
)
def test_a_rule_that_works_has_no_sign_against_it(made: ValueChange) -> None:
    assert not any(getattr(evidence, name)(made) for name in CASES)


def test_a_value_whose_other_place_was_kept_has_not_slipped() -> None:
    """Another product has the same price. The page's own price became a third one's."""
    old = page("<body><b>9 EUR</b><i>9 EUR</i><u>12 EUR</u></body>")
    new = page("<body><b>12 EUR</b><i>9 EUR</i><u>12 EUR</u></body>")
    visit = Revisit("u", old, new, {"price": ("9 EUR",)}, {"price": ("12 EUR",)}, covered=True)
    made = ValueChange(AttributeRule("price", "price"), None, visit, PageTexts(old, new))
    assert made.still_standing == ("9 EUR",)
    assert evidence.is_slipped(made) is None


@pytest.mark.parametrize(("old", "new", "part"), [("The red", "The red book", True), ("red", "The redder book", False)])
def test_only_whole_words_are_part_of_a_value(old: str, new: str, part: bool) -> None:
    made = change(f"<h1>{old}</h1>", new, before=(old,))
    assert bool(evidence.is_misread(made)) is part


def test_a_rating_is_no_part_of_another_rating() -> None:
    made = change("<h1>4</h1>", "4.5", before=("4",), attribute=AttributeRule("title", "number"), profile=Profile.learn([], type="number"))
    assert evidence.is_misread(made) is None


def test_of_a_list_most_old_values_must_still_stand_on_the_page() -> None:
    rows, column = tuple(f"Row {n}" for n in range(4)), AttributeRule("title", multiple=True)
    few = change("<p>Row 0</p>", before=rows, attribute=column, least=0.5)
    most = change("<p>Row 0</p><p>Row 1</p><p>Row 2</p>", before=rows, attribute=column, least=0.5)
    assert evidence.is_overlooked(few) is None
    assert evidence.is_overlooked(most)


def test_a_value_is_gained_or_lost_as_the_rules_column_reads_it() -> None:
    marks = AttributeRule("title", "price", column=ColumnEvidence(decimal=","))
    unknown = AttributeRule("title", "price")
    thousand = change("<p>1,234 €</p>", "1,234 €", before=("1.234 €",), attribute=marks)
    assert (thousand.lost, thousand.gained) == (("1.234 €",), ("1,234 €",)), "1234 became 1.234"
    assert not change("<p>1234 €</p>", "1234 €", before=("1.234 €",), attribute=marks).gained
    assert not change("<p>1,234 €</p>", "1,234 €", before=("1.234 €",), attribute=unknown).gained, "the same digits"
    day = AttributeRule("title", "date", column=ColumnEvidence(date_order="DMY"))
    assert not change("<p>3 April 2024</p>", "3 April 2024", before=("03/04/2024",), attribute=day).gained
    assert change("<p>4 March 2024</p>", "4 March 2024", before=("03/04/2024",), attribute=day).gained
