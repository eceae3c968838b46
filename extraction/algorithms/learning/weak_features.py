"""Weak features, for rules that say nothing about the value (docs/algorithms.md#rule-learning; Gulhane et al. 2011, section 3.1.3).

A rule such as "the first item of this list" is right on every known page and gives a neighbour's value on the first page that lacks its
own. So its values are judged by what they look like: their words, digits, signs, length and vocabulary, compared with those of their
neighbours. A naive Bayes classifier over these features is a sum of log odds. A feature that all of many values have, but few neighbours,
decides by itself. A single feature can be written as a condition of the XPath, which runs wherever the rule runs. Further features would
only blur it, so they are left out.
"""

import math
from collections import Counter
from collections.abc import Sequence

from extraction.algorithms.dom.xpath import cleaned, quote
from extraction.algorithms.learning.page_table import MAX_LABEL
from extraction.algorithms.learning.text_forms import TextCondition, list_conditions

MIN_VALUES = 8
"""The smallest number of values that must share a feature before the next value is expected to have it."""

MAX_WORDS = 6
"""The largest number of different values of an attribute that takes its values from a list ("Public", "Private")."""

MIN_LOG_ODDS = math.log(4)
"""Least evidence that lets a feature decide. With 9 values, all of them have it and a fifth of the neighbours do."""


def find_telling_feature(values: Sequence[str], neighbours: Sequence[str]) -> TextCondition | None:
    """The condition that all values satisfy and that excludes the neighbours best; None when no condition does so clearly."""
    return _choose([*list_conditions(values), *_vocabulary(values)], values, neighbours) if _are_enough(values) else None


def find_structure(values: Sequence[str], others: Sequence[str]) -> TextCondition | None:
    """The condition on signs that all values satisfy and that excludes the other texts best; None when no condition does so clearly."""
    return _choose([each for each in list_conditions(values) if each.sign], values, others) if _are_enough(values) else None


def _are_enough(values: Sequence[str]) -> bool:
    return len(values) >= MIN_VALUES and all(0 < len(value) <= MAX_LABEL for value in values)


def _choose(conditions: Sequence[TextCondition], values: Sequence[str], neighbours: Sequence[str]) -> TextCondition | None:
    best = max(conditions, key=lambda weak: _log_odds(weak, len(values), neighbours), default=None)
    return best if best and neighbours and _log_odds(best, len(values), neighbours) >= MIN_LOG_ODDS else None


def _log_odds(weak: TextCondition, values: int, neighbours: Sequence[str]) -> float:
    """log P(feature | value) / P(feature | neighbour), both with one success and one failure added (Laplace)."""
    among = sum(map(weak.holds, neighbours))
    return math.log((values + 1) / (values + 2)) - math.log((among + 1) / (len(neighbours) + 2))


def _vocabulary(values: Sequence[str]) -> list[TextCondition]:
    """The condition that a value is one of those known, where each was seen twice: by Good and Turing's estimate few others are to come.

    One value alone is no vocabulary: these pages may have the same text by chance.
    """
    seen = Counter(values)
    if not 2 <= len(seen) <= MAX_WORDS or min(seen.values()) < 2:
        return []
    known, text = sorted(seen), cleaned(".")
    test = " or ".join(f"{text} = {quote(value)}" for value in known)
    words = "one of " + ", ".join(f"“{value[:30]}”" for value in known)
    return [TextCondition(f"({test})", words, lambda value: value in seen)]
