"""What MSE knows about a page: its elements and its content lines."""

import re
from dataclasses import dataclass, field
from enum import IntEnum

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.nodes import clean

_DIGITS = re.compile(r"\d+")


class LineKind(IntEnum):
    """The type code of a line."""

    TEXT = 1
    LINK = 2
    LINK_TEXT = 3
    HEADING = 4
    IMAGE = 5
    FORM = 6
    RULE = 7


@dataclass(frozen=True, slots=True)
class ContentLine:
    """A content line.

    path: number of the path of its first text.
    first: node of its first text.
    values: its texts.
    paths: numbers of the paths of its texts.
    """

    kind: LineKind
    path: int
    first: int
    values: tuple[Value, ...]
    paths: tuple[int, ...]

    @property
    def text(self) -> str:
        """The text of the line."""
        return " ".join(each.text for each in self.values)

    def text_at(self, place: int) -> str:
        """Return the nth text of the line, counted from 0; "" if there is none."""
        return self.values[place].text if place < len(self.values) else ""

    @property
    def code(self) -> tuple[int, int]:
        """The code that lines of the same look share."""
        return self.kind, self.path

    @property
    def mark(self) -> tuple[str, int]:
        """A key that is equal for the same boundary line on all pages. Numbers are left out, because they may be counts of results."""
        return clean(_DIGITS.sub("", self.text)), self.path


@dataclass(frozen=True, slots=True)
class LineNode:
    """An element.

    step: its name with shared class names.
    parent: -1 for the root.
    bounds: `end`, `low` and `high`, which are known when it ends.
    """

    tag: str
    step: str
    path: int
    parent: int
    children: list[int]
    bounds: list[int]

    @property
    def end(self) -> int:
        """The number of the first element after this one and all elements inside it."""
        return self.bounds[0]

    @property
    def low(self) -> int:
        """The number of its first line."""
        return self.bounds[1]

    @property
    def high(self) -> int:
        """The number of the line after its last line."""
        return self.bounds[2]


@dataclass(frozen=True, slots=True)
class LinePage:
    """A page as MSE sees it.

    nodes: the elements in document order, as `dom.nodes.elements` returns them.
    lines: the content lines.
    is_cut: whether the page goes on after the last line, because it has more lines or elements than are read.
    """

    nodes: tuple[LineNode, ...]
    lines: tuple[ContentLine, ...]
    is_cut: bool = False


@dataclass(slots=True)
class PathNumbers:
    """Numbers for paths, the same on all pages.

    steps: the last step of each path.
    above: for each path, the number of the path without its last step, -1 for none.
    """

    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    above: list[int] = field(default_factory=list)

    def number(self, above: int, step: str) -> int:
        """Return the number of the path that extends the path `above` by a step."""
        key = above, step
        if key not in self.numbers:
            self.numbers[key] = len(self.steps)
            self.steps.append(step)
            self.above.append(above)
        return self.numbers[key]
