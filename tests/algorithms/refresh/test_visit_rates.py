"""Visits are divided so that stored pages are out of date for as short as possible."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.refresh.visit_rates import divide_visits, measure_age

RATES = st.lists(st.floats(1e-9, 1e-2), min_size=1, max_size=30)


def total_age(rates: list[float], visits: list[float]) -> float:
    return sum(measure_age(rate, interval_s=1 / each) for rate, each in zip(rates, visits, strict=True))


@given(RATES, st.floats(1e-6, 10))
def test_all_visits_are_given_out_and_faster_pages_get_more(rates: list[float], visits_per_s: float) -> None:
    found = divide_visits(rates, visits_per_s=visits_per_s)
    assert sum(found) == pytest.approx(visits_per_s)
    order = sorted(range(len(rates)), key=lambda n: rates[n])
    sorted_visits = [found[n] for n in order]
    assert all(later >= earlier * (1 - 1e-6) for earlier, later in pairwise(sorted_visits))
    assert min(found) > 0


@given(RATES.filter(lambda rates: len(rates) > 1), st.integers(0, 1000))
def test_no_other_division_is_better(rates: list[float], seed: int) -> None:
    budget = len(rates) / 86_400
    best = divide_visits(rates, visits_per_s=budget)
    random = Random(seed)
    other = [each * math.exp(random.gauss(0, 0.5)) for each in best]
    other = [each * budget / sum(other) for each in other]
    uniform = [budget / len(rates)] * len(rates)
    proportional = [rate / sum(rates) * budget for rate in rates]
    for division in (other, uniform, proportional):
        assert total_age(rates, best) <= total_age(rates, division) * (1 + 1e-6)


def test_the_age_is_that_of_a_simulated_page() -> None:
    random, rate, interval = Random(3), 2.0, 1.0
    ages = []
    for _ in range(20_000):
        first, at = random.expovariate(rate), random.random() * interval
        ages.append(max(0.0, at - first))
    assert measure_age(rate, interval_s=interval) == pytest.approx(sum(ages) / len(ages), rel=0.03)


def test_equal_pages_get_equal_shares_and_none_get_nothing() -> None:
    assert divide_visits([1e-5] * 4, visits_per_s=1.0) == pytest.approx([0.25] * 4)
    assert divide_visits([], visits_per_s=1.0) == []
    with pytest.raises(ValueError, match="above 0"):
        divide_visits([0.0], visits_per_s=1.0)
