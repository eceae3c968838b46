"""Finds values that differ from those of the other pages. They were probably read at a wrong place and should be reviewed.

A value is compared with the median of all values, not with their range, since the outliers are among them. Its length in octaves and
its shares of letters and digits are judged by median and median deviation (Hampel's identifier), and its type by the type that
nearly all others can be read as. No value is rejected here; each outlier only comes with the reason why somebody should look at it.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

FEW_VALUES = 8
"""With fewer values none is an outlier: there is no usual value to differ from."""

DEVIATIONS = 6.0
"""Median deviations from the median beyond which a value is an outlier; four standard deviations of a normal distribution."""

MIN_OCTAVES, MIN_SHARE = 1.6, 0.45
"""A value nearer to the median than this is never an outlier, however alike the others are: three times as long, half the characters."""

READ_SHARE = 0.9
"""Share of the values that must read as their type for one that does not to be an outlier."""

SLACK_CHARS = 4
"""Added to lengths, because of two short texts one is easily three times as long."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value of a page and how it differs from the others, in words."""

    page: int
    value: str
    reason: str


def find_outliers(values: Mapping[int, Sequence[str]], unreadable: Collection[str] = ()) -> list[Outlier]:
    """The outliers, one per page, by page.

    values: {page: values}.
    unreadable: those values that do not read as the attribute's type.
    """
    rows = [(page, value) for page, each in sorted(values.items()) for value in each]
    if len(rows) < FEW_VALUES:
        return []
    texts = [value for _, value in rows]
    unread = [text in unreadable for text in texts]
    most_read = unread.count(False) >= READ_SHARE * len(texts)
    lengths = _find_sides([math.log2(len(text) + SLACK_CHARS) for text in texts], MIN_OCTAVES)
    letters = _find_sides([_share(text, str.isalpha) for text in texts], MIN_SHARE)
    digits = _find_sides([_share(text, str.isdigit) for text in texts], MIN_SHARE)
    usual = median(len(text) for text in texts)
    found: dict[int, Outlier] = {}
    for n, (page, value) in enumerate(rows):
        reason = (
            "cannot be read as its type, although most others can"
            if unread[n] and most_read
            else f"{len(value)} characters; half of the others have {'less' if lengths[n] > 0 else 'more'} than {usual:.0f}"
            if lengths[n]
            else f"{'more' if letters[n] > 0 else 'fewer'} letters than the others"
            if letters[n]
            else f"{'more' if digits[n] > 0 else 'fewer'} digits than the others"
            if digits[n]
            else ""
        )
        if reason:
            found.setdefault(page, Outlier(page, value, reason))
    return list(found.values())


def _find_sides(numbers: Sequence[float], least: float) -> list[int]:
    """Return 1, -1 or 0 for each number: far above, far below or near the median. least: smaller deviations always count as near."""
    middle = median(numbers)
    limit = max(DEVIATIONS * median(abs(number - middle) for number in numbers), least)
    return [0 if abs(number - middle) <= limit else 1 if number > middle else -1 for number in numbers]


def _share(text: str, test: Callable[[str], bool]) -> float:
    return sum(map(test, text)) / max(len(text), 1)
