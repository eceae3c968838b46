"""Chains of clean-up steps: what each step does, what is refused, and that no pattern of a person can hang."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.errors import RuleError
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.values.cleanup import chain
from extraction.algorithms.values.cleanup.chain import CleanupError, CleanupStep, Loss, clean_values, read_steps, trace_cleanup
from extraction.algorithms.values.cleanup.patterns import MAX_TEXT, PatternBudget, compile_pattern, is_portable


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (CleanupStep("trim", "•:"), ["•: a:b :"], ["a:b"]),
        (CleanupStep("trim", "x"), ["xxx"], []),
        (CleanupStep("split", ","), ["a, b,,c ,"], ["a", "b", "c"]),
        (CleanupStep("split", r"\s*[/|]\s*", pattern=True), ["a / b|c"], ["a", "b", "c"]),
        (CleanupStep("part", r"(\d+) pages"), ["about 321 pages", "none"], ["321"]),
        (CleanupStep("part", r"\d+"), ["about 321 pages"], ["321"]),
        (CleanupStep("part", r"a(b)?"), ["a"], []),
        (CleanupStep("replace", "."), ["1.234"], ["1234"]),
        (CleanupStep("replace", r"(\d+)\.(\d+)", by=r"\2\\\1", pattern=True), ["a 1.2 b"], ["a 2\\1 b"]),
        (CleanupStep("map", pairs=(("Yes", "true"), ("No", "false"))), ["Yes", "yes", "No"], ["true", "yes", "false"]),
        (CleanupStep("map", pairs=(("Yes", "true"),), keep=False), ["Yes", "no"], ["true"]),
        (CleanupStep("map", pairs=(("n/a", ""),)), ["n/a", "1"], ["1"]),
        (CleanupStep("join", " / "), ["a", "b"], ["a / b"]),
        (CleanupStep("join", ", "), [], []),
        (CleanupStep("unit", "EUR"), ["12.50", "12 USD", "1 200,–", "–", "٣"], ["12.50 EUR", "12 USD", "1 200,– EUR", "–", "٣ EUR"]),
        (CleanupStep("lower"), ["ÄB İ"], ["äb i̇"]),
        (CleanupStep("upper"), ["straße"], ["STRASSE"]),
    ],
)
def test_a_step_does_what_it_says(step: CleanupStep, before: list[str], after: list[str]) -> None:
    assert list(clean_values(before, [step])) == after
    assert read_steps([step.as_json()]) == (step,)


def test_the_trace_tells_stages_origins_and_losses() -> None:
    steps = [CleanupStep("split", ";"), CleanupStep("part", r"\d+"), CleanupStep("join", "+")]
    found = trace_cleanup(["1 a; b", "2"], steps)
    assert (found.values, found.origins) == (("1+2",), ((0, 1),))
    assert found.stages == (("1 a", "b", "2"), ("1", "2"), ("1+2",))
    assert found.losses == (Loss(1, "b", r"“\d+” does not match"),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"kind": "sort"}, "no step"),
        ({"kind": "trim"}, "which characters"),
        ({"kind": "part", "text": "("}, "not a pattern"),
        ({"kind": "part", "text": r"(a)\1"}, "not a pattern"),
        ({"kind": "part", "text": "(?=a)b"}, "not a pattern"),
        ({"kind": "part", "text": "(?:x{900}){900}"}, "not a pattern"),
        ({"kind": "split", "text": "x*", "pattern": True}, "where nothing stands"),
        ({"kind": "replace", "text": r"^\b", "pattern": True}, "where nothing stands"),
        ({"kind": "replace", "text": "(a)", "by": r"\2", "pattern": True}, "no group"),
        ({"kind": "replace", "text": "(a)", "by": "\\", "pattern": True}, "no group"),
        ({"kind": "replace", "text": "a\x00"}, "control character"),
        ({"kind": "map"}, "at least one line"),
        ({"kind": "map", "pairs": [["a", "b"], ["a", "c"]]}, "twice"),
        ({"kind": "unit", "text": "x" * 501}, "at most 500"),
    ],
)
def test_a_step_that_cannot_be_run_is_refused_with_the_reason(row: dict[str, object], reason: str) -> None:
    with pytest.raises(CleanupError, match=reason):
        read_steps([row])
    with pytest.raises(RuleError):
        RuleDefinition.from_json(rule_of(CleanupStep("lower")).as_json() | {"attributes": [ROW | {"cleanup": [row]}]})


ROW = {"name": "a", "type": "text", "multiple": False, "mandatory": False, "alternatives": [{"xpath": "//p"}]}


def rule_of(*steps: CleanupStep) -> RuleDefinition:
    return RuleDefinition((AttributeRule("a", alternatives=(Selector("//p"),), cleanup=steps),))


def test_a_rule_keeps_its_chain_and_a_rule_without_one_is_as_before() -> None:
    rule = rule_of(CleanupStep("split", " "), CleanupStep("map", pairs=(("a", "b"),), keep=False))
    assert RuleDefinition.from_json(rule.as_json()) == rule != rule_of()
    assert rule_of().as_json() == {"format": 1, "attributes": [ROW]}
    with pytest.raises(RuleError, match="at most 10"):
        RuleDefinition.from_json({"format": 1, "attributes": [ROW | {"cleanup": [{"kind": "lower"}] * 11}]})


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*(a*)*b", "(.*,){8}x", "(a?){50}a{50}b", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_no_pattern_hangs(pattern: str) -> None:
    started = time.process_time()
    clean_values(["a," * (MAX_TEXT // 2), "a" * MAX_TEXT], [CleanupStep("part", pattern)])
    assert time.process_time() - started < 3
    assert not is_portable(pattern) or re.compile(pattern)


def test_limits_say_so_and_drop_the_value() -> None:
    long = trace_cleanup(["a" * (MAX_TEXT + 1)], [CleanupStep("part", "a")])
    assert long.values == () and "at most 20,000" in long.losses[0].reason
    many = trace_cleanup(["a," * 3_000], [CleanupStep("split", ",")])
    assert len(many.values) == chain.MAX_PIECES and "more than 1,000 values" in many.losses[-1].reason
    grown = trace_cleanup(["a" * 3_000], [CleanupStep("replace", "a", by="a" * 500)])
    assert grown.values == () and "more than" in grown.losses[0].reason


_ATOMS = st.sampled_from(["a", "b", r"\d", r"\w", ".", "[ab]", "[^a]", "(a)", "(?:ab|b)", r"\.", "1"])
_PATTERNS = st.lists(st.tuples(_ATOMS, st.sampled_from(["", "?", "+", "*", "{1,2}", "*?", "+?"])), min_size=1, max_size=4).map(
    lambda parts: "".join(atom + sign for atom, sign in parts)
)


@settings(max_examples=150)
@given(pattern=_PATTERNS, text=st.text("ab1. é", max_size=12))
def test_what_is_called_portable_means_the_same_to_python(pattern: str, text: str) -> None:
    if not is_portable(pattern):
        return
    ours, theirs = compile_pattern(pattern).search(text), re.search(f"(?a:{pattern})", text)
    assert (ours.span() if ours else None) == (theirs.span() if theirs else None)


def test_the_patterns_of_a_page_have_a_budget_and_what_they_did_not_reach_is_named() -> None:
    slow = CleanupStep("part", "(?:x?){200}y")
    budget = PatternBudget(3 * 1_000 * compile_pattern(slow.text).programsize)
    cleaned = trace_cleanup(["x" * 1_000 + "y"] * 3, [slow], budget=budget)
    assert len(cleaned.values) == 2
    assert [loss.reason for loss in cleaned.losses] == ["the patterns take too long for all values of this page"]
    started = time.process_time()
    assert len(trace_cleanup(["x" * MAX_TEXT] * 5_000, [slow] * 10).losses) == 5_000
    assert time.process_time() - started < 8


def test_steps_without_patterns_need_no_budget() -> None:
    assert trace_cleanup(["a-b"] * 50, [CleanupStep("replace", "-", "+")], budget=PatternBudget(0)).values == ("a+b",) * 50
