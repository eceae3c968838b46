"""Many records: counts, the share that may fail, repeated values, moves and counts of runs."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.records.quality.checks import Ending, Fault
from extraction.algorithms.records.quality.demands import Demand, RuleLimits
from extraction.algorithms.records.quality.judging import MAX_FAULTS, RecordJudge, Score, judge_count, judge_move


def read(text: str | None, raw: str = "") -> list[dict[str, Any]]:
    return [{"raw": raw or text or "?", "value": text, "problem": ""}]


def judge(records: list[dict[str, Any]], demand: Demand) -> Score:
    score = Score(demand)
    judge = RecordJudge([score])
    for number, values in enumerate(records):
        judge.take("", values, number)
    if judge.begin_second_pass():
        for number, values in enumerate(records):
            judge.take_again("", values, number)
    return score


@settings(max_examples=50)
@given(st.lists(st.sampled_from([None, "a", "b", "c", "d", "e"]), max_size=12))
def test_records_fail_exactly_if_another_has_their_value(texts: list[str | None]) -> None:
    counts = Counter(text for text in texts if text)
    score = judge([{"x": read(text)} if text else {} for text in texts], Demand(kind="unique", attribute="x"))
    assert [place for place, _ in score.faults] == [n for n, text in enumerate(texts) if text and counts[text] > 1]
    assert (score.checked, score.failing) == (sum(counts.values()), len(score.faults))


@pytest.mark.parametrize(("failing", "broken"), [(0, False), (5, False), (6, True)])
def test_a_rule_is_broken_only_if_more_than_the_allowed_share_fails(failing: int, broken: bool) -> None:
    records: list[dict[str, Any]] = [{} if number < failing else {"x": read("a")} for number in range(100)]
    assert judge(records, Demand(kind="required", attribute="x", allowed_fraction=0.05)).broken is broken


def test_all_faults_are_counted_and_the_first_are_kept() -> None:
    score = judge([{}] * (MAX_FAULTS + 20), Demand(kind="required", attribute="x"))
    assert (score.failing, len(score.faults)) == (MAX_FAULTS + 20, MAX_FAULTS)


def test_no_records_break_no_rule_about_single_records() -> None:
    assert not judge([], Demand(kind="required", attribute="x")).broken


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (None, {"x": read("1")}, Ending.ABSENT),
        ({"x": read("5")}, {"x": read("5", raw="five")}, Ending.KEPT),
        ({"x": read("5")}, {"x": read("6")}, Fault("has changed", "5 → 6")),
        ({"x": read("5")}, {}, Fault("has changed", "5 → –")),
        ({"x": read("5")}, None, Ending.ABSENT),
    ],
)
def test_a_change_of_an_attribute_is_one_of_its_meaning(before: Any, after: Any, wanted: Any) -> None:
    assert judge_move(Demand(kind="change", attribute="x", type="number"), before, after) == wanted


def test_a_record_that_is_gone_counts_as_a_change_of_the_whole() -> None:
    whole = Demand(kind="change")
    assert judge_move(whole, {"x": read("5")}, None) == Fault("is gone")
    assert judge_move(whole, {"x": read("5"), "y": read("a")}, {"x": read("6")}) == Fault("has changed", "x, y")


@pytest.mark.parametrize(
    ("direction", "before", "after", "wanted"),
    [
        ("up", "5", "6", Ending.KEPT),
        ("up", "6", "5", Fault("has fallen", "6 / 5")),
        ("down", "5", "6", Fault("has risen", "5 / 6")),
        ("up", None, "6", Ending.UNDECIDED),
    ],
)
def test_a_counter_moves_in_one_direction(direction: str, before: str | None, after: str, wanted: Any) -> None:
    demand = Demand(kind="monotony", attribute="x", type="number", limits=RuleLimits(direction=direction))
    assert judge_move(demand, {"x": read(before)}, {"x": read(after)}) == wanted


@pytest.mark.parametrize(
    ("count", "earlier", "refused"),
    [
        (80, [100, 100, 100], ""),
        (79, [100, 100, 100], "79 are fewer than 80 % of 100"),
        (126, [100, 90, 110], "126 are more than 125 % of 100"),
        (5, [], ""),
        (5, [0, 0], ""),
        (79, [80, 100, 1_000_000], "79 are fewer than 80 % of 100"),
        (79, [80, 80, 80, 1_000, 1_000], ""),  # the last three runs count, not the two before them
    ],
)
def test_a_count_is_compared_with_the_median_of_the_newest_runs(count: int, earlier: list[int], refused: str) -> None:
    score = Score(Demand(kind="count", limits=RuleLimits(least=0.8, most=1.25, runs=3)))
    judge_count(score, count, earlier)
    assert (score.refused, score.broken) == (refused, bool(refused))
