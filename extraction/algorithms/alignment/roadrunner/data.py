"""Reads a page by a wrapper: into a row of the nested data set (Crescenzi et al. 2001, section 3), or a report of the mismatch.

A sequence of the wrapper is compiled into the steps of a small machine, as regular expressions are. The children of an element are run
through it depth first, with more rows and present optional parts tried first. A pair of step and position is entered once, so the time is
at most their product. Only elements within elements are processed by recursion.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Pcdata, Plus, Text
from extraction.algorithms.alignment.schema import Row, Value
from extraction.algorithms.errors import AlignmentError

MAX_STEPS = 2_000_000
"""The largest number of steps of all machines for one page, which take some seconds. The largest real pages need some 10,000."""


BESIDE = 40
"""The number of characters of a text that are shown in the message about a page that does not match."""


@dataclass(frozen=True, slots=True)
class WrapperMismatch:
    """A page that a wrapper does not accept.

    node: index of the furthest element that was looked at.
    reason: which element holds it, after which text, and what was met there.
    """

    node: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark for a set in the steps: the set begins, a row begins, or the set ends."""

    kind: Literal["set", "row", "end"]
    name: str


@dataclass(frozen=True, slots=True)
class _Fork:
    """Go on at the first step or else at the second."""

    first: int
    second: int


_Step = Text | Pcdata | Element | _Mark | _Fork
_Field = tuple[str, Value]


@dataclass(frozen=True, slots=True)
class _Met:
    """Something met while reading, linked to what was met before it.

    what: a mark, a field's value, or the last thing met inside an element.
    """

    what: "_Mark | _Field | _Met | None"
    before: "_Met | None"


_NOTHING = _Met(None, None)


@dataclass(frozen=True, slots=True)
class _Miss:
    """A mismatch at a child of an element, given by its number: the wrapper wanted something else."""

    here: Element
    at: int
    wanted: str

    @property
    def node(self) -> int:
        """Index of the element that was looked at: the child, or the element that holds it if the child is a text."""
        child = self.here.children[self.at] if self.at < len(self.here.children) else None
        return child.node if isinstance(child, Element) else self.here.node

    def reason(self, page: Element) -> str:
        """Return the mismatch in words, with the text before it and, if the page has several equal elements, which of them it is."""
        here = self.here
        alike = sorted(each.node for each in _elements(page) if each.label == here.label)
        which = f"<{here.label}>" if len(alike) == 1 else f"<{here.label}> ({alike.index(here.node) + 1} of {len(alike):,})"
        before = next((each.text for each in reversed(here.children[: self.at]) if isinstance(each, Text)), "")
        after = f" after “{before[:BESIDE]}{'…' if len(before) > BESIDE else ''}”" if before else ""
        met = "its end" if self.at >= len(here.children) else _shown(here.children[self.at])
        return f"in {which}{after}: {self.wanted} was expected, {met} is there"


