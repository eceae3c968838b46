"""Algorithm 2 picks pages in the order of what they add and covers at least 1 - 1/e of the optimum."""

from fractions import Fraction
from itertools import combinations
from math import e

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.sampling.greedy import (
    ChosenPage,
    PagePaths,
    PathTable,
    _rank,
    choose_pages,
    measure_coverage,
    measure_unseen,
    read_paths,
)

# A page as {path: content}.
Rows = dict[int, int]
clusters = st.lists(st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=7), min_size=1, max_size=8)


def page(rows: Rows) -> PagePaths:
    ordered = sorted(rows.items())
    return PagePaths(np.array([p for p, _ in ordered], np.uint64), np.array([c for _, c in ordered], np.uint64))


def plain_weights(cluster: list[Rows]) -> dict[int, Fraction]:
    """w(X_i) = F(X_i) I(X_i), as the paper writes it."""
    weights = {}
    for path in {path for rows in cluster for path in rows}:
        contents = [rows[path] for rows in cluster if path in rows]
        share = Fraction(sum(contents.count(t) for t in set(contents)), len(cluster) * len(set(contents)))
        weights[path] = len(contents) * (1 - share)
    return weights


def rounded(weights: dict[int, Fraction]) -> dict[int, int]:
    return {path: round(float(weight) * 65536) for path, weight in weights.items()}


def plain_greedy(cluster: list[Rows], k: int) -> list[int]:
    """The paper's loop: look at every page again before each pick."""
    weights = rounded(plain_weights(cluster))
    uncovered = set(weights)
    picked: list[int] = []
    while len(picked) < min(k, len(cluster)):
        gains = {i: sum(weights[p] for p in rows if p in uncovered) for i, rows in enumerate(cluster) if i not in picked}
        best = min(gains, key=lambda i: (-gains[i], i))
        if gains[best] == 0 and picked:
            break
        picked.append(best)
        uncovered -= set(cluster[best])
    return picked


def test_weights_of_a_worked_example() -> None:
    """Three pages: a logo that is everywhere the same, a name that always differs, a note on one page only."""
    cluster = [{1: 7, 2: 1}, {1: 7, 2: 2}, {1: 7, 2: 3, 3: 1}]
    weights = PathTable.build([page(rows) for rows in cluster]).weights
    # I: logo 1 - 3/(3·1) = 0, name 1 - 3/(3·3) = 2/3, note 1 - 1/(3·1) = 2/3; w: 0, 3·2/3 = 2, 1·2/3.
    assert weights.tolist() == [0, 2 * 65536, round(65536 * 2 / 3)]
    assert choose_pages([page(rows) for rows in cluster], k=3) == [ChosenPage(2, 1.0)]


def test_pages_come_in_the_order_of_what_they_add() -> None:
    cluster = [{1: 1}, {1: 2, 2: 1, 3: 1}, {1: 3, 4: 1, 5: 1, 6: 1, 7: 1}, {1: 4, 2: 2}]
    chosen = choose_pages([page(rows) for rows in cluster], k=4)
    assert [choice.page_index for choice in chosen] == [2, 1]
    assert 0 < chosen[0].covered_fraction < chosen[1].covered_fraction == 1


@settings(deadline=None)
@given(clusters, st.integers(1, 9))
def test_the_choice_agrees_with_a_plain_loop(cluster: list[Rows], k: int) -> None:
    assert [choice.page_index for choice in choose_pages([page(rows) for rows in cluster], k=k)] == plain_greedy(cluster, k)


@settings(deadline=None)
@given(clusters, st.integers(1, 4))
def test_the_choice_covers_at_least_the_guaranteed_share_of_the_optimum(cluster: list[Rows], k: int) -> None:
    weights = rounded(plain_weights(cluster))

    def weight(chosen: list[int]) -> int:
        return sum(weights[path] for path in {path for i in chosen for path in cluster[i]})

    best = max(weight(list(chosen)) for chosen in combinations(range(len(cluster)), min(k, len(cluster))))
    chosen = choose_pages([page(rows) for rows in cluster], k=k)
    assert weight([choice.page_index for choice in chosen]) >= (1 - 1 / e) * best
    total = sum(weights.values())
    assert chosen[-1].covered_fraction == (weight([c.page_index for c in chosen]) / total if total else 1)


@settings(deadline=None)
@given(clusters)
def test_weights_are_those_of_the_paper(cluster: list[Rows]) -> None:
    weights = PathTable.build([page(rows) for rows in cluster]).weights.tolist()
    assert weights == [weight for _, weight in sorted(rounded(plain_weights(cluster)).items())]


