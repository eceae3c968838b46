"""The signs of an attribute over all pages: how many pages it takes, what each says, and how probable it is."""

from collections.abc import Sequence

import pytest

from extraction.algorithms.monitoring.attribute_changes import ODD_RATE, AttributeChanges, Finding
from extraction.algorithms.monitoring.chance import PageTexts, binomial_tail, tail_probability
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Revisit, ValueChange
from extraction.algorithms.monitoring.hypotheses import CROWDED_RATE, find_signs
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule
from tests.algorithms.monitoring.shops import page

TITLE = AttributeRule("title")
TITLES = Profile.learn([(f"Book {n}",) for n in range(20)])
Row = tuple[str, tuple[str, ...], tuple[str, ...]]
"""The body of the new page, what the rule gave on the old page, what it gives on the new one."""


def signs(
    rows: Sequence[Row],
    *,
    attribute: AttributeRule = TITLE,
    profile: Profile | None = TITLES,
    counts: ChangeCounts | None = None,
    visits: int = 1,
) -> dict[str, Finding]:
    changes = []
    for number, (body, before, now) in enumerate(rows):
        old, new = page("".join(f"<h1>{value}</h1>" for value in before) or "<p></p>"), page(f"<body>{body}</body>")
        visit = Revisit(f"u{number}", old, new, {attribute.name: before}, {attribute.name: now}, covered=True, visits=visits)
        changes.append(ValueChange(attribute, profile, visit, PageTexts(old, new)))
    return {each.sign: each for each in find_signs(AttributeChanges(changes, counts or ChangeCounts()))}


def book(number: int) -> Row:
    """A page on which nothing happened."""
    return f"<h1>Book {number}</h1>", (f"Book {number}",), (f"Book {number}",)


def test_where_nothing_changed_there_is_no_sign() -> None:
    assert signs([book(n) for n in range(5)]) == {}


def test_a_missing_value_is_weak_evidence_that_is_not_tested_and_only_of_a_mandatory_attribute() -> None:
    gone: Row = "<p>Sold</p>", ("Book 1",), ()
    found = signs([gone, book(2), book(3)], attribute=AttributeRule("title", mandatory=True))["missing"]
    assert [(each.url, each.kind, each.strong, each.before, each.now) for each in found.evidence] == [
        ("u0", "null", False, ("Book 1",), ())
    ]
    assert (found.probability, found.plausible) == (None, False)
    assert "missing" not in signs([gone, book(2), book(3)])


def test_an_odd_value_is_weak_evidence_that_is_not_tested() -> None:
    odd: Row = "<h1>4</h1>", ("Book 1",), ("1" * 90,)
    found = signs([odd, book(2), book(3)])["odd"]
    assert [(each.url, each.kind, each.strong) for each in found.evidence] == [("u0", "incorrect", False)]
    assert found.probability is None


@pytest.mark.parametrize("visits", [1, 3])
def test_a_second_value_is_tested_by_its_rate_and_the_visits_since(visits: int) -> None:
    crowded: Row = "<h1>Book 1</h1>", ("Book 1",), ("Book 1", "Menu")
    found = signs([crowded, crowded, book(3), book(4)], visits=visits)["crowded"]
    rate = 1 - (1 - CROWDED_RATE) ** visits
    assert found.probability == pytest.approx(tail_probability(2, [rate] * 4))
    assert all(each.strong and each.kind == "incorrect" for each in found.evidence)


@pytest.mark.parametrize(("pages", "extended", "found"), [(10, 10, True), (9, 9, False), (12, 10, True), (13, 10, False), (13, 11, True)])
def test_a_text_around_constant_values_is_told_on_ten_pages_and_four_fifths_of_all(pages: int, extended: int, found: bool) -> None:
    rows = [("<p></p>", (f"Book {n}",), (f"New: Book {n}!" if n < extended else f"Book {n}",)) for n in range(pages)]
    told = signs(rows)
    assert ("extended" in told) == found
    if found:
        assert told["extended"].probability == pytest.approx(tail_probability(extended, [0.01] * pages))
        assert {each.reason for each in told["extended"].evidence} == {f"“New: …!” is now around the values of {extended} pages"}
        assert len(told["extended"].evidence) == extended
        assert told["extended"].plausible
    assert "extended" not in signs(rows, counts=ChangeCounts(100, 50)), "values that often change prove nothing"
    assert "extended" not in signs(rows, attribute=AttributeRule("title", multiple=True))