@dataclass(slots=True)
class WrapperReader:
    """Reads one page."""

    steps: int = 0
    _missed: "_Miss | None" = None
    _programs: dict[Element, list[_Step]] = field(default_factory=dict)
    _known: dict[tuple[Element, Element], _Met | None] = field(default_factory=dict)

    def read(self, wrapper: Element, page: Element) -> Row | WrapperMismatch:
        """Return the page's row. Raises AlignmentError if that takes too many steps."""
        met = self._element(wrapper, page)
        if met is not None:
            return _row(met)
        return (
            WrapperMismatch(self._missed.node, self._missed.reason(page))
            if self._missed
            else WrapperMismatch(page.node, _other(wrapper, page))
        )

    def _element(self, wanted: Element, here: Element) -> _Met | None:
        """Return what is met inside an element, None if it does not match."""
        if wanted.label != here.label:
            return None
        key = wanted, here
        if key not in self._known:
            if wanted not in self._programs:
                self._programs[wanted] = []
                _compile(wanted.children, self._programs[wanted])
            self._known[key] = self._run(self._programs[wanted], here)
        return self._known[key]

    def _run(self, program: Sequence[_Step], here: Element) -> _Met | None:
        waiting: list[tuple[int, int, _Met]] = [(0, 0, _NOTHING)]
        seen: set[tuple[int, int]] = set()
        while waiting:
            step, at, met = waiting.pop()
            if (step, at) in seen:
                continue
            seen.add((step, at))
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise AlignmentError(f"more than {MAX_STEPS:,} steps are needed to read the page; near <{here.label}>")
            if step == len(program):
                if at == len(here.children):
                    return met
                self._miss(here, at, "its end")
                continue
            wanted = program[step]
            if isinstance(wanted, _Fork):
                waiting += (wanted.second, at, met), (wanted.first, at, met)
            elif isinstance(wanted, _Mark):
                waiting.append((step + 1, at, _Met(wanted, met)))
            else:
                found = self._node(wanted, here.children[at]) if at < len(here.children) else None
                if found is None:
                    self._miss(here, at, _shown(wanted))
                else:
                    waiting.append((step + 1, at + 1, met if found is _NOTHING else _Met(found, met)))
        return None

    def _node(self, wanted: Node, here: Node) -> _Met | _Field | None:
        if isinstance(wanted, Element):
            return self._element(wanted, here) if isinstance(here, Element) else None
        if not isinstance(here, Text):
            return None
        if isinstance(wanted, Text):
            return _NOTHING if wanted.text == here.text else None
        assert isinstance(wanted, Pcdata)  # noqa: S101 - what is left of the steps; the checker does not see it
        assert here.place is not None  # noqa: S101 - a page's strings have places
        return None if here.fixed else (wanted.name, Value(here.text, here.place))

    def _miss(self, here: Element, at: int, wanted: str) -> None:
        """Keep the furthest place where something else was wanted. Within one element, a mismatch inside it counts, not one before it."""
        miss = _Miss(here, at, wanted)
        if self._missed is None or (miss.node, here.node) > (self._missed.node, self._missed.here.node):
            self._missed = miss


def _elements(page: Element) -> Iterator[Element]:
    waiting: list[Node] = [page]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Element):
            yield node
            waiting += node.children


def _other(wrapper: Element, page: Element) -> str:
    return f"<{wrapper.label}> was expected, <{page.label}> is there"


def _compile(nodes: Sequence[Node], program: list[_Step]) -> None:
    """Add the steps for a sequence."""
    for node in nodes:
        if isinstance(node, Maybe):
            fork = len(program)
            program.append(_Fork(0, 0))
            _compile(node.part, program)
            program[fork] = _Fork(fork + 1, len(program))
        elif isinstance(node, Plus):
            marked = bool(node.name)
            program += [_Mark("set", node.name)] * marked
            row = len(program)
            program += [_Mark("row", node.name)] * marked
            _compile(node.part, program)
            program.append(_Fork(row, len(program) + 1))
            program += [_Mark("end", node.name)] * marked
        else:
            program.append(node)


def _shown(node: Node | _Mark | _Fork) -> str:
    if isinstance(node, Element):
        return f"<{node.label}>"
    if not isinstance(node, Text):
        return "a value"
    text = node.text if len(node.text) <= BESIDE else f"{node.text[:BESIDE]}…"
    return f"the label “{text}”" if node.fixed else f"“{text}”"


def _row(met: _Met) -> Row:
    """Return the row from what was met, read from the beginning."""
    rows: list[dict[str, Value | tuple[Row, ...]]] = [{}]
    sets: list[list[Row]] = []
    for what in _in_order(met):
        if not isinstance(what, _Mark):
            rows[-1][what[0]] = what[1]
        elif what.kind == "set":
            sets.append([])
        else:
            if len(rows) > len(sets):
                rows.pop()
            if what.kind == "row":
                rows.append({})
                sets[-1].append(rows[-1])
            else:
                rows[-1][what.name] = tuple(sets.pop())
    return rows[0]


def _in_order(met: _Met) -> Iterator[_Mark | _Field]:
    walk_back = []
    each: _Met | None = met
    while each is not None:
        walk_back.append(each.what)
        each = each.before
    for what in reversed(walk_back):
        if isinstance(what, _Met):
            yield from _in_order(what)
        elif what is not None:
            yield what
