"""Algorithm 1 gives what the paper's listing gives, in any order of pages, from memory or as a stream."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.masked_shingles import VectorCounts, cluster_vectors
from extraction.algorithms.sketches.shingles import Mask, compute_vectors
from tests.algorithms.clustering import listing


def near(base: int, changes: list[tuple[int, int]]) -> int:
    row = bytearray(base.to_bytes(8, "big"))
    for place, byte in changes:
        row[place] = byte
    return int.from_bytes(row, "big")


# Few bases and few byte values, so that candidates overlap, tie and compete; zero bytes, whose masks have equal values.
page_vector = st.builds(
    near,
    st.sampled_from([0, 0x0102030405060708, 0xFFFFFFFFFFFFFFFF]),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3)), max_size=4),
)
pages = st.lists(page_vector, max_size=40).map(lambda row: {f"p{i}": v for i, v in enumerate(row)})


def as_sets(mask: Mask) -> listing.Masked:
    return tuple(None if part == "**" else int(part, 16) for part in mask.text().split("."))


@settings(deadline=None, max_examples=300)
@given(pages, st.integers(1, 6))
def test_agrees_with_the_papers_listing(site: dict[str, int], threshold: int) -> None:
    expected, unclustered = listing.cluster(site, threshold)
    found = cluster_vectors(site, threshold=threshold)
    assert {as_sets(c.mask): (set(c.members), c.count) for c in found.clusters} == expected
    assert set(found.unclustered) == unclustered


@settings(deadline=None)
@given(pages, st.integers(1, 4), st.randoms(use_true_random=False))
def test_order_of_pages_does_not_matter(site: dict[str, int], threshold: int, chance: random.Random) -> None:
    shuffled = list(site.items())
    chance.shuffle(shuffled)
    one, other = cluster_vectors(site, threshold=threshold), cluster_vectors(shuffled, threshold=threshold)
    assert [(c.mask, c.count, set(c.members)) for c in one.clusters] == [(c.mask, c.count, set(c.members)) for c in other.clusters]
    assert set(one.unclustered) == set(other.unclustered)


@settings(deadline=None)
@given(pages, st.integers(1, 4))
def test_every_page_is_in_one_cluster_that_covers_it_or_shown_as_unclustered(site: dict[str, int], threshold: int) -> None:
    found = cluster_vectors(site, threshold=threshold)
    placed = [page for c in found.clusters for page in c.members] + list(found.unclustered)
    assert sorted(placed) == sorted(site)
    assert all(c.mask.covers(site[page]) for c in found.clusters for page in c.members)
    assert not any(c.mask.covers(site[page]) for c in found.clusters for page in found.unclustered)
    assert all(c.members and c.count >= threshold for c in found.clusters)


@settings(deadline=None)
@given(pages, st.integers(1, 4))
def test_pages_counted_one_by_one_and_assigned_later_are_in_the_same_clusters(site: dict[str, int], threshold: int) -> None:
    counts = VectorCounts()
    for vector in site.values():
        counts.extend((vector,))
    masks = counts.select(threshold=threshold)
    places = masks.assign(np.array(list(site.values()), np.uint64)).tolist()
    found = cluster_vectors(site, threshold=threshold)
    expected = {page: c.mask for c in found.clusters for page in c.members} | dict.fromkeys(found.unclustered)
    assert {page: masks.masks[place] if place >= 0 else None for page, place in zip(site, places, strict=True)} == expected


def test_two_templates_with_small_variations_are_two_clusters() -> None:
    book, author = 0x1111111111111111, 0x2222222222222222
    site = {f"b{i}": near(book, [(i % 2, 7)]) for i in range(6)} | {f"a{i}": author for i in range(5)} | {"about": 0x3333333333333333}
    found = cluster_vectors(site, threshold=5)
    assert [(c.mask.text(), c.count) for c in found.clusters] == [("**.**.11.11.11.11.11.11", 6), ("22.22.22.22.22.22.22.22", 5)]
    assert found.clusters[0].members == ("b0", "b1", "b2", "b3", "b4", "b5")
    assert found.unclustered == ("about",)


def test_identical_pages_get_the_mask_without_wildcards() -> None:
    found = cluster_vectors({f"p{i}": 0xAB00000000000000 for i in range(7)})
    assert found.clusters[0].mask == Mask(0xAB00000000000000)


def test_a_vector_gives_up_the_masks_it_does_not_choose() -> None:
    """4 × a and 3 × b differ in one byte: b takes the shared 7/8 mask, whose count of 7 is the largest."""
    found = cluster_vectors([(i, 0) for i in range(4)] + [(i + 4, 0xFF) for i in range(3)], threshold=3)
    assert [(c.mask, c.count, c.members) for c in found.clusters] == [(Mask(0, 0xFF), 7, tuple(range(7)))]


def test_no_pages_no_clusters() -> None:
    assert cluster_vectors({}).clusters == ()


def test_fewer_pages_than_the_threshold_stay_unclustered() -> None:
    assert cluster_vectors({1: 5, 2: 5}, threshold=3).unclustered == (1, 2)


def test_a_threshold_under_one_is_refused() -> None:
    with pytest.raises(ValueError, match="threshold is 0"):
        cluster_vectors({}, threshold=0)


def test_counts_merge_what_comes_in_many_blocks() -> None:
    chosen = np.random.default_rng(3).integers(0, 50_000, 300_000, dtype=np.uint64)
    counts = VectorCounts()
    counts.extend(chosen.tolist())
    values, numbers = counts.distinct()
    expected = np.unique(chosen, return_counts=True)
    assert (values == expected[0]).all()
    assert (numbers == expected[1]).all()


def test_a_new_page_finds_its_mask() -> None:
    counts = VectorCounts()
    counts.extend([0x1111111111111111, 0x1211111111111111, 0x1311111111111111])
    masks = counts.select(threshold=3)
    assert masks.masks == (Mask(0x0011111111111111, 0xFF << 56),)
    assert masks.assign(np.array([0x9911111111111111, 0x9999999999999999], np.uint64)).tolist() == [0, -1]


def test_pages_of_two_templates_part_by_their_tags() -> None:
    def book(reviews: int) -> bytes:
        head = "".join(f"<div><h{i}>x</h{i}><p><b>l</b><i>v</i></p></div>" for i in range(1, 7)) * 4
        return f"<html><body>{head}<ul>{'<li><a>r</a></li>' * reviews}</ul></body></html>".encode()

    def listing_page(rows: int) -> bytes:
        return f"<html><body><table>{'<tr><td><img></td><td><span>x</span></td></tr>' * rows}</table></body></html>".encode()

    bodies = {f"book{i}": book(8 + i) for i in range(10)} | {f"list{i}": listing_page(10 + i) for i in range(10)}
    found = cluster_vectors(dict(zip(bodies, compute_vectors(bodies.values()), strict=True)))
    assert sorted(sorted(c.members) for c in found.clusters) == [[f"book{i}" for i in range(10)], [f"list{i}" for i in range(10)]]
