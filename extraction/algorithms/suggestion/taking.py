"""Takes columns from candidates, the best first. Each must hold something that those before it do not."""

import heapq
from collections.abc import Iterator, Sequence

from extraction.algorithms.suggestion.ranking import ColumnCandidate, Pair

SAME = 0.8
"""Jaccard coefficient of their values above which two columns are the same."""

NOVELTY = 0.6
"""Share of its merit that a column loses when earlier columns hold all its values."""

ECHO = 0.6
"""Factor for a column that only repeats the page's name within other words."""

CONSTANTS = 0.1
"""Largest share of constant columns."""


def take_columns(pool: Sequence[ColumnCandidate], most: int) -> Iterator[tuple[float, ColumnCandidate]]:
    """Yield at most `most` columns with their scores.

    The selection is greedy and lazy: a score only falls as more columns are taken, so an old score is an upper bound.
    """
    waiting = [(-each.merit, place) for place, each in enumerate(pool)]
    heapq.heapify(waiting)
    taken = _Taken()
    held: list[tuple[float, int]] = []
    while waiting and len(taken.columns) < most:
        score, place = heapq.heappop(waiting)
        each = pool[place]
        if taken.has(each):
            continue
        if each.constant and taken.constants + 1 > CONSTANTS * (len(taken.columns) + 1):
            held.append((score, place))
            continue
        now = taken.score(each)
        if now < -score - 1e-9:
            heapq.heappush(waiting, (-now, place))
            continue
        taken.add(each)
        yield now, each
        for row in held:
            heapq.heappush(waiting, row)
        held = []


class _Taken:
    """The columns taken so far.

    subject: the first of them that the pages' titles contain, most likely the name of what the pages describe.
    """

    def __init__(self) -> None:
        self.columns: list[ColumnCandidate] = []
        self.constants = 0
        self.covered: set[Pair] = set()
        self.subject: ColumnCandidate | None = None

    def has(self, each: ColumnCandidate) -> bool:
        return any(_have_same_values(each.values, other.values) for other in self.columns)

    def score(self, each: ColumnCandidate) -> float:
        known = len(each.texts & self.covered) / len(each.texts)
        return each.merit * (1 - NOVELTY * known) * (ECHO if self.subject and _repeats_subject(each, self.subject) else 1)

    def add(self, each: ColumnCandidate) -> None:
        self.columns.append(each)
        self.constants += each.constant
        self.covered |= each.values  # a paragraph taken as a whole leaves its parts to be taken
        if self.subject is None and each.titled > 0.5 and not each.constant and each.single:
            self.subject = each


def _have_same_values(one: frozenset[Pair], other: frozenset[Pair]) -> bool:
    if min(len(one), len(other)) <= SAME * max(len(one), len(other)):
        return False
    common = len(one & other)
    return common > SAME * (len(one) + len(other) - common)


def _repeats_subject(each: ColumnCandidate, subject: ColumnCandidate) -> bool:
    """Return whether a column repeats the subject with more words on most pages."""
    names = {page: row[0].unit.text for page, row in subject.group.items()}
    hits = 0
    for page, row in each.group.items():
        name, text = names.get(page, ""), row[0].unit.text
        hits += len(row) == 1 and 0 < len(name) < len(text) and name in text
    return hits > 0.7 * len(each.group)
