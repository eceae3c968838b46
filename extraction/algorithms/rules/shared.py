"""Finds the steps that several XPaths of a rule begin with, so that a stylesheet walks over the page only once for them.

Most learned XPaths begin with all elements of a tag (``/descendant::td[…]``). A beginning that at least two of them share becomes a
variable. It holds the same nodes in the same order, so positions in the steps after it mean the same.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.xpath_rewriting import find_first_step, find_first_tag, rewrite_part, split_union

PREFIX = "all-"
"""What the variables' names begin with."""

_AFTER = ("", "[", "/")


@dataclass(frozen=True, slots=True)
class Shared:
    """Expressions that several XPaths begin with, the longest first, each with the name of its variable."""

    variables: tuple[tuple[str, str], ...] = ()

    def rewritten(self, xpath: str) -> str:
        """Return the XPath as the stylesheet has it."""
        return " | ".join(self._with_variable(rewrite_part(part)) for part in split_union(xpath))

    def _with_variable(self, part: str) -> str:
        first = next(((start, name) for start, name in self.variables if part.startswith(start) and part[len(start) :][:1] in _AFTER), None)
        return f"${first[1]}{part[len(first[0]) :]}" if first else part


ALONE = Shared()
"""For XPaths that share nothing with others."""


def find_shared_steps(xpaths: Sequence[str]) -> Shared:
    """Return the beginnings that at least two parts of the XPaths share: a first step with all its conditions or, failing that, its tag."""
    steps = Counter(step for xpath in xpaths for part in split_union(xpath) if (step := find_first_step(rewrite_part(part))))
    tags = Counter(find_first_tag(step) for step in steps)
    named = [step for step, count in steps.items() if count > 1 and "[" in step] + [
        tag for tag, count in tags.items() if count > 1 or steps[tag] > 1
    ]
    return Shared(tuple((step, f"{PREFIX}{n}") for n, step in enumerate(sorted(named, key=lambda step: (-len(step), step)))))
