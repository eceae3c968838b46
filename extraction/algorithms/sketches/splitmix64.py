"""SplitMix64 (Steele, Lea & Flood 2014): a generator of 64-bit numbers whose output is the same everywhere, forever.

The constants of hash functions whose results are stored for years come from here.
"""

import numpy as np

from extraction.algorithms.arrays import U64

_STEP = 0x9E3779B97F4A7C15
"""The golden gamma: by how much the state grows with each number."""


def odd_constants(count: int, *, seed: int) -> U64:
    """Return odd 64-bit constants that follow from a seed, shape (count,)."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    return mix_bits(steps * np.uint64(_STEP) + np.uint64(seed & (2**64 - 1))) | np.uint64(1)


def mix_bits(numbers: U64) -> U64:
    """Return the numbers mixed by SplitMix64's finalizer: one to one, and each bit depends on all bits."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
