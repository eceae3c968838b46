"""Pages that look out of place among those of a template are found; optional sections and small templates give none."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.odd_pages import FEWEST, LARGEST, OddGroup, find_odd_groups
from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.dom.parse import parse

FRAME = "<header><a class=logo>Shop</a><nav><ul><li><a>Home</a></ul></nav></header>{}<footer><p>Imprint</p></footer>"


def steps(body: str) -> PageSteps:
    return collect_steps(parse(f"<html><body>{FRAME.format(body)}</body></html>".encode()).root)


def product(number: int, *, optional: float = 0.5) -> PageSteps:
    """A product's page. optional: how likely each of its optional sections is there."""
    dice = random.Random(number)
    sections = ("<p class=offer><b>Sale</b></p>", "<ul class=awards><li><i>x</i></ul>", "<div class=video><video></video></div>")
    extra = "".join(section for section in sections if dice.random() < optional)
    rows = "<table class=facts><tr><th>A<td>B</table>"
    return steps(
        f"<main class=product><h1 class=name>P{number}</h1><p class=price>{number}</p>{rows}<div class=text><p>x</div>{extra}</main>"
    )


def article(number: int) -> PageSteps:
    return steps(f"<article><h2>News {number}</h2><time>x</time><section class=story><p>a<blockquote>b</blockquote></section></article>")


def gone() -> PageSteps:
    return steps("<main class=product><h1 class=name>No longer sold</h1></main>")


@pytest.mark.parametrize("count", [1, 3, 5])
def test_pages_of_another_kind_are_found_together(count: int) -> None:
    pages = [*map(product, range(12)), *map(article, range(count))]
    (group,) = find_odd_groups(pages)
    assert group.pages == tuple(range(12, 12 + count))
    assert group.lacking > 0.5 and group.own > 0.3


def test_pages_that_lack_most_of_the_template_are_found() -> None:
    (group,) = find_odd_groups([*map(product, range(20)), gone(), gone()])
    assert (group.pages, group.own) == ((20, 21), 0)


def test_two_kinds_of_odd_pages_are_two_groups() -> None:
    groups = find_odd_groups([*map(product, range(20)), article(1), article(2), gone()])
    assert {group.pages for group in groups} == {(20, 21), (22,)}


def test_a_few_pages_and_equal_pages_and_halves_have_no_odd_ones() -> None:
    assert find_odd_groups([]) == []
    assert find_odd_groups([*map(product, range(FEWEST - 2)), article(1)]) == []
    assert find_odd_groups([product(1)] * 20) == []
    assert find_odd_groups([*map(product, range(10)), *map(article, range(10))]) == []


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(FEWEST, 40), st.sampled_from([0.02, 0.1, 0.5, 0.9]))
def test_optional_sections_do_not_make_a_page_odd(first: int, count: int, optional: float) -> None:
    assert find_odd_groups([product(first + number, optional=optional) for number in range(count)]) == []


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from("ppppppag"), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_groups_are_apart_small_and_independent_of_the_order(kinds: list[str], dice: random.Random) -> None:
    made = {"p": product, "a": article, "g": lambda _: gone()}
    pages = [made[kind](number) for number, kind in enumerate(kinds)]
    groups = find_odd_groups(pages)
    members = [page for group in groups for page in group.pages]
    assert len(members) == len(set(members))
    assert all(len(group.pages) <= LARGEST * len(pages) for group in groups)
    order = dice.sample(range(len(pages)), len(pages))
    again = find_odd_groups([pages[at] for at in order])
    assert {frozenset(order[at] for at in group.pages) for group in again} == {frozenset(group.pages) for group in groups}


def numbered(*steps: int) -> PageSteps:
    column = np.array(sorted(steps), np.uint64)
    return PageSteps(column, np.zeros_like(column), np.zeros_like(column))


def test_shares_of_a_worked_example() -> None:
    """Ten pages have steps 1 to 8, seven of them 9, three of them 10. The odd page has three of these and two of its own."""
    usual = [numbered(*range(1, 9), *([9] if n < 7 else []), *([10] if n > 6 else [])) for n in range(10)]
    (group,) = find_odd_groups([*usual, numbered(1, 2, 3, 20, 21)])
    assert group == OddGroup((10,), 6 / 9, 2 / 5), "9 is typical, 10 is rare, and it has neither"
    (other,) = find_odd_groups([*usual, numbered(1, 2, 3, 10, 21)])
    assert other.own == 2 / 5, "what three of ten have is rare"


@pytest.mark.parametrize(
    ("lacking", "own", "odd"),
    [(0.15, 0.15, True), (0.149, 0.2, False), (0.15, 0.149, False), (0.3, 0.0, True), (0.0, 0.45, True), (0.0, 0.449, False)],
)
def test_a_group_is_odd_by_what_it_lacks_and_has_together_or_by_what_it_has_alone(lacking: float, own: float, odd: bool) -> None:
    assert OddGroup((1,), lacking, own).is_odd == odd


def test_a_third_of_the_pages_may_be_odd_in_the_same_way_and_no_more() -> None:
    usual, odd = numbered(*range(1, 11)), numbered(1, 2, *range(20, 28))
    assert [group.pages for group in find_odd_groups([usual] * 8 + [odd] * 4)] == [(8, 9, 10, 11)]
    assert all(len(group.pages) < 4 for group in find_odd_groups([usual] * 7 + [odd] * 4))


def test_the_oddest_group_comes_first() -> None:
    usual = numbered(*range(1, 21))
    slightly, very = numbered(*range(1, 13), *range(30, 34)), numbered(1, 2, 3, *range(40, 50))
    found = find_odd_groups([slightly, *[usual] * 12, very, very])
    assert [group.pages for group in found] == [(13, 14), (0,)]
    assert found[0].lacking + found[0].own > found[1].lacking + found[1].own
