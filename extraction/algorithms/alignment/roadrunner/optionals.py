"""What follows a mismatch that is no iterator: optionals (Crescenzi et al. 2001, §4.1)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from extraction.algorithms.alignment.roadrunner.ways import ANYHOW, BOTH, STRICT, Way, skipped
from extraction.algorithms.alignment.roadrunner.wrapper import Maybe, Node

AHEAD = 100
"""Siblings that are searched ahead for a mismatching token."""

AHEAD_BOTH = 30
"""Siblings on either side that are searched for two tokens that match; their number is squared."""

HARDLY = 10
"""Tokens that it costs besides to take two elements for one that hardly meet: two lines of a table with different labels had better be
two optional lines."""


class Pairing(Protocol):
    """What matches two nodes: `matching.Matching`, which asks for optionals in its turn."""

    def together(self, ones: Sequence[Node], twos: Sequence[Node], at: Way, way: int) -> Way | None:
        """What stands at both positions as one."""


def known(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Way) -> Iterator[Way]:
    """Where an optional part was found before: it is there, or it is not."""
    if at.i < len(ones) and at.j < len(twos):
        further = matching.together(ones, twos, at, STRICT)
        if further is not None:
            yield further
    if at.i < len(ones) and isinstance(ones[at.i], Maybe):
        yield at.further(ones[at.i : at.i + 1], Way(None, at.i + 1, at.j))
    if at.j < len(twos) and isinstance(twos[at.j], Maybe):
        yield at.further(twos[at.j : at.j + 1], Way(None, at.i, at.j + 1))


def on_one_side(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Way, *, whole: bool) -> Iterator[Way]:
    """One side's token searched ahead on the other, the nearest first; at the end of a side, its end tag, which a row does not have."""
    if at.i == len(ones) or at.j == len(twos):
        if whole:
            yield skipped(ones, len(ones), twos, len(twos), at)
        return
    for ahead in range(1, min(AHEAD, max(len(ones) - at.i, len(twos) - at.j))):
        for i, j in ((at.i + ahead, at.j), (at.i, at.j + ahead)):
            if i < len(ones) and j < len(twos):
                yield from _found(matching, ones, i, twos, j, at)


def weaker(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Way) -> Iterator[Way]:
    """What is not STRICT: the two elements themselves, or optionals on both sides, the cheaper first."""
    both = matching.together(ones, twos, at, BOTH)
    if both is not None:
        yield both
    found = list(islice(_on_both_sides(matching, ones, twos, at), 1))
    anyhow = matching.together(ones, twos, at, ANYHOW)
    if anyhow is not None:
        found.append(anyhow._replace(lost=anyhow.lost + HARDLY))
    yield from sorted(found, key=lambda each: each.fresh + each.lost)


def _on_both_sides(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Way) -> Iterator[Way]:
    """Optionals up to the nearest two tokens that match."""
    for ahead in range(2, min(len(ones) - at.i + len(twos) - at.j - 1, 2 * AHEAD_BOTH)):
        for i in range(at.i + max(1, ahead - AHEAD_BOTH), at.i + min(ahead, AHEAD_BOTH + 1)):
            j = at.j + ahead - (i - at.i)
            if i < len(ones) and j < len(twos):
                yield from _found(matching, ones, i, twos, j, at)


def _found(matching: Pairing, ones: Sequence[Node], i: int, twos: Sequence[Node], j: int, at: Way) -> Iterator[Way]:
    """What is left out up to a place as optional, where what stands there matches."""
    further = matching.together(ones, twos, Way(None, i, j), STRICT)
    if further is not None:
        yield skipped(ones, i, twos, j, at).further(further.nodes(), further)
