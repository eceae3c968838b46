"""Finds optional parts, which explain a mismatch that is no iterator (Crescenzi et al. 2001, section 4.1)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from extraction.algorithms.alignment.roadrunner.partial_alignment import ANYHOW, BOTH, STRICT, Alignment, skip_to
from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Plus

AHEAD = 100
"""The largest number of siblings that are searched ahead for a mismatching token."""

AHEAD_BOTH = 30
"""The largest number of siblings on either side that are searched for two tokens that match. The cost grows with the square."""

HARDLY = 10
"""The number of tokens added to the cost of merging two elements with hardly any token in common. Two table rows with different labels
should become two optional rows."""


class Pairing(Protocol):
    """An object that can match two nodes: `matching.Matching`, which in turn calls the functions of this module."""

    def together(self, ones: Sequence[Node], twos: Sequence[Node], at: Alignment, way: int) -> Alignment | None:
        """Return the alignment continued by merging the nodes at both positions, None if they do not match."""


def try_known_optionals(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Alignment) -> Iterator[Alignment]:
    """Yield the alignments where an optional part was found before: with the part, and without it."""
    if at.i < len(ones) and at.j < len(twos):
        further = matching.together(ones, twos, at, STRICT)
        if further is not None:
            yield further
    if at.i < len(ones) and isinstance(ones[at.i], Maybe):
        yield at.further(ones[at.i : at.i + 1], Alignment(None, at.i + 1, at.j))
    if at.j < len(twos) and isinstance(twos[at.j], Maybe):
        yield at.further(twos[at.j : at.j + 1], Alignment(None, at.i, at.j + 1))


def find_on_one_side(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Alignment, *, whole: bool) -> Iterator[Alignment]:
    """Yield the alignments in which one side's token is found ahead on the other side, the nearest first.

    At the end of a side, the token is the end tag. A row has no end tag.
    """
    if at.i == len(ones) or at.j == len(twos):
        if whole:
            yield skip_to(ones, len(ones), twos, len(twos), at)
        return
    one, two = ones[at.i], twos[at.j]
    for ahead in range(1, min(AHEAD, max(len(ones) - at.i, len(twos) - at.j))):
        i, j = at.i + ahead, at.j + ahead
        if i < len(ones) and may_match(ones[i], two):
            yield from _skip_if_matching(matching, ones, i, twos, at.j, at)
        if j < len(twos) and may_match(one, twos[j]):
            yield from _skip_if_matching(matching, ones, at.i, twos, j, at)


def find_weaker_matches(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Alignment) -> Iterator[Alignment]:
    """Yield the alignments that STRICT does not allow: the two elements themselves, or optional parts on both sides, the cheaper first."""
    both = matching.together(ones, twos, at, BOTH)
    if both is not None:
        yield both
    found = list(islice(_on_both_sides(matching, ones, twos, at), 1))
    anyhow = matching.together(ones, twos, at, ANYHOW)
    if anyhow is not None:
        found.append(anyhow._replace(lost=anyhow.lost + HARDLY))
    yield from sorted(found, key=lambda each: each.fresh + each.lost)


def _on_both_sides(matching: Pairing, ones: Sequence[Node], twos: Sequence[Node], at: Alignment) -> Iterator[Alignment]:
    """Yield optional parts on both sides, up to the nearest two tokens that match."""
    for ahead in range(2, min(len(ones) - at.i + len(twos) - at.j - 1, 2 * AHEAD_BOTH)):
        for i in range(at.i + max(1, ahead - AHEAD_BOTH), at.i + min(ahead, AHEAD_BOTH + 1)):
            j = at.j + ahead - (i - at.i)
            if i < len(ones) and j < len(twos) and may_match(ones[i], twos[j]):
                yield from _skip_if_matching(matching, ones, i, twos, j, at)


def may_match(one: Node, two: Node) -> bool:
    """Return False for two nodes that certainly do not match, as most pairs of a search ahead do not. This is quick to see."""
    if type(one) is Element:
        return one.label == two.label if type(two) is Element else isinstance(two, Maybe | Plus)
    return type(two) is not Element or isinstance(one, Maybe | Plus)


def _skip_if_matching(matching: Pairing, ones: Sequence[Node], i: int, twos: Sequence[Node], j: int, at: Alignment) -> Iterator[Alignment]:
    """Yield the alignment that makes everything up to a place optional, if the nodes at that place match."""
    further = matching.together(ones, twos, Alignment(None, i, j), STRICT)
    if further is not None:
        yield skip_to(ones, i, twos, j, at).further(further.nodes(), further)
