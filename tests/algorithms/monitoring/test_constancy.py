"""How often values change: priors by type, and what was counted, as in a beta distribution."""

from fractions import Fraction

import pytest

from extraction.algorithms.monitoring.constancy import (
    CONSTANT,
    DATED,
    LINKED,
    MAX_COMPARED,
    VOLATILE,
    ChangeCounts,
    Prior,
    choose_prior,
    estimate_rate,
    is_constant,
)
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.reading import ValueType


@pytest.mark.parametrize(
    ("type", "multiple", "prior"),
    [
        ("text", False, CONSTANT),
        ("text", True, VOLATILE),
        ("date", True, VOLATILE),
        ("price", False, VOLATILE),
        ("number", False, VOLATILE),
        ("boolean", False, VOLATILE),
        ("date", False, DATED),
        ("url", False, LINKED),
        ("image", False, LINKED),
    ],
)
def test_each_type_has_its_prior(type: ValueType, multiple: bool, prior: Prior) -> None:
    assert choose_prior(AttributeRule("a", type, multiple=multiple), None) == prior


@pytest.mark.parametrize(
    ("values", "prior"),
    [
        (["a"], CONSTANT),
        (["a", "a"], CONSTANT),
        (["a", "a", "a"], VOLATILE),
        (["a", "a", "b", "b"], CONSTANT),
        (["a", "a", "b", "b", "b"], VOLATILE),
        ([], CONSTANT),
    ],
)
def test_a_text_that_many_pages_share_may_change_any_day(values: list[str], prior: Prior) -> None:
    assert choose_prior(AttributeRule("a"), Profile.learn([(value,) for value in values])) == prior


def test_what_was_counted_outweighs_the_prior_little_by_little() -> None:
    """A title: 0.01 on 50 pages, and 3 changes on 100: (0.5 + 3) / 150."""
    title = AttributeRule("title")
    assert estimate_rate(title, None, ChangeCounts()) == 0.01
    assert estimate_rate(title, None, ChangeCounts(100, 3)) == pytest.approx(3.5 / 150)
    assert estimate_rate(title, None, ChangeCounts(MAX_COMPARED, 50)) == pytest.approx(50.5 / 5050)


def test_of_more_comparisons_than_count_the_share_counts() -> None:
    """10,000 comparisons with 1,000 changes are worth 5,000 with 500."""
    found = estimate_rate(AttributeRule("title"), None, ChangeCounts(2 * MAX_COMPARED, 1000))
    assert found == pytest.approx(float((Fraction(1, 2) + 500) / (50 + 5000)))


def test_a_price_is_never_constant_and_may_change_more_than_usual() -> None:
    price = AttributeRule("price", "price")
    assert estimate_rate(price, None, ChangeCounts(1000, 0)) == 0.2
    assert estimate_rate(price, None, ChangeCounts()) == 0.2
    assert estimate_rate(price, None, ChangeCounts(10, 5)) == 0.5
    assert not is_constant(0.2)


def test_a_rate_of_three_in_a_hundred_is_constant_and_counts_add_up() -> None:
    assert is_constant(0.03) and not is_constant(0.0301)
    assert ChangeCounts(2, 1) + ChangeCounts(3, 0) == ChangeCounts(5, 1)


def test_counts_of_two_checks_are_added_up() -> None:
    assert ChangeCounts(7, 2) + ChangeCounts(5, 3) == ChangeCounts(12, 5)


@pytest.mark.parametrize(
    ("pages", "distinct", "prior"), [(0, 0, CONSTANT), (1, 1, CONSTANT), (2, 1, CONSTANT), (3, 1, VOLATILE), (9, 4, VOLATILE)]
)
def test_a_text_with_few_values_on_many_pages_is_not_constant(pages: int, distinct: int, prior: Prior) -> None:
    """Of two pages with the same value, half have one of their own; of three a third."""
    profile = Profile.learn([(f"v{min(n, distinct - 1)}",) for n in range(pages)])
    assert (profile.valued, profile.distinct) == (pages, distinct)
    assert choose_prior(AttributeRule("a"), profile) == prior
