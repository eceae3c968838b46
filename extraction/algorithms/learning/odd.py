"""Values that are unlike those of the other pages: likely wrong places, ready to be looked at.

Judged against the middle of all values, not against their range, since the odd ones are among them: length in octaves
and the share of letters and of digits by median and median deviation (Hampel's identifier), the type by what nearly
all others can be read as. Nothing here refuses a value; it only says why somebody should look.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

FEW_VALUES = 8
"""With fewer values none is odd: there is no usual to be off."""

DEVIATIONS = 6.0
"""Median deviations from the median beyond which a value is odd; four standard deviations of a normal distribution."""

MIN_OCTAVES, MIN_SHARE = 1.6, 0.45
"""What is less than so far from the median is never odd, however alike the others are: three times as long, half the characters."""

READ_SHARE = 0.9
"""Share of the values that read as their type for one that does not to be odd."""

SLACK_CHARS = 4
"""Added to lengths: of two short texts one is easily three times as long."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A value of a page and what is unlike the others, in words."""

    page: int
    value: str
    reason: str


def odd(values: Mapping[int, Sequence[str]], reads: Callable[[str], bool] | None = None) -> list[Odd]:
    """The odd values, one a page, by page. values: {page: values}. reads: whether a value reads as the attribute's type."""
    rows = [(page, value) for page, each in sorted(values.items()) for value in each]
    if len(rows) < FEW_VALUES:
        return []
    texts = [value for _, value in rows]
    unread = [False] * len(texts) if reads is None else [not reads(text) for text in texts]
    strange = [bad and unread.count(False) >= READ_SHARE * len(texts) for bad in unread]
    lengths = _apart([math.log2(len(text) + SLACK_CHARS) for text in texts], MIN_OCTAVES)
    letters = _apart([_share(text, str.isalpha) for text in texts], MIN_SHARE)
    digits = _apart([_share(text, str.isdigit) for text in texts], MIN_SHARE)
    usual = median(len(text) for text in texts)
    found: dict[int, Odd] = {}
    for n, (page, value) in enumerate(rows):
        reason = (
            "cannot be read as its type, although most others can"
            if strange[n]
            else f"{len(value)} characters; half of the others have {'less' if lengths[n] > 0 else 'more'} than {usual:.0f}"
            if lengths[n]
            else f"{'more' if letters[n] > 0 else 'fewer'} letters than the others"
            if letters[n]
            else f"{'more' if digits[n] > 0 else 'fewer'} digits than the others"
            if digits[n]
            else ""
        )
        if reason:
            found.setdefault(page, Odd(page, value, reason))
    return list(found.values())


def _apart(numbers: Sequence[float], least: float) -> list[int]:
    """1, -1 or 0 for each number: far above, far below or near the median."""
    middle = median(numbers)
    limit = max(DEVIATIONS * median(abs(number - middle) for number in numbers), least)
    return [0 if abs(number - middle) <= limit else 1 if number > middle else -1 for number in numbers]


def _share(text: str, of: Callable[[str], bool]) -> float:
    return sum(map(of, text)) / max(len(text), 1)
