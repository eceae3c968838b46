"""Weak features, for rules that only count (ALGORITHMS 4.4; Vertex 3.1.3).

A rule such as "the first item of this list" is right on every known page and gives a neighbour's value on the first
page that lacks its own. What it asks for says nothing of the value, so its values are judged by what they look like:
their words, digits, length and vocabulary, against those of their neighbours. A naive Bayes classifier over these features is a
sum of log odds; a feature that each of many values has, and few neighbours have, decides alone, and that one can be
written as a condition of the XPath, which runs wherever the rule runs. Others would only blur it, so they stay out.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.xpath import cleaned, quote

MIN_VALUES = 8
"""Fewest values that have to share a feature before it is believed of the next one."""

MAX_WORDS = 6
"""Most different values of an attribute that takes its values from a list ("Public", "Private")."""

MIN_LOG_ODDS = math.log(4)
"""Least evidence that lets a feature decide: with 9 values it is had by all of them and by a fifth of the neighbours."""


@dataclass(frozen=True, slots=True)
class WeakFeature:
    """A condition on a value. test: its XPath; holds: the same in Python, of a cleaned text; words: for people."""

    test: str
    words: str
    holds: Callable[[str], bool]


def find_telling_feature(values: Sequence[str], neighbours: Sequence[str]) -> WeakFeature | None:
    """The condition that all values satisfy and that speaks most against the neighbours; None when none is telling."""
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
    """That a value is one of those known, where each was seen twice: then, after Good and Turing, hardly any is still to come.

    A single value is none: a text that is the same on all pages may be so by chance of the pages.
    """
    seen = Counter(values)
    if not 2 <= len(seen) <= MAX_WORDS or min(seen.values()) < 2:
        return []
    known, text = sorted(seen), cleaned(".")
    test = " or ".join(f"{text} = {quote(value)}" for value in known)
    return [WeakFeature(test, "one of " + ", ".join(f"“{value[:30]}”" for value in known), lambda value: value in seen)]
