"""The wrapper: a union-free regular expression over tags and strings (Crescenzi et al. 2001, section 3).

    paper            here
    tag tokens       `Element`: a start tag, its content, its end tag. Pages come from the parser's tree, so both are always there
    string           `Text`
    #PCDATA          `Pcdata`
    (…)?             `Maybe`
    (…)+             `Plus`

A page is a wrapper too: one of elements and strings only. All nodes are compared by identity and never changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from extraction.algorithms.alignment.schema import MAX_NESTING, Optional, Repeated, SchemaField, Tuple, column_name
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import AlignmentError

FIXED = 5
"""The number of tokens that a fixed string counts as. A label that is not matched says more than a tag that is not."""


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A constant string.

    fixed: whether it belongs to the template, so that it is matched like a tag.
    place: if it is on a page, its place there.
    varies: whether another page has another string in its place (`minority`).
    """

    text: str
    fixed: bool = False
    place: Location | None = None
    varies: bool = False

    @property
    def size(self) -> int:
        """The number of its tokens."""
        return FIXED if self.fixed else 1

    required = size


@dataclass(frozen=True, slots=True, eq=False)
class Pcdata:
    """Any string: a field. name: "" until the wrapper is complete."""

    name: str = ""

    size = required = 1


@dataclass(frozen=True, eq=False)
class Element:
    """A start tag, the content, and the end tag.

    label: its name, with the classes that distinguish it from others.
    node: if it is on a page, its index there.
    """

    label: str
    children: "Nodes"
    node: int = -1

    @cached_property
    def size(self) -> int:
        """The number of tokens in it, without the end tag. A repeated part counts one row."""
        return 1 + count_tokens(self.children)

    @cached_property
    def required(self) -> int:
        """The number of tokens in it that are in no optional part."""
        return 1 + count_required(self.children)


@dataclass(frozen=True, eq=False)
class Maybe:
    """(…)?"""

    part: "Nodes"

    required = 0

    @cached_property
    def size(self) -> int:
        """The number of tokens in it."""
        return count_tokens(self.part)


@dataclass(frozen=True, eq=False)
class Plus:
    """(…)+ name: the name of the set. It is "" until the wrapper is complete, and if no string in the set varies."""

    part: "Nodes"
    name: str = ""

    @cached_property
    def size(self) -> int:
        """The number of tokens of one row."""
        return count_tokens(self.part)

    @cached_property
    def required(self) -> int:
        """The number of tokens of one row that are in no optional part."""
        return count_required(self.part)


Node = Text | Pcdata | Element | Maybe | Plus
Nodes = tuple[Node, ...]
Done = tuple[Node, "Done"] | None
"""A sequence that grows at its end and shares its beginning with others: its last node and what is before it."""


def stack_nodes(nodes: Iterable[Node], before: Done = None) -> Done:
    """Return a sequence with more nodes at its end."""
    for node in nodes:
        before = node, before
    return before


def walk_back(done: Done) -> Iterator[Node]:
    """Yield the nodes of a sequence, the last one first."""
    while done is not None:
        node, done = done
        yield node


def count_tokens(nodes: Sequence[Node]) -> int:
    """Return the number of tokens in a sequence."""
    return sum(node.size for node in nodes)


def count_required(nodes: Sequence[Node]) -> int:
    """Return the number of tokens in a sequence that every page has."""
    return sum(node.required for node in nodes)


def make_optional(nodes: Sequence[Node]) -> Nodes:
    """Return the sequence as an optional part. An empty sequence stays empty, and an optional part is not made optional twice."""
    if not nodes:
        return ()
    only = nodes[0]
    return (only,) if len(nodes) == 1 and isinstance(only, Maybe) else (Maybe(tuple(nodes)),)


def open_varying(node: Node) -> Node:
    """Return the wrapper with a field for each string that varies on pages that it was not made from."""
    if isinstance(node, Text):
        return Pcdata() if node.varies else node
    if isinstance(node, Element):
        return Element(node.label, tuple(map(open_varying, node.children)), node.node)
    if isinstance(node, Maybe | Plus):
        return replace(node, part=tuple(map(open_varying, node.part)))
    return node


def name_fields(root: Element) -> Element:
    """Return the wrapper with names: A, B, … for its fields in document order, then for the sets that hold fields.

    Raises AlignmentError if parts are nested deeper than a schema may be.
    """
    fields, sets = iter(range(_count(root, Pcdata))), iter(range(_count(root, Pcdata), _count(root, Pcdata) + _count(root, Plus)))

    def walk(node: Node, nesting: int) -> Node:
        if nesting > MAX_NESTING:
            raise AlignmentError(f"the wrapper has more than {MAX_NESTING} optional and repeated parts within each other")
        if isinstance(node, Pcdata):
            return replace(node, name=column_name(next(fields)))
        if isinstance(node, Element):
            return Element(node.label, tuple(walk(child, nesting) for child in node.children))
        if isinstance(node, Maybe):
            return Maybe(tuple(walk(child, nesting + 1) for child in node.part))
        if isinstance(node, Plus):
            holds = any(_count(child, Pcdata) for child in node.part)
            name = column_name(next(sets)) if holds else ""
            return Plus(tuple(walk(child, nesting + 1) for child in node.part), name)
        return node

    whole = walk(root, 0)
    assert isinstance(whole, Element)  # noqa: S101 - an element becomes an element; the checker does not see it
    return whole


def _count(node: Node, kind: type) -> int:
    return isinstance(node, kind) + sum(_count(child, kind) for child in _below(node))


def _below(node: Node) -> Nodes:
    return node.children if isinstance(node, Element) else node.part if isinstance(node, Maybe | Plus) else ()


def build_schema(nodes: Sequence[Node]) -> Tuple:
    """Return the fields, optional parts and sets of a named wrapper. Parts without any field are left out."""
    return Tuple(tuple(_parts(nodes)))


def _parts(nodes: Sequence[Node]) -> Iterator[SchemaField | Optional | Repeated]:
    for node in nodes:
        if isinstance(node, Pcdata):
            yield SchemaField(node.name)
        elif isinstance(node, Element):
            yield from _parts(node.children)
        elif isinstance(node, Maybe | Plus):
            part = build_schema(node.part)
            if part.parts:
                yield Repeated(node.name, part) if isinstance(node, Plus) else Optional(part)


def list_labels(root: Element) -> Iterator[str]:
    """Yield the labels of all its elements."""
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Element):
            yield node.label
        waiting += _below(node)


def find_row_elements(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Yield (name of a set, label of the first element of its rows, "" if they have none) pairs."""
    for node in nodes:
        below = _below(node)
        if isinstance(node, Plus) and node.name:
            yield node.name, next((each.label for each in below if isinstance(each, Element)), "")
        yield from find_row_elements(below)
