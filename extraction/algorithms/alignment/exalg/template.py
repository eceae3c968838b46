"""Derives the template, its schema and the values from valid classes (Arasu & Garcia-Molina 2003, section 5: CONSTTEMP and EXVAL).

Every class is a tuple constructor. The space between two of its neighbouring tokens is a *position*, which has three kinds of content:
nothing, texts, and occurrences of the classes nested there. All occurrences of a position together decide what it is:

- With at most one text it is a field, optional if some occurrence has none. With several texts it is a set of one field.
- A class that stands at most once is an optional tuple, or part of this tuple if it is always there. A class that stands several times is a
  set.
- Classes that change places are one set. Each row holds the classes that occur in it, and a new row begins wherever their order starts
  over.

Texts between the occurrences of a set belong to the row before them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np

from extraction.algorithms.alignment.exalg.nesting import Nest, fill_positions
from extraction.algorithms.alignment.exalg.roles import Differentiated
from extraction.algorithms.alignment.exalg.texts import find_values
from extraction.algorithms.alignment.exalg.tokens import TokenStream
from extraction.algorithms.alignment.schema import Value

Position = tuple[int, int]
"""(class, how many of its tokens stand before)"""


@dataclass(frozen=True, slots=True)
class Child:
    """An occurrence of a class inside a position."""

    number: int
    occurrence: int


Item = Value | Child


@dataclass(slots=True)
class Contents:
    """The contents of the positions.

    items: {position: {occurrence: items in document order}}. Empty ones have no key.
    """

    nests: Sequence[Nest]
    items: dict[Position, dict[int, list[Item]]] = field(default_factory=dict)

    def of(self, position: Position) -> list[list[Item]]:
        """Return the items of each occurrence of a position, in order."""
        held = self.items.get(position, {})
        return [held.get(number, []) for number in range(self.nests[position[0]].each.places.shape[1])]


def collect_contents(stream: TokenStream, found: Differentiated, *, whole: bool) -> Contents:
    """Return the contents of all positions of the valid classes.

    whole: as in `texts.find_values`.
    """
    nests = found.nests
    cells = _Cells(nests)
    context, cell = fill_positions(nests, len(stream.roles))
    placed: dict[int, list[tuple[int, Item]]] = {}
    for number, nest in enumerate(nests):
        for occurrence, token in enumerate(nest.each.first.tolist()):
            if cell[token]:
                placed.setdefault(int(cell[token]), []).append((token, Child(number, occurrence)))
    for token, value in find_values(stream, nests, context, whole=whole):
        if cell[token]:
            placed.setdefault(int(cell[token]), []).append((token, value))
    result = Contents(nests)
    for at, row in placed.items():
        position, occurrence = cells.of(at)
        result.items.setdefault(position, {})[occurrence] = [item for _, item in sorted(row, key=lambda pair: pair[0])]
    return result


class _Cells:
    """Tells which occurrence of which position a cell's number in `fill_positions` means."""

    def __init__(self, nests: Sequence[Nest]) -> None:
        self.nests = nests
        counts = [(nest.each.size - 1) * nest.each.places.shape[1] for nest in nests]
        self.starts = np.concatenate(([1], 1 + np.cumsum(counts)))

    def of(self, cell: int) -> tuple[Position, int]:
        number = int(np.searchsorted(self.starts, cell, "right")) - 1
        position, occurrence = divmod(cell - int(self.starts[number]), self.nests[number].each.places.shape[1])
        return (number, position + 1), occurrence


@dataclass(frozen=True, slots=True)
class ClassGroup:
    """Classes of a position that go together.

    numbers: the numbers of the classes, in order.
    several: whether it is a set.
    always: whether no occurrence lacks it.
    """

    numbers: tuple[int, ...]
    several: bool
    always: bool


def group_classes(rows: Sequence[Sequence[Item]]) -> list[ClassGroup]:
    """Return the classes of a position in document order. Classes that change places are in one group."""
    sequences = [[item.number for item in row if isinstance(item, Child)] for row in rows]
    order = _order(sequences)
    ranks = {number: rank for rank, number in enumerate(order)}
    together = list(range(len(order)))  # the first rank of the group that each rank is in
    for sequence in sequences:
        highest = -1
        for number in sequence:
            rank = ranks[number]
            if rank < highest and together[rank] != together[highest]:
                _merge(together, together[rank], highest)
            highest = max(highest, rank)
    made = []
    for _, found in groupby(range(len(order)), key=lambda rank: together[rank]):
        numbers = tuple(order[rank] for rank in found)
        counts = [sum(number in numbers for number in sequence) for sequence in sequences]
        several = any(count > 1 for count in counts) and (len(numbers) == 1 or any(_restarts(s, numbers, ranks) for s in sequences))
        made.append(ClassGroup(numbers, several, all(counts)))
    return made


def _order(sequences: Sequence[Sequence[int]]) -> list[int]:
    """Return the classes sorted by their average place among the others, then by number."""
    shares: dict[int, list[float]] = {}
    for sequence in sequences:
        for place, number in enumerate(sequence):
            shares.setdefault(number, []).append((place + 0.5) / len(sequence))
    return sorted(shares, key=lambda number: (sum(shares[number]) / len(shares[number]), number))


def _merge(together: list[int], first: int, last: int) -> None:
    """Make the ranks from `first` to `last`, and those grouped with the last, one group."""
    end = last
    while end + 1 < len(together) and together[end + 1] == together[last]:
        end += 1
    together[first : end + 1] = [first] * (end + 1 - first)


def _restarts(sequence: Sequence[int], numbers: tuple[int, ...], ranks: dict[int, int]) -> bool:
    mine = [ranks[number] for number in sequence if number in numbers]
    return any(later <= earlier for earlier, later in pairwise(mine))
