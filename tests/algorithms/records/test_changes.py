"""Changes: what differs, why, and the way back to earlier states."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.records.changes import ReplayError, explain_changes, find_changes, undo_change

Values = dict[str, list[dict[str, Any]]]


def of(**texts: str) -> Values:
    return {name: [{"raw": text}] for name, text in texts.items()}


def causes(
    before: Values, after: Values, *, same_page: bool = False, same_rule: bool = False, reread: Values | None = None
) -> dict[str, str]:
    found = explain_changes(before, after, same_page=same_page, same_rule=same_rule, reread=reread)
    return {name: each.cause for name, each in found.items()}


def test_only_what_differs_is_a_change() -> None:
    assert find_changes(of(a="1", b="2", c="3"), of(a="1", b="4", d="5")) == {
        "b": ([{"raw": "2"}], [{"raw": "4"}]),
        "c": ([{"raw": "3"}], ()),
        "d": ((), [{"raw": "5"}]),
    }
    assert find_changes({"a": []}, {}) == {}


def test_the_order_of_several_values_counts() -> None:
    assert list(find_changes({"a": [{"raw": "1"}, {"raw": "2"}]}, {"a": [{"raw": "2"}, {"raw": "1"}]})) == ["a"]


def test_each_cause_of_a_worked_example() -> None:
    before, after = of(price="1", stock="2", title="A"), of(price="9", stock="8", title="B")
    assert set(causes(before, after, same_rule=True).values()) == {"page"}
    assert set(causes(before, after, same_page=True).values()) == {"rule"}
    assert set(causes(before, after, same_page=True, same_rule=True).values()) == {"reading"}
    assert set(causes(before, after).values()) == {"unknown"}
    assert causes(before, after, reread=of(price="1", stock="8", title="C")) == {"price": "page", "stock": "rule", "title": "both"}


states = st.dictionaries(st.sampled_from("abcd"), st.lists(st.fixed_dictionaries({"raw": st.sampled_from("xyz")}), min_size=1, max_size=2))


@given(st.lists(states, min_size=1, max_size=8))
def test_undoing_the_changes_gives_every_earlier_state(history: list[Values]) -> None:
    steps = [
        {name: each.as_json() for name, each in explain_changes(one, other, same_page=False, same_rule=True, reread=None).items()}
        for one, other in pairwise(history)
    ]
    state: Any = history[-1]
    for earlier, step in zip(reversed(history[:-1]), reversed(steps), strict=True):
        state = undo_change(state, step)
        assert state == earlier


def test_a_change_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ReplayError, match="price"):
        undo_change(of(price="1"), {"price": {"from": [], "to": [{"raw": "2"}], "cause": "page"}})
