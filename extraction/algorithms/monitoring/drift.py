"""Values that go missing little by little (docs/algorithms.md#drift).

A check compares each page with what it was at the check before. If a site stops giving a value on a few more pages each day, every single
step is too small to be a break, and the pages as they are become the baseline of the next check. So the share of watched pages with a value
is also compared with what it used to be over many checks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

SIGNIFICANCE = 0.03
"""Probability at or below which chance does not explain that so many fewer pages have a value. With it, a value that is drawn anew at each
check is told in at most one check of a hundred, and one that is on 95 % of the pages in one of a thousand."""

LEAST_PAGES = 3
"""The least number of pages that must have lost their value."""

LEAST_FALL = Fraction(1, 5)
"""The least fall of the share of pages with a value. Exact: in floats, from all pages to four fifths is less than a fifth."""


@dataclass(frozen=True, slots=True)
class ValuedPages:
    """How many of the watched pages that answered a check had a value of an attribute. pages: at least 1."""

    valued: int
    pages: int

    @property
    def fraction(self) -> float:
        """Share of the pages with a value."""
        return self.valued / self.pages


def find_usual(earlier: Sequence[ValuedPages], now: ValuedPages) -> ValuedPages | None:
    """Return what was usual if far fewer pages have a value now, else None.

    Usual is the upper quartile of the earlier checks. The best check alone would make a value that comes and goes seem to fall.
    """
    if not earlier:
        return None
    usual = sorted(earlier, key=lambda each: (-each.fraction, -each.pages))[len(earlier) // 4]
    lost = Fraction(usual.valued * now.pages, usual.pages) - now.valued
    fell = lost >= LEAST_PAGES and lost >= LEAST_FALL * now.pages
    return usual if fell and compute_chance(usual, now) <= SIGNIFICANCE else None


def compute_chance(usual: ValuedPages, now: ValuedPages) -> float:
    """Return the probability that so few pages have a value now if nothing changed (Fisher's exact test, one-sided)."""
    pages, valued = usual.pages + now.pages, usual.valued + now.valued
    least = max(0, valued - usual.pages)
    ways = sum(comb(now.pages, n) * comb(usual.pages, valued - n) for n in range(least, now.valued + 1))
    return ways / comb(pages, valued)
