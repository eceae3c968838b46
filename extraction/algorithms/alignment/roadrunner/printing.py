"""Prints a wrapper for people to read: as an indented regular expression."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Pcdata, Plus, Text


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of a printed wrapper.

    depth: its level of indentation.
    name: the name of the field in it or of the set that ends in it, else "".
    """

    depth: int
    text: str
    name: str = ""

    @property
    def indent(self) -> str:
        """The indentation: two spaces for each level."""
        return "  " * self.depth


def print_lines(nodes: Sequence[Node], depth: int = 0) -> Iterator[PrintedLine]:
    """Yield the wrapper as a regular expression, a line for each tag, string or bracket. An element with at most one string is one line."""
    for node in nodes:
        if isinstance(node, Element):
            yield from _element(node, depth)
        elif isinstance(node, Maybe | Plus):
            yield PrintedLine(depth, "(")
            yield from print_lines(node.part, depth + 1)
            yield PrintedLine(depth, ")+", node.name) if isinstance(node, Plus) else PrintedLine(depth, ")?")
        else:
            yield PrintedLine(depth, _string(node), node.name if isinstance(node, Pcdata) else "")


def _element(node: Element, depth: int) -> Iterator[PrintedLine]:
    tag = re.split("[.#]", node.label, maxsplit=1)[0]
    only = node.children[0] if len(node.children) == 1 else None
    if not node.children:
        yield PrintedLine(depth, f"<{node.label}/>")
    elif isinstance(only, Text | Pcdata):
        yield PrintedLine(depth, f"<{node.label}>{_string(only)}</{tag}>", only.name if isinstance(only, Pcdata) else "")
    else:
        yield PrintedLine(depth, f"<{node.label}>")
        yield from print_lines(node.children, depth + 1)
        yield PrintedLine(depth, f"</{tag}>")


def _string(node: Text | Pcdata) -> str:
    return node.text if isinstance(node, Text) else "#PCDATA"


def print_wrapper(nodes: Sequence[Node], *, names: bool = True) -> str:
    """Return the wrapper as indented text.

    names: whether the name of the field or set follows its line.
    """
    return "\n".join(f"{line.indent}{line.text}{f'  {line.name}' if names and line.name else ''}" for line in print_lines(nodes))
