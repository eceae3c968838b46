"""Description lengths give the published figures, and merging is what a plain loop does."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.mdl import AdaptiveCode, membership_bits, merge_best_pairs

PAGES, PATHS = 4, 8


def matrix_bits(ones: int, minus: int = 0) -> float:
    """|M| H(X) of a matrix of 0, 1 and -1."""
    total = PATHS * PAGES
    return sum(count * math.log2(total / count) for count in (total - ones - minus, ones, minus) if count)


def test_the_published_example_costs_what_the_paper_says() -> None:
    membership = PAGES * math.log2(PAGES)
    assert round(matrix_bits(7), 2) == 24.25
    assert round(matrix_bits(7) + membership + matrix_bits(1), 2) == 38.67, "{1..5} for three pages, {1, 2} for the fourth"
    assert abs(matrix_bits(4) + membership + matrix_bits(2, 2) - 46.78) < 0.01, "{1..4} for all"


def test_an_adaptive_code_costs_what_writing_one_answer_after_the_other_costs() -> None:
    code = AdaptiveCode(limit=40)
    for answers in ([], [1], [0, 0, 1], [1] * 7 + [0] * 30):
        seen, bits = [0.5, 0.5], 0.0
        for answer in answers:
            bits -= math.log2(seen[answer] / sum(seen))
            seen[answer] += 1
        counted = code.bits(np.array([sum(answers)], np.int32), np.array([len(answers)], np.int32))
        assert math.isclose(counted[0], bits, abs_tol=1e-9)


def test_parts_of_a_page_count_as_parts() -> None:
    whole, parts = AdaptiveCode(limit=20), AdaptiveCode(limit=640, unit=32)
    ones, total = np.array([0, 3, 9], np.int32), np.array([5, 7, 9], np.int32)
    assert np.allclose(whole.bits(ones, total), parts.bits(32 * ones, 32 * total))


def test_telling_two_pages_of_two_apart_costs_a_bit_each() -> None:
    assert membership_bits(np.array(1.0), np.array(1.0)) == 2.0


@settings(deadline=None)
@given(st.integers(0, 7), st.lists(st.integers(-3, 5), min_size=7, max_size=7))
def test_merging_takes_the_best_pair_each_time(count: int, values: list[int]) -> None:
    """Score of two groups: the sum of their values' products; few values, so that scores tie."""
    own = [float(value) for value in values]
    told = []

    def score(i: int, others: np.ndarray) -> np.ndarray:
        return np.array([own[i] * own[j] - 2 for j in others])

    def merge(i: int, j: int) -> None:
        told.append((i, j))
        own[i] += own[j]

    found = merge_best_pairs(count, score, merge)
    groups = {i: [i] for i in range(count)}
    plain = [float(value) for value in values]
    expected = []
    while True:
        pairs = [(-(plain[i] * plain[j] - 2), i, j) for i in groups for j in groups if i < j]
        if not pairs or min(pairs)[0] >= 0:
            break
        _, i, j = min(pairs)
        plain[i] += plain[j]
        groups[i] += groups.pop(j)
        expected.append((i, j))
    assert told == expected
    assert found == list(groups.values())
