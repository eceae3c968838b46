"""What an attribute's values look like on other sites: their shape, words, parts of words and length.

A text is described by a set of traits. The form of an attribute holds how often each trait is among its values and among other texts
of the pages, each site counting as much as another. A text's score is the damped sum of the log ratios (naive Bayes on binary traits).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.suggestion.words import split_label

MOST_VALUES = 2_000
"""The largest number of values of an attribute that are learned from."""

MAX_READ, MAX_WORDS = 400, 60
"""Characters and words of a text that are read."""

TRAITS = 200
"""The largest number of traits of a form, the most telling ones."""

DAMPING = 2.0
"""What scores are divided by, because traits are not independent: a telephone number's shape, length and digits say the same."""

CAP = 6.0
"""Largest score for or against."""

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class LearnedForm:
    """What values of an attribute look like.

    gains: {trait: how much its presence adds to the score of a text}.
    nothing: the score of a text without any of these traits.
    known: the values seen, casefolded.
    """

    gains: Mapping[str, float]
    nothing: float
    known: frozenset[str]

    def score(self, text: str) -> float:
        """Return how much likelier a text is a value than another text of a page, as a log ratio between -CAP and CAP."""
        total = self.nothing + sum(self.gains.get(trait, 0.0) for trait in list_traits(text))
        return max(-CAP, min(CAP, total / DAMPING))

    def measure(self, texts: Sequence[str]) -> dict[str, float]:
        """Return the evidence that texts give."""
        mean = fmean(map(self.score, texts))
        known = fmean(clean(text).casefold() in self.known for text in texts)
        return {
            "learned form": max(0.0, mean) / CAP,
            "learned form differs": max(0.0, -mean) / CAP,
            "known values": known,
            "not a value seen": float(known == 0),
        }


def learn_form(sites: Iterable[Sequence[str]], others: Sequence[str]) -> LearnedForm | None:
    """Return the form of an attribute, None if no site has values.

    sites: the values of each site.
    others: texts that are no values of the attribute.
    """
    rows = [list(dict.fromkeys(values))[:MOST_VALUES] for values in sites]
    rows = [row for row in rows if row]
    if not rows:
        return None
    mine, other = _share_traits(rows), _share_traits([list(dict.fromkeys(others))[:MOST_VALUES]])
    best = sorted(mine, key=lambda trait: (-_tell(mine[trait], other.get(trait, 0.0)), trait))[:TRAITS]
    absent = {trait: _log_ratio(1 - mine[trait], 1 - other.get(trait, 0.0)) for trait in best}
    gains = {trait: _log_ratio(mine[trait], other.get(trait, 0.0)) - absent[trait] for trait in best}
    known = frozenset(clean(value).casefold() for row in rows for value in row)
    return LearnedForm(gains, sum(absent.values()), known)


def _share_traits(rows: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the mean over sites of the share of texts that have each trait."""
    total: dict[str, float] = {}
    for row in rows:
        for trait, count in sorted(Counter(trait for text in row for trait in list_traits(text)).items()):
            total[trait] = total.get(trait, 0.0) + count / (len(row) * len(rows))
    return total


def _tell(mine: float, other: float) -> float:
    """Return how much a trait tells: the information that it gives if values and other texts are equally frequent."""
    return mine * max(0.0, _log_ratio(mine, other)) + (1 - mine) * max(0.0, -_log_ratio(1 - mine, 1 - other))


def _log_ratio(one: float, other: float) -> float:
    return math.log((one + 0.02) / (other + 0.02))


@lru_cache(maxsize=50_000)
def list_traits(text: str) -> tuple[str, ...]:
    """Return the traits of a text, each once."""
    text = clean(text[: 4 * MAX_READ])[:MAX_READ]
    shape = make_shape(text)
    digits = sum(character.isdigit() for character in text)
    found = [
        f"length {min(9, int(math.log2(len(text) + 1)))}",
        f"words {min(6, len(text.split()))}",
        f"shape {shape[:24]}",
        f"begin {shape[:3]}",
        f"end {shape[-3:]}",
        f"digits {min(4, 5 * digits // max(1, len(text)))}",
        *(f"word {_DIGITS.sub('0', word)}" for word in split_label(text)[:MAX_WORDS]),
        *(f"mark {mark}" for mark in text if not mark.isalnum() and mark != " "),
    ]
    return tuple(dict.fromkeys(found))


def make_shape(text: str) -> str:
    """Return a text with digits as 0, words as a or A, and other marks as they are; numbers longer than four digits are one."""
    shape = _LETTERS.sub(lambda found: "A" if found[0][:1].isupper() else "a", text)
    return _SPACES.sub(" ", _DIGITS.sub(lambda found: "0" * min(4, len(found[0])), shape))
