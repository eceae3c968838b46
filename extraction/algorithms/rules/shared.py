"""How a stylesheet asks for what the XPaths of a rule select: the same nodes, with fewer walks over the page.

Learned XPaths look through all elements of a tag (``/descendant::td[…]``) and ask some for an ancestor. Here that is turned around,
``/descendant::ul[…]/descendant::li`` for ``/descendant::li[ancestor::ul[…]]``, which asks each list once instead of each item for
all that it is in; a class is looked for as a text before it is looked for as a word; and what several XPaths begin with is a
variable, walked to once. A position after such a variable counts as before: it holds the same nodes in the same order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.xpath import quick_class

_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[\[\](|)]")
_FIRST = re.compile(r"\s*/descendant::(?P<tag>[A-Za-z][\w.-]*)(?=\s*(?:[\[/]|$))")
_ABOVE = re.compile(r"\[ancestor::(?P<tag>[A-Za-z][\w.-]*)(?P<test>\[.*\])\]", re.DOTALL)
_COUNTS = re.compile(r"\[\s*\d|last\(|position\(")


_AFTER = ("", "[", "/")

PREFIX = "all-"
"""Of the variables' names."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Expressions that several XPaths begin with, each with its variable's name; longer ones first."""

    variables: tuple[tuple[str, str], ...] = ()

    def rewritten(self, xpath: str) -> str:
        """The XPath as the stylesheet asks for it."""
        return " | ".join(self._with_variable(quick_class(_turned(part))) for part in _parts(xpath))

    def _with_variable(self, part: str) -> str:
        first = next(((start, name) for start, name in self.variables if part.startswith(start) and part[len(start) :][:1] in _AFTER), None)
        return f"${first[1]}{part[len(first[0]) :]}" if first else part


ALONE = Shared()
"""Of XPaths that share nothing with others."""


def shared(xpaths: Sequence[str]) -> Shared:
    """What at least two parts of the XPaths begin with: a first step with all its conditions, and else its tag."""
    parts = [quick_class(_turned(part)) for xpath in xpaths for part in _parts(xpath)]
    steps = Counter(step for part in parts if (step := _first_step(part)))
    tags = Counter(match[0] for step, count in steps.items() for _ in range(1 if count > 1 else count) if (match := _FIRST.match(step)))
    named = [step for step, count in steps.items() if count > 1 and "[" in step] + [tag for tag, count in tags.items() if count > 1]
    return Shared(tuple((step, f"{PREFIX}{n}") for n, step in enumerate(sorted(named, key=lambda step: (-len(step), step)))))


def _turned(part: str) -> str:
    """A part with its condition on an ancestor as its first step, where nothing counts nodes."""
    first = _FIRST.match(part)
    if not first:
        return part.strip()
    conditions, rest = _conditions(part, first.end())
    above = next((match for condition in conditions if (match := _ABOVE.fullmatch(condition))), None)
    if above is None or any(map(_COUNTS.search, conditions)):
        return part.strip()
    others = "".join(condition for condition in conditions if condition != above[0])
    return f"/descendant::{above['tag']}{above['test']}/descendant::{first['tag']}{others}{rest}".strip()


def _first_step(part: str) -> str:
    """The first step with its conditions, "" where a part does not begin with all elements of a tag."""
    first = _FIRST.match(part)
    return part[: first.end()] + "".join(_conditions(part, first.end())[0]) if first else ""


def _conditions(part: str, start: int) -> tuple[list[str], str]:
    """The conditions in brackets from `start` on, and what follows them."""
    found, depth, begin = list[str](), 0, start
    for match in _PIECE.finditer(part, start):
        if not depth and (match[0] != "[" or part[begin : match.start()].strip()):
            break
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if not depth and match[0] == "]":
            found.append(part[begin : match.end()].strip())
            begin = match.end()
    return found, part[begin:]


def _parts(xpath: str) -> Iterator[str]:
    """The parts of a union."""
    start = depth = 0
    for match in _PIECE.finditer(xpath):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(match[0], 0)
        if match[0] == "|" and not depth:
            yield xpath[start : match.start()].strip()
            start = match.end()
    yield xpath[start:].strip()
