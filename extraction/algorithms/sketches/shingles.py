"""Shingle vectors: eight bytes that stand for the structure of a page (Gulhane et al. 2011, section 3.1.1;
docs/algorithms.md#page-clustering).

A shingle is l = `SHINGLE_TAGS` consecutive tags, and S is the set of a page's shingles. For each of eight independent hash functions, the
shingle with the smallest hash is found, and one byte of that hash is kept: v[1..8]. Two pages agree on a byte with probability J + (1 -
J)/256, where J is the Jaccard coefficient of their shingle sets (b-bit minwise hashing, Li & König 2010).

Departure from the paper: it hashes a shingle to one byte and keeps the smallest byte. Real pages have some 900 distinct shingles, so nearly
every such minimum is 0, and pages of different sites agree. We take the minimum over 64 bits and keep one byte of the winner that hardly
depends on the comparison.

Vectors are stored and compared for years, so they are the same on every machine and in every release: all constants follow from the seed by
SplitMix64. Whoever changes one must change `SCHEME`. Cost: a fifth to an eighth of parsing the page.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import I64, U64, keep_freed_memory
from extraction.algorithms.dom.tokens import TagTokens, tag_tokens
from extraction.algorithms.sketches.splitmix64 import odd_constants

ShingleVector = int
"""A page's vector. v[1] is the most significant byte of an unsigned 64-bit number."""

SCHEME = "tags10-minwise64-8x8/1"
"""Names tokens, shingle length, hashing and seed. It is stored with vectors, because those of different schemes cannot be compared."""

SHINGLE_TAGS = 10
"""l, as in the paper. Shorter shingles tell the templates of one site less well apart."""

VECTOR_BYTES = 8

SEED = 0
"""Seed of the shipped vectors, chosen before any quality was looked at."""

BATCH_BYTES = 1 << 19
"""Pages are hashed in batches of about this size: many small pages share the cost of a call, and the arrays stay near the cache."""

_MASK64 = (1 << 64) - 1
_BYTE_TEXT = re.compile(r"[0-9a-f]{2}|\*\*")


@dataclass(frozen=True, slots=True)
class Mask:
    """A masked shingle vector: a vector some of whose bytes may be anything. Raises ValueError for values that do not fit together.

    value: the vector, with 0 for wildcard bytes.
    wildcards: 0xff for each wildcard byte, else 0.
    """

    value: int
    wildcards: int = 0

    def __post_init__(self) -> None:
        whole_bytes = all(byte in (0, 0xFF) for byte in _bytes(self.wildcards))
        if not whole_bytes or self.value & self.wildcards or not 0 <= self.value <= _MASK64:
            raise ValueError(f"not a masked shingle vector: value {self.value:#x}, wildcards {self.wildcards:#x}")

    @classmethod
    def from_text(cls, text: str) -> "Mask":
        """Return the mask that `text` wrote. Raises ValueError for anything else."""
        parts = text.split(".")
        if len(parts) != VECTOR_BYTES or not all(_BYTE_TEXT.fullmatch(part) for part in parts):
            raise ValueError(f"not a masked shingle vector: {text!r}")
        value = bytes(0 if part == "**" else int(part, 16) for part in parts)
        wildcards = bytes(0xFF if part == "**" else 0 for part in parts)
        return cls(int.from_bytes(value, "big"), int.from_bytes(wildcards, "big"))

    @property
    def wildcard_count(self) -> int:
        """The number of bytes that are wildcards, from 0 to 8."""
        return self.wildcards.bit_count() // 8

    def covers(self, vector: ShingleVector) -> bool:
        """Return whether the vector agrees on every byte that is not a wildcard."""
        return (vector ^ self.value) & ~self.wildcards & _MASK64 == 0

    def text(self) -> str:
        """Return the mask as ``3f.a2.**.10.…``: two hexadecimal digits for a byte, two stars for a wildcard."""
        pairs = zip(_bytes(self.value), _bytes(self.wildcards), strict=True)
        return ".".join("**" if wildcard else f"{byte:02x}" for byte, wildcard in pairs)


def compute_vector(content: bytes, *, seed: int = SEED) -> ShingleVector:
    """Return the shingle vector of one page's bytes. Any bytes have a vector. For many pages, `compute_vectors` is several times faster."""
    return compute_vectors([content], seed=seed)[0]


