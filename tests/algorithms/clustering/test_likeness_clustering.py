"""Clusters by a measure: average linkage of a sample as a plain loop, and every other page with its nearest medoid."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.likeness_clustering import cluster_by_likeness, link_by_average

Numbers = list[int]
items = st.lists(st.integers(0, 40), min_size=1, max_size=12)


def likeness(one: int, other: int) -> float:
    """1 for equal numbers, and a sixteenth less for each between them: exact in binary."""
    return max(0.0, 1 - abs(one - other) / 16)


def plain_linkage(numbers: Numbers, chosen: list[int], bound: float) -> list[list[int]]:
    groups = [[place] for place in chosen]
    while len(groups) > 1:
        scores = []
        for one, other in combinations(range(len(groups)), 2):
            pairs = [likeness(numbers[a], numbers[b]) for a in groups[one] for b in groups[other]]
            scores.append((-round(sum(pairs) / len(pairs), 6), groups[one][0], groups[other][0], one, other))
        best = min(scores)
        if -best[0] < bound:
            break
        groups[best[3]] += groups.pop(best[4])
    return groups


def plain_clusters(numbers: Numbers, sample: int, bound: float) -> list[list[int]]:
    chosen = sorted({int(place) for place in np.linspace(0, len(numbers) - 1, min(sample, len(numbers)))})
    groups = plain_linkage(numbers, chosen, bound)
    medoids = [
        max(group, key=lambda one: (sum(likeness(numbers[one], numbers[each]) for each in group), -group.index(one))) for group in groups
    ]
    for number in sorted(set(range(len(numbers))) - set(chosen)):
        shares = [likeness(numbers[number], numbers[medoid]) for medoid in medoids]
        if max(shares) >= bound:
            groups[shares.index(max(shares))].append(number)
        else:
            groups.append([number])
            medoids.append(number)
    return sorted(map(sorted, groups))


@settings(max_examples=150)
@given(items, st.integers(1, 13), st.sampled_from([0.5, 0.75, 0.9]))
def test_clusters_are_those_of_a_plain_loop(numbers: Numbers, sample: int, bound: float) -> None:
    assert cluster_by_likeness(numbers, likeness, sample=sample, bound=bound) == plain_clusters(numbers, sample, bound)


@settings(max_examples=150)
@given(items, st.integers(1, 13), st.sampled_from([0.5, 0.75, 0.9]))
def test_an_upper_bound_saves_measuring_and_changes_nothing(numbers: Numbers, sample: int, bound: float) -> None:
    measured = []

    def noted(one: int, other: int) -> float:
        measured.append((one, other))
        return likeness(one, other)

    found = cluster_by_likeness(numbers, noted, at_most=lambda one, other: min(1.0, likeness(one, other) + 0.1), sample=sample, bound=bound)
    with_bound = len(measured)
    measured.clear()
    assert cluster_by_likeness(numbers, noted, sample=sample, bound=bound) == found
    assert with_bound <= len(measured)


def test_what_cannot_reach_the_bound_is_not_measured() -> None:
    def refuse(one: int, other: int) -> float:
        raise AssertionError((one, other))

    assert cluster_by_likeness([1, 9, 5], refuse, at_most=lambda _one, _other: 0.79) == [[0], [1], [2]]
    assert cluster_by_likeness([1, 9, 5], refuse, at_most=lambda _one, _other: 0.79, sample=1) == [[0], [1], [2]]


def test_a_mean_likeness_that_equals_the_bound_reaches_it() -> None:
    table = np.array([[1, 0.9, 0.7], [0.9, 1, 0.9], [0.7, 0.9, 1]])
    assert link_by_average(table, bound=0.8) == [[0, 1, 2]], "0.9 joins two, and the third has a mean of 0.8 with them"
    assert link_by_average(table, bound=0.80001) == [[0, 1], [2]]
    assert table[0, 2] == 0.7, "the table is left as it was"


def test_nothing_has_no_clusters() -> None:
    assert cluster_by_likeness([], likeness) == []


@pytest.mark.parametrize("count", [59, 60, 61, 200])
def test_a_sample_is_spread_over_all_pages(count: int) -> None:
    """The first half of the pages is of one kind and the second of another: both are in a sample of two."""
    numbers = [0] * (count // 2) + [40] * (count - count // 2)
    assert cluster_by_likeness(numbers, likeness, sample=2) == [list(range(count // 2)), list(range(count // 2, count))]
