"""A wrapper as people read it: an indented regular expression."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Pcdata, Plus, Text


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a printed wrapper. depth: how far it is indented. name: of the field or set that ends or stands in it, else ""."""

    depth: int
    text: str
    name: str = ""

    @property
    def indent(self) -> str:
        """Two spaces a level."""
        return "  " * self.depth


def lines(nodes: Sequence[Node], depth: int = 0) -> Iterator[Line]:
    """The wrapper as a regular expression, a line for each tag, string or bracket; an element with one string or none is one line."""
    for node in nodes:
        if isinstance(node, Element):
            yield from _element(node, depth)
        elif isinstance(node, Maybe | Plus):
            yield Line(depth, "(")
            yield from lines(node.part, depth + 1)
            yield Line(depth, ")+", node.name) if isinstance(node, Plus) else Line(depth, ")?")
        else:
            yield Line(depth, _string(node), node.name if isinstance(node, Pcdata) else "")


def _element(node: Element, depth: int) -> Iterator[Line]:
    tag = re.split("[.#]", node.label, maxsplit=1)[0]
    only = node.children[0] if len(node.children) == 1 else None
    if not node.children:
        yield Line(depth, f"<{node.label}/>")
    elif isinstance(only, Text | Pcdata):
        yield Line(depth, f"<{node.label}>{_string(only)}</{tag}>", only.name if isinstance(only, Pcdata) else "")
    else:
        yield Line(depth, f"<{node.label}>")
        yield from lines(node.children, depth + 1)
        yield Line(depth, f"</{tag}>")


def _string(node: Text | Pcdata) -> str:
    return node.text if isinstance(node, Text) else "#PCDATA"


def printed(nodes: Sequence[Node], *, names: bool = True) -> str:
    """The wrapper as indented text; names: the field's or set's after its line."""
    return "\n".join(f"{line.indent}{line.text}{f'  {line.name}' if names and line.name else ''}" for line in lines(nodes))
