"""A model by its positions (Glushkov): which names can come first, which can follow which, and therefore whether it is deterministic.

XML allows only content models in which each name in a document corresponds to one name in the model, without looking ahead
(Brüggemann-Klein & Wood 1998). So two positions of the same name must not both be able to come first, or both follow the same position.
Cost: the square of the model's names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.xtract.models import Choice, Concatenation, Model, Name, Star, ZeroOrOne


@dataclass(frozen=True, slots=True)
class Positions:
    """The positions of a model.

    names: the name at each position.
    first, last: the positions that can come first, and those that can come last.
    follow: for each position, the positions that can follow it.
    empty: whether the empty sequence is accepted.
    """

    names: tuple[str, ...]
    first: frozenset[int]
    last: frozenset[int]
    follow: tuple[frozenset[int], ...]
    empty: bool

    @classmethod
    def of_model(cls, model: Model) -> "Positions":
        """Return the positions of a model, numbered from left to right."""
        names: list[str] = []
        follow: list[set[int]] = []
        first, last, empty = _walk(model, names, follow)
        return cls(tuple(names), first, last, tuple(map(frozenset, follow)), empty)

    @property
    def deterministic(self) -> bool:
        """Whether XML allows the model."""
        return all(len({self.names[each] for each in group}) == len(group) for group in (self.first, *self.follow))

    def accept(self, sequence: Sequence[str]) -> bool:
        """Return whether the model accepts the sequence."""
        if not sequence:
            return self.empty
        here = {each for each in self.first if self.names[each] == sequence[0]}
        for name in sequence[1:]:
            here = {after for each in here for after in self.follow[each] if self.names[after] == name}
        return bool(here & self.last)


_Edges = tuple[frozenset[int], frozenset[int], bool]


def _walk(model: Model, names: list[str], follow: list[set[int]]) -> _Edges:
    if isinstance(model, Name):
        names.append(model.name)
        follow.append(set())
        here = frozenset((len(names) - 1,))
        return here, here, False
    if isinstance(model, Concatenation):
        edges: _Edges = frozenset(), frozenset(), True
        for part in model.parts:
            edges = _joined(edges, _walk(part, names, follow), follow)
        return edges
    if isinstance(model, Choice):
        rows = [_walk(part, names, follow) for part in model.parts]
        return frozenset().union(*(row[0] for row in rows)), frozenset().union(*(row[1] for row in rows)), any(row[2] for row in rows)
    first, last, _ = _walk(model.part, names, follow)
    if isinstance(model, Star):
        for each in last:
            follow[each] |= first
    assert isinstance(model, Star | ZeroOrOne)  # noqa: S101 - the kinds are all named
    return first, last, True


def _joined(one: _Edges, other: _Edges, follow: list[set[int]]) -> _Edges:
    for each in one[1]:
        follow[each] |= other[0]
    first = one[0] | other[0] if one[2] else one[0]
    last = other[1] | one[1] if other[2] else other[1]
    return first, last, one[2] and other[2]