@pytest.mark.parametrize("pages", [2, 3, 4])
def test_the_same_value_on_three_pages_that_differed_is_told(pages: int) -> None:
    rows: list[Row] = [("<h1>Shop</h1>", (f"Book {n}",), ("Shop",)) for n in range(pages)]
    told = signs(rows)
    assert ("alike" in told) == (pages >= 3)
    if pages >= 3:
        assert told["alike"].probability == pytest.approx((2 / 21) ** (2 * pages))
        assert (len(told["alike"].evidence), told["alike"].plausible) == (pages, False)
        assert told["alike"].evidence[0].reason == "all pages give “Shop”, although each had its own value"
    assert "alike" not in signs([*rows, book(9)])
    few = Profile.learn([("A",), ("B",)] * 4)
    assert "alike" not in signs(rows, profile=few), "pages shared their values before"
    assert "alike" not in signs(rows, profile=None)


def test_values_that_vanished_are_told_from_the_usual_share_of_pages_without_one() -> None:
    """Of 30 pages 9 had none: a share of 10/32. Of 12 pages all must lack it for a chance under 1 in 10,000, as eleven give 2 in 10,000."""
    sometimes = Profile.learn([(f"Book {n}",) for n in range(21)] + [()] * 9)
    usual = (30 - 21 + 1) / 32
    for gone in range(1, 13):
        rows: list[Row] = [("<p>x</p>", (f"Book {n}",), () if n < gone else (f"Book {n}",)) for n in range(12)]
        told = signs(rows, profile=sometimes)
        assert ("vanished" in told) == (binomial_tail(gone, of=12, chance=usual) <= 1e-4), gone
        if "vanished" in told:
            assert told["vanished"].evidence[0].reason == f"the rule finds nothing on {gone} of 12 pages; 31 % was usual"
            assert (told["vanished"].probability, len(told["vanished"].evidence)) == (None, gone)
            assert not any(each.strong for each in told["vanished"].evidence)
    rows = [("<p>x</p>", (f"Book {n}",), ()) for n in range(12)]
    assert "vanished" not in signs(rows, profile=Profile.learn([("a",)] * 4)), "too little history"
    assert "vanished" in signs(rows, profile=Profile.learn([("a",)] * 5))
    assert "vanished" not in signs(rows, profile=None)


@pytest.mark.parametrize(
    ("pages", "unknown", "told"), [(2, 2, False), (3, 3, True), (5, 4, True), (5, 3, False), (10, 8, True), (10, 7, False)]
)
def test_unknown_values_are_told_on_three_pages_and_four_fifths_of_those_with_a_value(pages: int, unknown: int, told: bool) -> None:
    conditions = Profile.learn([("New",), ("Used",)] * 20)
    rows: list[Row] = [("<p>x</p>", ("New",), ("Cart" if n < unknown else "Used",)) for n in range(pages)]
    found = signs([*rows, ("<p>x</p>", ("New",), ())], profile=conditions)
    assert ("unknown" in found) == told
    if told:
        assert found["unknown"].probability == pytest.approx(binomial_tail(unknown, of=pages, chance=1 / 42))
        assert found["unknown"].plausible


def test_a_value_that_usually_stays_is_replaced_or_null_page_by_page() -> None:
    rows: list[Row] = [
        ("<h2>Book 1</h2><h1>Other</h1>", ("Book 1",), ("Other",)),
        ("<h2>Book 2</h2>", ("Book 2",), ()),
        *(book(n) for n in range(3, 8)),
    ]
    found = signs(rows)["replaced"]
    assert [(each.url, each.kind) for each in found.evidence] == [("u0", "incorrect"), ("u1", "null")]
    assert found.plausible
    assert not signs([rows[1], *rows[2:]])["replaced"].plausible
    assert "replaced" not in signs(rows, counts=ChangeCounts(100, 50))


def test_the_usual_share_of_pages_without_a_value() -> None:
    def changes(profile: Profile | None) -> AttributeChanges:
        old = page("<p>x</p>")
        visit = Revisit("u", old, old, {"title": ("x",)}, {"title": ()}, covered=True)
        return AttributeChanges([ValueChange(TITLE, profile, visit, PageTexts(old, old))], ChangeCounts())

    assert changes(None).usual_null_fraction == ODD_RATE
    assert changes(Profile.learn([("a",), (), ("b",)])).usual_null_fraction == (1 + 1) / (3 + 2)
