"""Finds iterators: parts that are repeated just before a mismatch (Crescenzi et al. 2001, section 4.2).

If a mismatch is the end of a list on one side and its next row on the other, the token before it is the last delimiter of a row. Then the
tokens from the mismatch up to the next occurrence of that delimiter are the *square*: a candidate for a row. It is matched backwards, from
its delimiter, with the tokens before the mismatch. Mismatches inside are solved like any other. If it matches, it becomes (square)+,
together with all earlier parts that match and all further rows on both sides.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from extraction.algorithms.alignment.roadrunner.partial_alignment import Alignment
from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Nodes, Plus, Text, count_required, walk_back

SQUARE = 50
"""The largest number of siblings that make up a row. Rows without an element of their own have up to ten."""

SQUARES = 3
"""The largest number of occurrences of the delimiter that are tried, because a row may hold it more than once."""

WITHIN = 2
"""The largest number of squares within each other in one sequence, with no element around the inner one."""


class RowMatching(Protocol):
    """An object that can match rows: `matching.Matching`, which in turn calls `find_iterators`.

    squares: the number of nested squares that are being tried now.
    """

    squares: int

    def rows(self, part: Nodes, twos: Sequence[Node], j: int) -> Alignment:
        """Align as many rows of a repeated part as there are from j on."""


def find_iterators(matching: RowMatching, at: Alignment, ones: Sequence[Node], twos: Sequence[Node]) -> Iterator[Alignment]:
    """Yield the ways on from a mismatch that find an iterator before it. Those with the nearer delimiter come first, and the second side's
    before the first side's."""
    delimiter = next((_label(node) for node in walk_back(at.done) if not isinstance(node, Maybe)), None)
    if delimiter is None or matching.squares >= WITHIN:
        return
    for side, start in ((twos, at.j), (ones, at.i)):
        ends = (end for end in range(start, min(start + SQUARE, len(side))) if _label(side[end]) == delimiter)
        for end in islice(ends, SQUARES):
            matching.squares += 1
            found = _collapsed(matching, at, ones, twos, tuple(side[start : end + 1]))
            matching.squares -= 1
            if found is not None and (found.j > at.j if side is twos else found.i > at.i):
                yield found


def _collapsed(matching: RowMatching, at: Alignment, ones: Sequence[Node], twos: Sequence[Node], square: Nodes) -> Alignment | None:
    """Return the alignment with the square as an iterator of all rows before and after the mismatch."""
    backwards = reverse_nodes(square)
    near = _parts_turned(islice(walk_back(at.done), 2 * SQUARE))
    if matching.rows(backwards, near, 0).j == 0:
        return None
    before = matching.rows(backwards, _parts_turned(walk_back(at.done)), 0)
    part = reverse_nodes(before.nodes())
    if before.j == 0 or not count_required(part):
        return None
    second = matching.rows(part, twos, at.j)
    first = matching.rows(second.nodes(), ones, at.i)
    done = at.done
    for _ in range(before.j):
        assert done is not None  # noqa: S101 - so many nodes were read from it; the checker does not see it
        done = done[1]
    return at._replace(done=(Plus(first.nodes()), done), i=first.j, j=second.j, fresh=at.fresh + second.fresh, lost=at.lost + first.fresh)


def reverse_nodes(nodes: Sequence[Node]) -> Nodes:
    """Return a sequence read backwards. What is inside elements stays as it is."""
    return _parts_turned(reversed(nodes))


def _parts_turned(nodes: Iterable[Node]) -> Nodes:
    """Return the nodes in the given order, with each part of them read backwards."""
    return tuple(type(node)(reverse_nodes(node.part)) if isinstance(node, Maybe | Plus) else node for node in nodes)


def _label(node: Node) -> str:
    """Return the label by which a delimiter is recognised."""
    if isinstance(node, Element):
        return node.label
    if isinstance(node, Maybe | Plus):
        return _label(node.part[-1])
    return f'"{node.text}"' if isinstance(node, Text) and node.fixed else ""
