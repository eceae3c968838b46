"""The probabilities against brute force, and the counts of values against pages made for them."""

import itertools
import random
from math import comb, prod

import pytest
from scipy.stats import binom

from extraction.algorithms.monitoring.chance import (
    Coincidence,
    ForeignValue,
    PageTexts,
    Share,
    binomial_tail,
    grow_with_time,
    tail_probability,
)
from extraction.algorithms.monitoring.places import SoughtValue
from tests.algorithms.monitoring.shops import page


@pytest.mark.parametrize("seed", range(20))
def test_the_tail_is_what_adding_up_all_outcomes_gives(seed: int) -> None:
    rng = random.Random(seed)
    chances = [rng.random() ** 3 for _ in range(rng.randint(0, 8))]
    for count in range(len(chances) + 2):
        outcomes = itertools.product((False, True), repeat=len(chances))
        exact = sum(
            prod(chance if hit else 1 - chance for chance, hit in zip(chances, each, strict=True))
            for each in outcomes
            if sum(each) >= count
        )
        assert tail_probability(count, chances) == pytest.approx(exact)


def test_with_equal_chances_both_tails_agree() -> None:
    for count in range(7):
        assert tail_probability(count, [0.3] * 6) == pytest.approx(binomial_tail(count, of=6, chance=0.3))


def test_certain_and_impossible_events() -> None:
    assert tail_probability(0, []) == 1
    assert tail_probability(1, []) == 0
    assert tail_probability(3, [1.0] * 3) == pytest.approx(1)
    assert tail_probability(1, [0.0] * 3) == 0


def test_a_share_predicts_like_its_urn() -> None:
    """Beta-binomial: the mean of the binomial tail over all chances that the tries leave possible."""
    share, steps = Share(2, 5), 20_000
    weights = [(n + 0.5) / steps for n in range(steps)]
    posterior = [p**2 * (1 - p) ** 3 for p in weights]
    for count in range(5):
        mean = sum(
            w * sum(comb(4, k) * p**k * (1 - p) ** (4 - k) for k in range(count, 5)) for p, w in zip(weights, posterior, strict=True)
        )
        assert share.predict_at_least(count, of=4) == pytest.approx(mean / sum(posterior), abs=1e-4)


def test_little_evidence_never_makes_a_chance_certain() -> None:
    assert 0 < Share(0, 3).chance < Share(3, 3).chance < 1
    assert Share(0, 0).chance == 0.5


def test_chances_grow_with_the_visits_that_passed() -> None:
    assert grow_with_time(0.1, 1) == pytest.approx(0.1)
    assert grow_with_time(0.1, 2) == pytest.approx(0.19)
    assert grow_with_time(0.1, 0) == pytest.approx(0.1)


def test_coincidences_are_counted_from_foreign_values() -> None:
    old = [ForeignValue(0, 1), ForeignValue(0, 0), ForeignValue(2, 2), ForeignValue(1, 3)]
    new = [ForeignValue(2, 1), ForeignValue(0, 0)]
    found = Coincidence.measure(old, new)
    assert (found.appears, found.grows, found.shrinks) == (Share(1, 2), Share(2, 4), Share(1, 2))


def test_a_value_is_counted_wherever_it_is_a_whole_text_and_inside_others_if_asked() -> None:
    texts = PageTexts(page("<p>9 EUR</p><b>9 EUR</b><i>only 9 EUR today</i>"), page("<p>12 EUR</p>"))
    sought = SoughtValue("9 EUR")
    assert (texts.count_before(sought, inside=False), texts.count_before(sought, inside=True), texts.count_now(sought, inside=True)) == (
        2,
        3,
        0,
    )


@pytest.mark.parametrize("of", range(8))
@pytest.mark.parametrize("count", range(-1, 10))
def test_the_tail_of_a_binomial_distribution_is_that_of_scipy(count: int, of: int) -> None:
    for chance in (0.0, 0.3, 0.5, 1.0):
        assert binomial_tail(count, of=of, chance=chance) == pytest.approx(binom.sf(count - 1, of, chance))
