"""What an attribute's values have looked like so far, and what no longer looks like it (docs/algorithms.md#monitoring).

A profile is learned from the values of many pages: how many values a page has, how long they are, which characters they have, whether
they read as the attribute's type, which they are if there are only a few different ones, and how often there is none. It judges the
values of one page in words that an operator understands. Ranges are those seen, widened, because the past is only a sample: a value a
little outside of them is news, not a break.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extraction.algorithms.values.column import fits_type
from extraction.algorithms.values.reading import ValueType

FEW_PAGES = 5
"""The number of pages of history below which nothing is odd: too little is known of what is usual."""

VOCABULARY_PAGES = 8
"""The number of pages of history below which the values seen are not taken for all that there are."""

MAX_VOCABULARY = 12
"""Different values above which an attribute has no closed vocabulary."""

MAX_UNSEEN = 0.15
"""Highest chance of a new value with which the values seen are taken for all that there are."""

LENGTH_FACTOR, LENGTH_SLACK = 3.0, 12
"""How far beyond the lengths seen a value may be before it is odd: so many times as long, and so many characters more."""

SHARE_SLACK = 0.35
"""How far beyond the shares seen of a character class a value may be before it is odd."""

READ_SHARE = 0.95
"""Share of past values that must read as their type before one that does not is odd."""

CLASSES = ("letters", "digits", "spaces", "signs")


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest number seen."""

    low: float
    high: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> "Range":
        seen = list(numbers)
        return cls(min(seen, default=0.0), max(seen, default=0.0))


@dataclass(frozen=True, slots=True)
class Profile:
    """What an attribute's values have looked like on a number of pages.

    pages: how many pages were looked at.
    valued: how many of them had a value.
    counts: how many values a page has, among pages with a value.
    lengths: how many characters a value has.
    shares: for each of CLASSES, the share of a value's characters that belong to it, 0 to 1.
    read_fraction: share of values that read as the type.
    distinct: how many different values were seen.
    once: how many values were seen on one page only.
    vocabulary: the values of a text attribute, if there are so few that these seem to be all; else empty.
    """

    type: ValueType
    pages: int
    valued: int
    counts: Range
    lengths: Range
    shares: tuple[Range, ...]
    read_fraction: float
    distinct: int
    once: int = 0
    vocabulary: frozenset[str] = frozenset()

    @classmethod
    def learn(cls, pages: Iterable[Sequence[str]], *, type: ValueType = "text") -> "Profile":
        """Learns the profile from the values of each page; () stands for a page without values."""
        rows = [tuple(values) for values in pages]
        valued = [row for row in rows if row]
        values = [value for row in valued for value in row]
        counts = Counter(values)
        readable = sum(fits_type(value, type) for value in values) if type != "text" else len(values)
        return cls(
            type=type,
            pages=len(rows),
            valued=len(valued),
            counts=Range.of(len(row) for row in valued),
            lengths=Range.of(len(value) for value in values),
            shares=tuple(Range.of(column) for column in zip(*map(_shares, values), strict=True)) or (Range(0, 1),) * len(CLASSES),
            read_fraction=readable / len(values) if values else 0.0,
            distinct=len(counts),
            once=(once := sum(count == 1 for count in counts.values())),
            vocabulary=frozenset(counts) if type == "text" and _is_closed(len(counts), once, len(valued)) else frozenset(),
        )

    @property
    def varies(self) -> bool:
        """Different pages usually have different values: a title, not a category."""
        return self.valued >= FEW_PAGES and self.distinct >= 0.5 * self.valued

    @property
    def unseen_chance(self) -> float:
        """The chance that a page's value was never seen before (Good & Turing's estimate, with one page added)."""
        return _estimate_unseen(self.once, self.valued)

    def find_unknown(self, values: Sequence[str]) -> tuple[str, ...]:
        """Return the values that are not in the vocabulary; () where there is none."""
        return tuple(value for value in values if value not in self.vocabulary) if self.vocabulary else ()

    def odd(self, values: Sequence[str]) -> tuple[str, ...]:
        """Says in words how one page's values differ from the past; () if they do not, or if too little is known of the past."""
        if self.valued < FEW_PAGES or not values:
            return ()
        reasons = [reason for value in values for reason in self._odd_value(value)]
        if len(values) > max(self.counts.high * LENGTH_FACTOR, self.counts.high + 3):
            reasons.append(f"{len(values)} values; at most {self.counts.high:.0f} were usual")
        return tuple(dict.fromkeys(reasons))

    def _odd_value(self, value: str) -> Iterable[str]:
        short = f"“{value[:40]}”"
        low, high = self.lengths.low / LENGTH_FACTOR - LENGTH_SLACK, self.lengths.high * LENGTH_FACTOR + LENGTH_SLACK
        if not low <= len(value) <= high:
            yield f"{short} has {len(value)} characters; {self.lengths.low:.0f} to {self.lengths.high:.0f} were usual"
        for name, share, usual in zip(CLASSES, _shares(value), self.shares, strict=True):
            if not usual.low - SHARE_SLACK <= share <= usual.high + SHARE_SLACK:
                yield f"{short} has {share:.0%} {name}; {usual.low:.0%} to {usual.high:.0%} were usual"
        if self.type != "text" and self.read_fraction >= READ_SHARE and not fits_type(value, self.type):
            yield f"{short} cannot be read as {self.type}"


def _estimate_unseen(once: int, valued: int) -> float:
    return (once + 1) / (valued + 2)


def _is_closed(distinct: int, once: int, valued: int) -> bool:
    """Whether the values seen seem to be all that there are."""
    return valued >= VOCABULARY_PAGES and distinct <= MAX_VOCABULARY and _estimate_unseen(once, valued) <= MAX_UNSEEN


def _shares(value: str) -> tuple[float, ...]:
    """Shares of letters, digits, spaces and signs among a value's characters."""
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    spaces = sum(map(str.isspace, value))
    total = max(len(value), 1)
    return (letters / total, digits / total, spaces / total, (len(value) - letters - digits - spaces) / total)
