"""The estimated rate of change: the published formula, simulations with known rates, degenerate histories."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.refresh.change_rates import PageHistory, estimate_rate

DAY_S = 86_400.0


def published(visits: int, changes: int, interval_s: float) -> float:
    """Cho and Garcia-Molina's estimator for equal intervals."""
    return -math.log((visits - changes + 0.5) / (visits + 0.5)) / interval_s


@given(st.integers(1, 60), st.integers(1, 60), st.floats(60, 1e6))
def test_equal_intervals_give_the_published_formula(quiet: int, changes: int, interval_s: float) -> None:
    found = estimate_rate(PageHistory([interval_s] * changes, quiet * interval_s, quiet))
    assert found == pytest.approx(published(quiet + changes, changes, interval_s), rel=1e-9)


def test_a_page_that_changed_at_every_visit_has_a_rate_and_not_infinity() -> None:
    assert estimate_rate(PageHistory([DAY_S] * 10)) == pytest.approx(published(10, 10, DAY_S))


def test_a_page_that_was_never_seen_to_change_has_a_small_rate_that_falls_with_time() -> None:
    found = [estimate_rate(PageHistory((), days * DAY_S, days)) or 0 for days in (1, 10, 100)]
    assert found == sorted(found, reverse=True)
    assert 0 < found[2] < 1 / (100 * DAY_S)


def test_without_a_second_visit_nothing_is_known() -> None:
    assert estimate_rate(PageHistory()) is None
    assert estimate_rate(PageHistory((), 0.0, 3)) is None
    assert estimate_rate(PageHistory([0.0], DAY_S, 1)) is not None


def simulate(random: Random, *, rate: float, intervals: list[float]) -> PageHistory:
    changed, quiet, quiet_s = [], 0, 0.0
    for interval in intervals:
        if random.random() < 1 - math.exp(-rate * interval):
            changed.append(interval)
        else:
            quiet, quiet_s = quiet + 1, quiet_s + interval
    return PageHistory(changed, quiet_s, quiet)


@pytest.mark.parametrize("per_day", [0.05, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("regular", [True, False])
def test_the_mean_estimate_of_simulated_pages_is_their_rate(per_day: float, regular: bool) -> None:
    random, rate = Random(7), per_day / DAY_S
    found, naive = [], []
    for _ in range(400):
        intervals = [DAY_S if regular else DAY_S * random.uniform(0.1, 1.9) for _ in range(60)]
        history = simulate(random, rate=rate, intervals=intervals)
        found.append(estimate_rate(history) or 0)
        naive.append(len(history.changed_s) / history.watched_s)
    mean = sum(found) / len(found)
    assert mean == pytest.approx(rate, rel=0.08)
    assert per_day < 1 or sum(naive) / len(naive) < 0.7 * rate, "counting the changes that were seen gives too little"
