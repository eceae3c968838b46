"""The committed cases of typed values: none is read wrongly, nearly all are read. `python -m tests.quality.values` prints the rows."""

from pathlib import Path

import pytest

from tests.quality.values import TYPES, judge_case, read_cases

CASES = Path(__file__).parent / "cases"

UNREAD_FRACTION = 0.01
"""Most of a file's rows that may stay unread although they have a reading."""


@pytest.mark.parametrize("name", TYPES)
def test_no_case_is_read_wrongly_and_nearly_all_are_read(name: str) -> None:
    cases = [case for case in read_cases(CASES) if case.file == name]
    judged = {case: judge_case(case) for case in cases}
    assert len(cases) > 70
    assert not {case: found for case, found in judged.items() if found[0] == "wrong"}
    assert sum(found[0] == "unread" for found in judged.values()) <= UNREAD_FRACTION * len(cases)


def test_a_value_is_read_or_has_a_problem_never_both() -> None:
    assert all(bool(problem) == (value is None) for _, value, problem in map(judge_case, read_cases(CASES)))
