"""RTDM is the cheapest of all restricted top-down mappings, and a metric."""

import random
import time
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.alignment import batched_mapping
from extraction.algorithms.alignment.batched_mapping import BoundedCost, measure_children_cost
from extraction.algorithms.alignment.rtdm import TreeDistance
from extraction.algorithms.alignment.tree_mapping import RestrictedMapping
from extraction.algorithms.alignment.trees import Forest, Tree
from extraction.algorithms.clustering.likeness_clustering import cluster_by_likeness
from extraction.algorithms.dom.parse import parse
from extraction.demo.site import pages as demo_pages

Plain = tuple[str, tuple["Plain", ...]]

trees = st.recursive(
    st.builds(lambda label: (label, ()), st.sampled_from("ab")),
    lambda below: st.builds(lambda label, children: (label, tuple(children)), st.sampled_from("ab"), st.lists(below, max_size=3)),
    max_leaves=5,
)


def made(forest: Forest, plain: Plain) -> Tree:
    return forest.tree(plain[0], [made(forest, child) for child in plain[1]])


def size(plain: Plain) -> int:
    return 1 + sum(map(size, plain[1]))


@cache
def cheapest(one: Plain, other: Plain, root: bool = True) -> int:
    """Try every mapping of the children in order, without dynamic programming and without shortcuts."""
    differs = one[0] != other[0]
    if differs and not root:
        return size(one) + size(other) - 1
    everything = size(one) + size(other) - 2
    best = everything
    for count in range(1, min(len(one[1]), len(other[1])) + 1):
        for mine in combinations(one[1], count):
            for theirs in combinations(other[1], count):
                saved = sum(size(a) + size(b) - cheapest(a, b, False) for a, b in zip(mine, theirs, strict=True))
                best = min(best, everything - saved)
    return best + differs


@settings(deadline=None, max_examples=100)
@given(trees, trees)
def test_the_distance_is_that_of_the_cheapest_of_all_mappings(one: Plain, other: Plain) -> None:
    measure = TreeDistance()
    assert measure.distance(made(measure.forest, one), made(measure.forest, other)) == cheapest(one, other)


@settings(deadline=None, max_examples=100)
@given(trees, trees, trees)
def test_the_distance_is_a_metric(one: Plain, two: Plain, three: Plain) -> None:
    measure = TreeDistance()
    a, b, c = made(measure.forest, one), made(measure.forest, two), made(measure.forest, three)
    assert (measure.distance(a, b) == 0) == (one == two) == (a is b)
    assert measure.distance(a, b) == measure.distance(b, a)
    assert measure.distance(a, c) <= measure.distance(a, b) + measure.distance(b, c)
    assert 0 <= measure.likeness(a, b) <= 1


@settings(deadline=None, max_examples=100)
@given(trees, trees)
def test_no_likeness_exceeds_its_bound(one: Plain, other: Plain) -> None:
    measure = TreeDistance()
    first, second = made(measure.forest, one), made(measure.forest, other)
    most = measure.likeness_bound(first, second)
    assert measure.likeness(first, second) <= most == measure.likeness_bound(second, first) <= 1
    assert measure.likeness_bound(first, first) == 1


@settings(deadline=None, max_examples=40)
@given(st.lists(trees, max_size=9), st.sampled_from([0.5, 0.7, 0.8]))
def test_skipping_pairs_by_the_bound_does_not_change_the_clusters(plain: list[Plain], bound: float) -> None:
    measure = TreeDistance()
    items = [made(measure.forest, each) for each in plain]
    every = cluster_by_likeness(items, measure.likeness, sample=5, bound=bound)
    assert cluster_by_likeness(items, measure.likeness, at_most=measure.likeness_bound, sample=5, bound=bound) == every


def test_pages_of_other_templates_are_not_compared() -> None:
    measure = TreeDistance()
    one = measure.read_page(parse(b"<html><body><ul><li><li><li><li></ul>").root)
    other = measure.read_page(parse(b"<html><body><p><p><p><table><tr><td>").root)
    compared: list[tuple[Tree, Tree]] = []

    def likeness(first: Tree, second: Tree) -> float:
        compared.append((first, second))
        return measure.likeness(first, second)

    assert cluster_by_likeness([one, other, one], likeness, at_most=measure.likeness_bound, sample=2) == [[0, 2], [1]]
    assert compared == [(one, one)]


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("<p>a</p>", "<p>other text</p>", 0),
        ("<ul><li></ul>", "<ul><li><li><li></ul>", 2),
        ("<p><b></b></p>", "<p><i></i></p>", 1),
        ("<div><p><b></b></p></div>", "<section><p><b></b></p></section>", 5),  # the labels differ: p and b are mapped to nothing
    ],
)
def test_distances_of_small_pages_equal_those_counted_by_hand(one: str, other: str, distance: int) -> None:
    measure = TreeDistance()
    first, second = (measure.read_page(parse(f"<html><body>{part}</body></html>".encode()).root) for part in (one, other))
    assert measure.distance(first, second) == distance


