"""Faster forms of the XPaths that the learner writes, which select the same nodes.

Learned XPaths look through all elements of a tag and test the ancestors of some (``/descendant::li[ancestor::ul[…]]``). Rewritten as
``/descendant::ul[…]/descendant::li``, the condition is tested once for each list instead of for every ancestor of every item. If the
condition looks along siblings, the time is the square of the siblings instead of that square for each node below them. Also, a quick test
whether the class attribute contains the name at all is put before the slow test for it as a whole word. Other expressions stay as they are.
"""

import re
from collections.abc import Iterator

_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[\[\](|)]")
_FIRST = re.compile(r"\s*/descendant::(?P<tag>[A-Za-z][\w.-]*)(?=\s*(?:[\[/]|$))")
_ABOVE = re.compile(r"\[ancestor::(?P<tag>[A-Za-z][\w.-]*|\*)(?P<test>\[.*\])\]", re.DOTALL)
_COUNTS = re.compile(r"\b(?:last|position|number|floor|ceiling|round|sum)\s*\(")
_TELLS = re.compile(
    r"\s*(?:contains|starts-with|not|normalize-space)\(|\s*(?:ancestor|preceding-sibling|following-sibling|self)::|.*(?:[=<>]|\sand\s|\sor\s)",
    re.DOTALL,
)
_CLASS = re.compile(r"""contains\(concat\(' ', normalize-space\(@class\), ' '\), (?P<quote>["']) (?P<name>[^"'\s]+) (?P=quote)\)""")


def split_union(xpath: str) -> Iterator[str]:
    """Yield the parts of a union."""
    start = depth = 0
    for match in _PIECE.finditer(xpath):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(match[0], 0)
        if match[0] == "|" and not depth:
            yield xpath[start : match.start()].strip()
            start = match.end()
    yield xpath[start:].strip()


def drop_conditions(part: str) -> str:
    """Return a part of a union without what it has in square brackets, at any depth."""
    kept, start, depth = list[str](), 0, 0
    for match in _PIECE.finditer(part):
        if match[0] == "[":
            kept.append(part[start : match.start()] if not depth else "")
            depth += 1
        elif match[0] == "]" and depth:
            depth -= 1
            start = match.end()
    return "".join(kept) + ("" if depth else part[start:])


def rewrite_xpath(xpath: str) -> str:
    """Return the XPath in the form in which it is evaluated."""
    return " | ".join(map(rewrite_part, split_union(xpath)))


def rewrite_part(part: str) -> str:
    """Return one part of a union in the form in which it is evaluated."""
    return _CLASS.sub(lambda match: f"contains(@class, {match['quote']}{match['name']}{match['quote']}) and {match[0]}", _turned(part))


def find_first_tag(part: str) -> str:
    """Return ``/descendant::tag`` if a part begins like this, else ""."""
    first = _FIRST.match(part)
    return first[0] if first else ""


def find_first_step(part: str) -> str:
    """Return ``/descendant::tag`` with its conditions if a part begins like this, else ""."""
    first = _FIRST.match(part)
    return part[: first.end()] + "".join(_conditions(part, first.end())[0]) if first else ""


def _turned(part: str) -> str:
    """Return a part with its condition on an ancestor moved to the front as its first step. A part that may count nodes is returned
    unchanged."""
    first = _FIRST.match(part)
    if not first:
        return part
    conditions, rest = _conditions(part, first.end())
    above = next((match for condition in conditions if (match := _ABOVE.fullmatch(condition))), None)
    if above is None or not all(map(_tells, conditions)):
        return part
    others = "".join(condition for condition in conditions if condition != above[0])
    return f"/descendant::{above['tag']}{above['test']}/descendant::{first['tag']}{others}{rest}"


def _tells(condition: str) -> bool:
    """Return whether a condition certainly does not depend on the node's position: it is not a number and computes none."""
    bare, depth = "", 0
    for piece in re.split(r"(\"[^\"]*\"|'[^']*'|[\[\]])", condition):
        depth += {"[": 1, "]": -1}.get(piece, 0)
        bare += piece if depth == 1 and piece[:1] not in ("[", "]", '"', "'") else ""
    return not _COUNTS.search(bare) and bool(_TELLS.match(bare))


def _conditions(part: str, start: int) -> tuple[list[str], str]:
    """Return (the conditions in brackets from `start` on, the rest of the part after them)."""
    found, depth, begin = list[str](), 0, start
    for match in _PIECE.finditer(part, start):
        if not depth and (match[0] != "[" or part[begin : match.start()].strip()):
            break
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if not depth and match[0] == "]":
            found.append(part[begin : match.end()].strip())
            begin = match.end()
    return found, part[begin:]