def compute_vectors(contents: Iterable[bytes], *, seed: int = SEED) -> list[ShingleVector]:
    """Return the shingle vectors of pages, in their order. Pages are read batch by batch.

    A page's vector does not depend on the pages beside it. A page with fewer than l tags has the one shingle it can fill. A page without
    tags has the shingle of nothing, which gives a vector of its own.

    contents: bytes as `dom.tokens` takes them, raw or UTF-8.
    """
    keep_freed_memory()
    hashes = _Hashes(seed)
    result: list[ShingleVector] = []
    for batch in _batches(contents):
        result.extend(hashes.vectors(tag_tokens(batch)))
    return result


def collect_shingles(content: bytes) -> frozenset[tuple[int, ...]]:
    """Return S itself, as tuples of tag tokens. It is meant for measuring the true similarity of two pages, not for production."""
    tokens = tag_tokens([content]).tokens.tolist()
    tokens += [0] * (SHINGLE_TAGS - len(tokens))
    return frozenset(tuple(tokens[i : i + SHINGLE_TAGS]) for i in range(len(tokens) - SHINGLE_TAGS + 1))


def _bytes(number: int) -> bytes:
    try:
        return number.to_bytes(VECTOR_BYTES, "big")
    except OverflowError:
        raise ValueError(f"not an unsigned 64-bit number: {number:#x}") from None


def _batches(contents: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for content in contents:
        batch.append(content)
        size += len(content)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Hashes:
    """The hash functions of one seed: h_i(shingle) = a_i · x(shingle) mod 2^64, with x mixed well and a_i odd."""

    def __init__(self, seed: int) -> None:
        constants = odd_constants(5 + VECTOR_BYTES, seed=seed)
        self._spread, self._base, self._mix, self._first, self._second = (np.uint64(each) for each in constants[:5].tolist())
        self._multipliers = constants[5:]

    def vectors(self, pages: TagTokens) -> list[ShingleVector]:
        tokens, bounds = _padded(pages)
        hashed = self._windows(tokens)
        # Windows that run across two pages lie between a page's last start and the next page's first: reduced apart, dropped.
        edges = np.stack((bounds[:-1], bounds[1:] - SHINGLE_TAGS + 1), axis=1).ravel()[:-1]
        winners = np.empty((VECTOR_BYTES, len(bounds) - 1), np.uint64)
        products = np.empty_like(hashed)
        for row, multiplier in zip(winners, self._multipliers, strict=True):
            np.multiply(hashed, multiplier, out=products)
            row[:] = np.minimum.reduceat(products, edges)[::2]
        kept = (winners >> np.uint64(16)).astype(np.uint8)
        packed: list[ShingleVector] = np.ascontiguousarray(kept.T).view(">u8").ravel().tolist()
        return packed

    def _windows(self, tokens: U64) -> U64:
        """Return x of each window of ten tokens: a polynomial in an odd base over mixed tokens, by doubling (2, 4, 8, 8 + 2), mixed
        again."""
        base = int(self._base)
        one = tokens * self._spread
        one ^= one >> np.uint64(32)
        one *= self._mix
        two = one[:-1] * self._base + one[1:]
        four = two[:-2] * np.uint64(base**2 & _MASK64) + two[2:]
        eight = four[:-4] * np.uint64(base**4 & _MASK64) + four[4:]
        ten = eight[:-2] * np.uint64(base**2 & _MASK64) + two[8:]
        ten ^= ten >> np.uint64(32)
        ten *= self._first
        ten ^= ten >> np.uint64(29)
        ten *= self._second
        ten ^= ten >> np.uint64(32)
        return ten


def _padded(pages: TagTokens) -> tuple[U64, I64]:
    """Return tokens and bounds in which every page is filled up to l tokens by zeros, which are no tag."""
    counts = np.diff(pages.bounds)
    if counts.min() >= SHINGLE_TAGS:
        return pages.tokens, pages.bounds
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.maximum(counts, SHINGLE_TAGS))))
    tokens = np.zeros(bounds[-1], np.uint64)
    tokens[np.arange(len(pages.tokens)) + np.repeat(bounds[:-1] - pages.bounds[:-1], counts)] = pages.tokens
    return tokens, bounds