@pytest.mark.parametrize("depth", [165, 180, 200, 2000])
def test_a_deep_page_is_compared_whole(depth: int) -> None:
    measure = TreeDistance()

    def page(*tags: str, end: str = "") -> Tree:
        return measure.read_page(parse(b"<html><body>" + "".join(f"<{tags[n % 2]}>" for n in range(depth)).encode() + end.encode()).root)

    one, other, longer = page("div", "section"), page("div", "i"), page("div", "section", end="<b></b><b></b>")
    assert one.size == other.size == depth + 2
    # Both begin with div; section and i differ, so they and what is below them are mapped to each other or to nothing.
    assert measure.distance(one, other) == 2 * (depth - 1) - 1
    assert measure.distance(one, longer) == 2
    assert measure.incomplete == 0


def random_tree(draw: random.Random, forest: Forest, depth: int) -> Tree:
    below = [random_tree(draw, forest, depth - 1) for _ in range(draw.randint(0, 6))] if depth else []
    return forest.tree(draw.choice("abc"), below)


@pytest.mark.parametrize("seed", range(40))
def test_comparing_in_batches_gives_the_cost_that_comparing_one_by_one_gives(seed: int) -> None:
    draw, forest = random.Random(seed), Forest()
    one, other = random_tree(draw, forest, 4), random_tree(draw, forest, 4)
    exact = RestrictedMapping().children_cost(one, other)
    assert measure_children_cost(one, other) == measure_children_cost(other, one) == BoundedCost(exact, complete=True)
    for cells in (0, 1, 5, 30, 300):
        found = measure_children_cost(one, other, max_cells=cells)
        assert exact <= found.cost <= one.size + other.size - 2
        assert not found.complete or found.cost == exact


@settings(deadline=None, max_examples=100)
@given(trees, trees)
def test_batches_of_one_find_the_cheapest_of_all_mappings(one: Plain, other: Plain) -> None:
    forest = Forest()
    first, second = made(forest, one), made(forest, other)
    found = measure_children_cost(first, second)
    assert found.complete and found.cost + (first.label != second.label) == cheapest(one, other)


def test_the_pieces_of_long_lists_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched_mapping, "CHUNK_CELLS", 7)
    draw, forest = random.Random(3), Forest()
    for _ in range(10):
        one, other = random_tree(draw, forest, 3), random_tree(draw, forest, 3)
        assert measure_children_cost(one, other).cost == RestrictedMapping().children_cost(one, other)


def list_of_items(measure: TreeDistance, draw: random.Random, items: int) -> Tree:
    def item() -> Tree:
        return measure.forest.tree("li", [measure.forest.tree(draw.choice("abcdef")) for _ in range(12)])

    return measure.forest.tree("ul", [item() for _ in range(items)])


def test_lists_of_hundreds_of_different_items_have_a_distance_soon() -> None:
    measure, draw = TreeDistance(), random.Random(5)
    one, other = list_of_items(measure, draw, 500), list_of_items(measure, draw, 500)
    started = time.process_time()
    distance = measure.distance(one, other)
    assert time.process_time() - started < 20, "about two seconds on an idle machine; comparing one by one takes a minute"
    assert measure.likeness(one, other) <= measure.likeness_bound(one, other) and 0 < distance < one.size
    assert measure.incomplete == 0


def test_beyond_the_bound_the_distance_is_that_of_a_mapping_and_is_counted() -> None:
    draw = random.Random(6)
    exact, bounded = TreeDistance(), TreeDistance(max_cells=50_000)
    pages = [[list_of_items(measure, random.Random(seed), 160) for seed in (1, 2)] for measure in (exact, bounded)]
    true, found = exact.distance(*pages[0]), bounded.distance(*pages[1])
    assert true <= found < pages[0][0].size + pages[0][1].size
    assert (exact.incomplete, bounded.incomplete) == (0, 1)
    assert bounded.distance(*pages[1]) == bounded.distance(*reversed(pages[1])) == found and bounded.incomplete == 1
    twin = list_of_items(bounded, draw, 160)
    assert bounded.distance(twin, twin) == 0 and bounded.incomplete == 1


def test_templates_of_the_demo_are_separated_beyond_the_sample_too() -> None:
    chosen = [page for page in demo_pages() if page.template in ("book", "author")][::6]
    measure = TreeDistance()
    items = [measure.read_page(parse(page.content).root) for page in chosen]
    found = cluster_by_likeness(items, measure.likeness, sample=12)
    books = [number for number, page in enumerate(chosen) if page.template == "book"]
    authors = [number for number, page in enumerate(chosen) if page.template == "author"]
    assert len(items) > 12 and len(books) > 1 and len(authors) > 1
    assert found == sorted([books, authors])


def test_average_linkage_stops_at_the_bound_and_nothing_is_lost() -> None:
    def likeness(one: float, other: float) -> float:
        return 1 - abs(one - other)

    assert cluster_by_likeness([0.0, 0.1, 0.9, 1.0], likeness) == [[0, 1], [2, 3]]
    assert cluster_by_likeness([], likeness) == []
