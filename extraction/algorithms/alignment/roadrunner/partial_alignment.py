"""Partial alignments of two sequences, and their costs."""

from collections.abc import Sequence
from typing import NamedTuple

from extraction.algorithms.alignment.roadrunner.wrapper import Done, Node, Nodes, backwards, optional, required, size, stacked

STRICT, BOTH, ANYHOW = 0, 1, 2
"""The ways to align. STRICT allows fields, iterators and optional parts. BOTH also allows optional parts on both sides at one place. ANYHOW
accepts even elements with hardly any token in common."""

MET = 0.5
"""Share of each side's tokens that must be aligned; with less, two elements do not match."""


class Alignment(NamedTuple):
    """A partial alignment of two sequences.

    done: the nodes aligned so far.
    i, j: the positions reached in the first and the second sequence.
    fresh: the number of tokens of the second sequence that became optional.
    lost: the number of tokens of the first sequence that became optional.
    resorts: the number of last resorts taken.
    """

    done: Done
    i: int
    j: int
    fresh: int = 0
    lost: int = 0
    resorts: int = 0

    def nodes(self) -> Nodes:
        """Return the nodes aligned so far, in document order."""
        return tuple(backwards(self.done))[::-1]

    def swapped(self) -> "Alignment":
        """Return the same with the two sequences exchanged."""
        return Alignment(self.done, self.j, self.i, self.lost, self.fresh, self.resorts)

    def further(self, nodes: Sequence[Node], more: "Alignment") -> "Alignment":
        """Return the alignment continued with the nodes, up to the positions of `more`, which began where this one stands."""
        return Alignment(
            stacked(nodes, self.done), more.i, more.j, self.fresh + more.fresh, self.lost + more.lost, self.resorts + more.resorts
        )

    def met(self, needed: int, tokens: int) -> bool:
        """Return whether enough tokens of both sides are aligned.

        needed: tokens that the first sequence has on every page.
        tokens: all tokens of the second sequence.
        """
        return self.lost <= (1 - MET) * needed and self.fresh <= (1 - MET) * tokens


class AlignedPair(NamedTuple):
    """Two nodes merged into one. fresh, lost, resorts: as in `Alignment`."""

    node: Node
    fresh: int = 0
    lost: int = 0
    resorts: int = 0


def skip_to(ones: Sequence[Node], i: int, twos: Sequence[Node], j: int, at: Alignment) -> Alignment:
    """Return the alignment extended to i and j, with everything skipped before them marked optional."""
    nodes = (*optional(ones[at.i : i]), *optional(twos[at.j : j]))
    return at.further(nodes, Alignment(None, i, j, size(twos[at.j : j]), required(ones[at.i : i])))
