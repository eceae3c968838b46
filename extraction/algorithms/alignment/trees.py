"""Ordered, labelled trees that are interned: equal trees are one object, so comparing two of them takes one step."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree of a `Forest`. Two trees of one forest are equal if and only if they are the same object.

    label: the name of the root node.
    size: how many nodes the tree has.
    number: identifies the tree within its forest.
    """

    label: str
    children: "tuple[Tree, ...]" = field(repr=False)
    size: int
    number: int


@dataclass(slots=True)
class Forest:
    """Makes trees and keeps each different one once."""

    _trees: dict[tuple[object, ...], Tree] = field(default_factory=dict)

    def tree(self, label: str, children: Sequence[Tree] = ()) -> Tree:
        """Return the tree with this label and these children, which must belong to this forest."""
        key = (label, *(child.number for child in children))
        if key not in self._trees:
            self._trees[key] = Tree(label, tuple(children), 1 + sum(child.size for child in children), len(self._trees))
        return self._trees[key]

    def copy(self) -> "Forest":
        """Return a forest with the same trees. Trees added to the copy do not make this forest grow."""
        return Forest(dict(self._trees))
