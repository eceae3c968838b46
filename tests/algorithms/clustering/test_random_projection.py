"""LSH: collisions as often as the formula says, neighbours as a comparison of all pairs has them, components as a plain search."""

from math import erf, exp, pi, sqrt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.random_projection import (
    DEFAULT,
    Projection,
    cluster_by_projection,
    connect_neighbours,
    find_neighbours,
    hash_points,
    measure_distance,
)


def collision_probability(distance: float, width: float) -> float:
    """The chance that h gives two vectors of such a distance the same number (Datar et al. 2004, section 3.2)."""
    if distance == 0:
        return 1.0
    ratio = width / distance
    return erf(ratio / sqrt(2)) - 2 / (sqrt(2 * pi) * ratio) * (1 - exp(-ratio * ratio / 2))


HASHES = np.random.default_rng(5).integers(1, 2**63, 4000, dtype=np.uint64)


def page(*numbers: int) -> np.ndarray:
    return np.unique(HASHES[list(numbers)])


def drawn(templates: int, each: int) -> list[np.ndarray]:
    chance = np.random.default_rng(3)
    return [
        page(*(np.arange(60 * (n % templates), 60 * (n % templates + 1))[chance.random(60) < 0.9]).tolist(), 2000 + n)
        for n in range(templates * each)
    ]


def test_two_pages_meet_as_often_as_their_distance_says() -> None:
    one, other = page(*range(40)), page(*range(12, 52))
    options = Projection(k=1, tables=6000)
    hashed = hash_points([one, other], options=options)
    met = (hashed[0] == hashed[1]).all(1).mean()
    assert abs(met - collision_probability(measure_distance(one, other), options.width)) < 0.03
    assert (hash_points([one, other], options=options) == hashed).all(), "the same seed gives the same numbers"


def test_neighbours_meet_in_more_than_one_table_and_are_near() -> None:
    points = drawn(3, 8)
    hashed = hash_points(points)
    meeting = (hashed[:, None] == hashed[None, :]).all(3).sum(2)
    expected = [
        (i, j)
        for i in range(len(points))
        for j in range(i + 1, len(points))
        if meeting[i, j] >= 2 and measure_distance(points[i], points[j]) <= DEFAULT.radius
    ]
    assert find_neighbours(points, hashed) == expected
    assert len(expected) > 60


def test_a_shared_first_hash_is_no_shared_bucket() -> None:
    points = [page(*range(40)), page(*range(39))]
    hashed = np.array([[[7, 1]] * 3, [[7, 2]] * 3], np.int64)
    assert find_neighbours(points, hashed) == []
    hashed[1] = [7, 1]
    assert find_neighbours(points, hashed) == [(0, 1)]


def test_templates_are_found() -> None:
    assert cluster_by_projection(drawn(3, 8)) == [list(range(start, 24, 3)) for start in range(3)]


def test_equal_empty_and_no_pages() -> None:
    assert cluster_by_projection([]) == []
    assert cluster_by_projection([page(1), page(2), page(1), page()]) == [[0, 2], [1], [3]]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_components_are_those_of_a_plain_search(pairs: list[tuple[int, int]]) -> None:
    found, expected = connect_neighbours(9, pairs), []
    left = set(range(9))
    while left:
        part = {min(left)}
        while more := {b for pair in pairs for a, b in (pair, pair[::-1]) if a in part} - part:
            part |= more
        expected.append(sorted(part))
        left -= part
    assert found == expected
