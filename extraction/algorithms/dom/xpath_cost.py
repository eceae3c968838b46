"""How long an XPath could run on a page, estimated from above without running it.

An XPath from the root looks at each node a few times. It takes longer if conditions leave their node again: upwards and down to its
siblings (``../node()``, ``preceding-sibling::*``), or to the whole page (``//``). Each such step within a condition multiplies the time by
the number of nodes it can reach, and nested conditions multiply again. The estimate counts too much rather than too little: an expression
that it takes for slow is only run more carefully.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce

from lxml import etree

MAX_STEPS = 10_000_000
"""The largest number of steps that may be run without care. They take two seconds, and ten if each compares texts."""

TEXT_PER_STEP = 50
"""The number of characters that are compared in the time of a step."""

_TOKEN = re.compile(
    r"(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<open>\[)|(?P<close>\])|(?P<operator>,|[<>!]?=|[<>]|(?<=[\w\])'\"*] )(?:and|or)(?=[\s(]))"
    r"|(?P<wide>//|\b(?:descendant|descendant-or-self|following|preceding)\s*::|(?:(?<=[\[(,=<>|+])|(?<=\b(?:or)\s)|(?<=\band\s))\s*/)"
    r"|(?P<side>\.\.|\b(?:parent|preceding-sibling|following-sibling)\s*::)"
    r"|(?P<up>(?<![\[(])(?<!\band\s)(?<!\bor\s)\bancestor(?:-or-self)?\s*::|(?<=[a-z-]\()(?<!not\()\s*\bancestor(?:-or-self)?\s*::)"
)


@dataclass(frozen=True, slots=True)
class Reach:
    """How often conditions leave their node, one within the other: to siblings (side), and to the whole page (wide)."""

    side: int = 0
    wide: int = 0

    @property
    def is_large(self) -> bool:
        """Whether it is larger than that of learned rules, which compare siblings once."""
        return self.wide > 0 or self.side > 1

    def __add__(self, other: "Reach") -> "Reach":
        return Reach(self.side + other.side, self.wide + other.wide)


class _Level:
    """An expression or a condition that is being read.

    own: the reach of the current path. inner: the largest reach of its conditions. best: the largest reach of the paths before it.
    """

    def __init__(self) -> None:
        self.own = self.inner = self.best = Reach()

    def end_path(self) -> None:
        """Begin another path, after an operator or a comma. Paths beside each other add their times, and do not multiply them."""
        self.best = _larger(self.best, self.own + self.inner)
        self.own = self.inner = Reach()


@lru_cache(maxsize=4096)
def find_reach(text: str) -> Reach:
    """Return the reach of the most expensive chain of conditions in an expression."""
    levels = [_Level()]
    for match in _TOKEN.finditer(text):
        kind, level = match.lastgroup, levels[-1]
        if kind == "operator":
            level.end_path()
        elif kind == "open":
            levels.append(_Level())
        elif kind == "close" and len(levels) > 1:
            level.end_path()
            levels.pop()
            levels[-1].inner = _larger(levels[-1].inner, level.best)
        elif kind in ("side", "up", "wide") and len(levels) > 1:
            level.own += Reach(wide=1) if kind == "wide" else Reach(side=1)
    while levels:
        level = levels.pop()
        level.end_path()
        if levels:
            levels[-1].inner = _larger(levels[-1].inner, level.best)
    return level.best


def _larger(first: Reach, second: Reach) -> Reach:
    return max(first, second, key=lambda each: (each.wide * 2 + each.side, each.wide))


def find_largest_reach(texts: Iterable[str]) -> Reach:
    """Return the largest reach among expressions."""
    return reduce(_larger, map(find_reach, texts), Reach())


def count_nodes(root: etree._Element) -> int:
    """Return the number of nodes of a page. Attributes are not counted."""
    return int(_COUNT(root))


def may_run_long(reach: Reach, root: etree._Element, nodes: int | None = None) -> bool:
    """Return whether an expression of this reach could take more than MAX_STEPS on a page.

    nodes: their number on the page, if the caller has counted them. Counting takes about a tenth of the time of parsing.
    """
    if not (reach.side or reach.wide):
        return False
    nodes = count_nodes(root) if nodes is None else nodes
    if nodes ** (1 + reach.side + reach.wide) <= MAX_STEPS:
        return False
    text = int(_LENGTH(root)) // TEXT_PER_STEP
    siblings = max(text, 2 * max((len(element) for element in root.iter()), default=0) + 1)
    steps: int = nodes * siblings**reach.side * max(nodes, text) ** reach.wide
    return steps > MAX_STEPS


_COUNT = etree.XPath("count(/descendant-or-self::node())")
_LENGTH = etree.XPath("string-length(/)")
