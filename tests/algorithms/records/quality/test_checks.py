"""One record against one rule: what is kept, what fails and why, and what nobody can tell."""

import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.records.quality.checks import Ending, Fault, make_check
from extraction.algorithms.records.quality.demands import OPERATORS, Demand, RuleLimits
from extraction.algorithms.records.quality.measures import Measure, compare_measures
from extraction.algorithms.records.quality.patterns import PatternError, matches_whole


def read(*texts: str | None) -> list[dict[str, Any]]:
    """Values as a record stores them. None stands for one that could not be read."""
    return [{"raw": text or "on request", "value": text, "problem": "" if text else "it has no number"} for text in texts]


def judge(record: dict[str, list[dict[str, Any]]], kind: str, *, type: str = "text", other: str = "", **limits: Any) -> Any:
    demand = Demand(kind=kind, attribute="x", type=type, other=other, limits=RuleLimits(**limits))  # type: ignore[arg-type]
    return make_check(demand)(record)


@pytest.mark.parametrize(
    ("type", "value", "limits", "wanted"),
    [
        ("number", "10", {"low": "10", "high": "20"}, Ending.KEPT),
        ("number", "9.99", {"low": "10"}, "is less than 10"),
        ("number", "-0.5", {"high": "-1"}, "is more than -1"),
        ("price", "12.00 EUR", {"high": "20", "currency": "EUR"}, Ending.KEPT),
        ("price", "12.00 USD", {"high": "20", "currency": "EUR"}, "is in USD, not in EUR"),
        ("price", "12.00", {"high": "20", "currency": "EUR"}, "is without a currency, not in EUR"),
        ("price", "12.00 USD", {"high": "20"}, Ending.KEPT),
        ("date", "2024-05-01", {"low": "2024-05-01"}, Ending.KEPT),
        ("date", "2024", {"low": "2024-05-01"}, Ending.UNDECIDED),
        ("date", "2023", {"low": "2024-05-01"}, "is less than 2024-05-01"),
        ("date", "2024-02", {"high": "2024-02-29"}, Ending.KEPT),
        ("number", None, {"low": "10"}, "cannot be compared: it has no number"),
    ],
)
def test_a_range_compares_values_as_they_were_read(type: str, value: str | None, limits: dict[str, str], wanted: Any) -> None:
    found = judge({"x": read(value)}, "range", type=type, **limits)
    assert (found.reason if isinstance(found, Fault) else found) == wanted
    assert not isinstance(found, Fault) or found.unread == (value is None)


def test_a_record_without_the_value_is_judged_only_by_a_rule_that_requires_it() -> None:
    assert judge({}, "required") == Fault("is missing")
    assert judge({"x": read("a")}, "required") is Ending.KEPT
    assert judge({}, "range", type="number", low="1") is Ending.ABSENT
    assert judge({"x": read("1")}, "relation", type="number", other="y", operator="<=") is Ending.ABSENT


def test_one_wrong_value_among_several_is_enough() -> None:
    found = judge({"x": read("red", "blue", "rde")}, "values", values=("red", "blue"))
    assert found == Fault("is not an allowed value", "rde")


def test_lengths_count_characters() -> None:
    assert judge({"x": read("naïve")}, "length", shortest=5, longest=5) is Ending.KEPT
    assert judge({"x": read("abcd")}, "length", longest=3) == Fault("has 4 characters, more than 3", "abcd")


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("9.00 EUR", "10.00 EUR", Ending.KEPT),
        ("11.00 EUR", "10.00 EUR", "is not <= y"),
        ("9.00 EUR", "10.00 USD", "cannot be compared: the currencies differ"),
        (None, "10.00 EUR", "cannot be compared: it has no number"),
    ],
)
def test_a_sale_price_may_not_exceed_the_price(left: str | None, right: str, wanted: Any) -> None:
    found = judge({"x": read(left), "y": read(right)}, "relation", type="price", other="y", operator="<=")
    assert (found.reason if isinstance(found, Fault) else found) == wanted


def test_a_text_in_another_language_fails_and_one_that_is_too_short_to_tell_does_not() -> None:
    english, german = "A book about cats and dogs that everybody should read", "Ein Buch über Katzen und Hunde, das man lesen sollte"
    assert judge({"x": read(english)}, "language", languages=("en",)) is Ending.KEPT
    assert judge({"x": read(german)}, "language", languages=("en",)).reason == "seems to be in another language (de)"
    assert judge({"x": read(german)}, "language", languages=("en", "de")) is Ending.KEPT
    assert judge({"x": read("Samsung Galaxy S21")}, "language", languages=("en",)) is Ending.UNDECIDED


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+", "(.*)*b", "((a{1,30}){1,30})"])
def test_no_pattern_can_hang(pattern: str) -> None:
    started = time.process_time()
    matches_whole(pattern, "a" * 50_000 + "!")
    assert time.process_time() - started < 1


@pytest.mark.parametrize("pattern", ["(", "(?<=a)b", "\\1", "a" * 501, "(a{1000}){1000}", "\ud800"])
def test_a_pattern_that_cannot_be_used_is_refused_with_a_reason(pattern: str) -> None:
    with pytest.raises(PatternError, match="pattern"):
        matches_whole(pattern, "")


def test_a_pattern_matches_the_whole_value_even_with_half_of_a_surrogate_pair() -> None:
    assert judge({"x": read("978-3")}, "pattern", pattern=r"\d+") == Fault("does not match the pattern", "978-3")
    assert judge({"x": read("a\ud800")}, "pattern", pattern=r"a.") is Ending.KEPT


@pytest.mark.parametrize("limits", [{"low": "soon"}, {}, {"low": "1", "high": "many"}])
def test_a_range_without_usable_limits_is_refused(limits: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="range"):
        judge({}, "range", type="number", **limits)


spans = st.tuples(st.integers(-4, 4), st.integers(0, 3)).map(lambda each: Measure(Decimal(each[0]), Decimal(each[0] + each[1])))


@settings(max_examples=60)
@given(spans, spans, st.sampled_from(OPERATORS))
def test_a_comparison_is_certain_exactly_if_all_days_agree(left: Measure, right: Measure, operator: str) -> None:
    """The oracle tries every day that each of the two may be."""
    compare = {
        "<=": lambda a, b: a <= b,
        "<": lambda a, b: a < b,
        ">=": lambda a, b: a >= b,
        ">": lambda a, b: a > b,
        "=": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
    }[operator]
    pairs = {compare(a, b) for a in range(int(left.low), int(left.high) + 1) for b in range(int(right.low), int(right.high) + 1)}
    assert compare_measures(left, operator, right) == (pairs.pop() if len(pairs) == 1 else None)