@settings(deadline=None)
@given(clusters, st.integers(1, 9))
def test_the_choice_is_filled_up_to_k_pages_with_the_greedy_ones_first(cluster: list[Rows], k: int) -> None:
    pages = [page(rows) for rows in cluster]
    filled, greedy = choose_pages(pages, k=k, fill=True), choose_pages(pages, k=k)
    assert filled[: len(greedy)] == greedy
    assert len({choice.page_index for choice in filled}) == len(filled) == min(k, len(pages))
    assert all(choice.covered_fraction == 1 for choice in filled[len(greedy) :])


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1)), max_size=40), st.booleans())
def test_ranks_are_those_of_a_sort(drawn: list[int], crowded: bool) -> None:
    values = np.array(drawn, np.uint64)
    if crowded:  # more values than the table has slots
        values = np.append(values, np.arange(70_000, dtype=np.uint64))
    distinct, expected = np.unique(values, return_inverse=True)
    ranks, count = _rank(values)
    assert (ranks.tolist(), count) == (expected.tolist(), len(distinct))


@given(clusters)
def test_the_table_lists_the_pages_of_each_path(cluster: list[Rows]) -> None:
    table = PathTable.build([page(rows) for rows in cluster])
    for path in range(len(table.weights)):
        pages = table.path_pages[table.path_bounds[path] : table.path_bounds[path + 1]].tolist()
        assert pages == [number for number in range(len(cluster)) if path in table.paths_on(number)]


def test_no_pages_give_no_choice() -> None:
    assert choose_pages([], k=3) == []


def test_pages_all_alike_still_give_one_to_annotate() -> None:
    assert choose_pages([page({1: 1})] * 3, k=2) == [ChosenPage(0, 1.0)]


def test_asking_for_no_page_is_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        choose_pages([], k=0)


HTML = b"""<html><head><title>T</title><script>var x = '<p>no</p>';</script></head><body class="c">
<h1>Dune</h1><p>by <a href="/herbert">Frank&nbsp; Herbert</a> 1965</p><p><!-- c --></p><img src="a.png" alt="" width="3"></body></html>"""


def test_paths_are_text_nodes_and_annotatable_attributes() -> None:
    """h1, p (two nodes of one path), a, a/@href, img/@src; no script, no comment, no class, no blank."""
    assert len(read_paths(parse(HTML).root).paths) == 5


def test_content_is_compared_cleaned_and_paths_without_it() -> None:
    one, other, changed = (read_paths(parse(HTML.replace(b"Frank&nbsp; Herbert", name)).root) for name in (b"F H", b" F\n H ", b"F. H"))
    assert one.to_bytes() == other.to_bytes() != changed.to_bytes()
    assert (one.paths == changed.paths).all()
    assert (one.contents != changed.contents).sum() == 1


def test_the_stored_form_never_changes_without_its_scheme() -> None:
    stored = read_paths(parse(b"<p>x</p>").root).to_bytes()
    assert stored.hex() == "70617468732f310ac004fa46cd7fc1654f586ef96743df4a"


def test_stored_paths_are_read_back() -> None:
    paths = read_paths(parse(HTML).root)
    back = PagePaths.from_bytes(paths.to_bytes())
    assert (back.paths == paths.paths).all()
    assert (back.contents == paths.contents).all()


@pytest.mark.parametrize("stored", [b"", b"paths/0\n", b"paths/1\n1234567"])
def test_bytes_that_are_not_stored_paths_are_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match="not stored by the scheme"):
        PagePaths.from_bytes(stored)


def test_a_deep_page_has_paths() -> None:
    assert len(read_paths(parse(b"<div>" * 5000 + b"x").root).paths) <= 1


def test_fresh_is_the_weight_of_paths_that_no_shown_page_has():
    pages = [read_paths(parse(html.encode()).root) for html in ("<p>a</p>", "<p>b</p><h1>c</h1>", "<p>b</p><h2>d</h2><h1>e</h1>")]
    table = PathTable.build(pages)
    total = table.weights.sum()
    for shown in ((), (0,), (0, 1), (2,)):
        seen = {int(path) for page in shown for path in table.paths_on(page)}
        wanted = [sum(int(table.weights[path]) for path in table.paths_on(page) if int(path) not in seen) / total for page in range(3)]
        assert measure_unseen(table, shown) == dict(enumerate(wanted))
    assert measure_unseen(PathTable.build([PagePaths(pages[0].paths[:0], pages[0].contents[:0])]), []) == {0: 0.0}


@settings(deadline=None)
@given(clusters, st.randoms(use_true_random=False))
def test_coverage_of_an_order_is_the_weight_of_all_paths_so_far(cluster: list[Rows], chance) -> None:
    """Brute force: the union of the paths, page after page, in any order and not only a greedy one."""
    weights = rounded(plain_weights(cluster))
    total = sum(weights.values())
    order = chance.sample(range(len(cluster)), chance.randint(0, len(cluster)))
    wanted = [sum(weights[path] for path in set().union(*(cluster[i] for i in order[: n + 1]))) for n in range(len(order))]
    found = measure_coverage(PathTable.build([page(rows) for rows in cluster]), order)
    assert found == [weight / total if total else 1.0 for weight in wanted]
