"""Values that go missing little by little are told apart from values that come and go."""

from random import Random

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
