"""Pages and patterns as trees of elements and texts, interned: equal trees are one object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, raw_text, texts

SINGLE, OPTION, PLUS, KLEENE = ".", "?", "+", "*"

WILDCARDS = frozenset((SINGLE, OPTION, PLUS, KLEENE))

MAX_DEPTH = 100
"""Levels of a page that become a tree; what is deeper is left out. Trees are gone through by recursion."""

MAX_NODES = 6_000
"""Elements and texts of a page that become a tree; three times those of a long article with its comments."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree of a `Grove`; equal ones are the same object. label: an element's name, a text after "#", or a wildcard. size: its nodes."""

    label: str
    children: "tuple[Tree, ...]"
    size: int
    number: int

    @property
    def is_wildcard(self) -> bool:
        """Whether anything can stand here."""
        return self.label in WILDCARDS

    @property
    def is_text(self) -> bool:
        """Whether it is a text of the page."""
        return self.label.startswith("#")


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A tree at its place on a page. children: as the tree's."""

    tree: Tree
    place: Location
    children: "tuple[Placed, ...]"

    def texts(self) -> Iterator["Placed"]:
        """The texts in it, in document order."""
        if self.tree.is_text:
            yield self
        for child in self.children:
            yield from child.texts()


@dataclass(slots=True)
class Grove:
    """Makes trees."""

    _trees: dict[tuple[object, ...], Tree] = field(default_factory=dict)

    def tree(self, label: str, children: Sequence[Tree] = ()) -> Tree:
        """The tree of a label and children of this grove."""
        key = (label, *(child.number for child in children))
        if key not in self._trees:
            self._trees[key] = Tree(label, tuple(children), 1 + sum(child.size for child in children), len(self._trees))
        return self._trees[key]

    def copy(self) -> "Grove":
        """A grove of the same trees, to which others are added without this one growing."""
        return Grove(dict(self._trees))

    def page(self, root: etree._Element) -> Placed:
        """The tree of a page: its elements and its texts, without blank ones and those that nobody sees."""
        return _Reader(self, root).read(root, MAX_DEPTH)


class _Reader:
    def __init__(self, grove: Grove, root: etree._Element) -> None:
        self._grove, self._left = grove, MAX_NODES
        self._unseen = raw_text(root) - {"title"}
        self._index = {element: number for number, element in enumerate(root.iter(etree.Element))}

    def read(self, element: etree._Element, depth: int) -> Placed:
        self._left -= 1
        node, found, ordinal = self._index[element], list[Placed](), 0
        own = iter(texts(element))
        for child in (None, *element):
            if child is not None and isinstance(child.tag, str) and child.tag not in self._unseen and depth and self._left > 0:
                found.append(self.read(child, depth - 1))
            if (element.text if child is None else child.tail) and (text := next(own, None)):
                ordinal += 1
                if (cleaned := clean(text)) and self._left > 0:
                    self._left -= 1
                    found.append(Placed(self._grove.tree(f"#{cleaned}"), Location(node, "text", ordinal), ()))
        return Placed(self._grove.tree(str(element.tag), [child.tree for child in found]), Location(node), tuple(found))
