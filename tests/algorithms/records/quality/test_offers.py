"""Rules suggested from data: what was seen keeps them, what is far outside breaks them, and too little data suggests nothing."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.records.quality.checks import Ending, make_check
from extraction.algorithms.records.quality.columns import ColumnSeen
from extraction.algorithms.records.quality.judging import RecordJudge, Score
from extraction.algorithms.records.quality.offers import (
    MIN_RECORDS,
    RelationsSeen,
    RuleOffer,
    offer_change,
    offer_count,
    offer_for_column,
    offer_monotony,
)


def read(text: str | None) -> list[dict[str, Any]]:
    return [{"raw": text or "?", "value": text, "problem": ""}]


def look(texts: list[str | None], type: str = "text", **about: Any) -> dict[str, RuleOffer]:
    """Return {kind: offer} for a column. None stands for a record without a value."""
    column = ColumnSeen("x", type, **about)  # type: ignore[arg-type]
    for text in texts:
        column.take({"x": read(text)} if text is not None else {})
    return {offer.demand.kind: offer for offer in offer_for_column(column)}


@pytest.mark.parametrize("type", ["text", "number"])
def test_nothing_is_suggested_from_fewer_records_than_the_stated_number(type: str) -> None:
    texts: list[str | None] = [str(n) for n in range(MIN_RECORDS)]
    assert look(texts[1:], type) == {}
    assert look(texts, type)


@settings(max_examples=15)
@given(st.lists(st.decimals(-(10**6), 10**6, allow_nan=False, places=2), min_size=MIN_RECORDS, max_size=MIN_RECORDS + 5))
def test_values_that_were_seen_keep_the_range_that_they_suggest(numbers: list[Any]) -> None:
    check = make_check(look([str(number) for number in numbers], "number")["range"].demand)
    assert all(check({"x": read(str(number))}) is Ending.KEPT for number in numbers)


def test_a_range_has_the_margin_that_it_states() -> None:
    offer = look([f"{n}.00 EUR" for n in range(10, 80)], "price")["range"]
    assert (offer.demand.limits.low, offer.demand.limits.high, offer.demand.limits.currency) == ("5", "160", "EUR")
    assert offer.basis.seen == "from 10.00 EUR to 79.00 EUR in 70 values"
    assert offer.basis.margin == "half of the smallest to twice the largest, rounded; 1 % may be outside"


def test_prices_of_several_currencies_suggest_a_range_without_one() -> None:
    assert look([f"{n} {'EUR' if n % 2 else 'USD'}" for n in range(10, 80)], "price")["range"].demand.limits.currency is None


def test_dates_have_no_latest_one() -> None:
    offer = look([f"2024-{1 + n % 12:02}-10" for n in range(60)], "date")["range"]
    assert (offer.demand.limits.low, offer.demand.limits.high) == ("2023-01-01", None)


def test_codes_suggest_a_pattern_and_names_do_not() -> None:
    codes = look([f"AB-{n:05}" for n in range(60)])
    assert codes["pattern"].demand.limits.pattern == r"[A-Z]{2}-\d{5}"
    assert "length" not in codes
    draw = random.Random(1)
    names: list[str | None] = ["".join(draw.choices("abc def", k=draw.randrange(4, 30))).strip() or "a" for _ in range(60)]
    assert not {"pattern", "values"} & look(names).keys()


def test_few_repeated_values_suggest_a_list_and_different_ones_that_they_are_unique() -> None:
    few = look([("new", "used", "broken")[n % 3] for n in range(60)])
    assert few["values"].demand.limits.values == ("broken", "new", "used")
    assert "unique" not in few
    assert "unique" in look([f"title number {n}" for n in range(60)])


@pytest.mark.parametrize(("missing", "allowed"), [(0, 0.02), (1, 0.03), (20, 0.3), (60, None)])
def test_the_share_that_may_lack_a_value_is_what_was_seen_and_a_margin(missing: int, allowed: float | None) -> None:
    found = look([None] * missing + ["a"] * (100 - missing)).get("required")
    assert (found and found.demand.allowed_fraction) == allowed


def test_a_mandatory_attribute_suggests_a_rule_that_blocks() -> None:
    assert look(["a"] * 60, mandatory=True)["required"].weight == "block"


def test_texts_of_one_language_suggest_it() -> None:
    texts: list[str | None] = [f"This is the story of the house number {n} on the hill" for n in range(60)]
    assert look(texts)["language"].demand.limits.languages == ("en",)


@pytest.mark.parametrize(("wrong", "offered"), [(0, True), (1, False)])
def test_a_relation_is_suggested_only_if_it_always_held(wrong: int, offered: bool) -> None:
    columns = [ColumnSeen(name, "price") for name in ("price", "sale")]
    seen = RelationsSeen(columns)
    for number in range(60):
        seen.take("", {"price": read(f"{number + 10} EUR"), "sale": read(f"{number + (20 if number < wrong else 5)} EUR")})
    assert [(each.demand.attribute, each.demand.other) for each in seen.offer()] == ([("sale", "price")] if offered else [])


def test_runs_suggest_limits_only_if_there_are_enough() -> None:
    assert offer_count([100, 100]) is None
    found = offer_count([100, 90, 110])
    assert found
    assert (found.demand.limits.least, found.demand.limits.most, found.weight) == (0.8, 1.25, "block")
    assert offer_change({"": [0.1] * 4}, {}) == []
    assert offer_change({"": [0.1, 0.3, 0.0, 0.2, 0.1]}, {})[0].demand.allowed_fraction == 0.6
    number = ColumnSeen("x", "number")
    assert offer_monotony(number, 19, 0) is None
    assert offer_monotony(number, 20, 1) is None
    assert offer_monotony(number, 20, 0)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["text", "number", "price", "date"]))
def test_the_data_keeps_every_rule_that_it_suggests(seed: int, type: str) -> None:
    draw = random.Random(seed)
    makers = {
        "text": lambda: draw.choice(["red", "blue", f"N{draw.randrange(99)}", "A rather long description of the thing"]),
        "number": lambda: str(draw.randrange(-50, 500)),
        "price": lambda: f"{draw.randrange(1, 900)}.50 EUR",
        "date": lambda: f"20{draw.randrange(10, 24)}-0{draw.randrange(1, 9)}",
    }
    records = [{"x": read(makers[type]())} if draw.random() < 0.8 else {} for _ in range(80)]
    column = ColumnSeen("x", type)  # type: ignore[arg-type]
    for values in records:
        column.take(values)
    for offer in offer_for_column(column):
        score = Score(offer.demand)
        judge = RecordJudge([score])
        for number, values in enumerate(records):
            judge.take("", values, number)
        assert not judge.begin_second_pass()
        assert not score.broken, offer
