"""Each hypothesis holds on a page made for it, and on no page made for another."""

from collections.abc import Callable

import pytest

from extraction.algorithms.monitoring import evidence
from extraction.algorithms.monitoring.evidence import Evidence, Revisit, ValueChange, judge_page
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.verdict import AttributeVerdict, RuleVerdict, confirm_verdict
from extraction.algorithms.rules.rule import AttributeRule
from tests.algorithms.monitoring.shops import page

TITLE = AttributeRule("title", mandatory=True)
PROFILE = Profile.learn([(f"The red book {n}",) for n in range(10)])
OLD = page("<body><h1>The red book</h1><p>A neighbour</p></body>")


def change(body: str, *now: str, attribute: AttributeRule = TITLE, before: tuple[str, ...] = ("The red book",)) -> ValueChange:
    visit = Revisit("u", OLD, page(f"<body>{body}</body>"), {"title": before}, {"title": now}, covered=True)
    return ValueChange(attribute, PROFILE, visit)


CASES = {
    "is_overlooked": (change("<h2>The red book</h2>"), "null", True),
    "is_missing": (change("<h2>Sold</h2>"), "null", False),
    "is_taken_elsewhere": (change("<h2>The red book</h2><p>A neighbour</p>", "A neighbour"), "incorrect", True),
    "is_misread": (change("<h2>The red book</h2>", "New: The red book!"), "incorrect", True),
    "is_odd": (change("<h1>x</h1>", "12345 67890 12345"), "incorrect", False),
}


@pytest.mark.parametrize("name", CASES)
def test_each_hypothesis_is_the_first_to_hold_on_its_page(name: str) -> None:
    made, kind, strong = CASES[name]
    holds: Callable[[ValueChange], str | None] = getattr(evidence, name)
    found = judge_page(made)
    assert found is not None
    assert (found.kind, found.strong, found.reason) == (kind, strong, holds(made))
    before = [each.holds(made) for each in evidence.PAGE_HYPOTHESES[: list(CASES).index(name)]]
    assert not any(before)


@pytest.mark.parametrize(
    "made",
    [
        change("<h1>The red book</h1>", "The red book"),
        change("<h1>THE RED BOOK.</h1>", "THE RED BOOK."),  # the same in another writing
        change("<h1>The blue book</h1>", "The blue book"),  # news
        change("<p>Sold</p>", attribute=AttributeRule("title")),  # an optional value is gone
    ],
)
def test_a_rule_that_works_has_no_evidence_against_it(made: ValueChange) -> None:
    assert judge_page(made) is None


def test_of_a_list_most_old_values_must_still_stand_on_the_page() -> None:
    rows = tuple(f"Row {n}" for n in range(4))
    few = change("<p>Row 0</p>", before=rows).visit
    most = change("<p>Row 0</p><p>Row 1</p><p>Row 2</p>", before=rows).visit
    column = AttributeRule("title", multiple=True)
    assert judge_page(ValueChange(column, None, few, least_standing_fraction=0.5)) is None
    assert judge_page(ValueChange(column, None, most, least_standing_fraction=0.5)) is not None


class TestConfirming:
    @staticmethod
    def verdict(kind: str = "incorrect", **kinds: str) -> RuleVerdict:
        proof = (Evidence("u", "incorrect", True, ("a",), ("b",), "why"),)
        attributes = {name: AttributeVerdict(each, 4, 1.0, () if each == "ok" else proof) for name, each in kinds.items()}  # type: ignore[arg-type]
        return RuleVerdict(kind, 4, 4, 1.0, attributes)  # type: ignore[arg-type]

    def test_only_what_broke_in_both_visits_is_broken(self) -> None:
        found = confirm_verdict(self.verdict(title="null", price="ok"), self.verdict(title="null", price="incorrect"))
        assert (found.kind, found.broken) == ("null", ("title",))
        assert found.attributes["price"] == AttributeVerdict("ok", 4, 0.0)

    def test_nothing_is_broken_when_the_second_visit_finds_other_faults(self) -> None:
        assert confirm_verdict(self.verdict(title="null", price="ok"), self.verdict(title="ok", price="null")).kind == "ok"

    def test_a_changed_structure_stays_one(self) -> None:
        assert confirm_verdict(self.verdict(title="null"), self.verdict("shingle", title="ok")).kind == "shingle"
