"""Values that go missing little by little are told apart from values that come and go."""

from random import Random

import pytest
from scipy.stats import fisher_exact

from extraction.algorithms.monitoring.drift import ValuedPages, compute_chance, find_usual


def series(*counts: int, pages: int = 15) -> list[ValuedPages]:
    return [ValuedPages(each, pages) for each in counts]


def test_a_value_that_is_lost_on_more_pages_every_day_is_told() -> None:
    days = series(15, 15, 14, 12, 9)
    told = [find_usual(days[:n], days[n]) for n in range(len(days))]
    assert told == [None, None, None, None, ValuedPages(15, 15)]


def test_nothing_is_told_of_the_first_check_nor_of_a_value_that_becomes_more_frequent() -> None:
    assert find_usual([], ValuedPages(0, 15)) is None
    assert find_usual(series(3, 3, 3), ValuedPages(15, 15)) is None


def test_two_lost_pages_are_never_enough() -> None:
    assert find_usual(series(*[2] * 20, pages=2), ValuedPages(0, 2)) is None
    assert find_usual(series(*[5] * 20, pages=5), ValuedPages(3, 5)) is None


def test_a_value_that_comes_and_goes_at_random_is_rarely_told() -> None:
    told = 0
    for seed in range(300):
        random = Random(seed)
        days = series(*(sum(random.random() < 0.5 for _ in range(15)) for _ in range(31)))
        told += find_usual(days[:-1], days[-1]) is not None
    assert told <= 6


def test_the_chance_is_that_of_fishers_exact_test() -> None:
    random = Random(1)
    for _ in range(200):
        usual = ValuedPages(random.randint(0, 15), random.randint(15, 20))
        now = ValuedPages(random.randint(0, 15), random.randint(15, 20))
        table = [[now.valued, now.pages - now.valued], [usual.valued, usual.pages - usual.valued]]
        assert abs(compute_chance(usual, now) - fisher_exact(table, alternative="less")[1]) < 1e-9


@pytest.mark.parametrize(
    ("usual", "now", "told"),
    [
        (ValuedPages(15, 15), ValuedPages(12, 15), False),
        (ValuedPages(15, 15), ValuedPages(11, 15), False),
        (ValuedPages(15, 15), ValuedPages(10, 15), True),
        (ValuedPages(100, 100), ValuedPages(12, 15), True),
        (ValuedPages(100, 100), ValuedPages(13, 15), False),
        (ValuedPages(1000, 1000), ValuedPages(801, 1000), False),
        (ValuedPages(1000, 1000), ValuedPages(800, 1000), True),
    ],
    ids=["p 0.11", "p 0.05", "p 0.02", "three lost", "two lost", "a fall of less than a fifth", "a fall of a fifth"],
)
def test_three_bounds_decide_what_is_told(usual: ValuedPages, now: ValuedPages, told: bool) -> None:
    assert find_usual([usual], now) == (usual if told else None)


def test_usual_is_the_upper_quartile_and_of_equal_shares_that_of_more_pages() -> None:
    """The second best of four to seven checks, the best of three."""
    now = ValuedPages(0, 15)
    assert find_usual(series(9, 15, 12, 10), now) == ValuedPages(12, 15)
    assert find_usual(series(9, 15, 12), now) == ValuedPages(15, 15)
    assert find_usual(series(9, 15, 12, 10, 8, 7, 6), now) == ValuedPages(12, 15)
    assert find_usual([ValuedPages(5, 10), ValuedPages(10, 20), ValuedPages(8, 16)], now) == ValuedPages(10, 20)


@pytest.mark.parametrize(("valued", "pages", "fraction"), [(3, 4, 0.75), (0, 5, 0.0), (5, 5, 1.0)])
def test_the_share_of_pages_with_a_value(valued: int, pages: int, fraction: float) -> None:
    assert ValuedPages(valued, pages).fraction == fraction


def test_usual_is_the_upper_quartile_by_share_and_of_equal_shares_the_one_of_more_pages() -> None:
    """Of four shares, 20/20, 10/10, 8/10 and 4/10, the second is usual. Of up to three, it is the first."""
    earlier = [ValuedPages(4, 10), ValuedPages(10, 10), ValuedPages(8, 10), ValuedPages(20, 20)]
    assert find_usual(earlier, ValuedPages(0, 10)) == ValuedPages(10, 10)
    assert find_usual(earlier[:3], ValuedPages(0, 10)) == ValuedPages(10, 10)
    assert find_usual([ValuedPages(10, 10), ValuedPages(20, 20)], ValuedPages(0, 10)) == ValuedPages(20, 20)
