"""Template text by windows (Gibson, Punera & Tomkins, WWW 2005, text-based detector; docs/algorithms.md#template-detection).

The paper's symbols: W is the length in characters of a window that slides over a page's text without tags, D the divisor, P the number of
pages looked at, and F the smallest number of them that must hold a fragment for it to belong to the template. A fragment is kept only if
its hash ≡ 0 mod D, so that the same fragment is kept on every page or on none; D = 0 keeps all. Fragments on at least F pages belong to the
template. Those that overlap or touch in a page are joined. The set of hashes suffices to mark the template parts of a new page, in one
scan.

The hash of a window is Σ a_i·c_i mod 2^64 over its code points c_i, with fixed odd a_i, mixed by SplitMix64's finalizer. Two windows agree
by chance once in 2^44, whatever the page's author writes. W numpy passes over the page hash all of its windows. A fragment counts once a
page. Cost: W operations a character. Memory: 8 bytes for each fragment that is kept.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from extraction.algorithms.arrays import I64, U64
from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.sketches.splitmix64 import mix_bits

WINDOW_CHARS = 32
DIVISOR = 0
SAMPLE_PAGES = 200
"""The paper's sample of a site."""

FREQUENCY_FRACTION = 0.5
"""F relative to the number of pages looked at; see `template_hash.LOW_FRACTION`."""


@dataclass(frozen=True, slots=True, eq=False)
class TextTemplate:
    """The fragments of a template.

    window: W in characters.
    divisor: D.
    hashes: shape (fragments,), ascending, distinct.
    """

    window: int
    divisor: int
    hashes: U64

    def mark(self, text: str) -> list[tuple[int, int]]:
        """Return the template parts of a page's text as [start, end) in characters of `clean(text)`, disjoint, ascending."""
        starts, hashes = _fragments(clean(text), self.window, self.divisor)
        found: list[tuple[int, int]] = []
        for start in starts[np.isin(hashes, self.hashes)].tolist():
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], start + self.window)
            else:
                found.append((start, start + self.window))
        return found

    def fraction(self, text: str) -> float:
        """Return the share of a page's characters that belong to the template; 0 for an empty page."""
        length = len(clean(text))
        return sum(end - start for start, end in self.mark(text)) / length if length else 0.0


def learn_text_template(
    texts: Sequence[str],
    *,
    window: int = WINDOW_CHARS,
    divisor: int = DIVISOR,
    pages: int = SAMPLE_PAGES,
    frequency: int | None = None,
    seed: int = 1,
) -> TextTemplate:
    """Return the text that belongs to the template, found on a sample of the texts.

    Raises ValueError for a window under 1, a divisor under 0 and F under 2.

    pages: the size of the sample.
    frequency: F, by default half of the sample and at least 2.
    """
    if window < 1 or divisor < 0 or (frequency is not None and frequency < 2):
        raise ValueError(f"window ≥ 1, divisor ≥ 0 and frequency ≥ 2 are needed, got {window}, {divisor} and {frequency}")
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    sample = list(texts) if len(texts) <= pages else draw.sample(list(texts), pages)
    least = frequency if frequency is not None else max(2, round(FREQUENCY_FRACTION * len(sample)))
    kept = [np.unique(_fragments(clean(text), window, divisor)[1]) for text in sample]
    hashes, seen = np.unique(np.concatenate([np.zeros(0, np.uint64), *kept]), return_counts=True)
    return TextTemplate(window, divisor, hashes[seen >= least])


def _fragments(text: str, window: int, divisor: int) -> tuple[I64, U64]:
    """Return (where each kept window starts, its hash), in order; none if the text is shorter than a window."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    if len(codes) < window:
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    places = len(codes) - window + 1
    sums = np.zeros(places, np.uint64)
    for offset, factor in enumerate(_factors(window)):
        sums += codes[offset : offset + places] * factor
    hashes = mix_bits(sums)
    kept = np.flatnonzero(hashes % np.uint64(divisor) == 0) if divisor else np.arange(places)
    return kept, hashes[kept]


def _factors(window: int) -> list[np.uint64]:
    digests = (blake2b(str(offset).encode(), digest_size=8).digest() for offset in range(window))
    return [np.uint64(int.from_bytes(digest, "little") | 1) for digest in digests]
