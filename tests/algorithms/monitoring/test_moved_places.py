"""Places that hold the wanted values on many pages, and how improbable that is: against loops over the texts of small pages."""

import pytest

from extraction.algorithms.monitoring.chance import binomial_tail
from extraction.algorithms.monitoring.moved_places import (
    PagePlaces,
    VisitedPlaces,
    compute_new_place_chance,
    compute_same_place_chance,
)
from tests.algorithms.monitoring.shops import page

WANTED = [f"Book {n}" for n in range(6)]


def places(*bodies: str) -> list[PagePlaces]:
    return [PagePlaces(page(f"<body>{body}</body>")) for body in bodies]


def expected(matches: int, hits: int, tries: int, *, columns: int = 1, of: int = 6) -> float:
    """The chance of one place by Laplace's rule, for each of the places that are tried."""
    return min(1.0, columns * binomial_tail(matches, of=of, chance=(hits + 1) / (tries + 2)))


def test_a_place_that_holds_each_pages_own_value_is_improbable() -> None:
    """Of 6 values, each page has 5 foreign ones, and none of these 30 stands in the place."""
    found = compute_same_place_chance(places(*(f"<h2>{title}</h2><p>x</p>" for title in WANTED)), WANTED, WANTED)
    assert found == pytest.approx(expected(6, 0, 30))


def test_values_that_many_pages_share_prove_less() -> None:
    """Two pages each have A, B and C: on each page one of five foreign values is its own again."""
    wanted = ["A", "A", "B", "B", "C", "C"]
    found = compute_same_place_chance(places(*(f"<h2>{title}</h2>" for title in wanted)), wanted, wanted)
    assert found == pytest.approx(expected(6, 6, 30))


def test_a_foreign_value_in_the_place_is_a_hit_and_no_match() -> None:
    """The last page has the first one's value: 5 matches, and 1 of 30 foreign values stands there."""
    shown = [*WANTED[:5], WANTED[0]]
    found = compute_same_place_chance(places(*(f"<h2>{title}</h2>" for title in shown)), WANTED, WANTED)
    assert found == pytest.approx(expected(5, 1, 30))


def test_each_place_that_is_tried_makes_a_match_more_likely() -> None:
    found = compute_same_place_chance(places(*(f"<h2>{title}</h2><p>{title}</p>" for title in WANTED)), WANTED, WANTED)
    assert found == pytest.approx(expected(6, 0, 30, columns=2))


def test_without_a_place_that_holds_most_values_nothing_is_told() -> None:
    assert compute_same_place_chance(places(*["<p>x</p>"] * 6), WANTED, WANTED) == 1
    apart = places(*(f"<{tag}>{title}</{tag}>" for tag, title in zip(("h1", "h2", "h3", "h4", "h5", "h6"), WANTED, strict=True)))
    assert compute_same_place_chance(apart, WANTED, WANTED) == 1
    assert compute_same_place_chance([], [], []) == 1


def visits(before: str, now: str) -> list[VisitedPlaces]:
    old, new = (places(*(body.format(title) for title in WANTED)) for body in (before, now))
    return [VisitedPlaces(*pair) for pair in zip(old, new, strict=True)]


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ("<h1>{}</h1>", "<h2>{}</h2>", True),
        ("<h1>{0}</h1><h2>{0}</h2>", "<h2>{}</h2>", False),
        ("<h1>{}</h1>", "<del>{}</del>", False),
        ("<h1>{}</h1>", "<p class='price old'>{}</p>", False),
        ("<h1>{}</h1>", "<p class='Was'><b>{}</b></p>", False),
        ("<h1>{}</h1>", "<p class='was'><i><b>{}</b></i></p>", True),
        ("<h1>{}</h1>", "<p class='gold'>{}</p>", True),
    ],
    ids=["moved", "stood there before", "struck out", "by its class", "by the class above", "two elements above", "part of a word"],
)
def test_a_new_place_counts_unless_the_values_stood_there_or_are_struck_out(before: str, now: str, told: bool) -> None:
    found = compute_new_place_chance(visits(before, now), WANTED)
    assert found == pytest.approx(expected(6, 0, 30) if told else 1)


def test_half_of_the_pages_with_the_value_in_the_place_before_or_struck_out_now_are_enough_to_leave_it_out() -> None:
    def mixed(count: int, before: str, now: str) -> float:
        one, other = visits(before, now), visits("<h1>{}</h1>", "<h2>{}</h2>")
        return compute_new_place_chance([*one[:count], *other[count:]], WANTED)

    assert mixed(2, "<h2>{}</h2>", "<h2>{}</h2>") < 1e-4
    assert mixed(3, "<h2>{}</h2>", "<h2>{}</h2>") == 1


def test_a_place_is_known_by_its_tags_stable_classes_and_number() -> None:
    one, other = places(
        "<ul><li class='a post-12'>x</li><li class='a post-13'>y</li></ul><p>z</p>", "<ul><li class='a'>1</li><li class='a'>2</li></ul>"
    )
    shared = [(one.texts[place], other.texts[place]) for place in one.texts if place in other.texts]
    assert shared == [("x", "1"), ("y", "2")]
    (renamed,) = places("<ul><li class='b'>1</li></ul>")
    assert not set(one.texts) & set(renamed.texts)
