"""SplitMix64 gives the numbers of its reference implementation, here written out plainly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.sketches.splitmix64 import mix_bits, odd_constants


def reference(seed: int, count: int) -> list[int]:
    """The generator with Python's whole numbers (Steele, Lea & Flood 2014, figure 16)."""
    state, found = seed, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) % 2**64
        found.append(mixed ^ (mixed >> 31))
    return found


def test_the_first_numbers_of_seed_0_are_those_that_are_published() -> None:
    assert reference(0, 3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert odd_constants(3, seed=0).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F5, 0x06C45D188009454F]


@given(st.integers(-(2**66), 2**66), st.integers(0, 20))
def test_constants_are_those_of_the_generator_made_odd(seed: int, count: int) -> None:
    """A seed of more than 64 bits, or below 0, is the one that its last 64 bits are."""
    assert odd_constants(count, seed=seed).tolist() == [number | 1 for number in reference(seed % 2**64, count)]


@pytest.mark.parametrize("bit", [0, 1, 31, 63])
def test_one_bit_changes_about_half_of_the_bits(bit: int) -> None:
    numbers = np.random.default_rng(1).integers(0, 2**63, 2000, dtype=np.uint64)
    changed = np.bitwise_count(mix_bits(numbers) ^ mix_bits(numbers ^ np.uint64(1 << bit)))
    assert 31 < changed.mean() < 33
