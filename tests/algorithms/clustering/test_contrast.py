"""What sets some pages apart from the rest of their cluster."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.contrast import ALIKE, Contrast
from extraction.algorithms.clustering.page_steps import PageSteps


def page(*steps: int) -> PageSteps:
    rows = np.array(sorted(set(steps)), np.uint64)
    return PageSteps(rows, np.zeros(len(rows), np.uint64), np.zeros(len(rows), np.uint64))


BOOKS = [page(1, 2, 3, 10 + n % 3) for n in range(12)]
FILMS = [page(1, 2, 7, 8, 10 + n % 3) for n in range(4)]


def test_one_page_that_does_not_belong_finds_those_like_it() -> None:
    others = [*BOOKS, *FILMS[1:]]
    difference = Contrast.between(FILMS[:1], others)
    assert [number for number, other in enumerate(others) if difference.likeness(other) > ALIKE] == [12, 13, 14]


def test_what_a_page_has_by_chance_and_what_all_have_does_not_count() -> None:
    difference = Contrast.between(FILMS[:1], [*BOOKS, *FILMS[1:]])
    assert set(difference.steps.tolist()) == {3, 7, 8, 10}
    assert dict(zip(difference.steps.tolist(), difference.there.tolist(), strict=True)) == {3: False, 7: True, 8: True, 10: True}


@pytest.mark.parametrize(("apart", "rest"), [([], BOOKS), (FILMS, []), ([], []), (BOOKS, BOOKS)])
def test_where_nothing_differs_nothing_is_alike(apart: list[PageSteps], rest: list[PageSteps]) -> None:
    assert Contrast.between(apart, rest).likeness(FILMS[0]) == 0.0


sides = st.lists(st.integers(1, 511), min_size=1, max_size=6)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sides, sides)
def test_likeness_to_one_side_is_unlikeness_to_the_other(first: list[int], second: list[int]) -> None:
    apart, rest = ([page(*(bit for bit in range(9) if number >> bit & 1)) for number in side] for side in (first, second))
    there, back = Contrast.between(apart, rest), Contrast.between(rest, apart)
    for each in [*apart, *rest]:
        likeness = there.likeness(each)
        assert 0 <= likeness <= 1
        if len(there.steps):
            assert likeness + back.likeness(each) == pytest.approx(1)


def test_the_share_is_weighed_by_how_large_the_difference_is() -> None:
    apart, rest = [page(1, 2), page(1, 2)], [page(3), page(2, 3)]
    difference = Contrast.between(apart, rest)
    assert difference.steps.tolist() == [1, 2, 3]
    assert difference.weights.tolist() == [1, 0.5, 1]
    assert difference.likeness(page(2)) == pytest.approx((0.5 + 1) / 2.5), "2 is there, 3 is not, as on those apart"
