"""How unlike the marked values what a rule selects on other pages is (ALGORITHMS 4.3: length, count, not constant).

Nothing here rules a value out: it is a price, in the units of `costs`, for rules to be compared by. Each part is 0
for values as different among themselves as those of one attribute usually are.
"""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median

Values = Sequence[tuple[int, str]]
"""(page, cleaned value)."""

FREE_OCTAVES = 1.0
"""Factor of two in length, or in number of values a page, that costs nothing."""

MAX_OCTAVES = 3.0
"""Further than this counts no more."""


def price_values(marked: Values, others: Values, *, whole: bool = True) -> float:
    """0 when the other pages' values look like the marked ones, up to some 6 when in no way.

    whole: the marked ones are most of their page's, so that their number says something.
    """
    if not marked or not others:
        return 0.0
    mine, theirs = [text for _, text in marked], [text for _, text in others]
    return _lengths(mine, theirs) + (_counts(marked, others) if whole else 0.0) + _digits(mine, theirs) + _constant(marked, others)


def _octaves(ratio: float, free: float) -> float:
    return min(max(abs(math.log2(ratio)) - free, 0.0), MAX_OCTAVES)


def _lengths(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """Median lengths, short texts taken as longer than they are; freer where the marked ones differ themselves."""
    own = [len(text) + 8 for text in mine]
    spread = math.log2(max(own) / min(own)) / 2
    return _octaves((median(len(text) for text in theirs) + 8) / median(own), FREE_OCTAVES + spread)


def _counts(marked: Values, others: Values) -> float:
    """Values a page, where there are several."""
    mine, theirs = Counter(page for page, _ in marked), Counter(page for page, _ in others)
    if max(mine.values()) < 2:
        return 0.0
    return 0.5 * _octaves((median(theirs.values()) + 1) / (median(mine.values()) + 1), FREE_OCTAVES)


def _digits(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """Share of digits among the characters."""
    return max(abs(median(map(_share, theirs)) - median(map(_share, mine))) - 0.3, 0.0)


def _share(text: str) -> float:
    return sum(map(str.isdigit, text)) / len(text) if text else 0.0


def _constant(marked: Values, others: Values) -> float:
    """The same value on all other pages, and another on the annotated ones: navigation."""
    theirs = {text for _, text in others}
    pages = {page for page, _ in others}
    return 1.0 if len(theirs) == 1 and len(pages) >= 3 and not theirs & {text for _, text in marked} else 0.0
