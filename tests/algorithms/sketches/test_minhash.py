"""MinHash signatures agree with plain loops over Python's whole numbers, also after collections were merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.sketches.minhash import ExtendedSignatures, sign_set, sign_sets
from extraction.algorithms.sketches.splitmix64 import odd_constants

LENGTH = 5
EMPTY = 2**64 - 1
members = st.frozensets(st.integers(0, 30).map(lambda n: n * 0x9E3779B97F4A7C15 % 2**64), max_size=6)
Collection = list[frozenset[int]]


def plain_rank(members: frozenset[int], multiplier: int) -> int:
    return min((member * multiplier % 2**64 for member in members), default=EMPTY)


def signed(collections: list[frozenset[int]]) -> ExtendedSignatures:
    """One set a collection."""
    arrays = [np.array(sorted(each), np.uint64) for each in collections]
    sizes = np.array([len(each) for each in collections], np.int64)
    return ExtendedSignatures.of_equal_sets(sign_sets(arrays, length=LENGTH, seed=3), np.ones(len(arrays), np.int64), sizes)


@given(members)
def test_a_signature_holds_the_least_rank_in_each_permutation(members: frozenset[int]) -> None:
    multipliers = odd_constants(LENGTH, seed=3).tolist()
    found = sign_set(np.array(sorted(members), np.uint64), length=LENGTH, seed=3)
    assert found.tolist() == [plain_rank(members, each) for each in multipliers]


def test_a_set_that_is_read_in_several_blocks_has_the_signature_of_all_of_it() -> None:
    members = np.random.default_rng(1).integers(0, 2**63, 20_001, dtype=np.uint64)
    parts = [sign_set(members[start : start + 500]) for start in range(0, len(members), 500)]
    assert (sign_set(members) == np.min(parts, axis=0)).all()
    lowest = int(np.argmin(members * odd_constants(1, seed=0)[0]))
    for place in (0, 8191, 8192, 16_384, 20_000):  # the least member in each block, first and last
        moved = members.copy()
        moved[[place, lowest]] = moved[[lowest, place]]
        assert (sign_set(moved) == sign_set(members)).all()


@given(st.lists(members, min_size=2, max_size=5))
def test_merged_collections_know_how_many_of_their_sets_hold_the_minimum(sets: Collection) -> None:
    signatures = signed(sets)
    for other in range(1, len(sets)):
        signatures.merge(0, other)
    union = frozenset().union(*sets)
    for place, multiplier in enumerate(odd_constants(LENGTH, seed=3).tolist()):
        least = plain_rank(union, multiplier)
        assert signatures.ranks[0, place] == least
        assert signatures.attained[0, place] == sum(bool(each) and plain_rank(each, multiplier) == least for each in sets)
    assert signatures.sets[0] == len(sets)
    assert signatures.totals[0] == sum(map(len, sets))
    assert signatures.ranks[1].tolist() == signed(sets).ranks[1].tolist(), "the others stay as they are"


@given(st.lists(members, min_size=2, max_size=5))
def test_the_jaccard_estimate_is_the_share_of_permutations_with_the_same_minimum(sets: Collection) -> None:
    multipliers = odd_constants(LENGTH, seed=3).tolist()
    wanted = [sum(bool(sets[0]) and plain_rank(sets[0], m) == plain_rank(each, m) for m in multipliers) / LENGTH for each in sets]
    assert signed(sets).jaccard(0, np.arange(len(sets))).tolist() == pytest.approx(wanted)


def test_a_collection_of_equal_sets_attains_with_all_of_them_unless_they_are_empty() -> None:
    ranks = sign_sets([np.array([5, 6], np.uint64), np.zeros(0, np.uint64), np.array([5], np.uint64)], length=2)
    found = ExtendedSignatures.of_equal_sets(ranks, np.array([4, 3, 2]), np.array([8, 0, 1]))
    assert found.attained.tolist() == [[4, 4], [0, 0], [2, 2]]


def test_no_sets_have_no_signatures() -> None:
    assert sign_sets([], length=7).shape == (0, 7)
