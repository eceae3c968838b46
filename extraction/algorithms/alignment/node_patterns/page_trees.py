"""Pages and patterns as trees of elements and texts, and the wildcards of patterns."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.alignment.trees import Forest, Tree
from extraction.algorithms.dom.nodes import Location, clean, raw_text
from extraction.algorithms.dom.walk import OpenElement, walk_page

SINGLE, OPTION, PLUS, KLEENE = ".", "?", "+", "*"

WILDCARDS = frozenset((SINGLE, OPTION, PLUS, KLEENE))

MAX_DEPTH = 101
"""The largest number of levels of a page that become a tree. What is deeper is left out, because trees are processed by recursion."""

MAX_NODES = 6_000
"""The largest number of elements and texts of a page that become a tree. A long article with its comments has a third of that."""


def is_wildcard(tree: Tree) -> bool:
    """Return whether this node of a pattern is a wildcard."""
    return tree.label in WILDCARDS


def is_text(tree: Tree) -> bool:
    """Return whether the node is a text of a page. Its label is the text after a "#"; elements are labelled with their name."""
    return tree.label.startswith("#")


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTree:
    """A tree together with its place on a page. children: the children of the tree, each with its place."""

    tree: Tree
    place: Location
    children: "tuple[PlacedTree, ...]"

    def texts(self) -> Iterator["PlacedTree"]:
        """Yield the texts in the tree, in document order."""
        if is_text(self.tree):
            yield self
        for child in self.children:
            yield from child.texts()


def read_page_tree(root: etree._Element, forest: Forest) -> PlacedTree:
    """Return the tree of a page: its elements and its texts, without blank or invisible texts."""
    return _PageTreeReader(forest).read(root)


class _PageTreeReader:
    """Builds the tree of one page from its leaves to its root."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._left = MAX_NODES
        self._open: list[tuple[OpenElement, list[PlacedTree]]] = []

    def read(self, root: etree._Element) -> PlacedTree:
        top: list[PlacedTree] = []
        steps = walk_page(root, hidden=raw_text(root) - {"title"}, max_depth=MAX_DEPTH, is_done=lambda: self._left <= 0)
        for kind, element, text in steps:
            if kind == "start" and not element.hidden and self._left > 0:
                self._left -= 1
                self._open.append((element, []))
            elif kind == "text" and self._left > 0:
                self._add_text(element, text)
            elif kind == "end" and self._open[-1][0] is element:
                self._close(top)
        while self._open:
            self._close(top)
        return top[0]

    def _add_text(self, owner: OpenElement, text: str) -> None:
        if cleaned := clean(text):
            self._left -= 1
            place = Location(owner.node, "text", owner.texts)
            self._open[-1][1].append(PlacedTree(self._forest.tree(f"#{cleaned}"), place, ()))

    def _close(self, top: list[PlacedTree]) -> None:
        element, children = self._open.pop()
        tree = self._forest.tree(element.tag, [child.tree for child in children])
        (self._open[-1][1] if self._open else top).append(PlacedTree(tree, Location(element.node), tuple(children)))
