"""Weak features, for rules that only count (docs/algorithms.md#rule-learning; Gulhane et al. 2011, section 3.1.3).

A rule such as "the first item of this list" is right on every known page and gives a neighbour's value on the first page that lacks its
own. The rule says nothing about the value, so its values are judged by what they look like: their words, digits, length and vocabulary,
compared with those of their neighbours. A naive Bayes classifier over these features is a sum of log odds. A feature that each of many
values has and few neighbours have decides alone, and a single feature can be written as a condition of the XPath, which runs wherever
the rule runs. Further features would only blur it, so they are left out.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.xpath import cleaned, quote

MIN_VALUES = 8
"""Fewest values that must share a feature before the next value is expected to have it."""

MAX_WORDS = 6
"""Most different values of an attribute that takes its values from a list ("Public", "Private")."""

MIN_LOG_ODDS = math.log(4)
"""Least evidence that lets a feature decide. With 9 values, all of them have it and a fifth of the neighbours do."""


@dataclass(frozen=True, slots=True)
class WeakFeature:
    """A condition on a value.

    test: its XPath.
    words: the condition for people.
    holds: the same in Python, of a cleaned text.
    """

    test: str
    words: str
    holds: Callable[[str], bool]


def find_telling_feature(values: Sequence[str], neighbours: Sequence[str]) -> WeakFeature | None:
    """The condition that all values satisfy and that excludes the neighbours best; None when no condition does so clearly."""
    if len(values) < MIN_VALUES or not neighbours:
        return None
    shared = [weak for weak in _conditions(values) if all(map(weak.holds, values))]
    best = max(shared, key=lambda weak: _log_odds(weak, len(values), neighbours), default=None)
    return best if best and _log_odds(best, len(values), neighbours) >= MIN_LOG_ODDS else None


def _log_odds(weak: WeakFeature, values: int, neighbours: Sequence[str]) -> float:
    """log P(feature | value) / P(feature | neighbour), both with one success and one failure added (Laplace)."""
    among = sum(map(weak.holds, neighbours))
    return math.log((values + 1) / (values + 2)) - math.log((among + 1) / (len(neighbours) + 2))


def _conditions(values: Sequence[str]) -> list[WeakFeature]:
    text, longest = cleaned("."), 2 * max(map(len, values))
    digits = "translate({}, '0123456789', '')"
    return [
        WeakFeature(f"not(contains({text}, ' '))", "of one word", lambda value: " " not in value),
        WeakFeature(f"contains({text}, ' ')", "of several words", lambda value: " " in value),
        WeakFeature(f"{digits.format(text)} = {text}", "without digits", lambda value: not any(c in "0123456789" for c in value)),
        WeakFeature(f"{digits.format(text)} != {text}", "with digits", lambda value: any(c in "0123456789" for c in value)),
        WeakFeature(f"string-length({text}) <= {longest}", f"of at most {longest} characters", lambda value: len(value) <= longest),
        *_vocabulary(values),
    ]


def _vocabulary(values: Sequence[str]) -> list[WeakFeature]:
    """The condition that a value is one of those known, where each was seen twice: by Good and Turing's estimate few others are to come.

    One value alone is no vocabulary: these pages may have the same text by chance.
    """
    seen = Counter(values)
    if not 2 <= len(seen) <= MAX_WORDS or min(seen.values()) < 2:
        return []
    known, text = sorted(seen), cleaned(".")
    test = " or ".join(f"{text} = {quote(value)}" for value in known)
    return [WeakFeature(test, "one of " + ", ".join(f"“{value[:30]}”" for value in known), lambda value: value in seen)]
