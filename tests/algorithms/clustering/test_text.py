"""TEXT-MDL, TEXT-HASH and TEXT-MAX: the paper's example, a plain loop over dictionaries as oracle, and how far estimates are from truth."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering import text_hash
from extraction.algorithms.clustering.text_hash import TRIED_ALL, cluster_by_text_hash, cluster_by_text_max, estimate_symbols
from extraction.algorithms.clustering.text_mdl import cluster_by_text_mdl, cost_bits, count_symbols, describe_groups
from extraction.algorithms.clustering.text_paths import EssentialPaths, drop_frame, find_essential_paths, read_text_paths
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.sketches.minhash import ExtendedSignatures, sign_sets
from extraction.demo.site import pages as demo_pages


def sets(pages: list[list[int]]) -> list[np.ndarray]:
    return [np.unique(np.array(page, np.uint64)) for page in pages]


def mixed(pages: list[list[int]]) -> list[np.ndarray]:
    """The same sets with members that are hashes, as signatures want them."""
    hashes = np.random.default_rng(5).integers(1, 2**63, 4000, dtype=np.uint64)
    return [np.unique(hashes[page]) for page in sets(pages)]


def plain_bits(given: EssentialPaths, groups: list[list[int]]) -> float:
    """L(C) cell by cell: the three matrices are really made."""
    every = sorted({path for page in given.pages for path in page.tolist()})
    values_t, values_d = Counter({0: given.cells}), Counter({0: given.cells})
    for group in groups:
        for path in every:
            has = [path in given.pages[page].tolist() for page in group]
            template = 2 * sum(has) >= len(group) + 1
            values_t.update({1: template, 0: -int(template)})
            for one in has:
                values_d[0] -= 1
                values_d[int(one) - template] += 1
    entropy = sum(n * math.log2(given.cells / n) for values in (values_t, values_d) for n in values.values() if n > 0)
    return entropy + len(given.pages) * math.log2(len(given.pages))


def plain_mdl(given: EssentialPaths) -> list[list[int]]:
    equal: dict[bytes, list[int]] = {}
    for number, page in enumerate(given.pages):
        equal.setdefault(page.tobytes(), []).append(number)
    groups = list(equal.values())
    while len(groups) > 1:
        now = plain_bits(given, groups)
        tries = []
        for one, other in combinations(range(len(groups)), 2):
            merged = [group for n, group in enumerate(groups) if n not in (one, other)] + [sorted(groups[one] + groups[other])]
            tries.append((-round(now - plain_bits(given, merged), 6), groups[one][0], groups[other][0], sorted(merged)))
        best = min(tries)
        if best[0] >= 0:
            break
        groups = best[3]
    return groups


def test_the_published_example_gives_its_essential_paths_and_costs() -> None:
    # E as the paper's matrix gives it; after its table p5 would be on three pages, of which d1 is not one.
    pages = tuple(sets([[1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2]]))
    given = EssentialPaths(pages, (3, 3, 3, 4), 8)
    two = describe_groups(given, [[0, 1, 2], [3]])
    assert round(two.bits, 2) == 38.67
    assert [cluster.template.tolist() for cluster in two.clusters] == [[1, 2, 3, 4, 5], [1, 2]]
    one = describe_groups(given, [[0, 1, 2, 3]])
    assert abs(one.bits - 46.78) < 0.01
    assert one.clusters[0].template.tolist() == [1, 2, 3, 4]


def test_the_threshold_is_the_mode_of_supports_and_the_smaller_of_two() -> None:
    given = find_essential_paths(sets([[1, 2, 3, 4, 5, 7], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 8], [1, 2]]))
    assert given.thresholds == (3, 3, 3, 4)
    assert [page.tolist() for page in given.pages] == [[1, 2, 3, 4, 5]] * 3 + [[1, 2]]
    assert given.paths == 7
    assert find_essential_paths(sets([[1, 2], [1]])).thresholds == (1, 2), "supports 2 and 1 are as frequent"


@settings(deadline=None, max_examples=120)
@given(st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=8), min_size=1, max_size=5))
def test_text_mdl_is_the_plain_loop(pages: list[list[int]]) -> None:
    given = find_essential_paths(sets(pages))
    found = cluster_by_text_mdl(given)
    groups = sorted(list(cluster.members) for cluster in found.clusters)
    assert math.isclose(found.bits, plain_bits(given, groups), abs_tol=1e-6)
    assert groups == sorted(plain_mdl(given))


def test_text_mdl_is_the_plain_loop_also_where_many_clusters_are_gone() -> None:
    given = find_essential_paths(sets(drawn(3, 5, size=12, own=2)))
    assert sorted(list(cluster.members) for cluster in cluster_by_text_mdl(given).clusters) == sorted(plain_mdl(given))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_no_other_choice_of_a_path_has_fewer_symbols(has: list[bool]) -> None:
    support = np.array([sum(has)], np.int32)
    chosen = count_symbols(support, len(has), np.ones(1)).sum()
    assert chosen == min(1 + len(has) - sum(has), sum(has))


def drawn(templates: int, each: int, *, size: int = 60, own: int = 8, seed: int = 1) -> list[list[int]]:
    """Pages of some templates: nine of ten of its paths, a frame of all pages, and paths of their own."""
    chance, pages, fresh = np.random.default_rng(seed), [], 1000
    for number in range(templates * each):
        template = np.arange(10 + size * (number % templates), 10 + size * (number % templates + 1))
        pages.append([*range(10), *template[chance.random(size) < 0.9].tolist(), *range(fresh, fresh + own)])
        fresh += own
    return pages


@pytest.mark.parametrize("method", [cluster_by_text_mdl, cluster_by_text_hash, cluster_by_text_max])
def test_templates_are_found_and_their_paths_given(method) -> None:
    pages = drawn(3, 8)
    found = method(find_essential_paths(drop_frame(mixed(pages))))
    assert [set(cluster.members) for cluster in found.clusters] == [set(range(start, 24, 3)) for start in range(3)]
    for start, cluster in enumerate(found.clusters):
        assert set(cluster.template.tolist()) <= set(mixed([list(range(10 + 60 * start, 70 + 60 * start))])[0].tolist())
        assert len(cluster.template) > 15, "those of the mode, which is all pages"


@pytest.mark.parametrize("method", [cluster_by_text_hash, cluster_by_text_max])
def test_hashed_costs_are_near_those_of_text_mdl_also_with_the_index(method) -> None:
    given = find_essential_paths(drop_frame(mixed(drawn(4, 24))))
    assert len(given.pages) > TRIED_ALL, "the index is used"
    found, exact = method(given), cluster_by_text_mdl(given)
    assert found.bits <= 1.05 * exact.bits
    assert abs(found.estimated_bits - found.bits) < 0.2 * found.bits
    assert sorted(page for cluster in found.clusters for page in cluster.members) == list(range(len(given.pages)))


LENGTH = 32


class PlainEstimates:
    """L(C) and Jaccard coefficients as MinHash estimates them, from nothing but the pages: in each permutation, the least rank of a cluster
    and the number of pages that have it."""

    def __init__(self, given: EssentialPaths) -> None:
        self.given, self.ranks = given, sign_sets(given.pages, length=LENGTH)

    def attained(self, group: list[int]) -> np.ndarray:
        least = self.ranks[group].min(axis=0)
        rows = [(self.ranks[page] == least) & (len(self.given.pages[page]) > 0) for page in group]
        return np.asarray(np.sum(rows, axis=0))

    def symbols(self, group: list[int]) -> np.ndarray:
        """For each permutation: is its path in the template, on how many pages besides, on how many pages missing?"""
        rows = []
        for support in self.attained(group).tolist():
            inside = 2 * support >= len(group) + 1
            rows.append((inside, 0 if inside else support, len(group) - support if inside else 0))
        union = sum(len(self.given.pages[page]) for page in group) / max(float(self.attained(group).mean()), 1 / LENGTH)
        return np.asarray(np.array(rows).mean(axis=0) * union)

    def bits(self, groups: list[list[int]]) -> float:
        total = np.sum([self.symbols(group) for group in groups], axis=0)
        return float(cost_bits(total, cells=self.given.cells, pages=len(self.given.pages)))

    def jaccard(self, one: list[int], other: list[int]) -> float:
        same = self.ranks[one].min(axis=0) == self.ranks[other].min(axis=0)
        return float((same & (self.attained(one) > 0)).mean())

    def saved(self, groups: list[list[int]], one: int, other: int) -> float:
        merged = [group for n, group in enumerate(groups) if n not in (one, other)] + [groups[one] + groups[other]]
        return self.bits(groups) - self.bits(merged)


some_pages = st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=9)
some_drawn = st.builds(drawn, st.integers(1, 3), st.integers(1, 4), size=st.integers(3, 12), own=st.integers(0, 3), seed=st.integers(0, 99))


@pytest.mark.parametrize("tried_all", [2, TRIED_ALL], ids=["with the index", "all pairs"])
@pytest.mark.parametrize("nearest_only", [False, True], ids=["TEXT-HASH", "TEXT-MAX"])
@settings(deadline=None, max_examples=60)
@given(pages=st.one_of(some_pages, some_drawn))
def test_in_the_end_no_pair_that_is_considered_saves_anything(tried_all: int, nearest_only: bool, pages: list[list[int]]) -> None:
    """Priced anew from the pages, not by what was added up on the way."""
    given_pages = find_essential_paths(mixed(pages))
    method = cluster_by_text_max if nearest_only else cluster_by_text_hash
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_hash, "TRIED_ALL", tried_all)
        found = method(given_pages, length=LENGTH)
    groups, plain = [list(cluster.members) for cluster in found.clusters], PlainEstimates(given_pages)
    assert sorted(page for group in groups for page in group) == list(range(len(pages)))
    assert found.estimated_bits == pytest.approx(plain.bits(groups), abs=1e-6)
    for one in range(len(groups)):
        likeness = {other: plain.jaccard(groups[one], groups[other]) for other in range(len(groups)) if other != one}
        nearest = max(likeness.values(), default=0)
        for other, share in likeness.items():
            if not nearest_only or (share == nearest > 0):
                assert plain.saved(groups, one, other) < 2e-6


@settings(deadline=None, max_examples=60)
@given(pages=st.one_of(some_pages, some_drawn))
def test_each_merge_of_text_hash_saves_so_the_cost_is_at_most_that_of_pages_alone(pages: list[list[int]]) -> None:
    given_pages = find_essential_paths(mixed(pages))
    found, plain = cluster_by_text_hash(given_pages, length=LENGTH), PlainEstimates(given_pages)
    alone: dict[bytes, list[int]] = {}
    for number in range(len(pages)):
        alone.setdefault(plain.ranks[number].tobytes(), []).append(number)
    assert found.estimated_bits <= plain.bits(list(alone.values())) + 1e-6
    if len(found.clusters) == len(alone):
        assert sorted(list(cluster.members) for cluster in found.clusters) == sorted(alone.values())


def test_the_index_finds_clusters_that_share_a_whole_band_and_are_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_hash, "BAND", 2)
    monkeypatch.setattr(text_hash, "BUCKET", 2)
    ranks = np.array([[1, 2, 3, 4, 5], [1, 2, 9, 9, 9], [9, 2, 3, 9, 8], [8, 8, 3, 4, 7], [7, 7, 7, 7, 5], [1, 2, 6, 6, 6]], np.uint64)
    index = text_hash._Index(ranks)
    alive = np.ones(6, np.bool_)
    assert index.meeting(ranks[2], alive).tolist() == [2]
    assert index.meeting(ranks[0], alive).tolist() == [0, 1, 3, 4, 5], "of the three that share the first band, the last two"
    alive[5] = alive[4] = False
    assert index.meeting(ranks[0], alive).tolist() == [0, 1, 3]
    index.add(2, ranks[0])
    assert index.meeting(ranks[0], alive).tolist() == [0, 1, 2, 3]


def signed(members: list[np.ndarray], *, length: int = 256) -> ExtendedSignatures:
    """The signatures of collections of one set each."""
    sizes = np.array([len(one) for one in members])
    return ExtendedSignatures.of_equal_sets(sign_sets(members, length=length), np.ones(len(members), np.int64), sizes)


def shares(signatures: ExtendedSignatures, row: int) -> np.ndarray:
    """xi(X, m) for m = 0 ... sets, estimated."""
    estimated: np.ndarray = np.bincount(signatures.attained[row], minlength=signatures.sets[row] + 1) / signatures.ranks.shape[1]
    return estimated


def test_the_shares_of_an_extended_signature_are_near_the_true_ones() -> None:
    members = mixed(drawn(1, 5, size=400, own=40))
    collections = signed(members, length=2000)
    for one in range(1, 5):
        collections.merge(0, one)
    held = np.unique(np.concatenate(members), return_counts=True)[1]
    true = np.bincount(held, minlength=6) / len(held)
    assert np.abs(shares(collections, 0) - true).max() < 4 * math.sqrt(0.25 / 2000)
    assert collections.sets[0] == 5 and collections.totals[0] == sum(map(len, members))
    exact = count_symbols(held.astype(np.int32), 5, np.ones(len(held)))
    found = estimate_symbols(collections.attained[:1], collections.sets[:1], collections.totals[:1])[0]
    assert np.abs(found - exact).max() < 0.06 * collections.totals[0]


def test_an_estimate_is_exact_for_one_set_for_equal_sets_and_for_nothing() -> None:
    three, same, nothing, none = 0, 1, 2, 3
    collections = signed([*mixed([[1, 2, 3], [1, 2, 3]]), np.zeros(0, np.uint64), np.zeros(0, np.uint64)])
    assert shares(collections, three).tolist() == [0.0, 1.0] and shares(collections, nothing).tolist() == [1.0, 0.0]
    assert collections.jaccard(three, np.array([same, nothing])).tolist() == [1.0, 0.0]
    assert collections.jaccard(nothing, np.array([none])).tolist() == [0.0]
    collections.merge(three, same)
    assert shares(collections, three).tolist() == [0.0, 0.0, 1.0] and collections.totals[three] == 6
    collections.merge(three, nothing)
    assert shares(collections, three).tolist() == [0.0, 0.0, 1.0, 0.0] and collections.totals[three] == 6


@pytest.mark.parametrize("method", [cluster_by_text_mdl, cluster_by_text_hash, cluster_by_text_max])
def test_few_and_empty_pages_are_clusters_too(method) -> None:
    assert method(find_essential_paths([])).clusters == ()
    assert [cluster.members for cluster in method(find_essential_paths(mixed([[1, 2]]))).clusters] == [(0,)]
    empty = find_essential_paths([np.zeros(0, np.uint64), *mixed([[1, 2]])])
    assert sorted(page for cluster in method(empty).clusters for page in cluster.members) == [0, 1]


def test_a_path_ends_in_a_text_or_an_element_and_is_counted_once() -> None:
    page = read_text_paths(parse(b"<html><body><h1>Tech</h1><p>a<br>b</p><p>a<!-- c --></p></body></html>").root)
    assert len(page) == len({"html", "body", "h1", "h1/Tech", "p", "p/a", "p/br", "p/b"})
    assert page.tolist() == sorted(set(page.tolist()))


def test_books_and_authors_of_the_demo_are_told_apart() -> None:
    chosen = [page for page in demo_pages() if "/book" in page.url or "/author" in page.url][:200:5]
    given = find_essential_paths(drop_frame([read_text_paths(parse(page.content).root) for page in chosen]))
    books = {number for number, page in enumerate(chosen) if "/book" in page.url}
    authors = set(range(len(chosen))) - books
    assert len(books) >= 5 and len(authors) >= 5
    assert sorted(map(set, (cluster.members for cluster in cluster_by_text_hash(given).clusters)), key=min) == sorted(
        [books, authors], key=min
    )
