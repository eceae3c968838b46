"""Clean-up of values (docs/algorithms.md#clean-up): a short chain of steps between the text on the page and the value that is read.

A chain works on all values that an attribute has on a page or in a row, because some steps split one value into several or join several
into one. After each step, white space is cleaned as everywhere and empty values are dropped. A value that a step cannot work on is dropped,
too, and the trace says why: no value is better than a wrong one.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.errors import VertexError
from extraction.algorithms.values.cleanup.patterns import MAX_TEXT, PatternBudget, PatternError, compile_pattern, refuse_empty_matches

StepKind = Literal["trim", "split", "part", "replace", "map", "join", "unit", "lower", "upper"]

MAX_STEPS = 10
"""Longest chain. Chains that people write have two or three steps."""

MAX_PAIRS, MAX_PIECES, MAX_FIELD = 500, 1_000, 500
"""The largest number of entries of a map, of values after a step, and of characters of a text in a step."""

MAX_VALUE = 1_000_000
"""Longest value in characters. A replacement can make a text longer; ten steps of it must not fill the memory."""

NUMERIC_SIGNS = " .,'’·٫٬+-−–()/:"
"""What may stand in a number besides its digits. A text of these and digits has no unit yet."""

_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class CleanupError(VertexError):
    """A step that cannot be used. The message is for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class CleanupStep:
    """One step of a chain. Raises CleanupError for a step that cannot be run.

    kind:
        trim: take the characters of `text` away at both ends, in any order.
        split: make several values of one, at each `text`.
        part: keep the part that the pattern `text` matches: its first group or, without groups, all of the match.
        replace: put `by` in the place of each `text`. If it is a pattern, \\1 to \\9 in `by` stand for its groups.
        map: put the second text of a pair in the place of a value that equals the first.
        join: make one value of all, with `text` between them.
        unit: put the unit `text` after a value that is only a number.
        lower, upper: change the case of all letters.
    pattern: `text` is a pattern of RE2. Only split and replace have the choice.
    keep: map keeps a value that is not in the map; otherwise it drops it.
    """

    kind: StepKind
    text: str = ""
    by: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    pattern: bool = False
    keep: bool = True

    def __post_init__(self) -> None:
        if self.kind not in get_args(StepKind):
            raise CleanupError(f"There is no step “{str(self.kind)[:40]}”.")
        if max(len(self.text), len(self.by)) > MAX_FIELD:
            raise CleanupError(f"A text of a step has at most {MAX_FIELD} characters.")
        if _UNWRITABLE.search("".join((self.text, self.by, *(text for pair in self.pairs for text in pair)))):
            raise CleanupError("A text of a step holds a control character, which no page has.")
        missing = _MISSING.get(self.kind, "")
        if missing and not self.text:
            raise CleanupError(missing)
        if self.kind == "map":
            _check_pairs(self.pairs)
        try:
            if self.kind == "part":
                compile_pattern(self.text)
            elif self.pattern and self.kind in ("split", "replace"):
                refuse_empty_matches(self.text)
                _check_groups(self)
        except PatternError as error:
            raise CleanupError(str(error)) from error

    @property
    def uses_pattern(self) -> bool:
        """Whether `text` is a pattern."""
        return self.kind == "part" or (self.pattern and self.kind in ("split", "replace"))

    def as_json(self) -> dict[str, Any]:
        """Return the step as JSON. Only what differs from the usual is written."""
        row: dict[str, Any] = {"kind": self.kind}
        if self.text:
            row["text"] = self.text
        if self.by:
            row["by"] = self.by
        if self.pairs:
            row["pairs"] = [list(pair) for pair in self.pairs]
        return row | ({"pattern": True} if self.pattern else {}) | ({} if self.keep else {"keep": False})

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "CleanupStep":
        """Return the step that `as_json` wrote. Raises CleanupError, TypeError or KeyError for anything else."""
        pairs = tuple((str(old), str(new)) for old, new in row.get("pairs", ()))
        text, by = row.get("text", ""), row.get("by", "")
        if not isinstance(text, str) or not isinstance(by, str):
            raise TypeError(f"not a step: {str(row)[:100]}")
        return cls(row["kind"], text, by, pairs, bool(row.get("pattern", False)), bool(row.get("keep", True)))


_MISSING: dict[str, str] = {
    "trim": "Say which characters to trim. White space at the ends is always taken away.",
    "split": "Say where to split.",
    "part": "Enter a pattern.",
    "replace": "Say what to replace.",
    "unit": "Enter the unit.",
}


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that a step dropped. step: its place in the chain, from 0. reason: in words; "" if the step left an empty text."""

    step: int
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a chain made of the values of an attribute on a page.

    values: what is left.
    origins: for each of them, the places of the values of the page that it comes from.
    stages: all values after each step.
    losses: what was dropped on the way.
    """

    values: tuple[str, ...]
    origins: tuple[tuple[int, ...], ...]
    stages: tuple[tuple[str, ...], ...] = ()
    losses: tuple[Loss, ...] = ()


class _StepError(Exception):
    """A step cannot work on a value."""


def clean_values(raw: Sequence[str], steps: Sequence[CleanupStep]) -> tuple[str, ...]:
    """Return the values that a chain makes of the values of an attribute on one page."""
    return trace_cleanup(raw, steps).values if steps else tuple(raw)


def trace_cleanup(raw: Sequence[str], steps: Sequence[CleanupStep], *, budget: PatternBudget | None = None) -> Cleaned:
    """Do the same, and tell what each step did.

    budget: what the patterns of all attributes and rows of the page may take together; by default, of this call alone.
    """
    budget = PatternBudget() if budget is None else budget
    found: list[tuple[str, tuple[int, ...]]] = [(text, (place,)) for place, text in enumerate(raw)]
    stages, losses = list[tuple[str, ...]](), list[Loss]()
    for number, step in enumerate(steps):
        found = _run_step(step, number, found, losses, budget)
        stages.append(tuple(text for text, _ in found))
    return Cleaned(tuple(text for text, _ in found), tuple(origins for _, origins in found), tuple(stages), tuple(losses))


def _run_step(
    step: CleanupStep, number: int, found: Sequence[tuple[str, tuple[int, ...]]], losses: list[Loss], budget: PatternBudget
) -> list[tuple[str, tuple[int, ...]]]:
    if step.kind == "join":
        origins = tuple(sorted({place for _, places in found for place in places}))
        found = [(step.text.join(text for text, _ in found), origins)] if found else []
        step = replace(step, kind="trim", text=" ")
    made = list[tuple[str, tuple[int, ...]]]()
    for text, origins in found:
        try:
            results = [clean(each) for each in _change_text(step, text, budget)]
        except (_StepError, PatternError) as failure:
            losses.append(Loss(number, text, str(failure)))
            continue
        if not any(results):
            losses.append(Loss(number, text))
        made += [(each, origins) for each in results if each]
    if len(made) > MAX_PIECES and len(made) > len(found):
        losses += [Loss(number, text, f"the step gives more than {MAX_PIECES:,} values") for text, _ in made[MAX_PIECES:]]
        del made[MAX_PIECES:]
    return made


def _change_text(step: CleanupStep, text: str, budget: PatternBudget) -> list[str]:
    """Return what a step makes of one value. Raises _StepError if it cannot work on it."""
    if len(text) > MAX_VALUE:
        raise _StepError(f"the value has more than {MAX_VALUE:,} characters")
    if step.uses_pattern:
        _check_size(step, text, budget)
    match step.kind:
        case "trim":
            return [text.strip(f"{step.text} ")]
        case "split":
            return _split_text(step, text)
        case "part":
            return [_cut_part(step, text)]
        case "replace":
            return [_replace_all(step, text)]
        case "map":
            return [_look_up(step, text)]
        case "unit":
            return [f"{text} {step.text}" if _is_bare_number(text) else text]
        case "lower":
            return ["".join(each.lower() for each in text)]
        case _:
            return [text.upper()]


def _split_text(step: CleanupStep, text: str) -> list[str]:
    if not step.pattern:
        return text.split(step.text)
    pieces, start = [], 0
    for match in compile_pattern(step.text).finditer(text):
        pieces.append(text[start : match.start()])
        start = match.end()
    return [*pieces, text[start:]]


def _cut_part(step: CleanupStep, text: str) -> str:
    found = compile_pattern(step.text).search(text)
    if found is None:
        raise _StepError(f"“{step.text}” does not match")
    return (found.group(1) if found.re.groups else found.group(0)) or ""


def _replace_all(step: CleanupStep, text: str) -> str:
    if not step.pattern:
        made = text.replace(step.text, step.by)
    else:
        pieces, start = [], 0
        for match in compile_pattern(step.text).finditer(text):
            pieces += [text[start : match.start()], _fill_groups(step.by, match)]
            start = match.end()
        made = "".join([*pieces, text[start:]])
    if len(made) > MAX_VALUE:
        raise _StepError(f"the replacement gives more than {MAX_VALUE:,} characters")
    return made


def _look_up(step: CleanupStep, text: str) -> str:
    found = dict(reversed(step.pairs)).get(text)
    if found is None and not step.keep:
        raise _StepError("it is not in the map")
    return text if found is None else found


def _is_bare_number(text: str) -> bool:
    digits = [unicodedata.category(each) == "Nd" for each in text if each not in NUMERIC_SIGNS]
    return bool(digits) and all(digits)


def _check_size(step: CleanupStep, text: str, budget: PatternBudget) -> None:
    if len(text) > MAX_TEXT:
        raise _StepError(f"the value has {len(text):,} characters; patterns are tried on at most {MAX_TEXT:,}")
    if not budget.take(step.text, text):
        raise _StepError("the patterns take too long for all values of this page")


def _fill_groups(by: str, match: Any) -> str:
    """Return the replacement with \\1 to \\9 filled in, and \\\\ for a backslash."""
    pieces = by.split("\\")
    made, at = [pieces[0]], 1
    while at < len(pieces):
        if pieces[at]:
            made += [match.group(int(pieces[at][0])) or "", pieces[at][1:]]
        else:
            at += 1
            made += ["\\", pieces[at]]
        at += 1
    return "".join(made)


def _check_groups(step: CleanupStep) -> None:
    """Raise CleanupError for a backslash in the replacement that says nothing."""
    groups, at = compile_pattern(step.text).groups, 0
    if step.kind != "replace":
        return
    while (at := step.by.find("\\", at)) >= 0:
        sign = step.by[at + 1 : at + 2]
        if sign == "\\":
            at += 2
            continue
        if sign not in "123456789" or not sign or int(sign) > groups or step.by[at + 2 : at + 3].isdigit():
            raise CleanupError(
                f"“\\{step.by[at + 1 : at + 3]}” in the replacement is no group of the pattern, which has {groups}."
                " Write \\\\ for a backslash."
            )
        at += 2


def _check_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    if not pairs:
        raise CleanupError("A map needs at least one line, such as “Yes = true”.")
    if len(pairs) > MAX_PAIRS:
        raise CleanupError(f"The map has {len(pairs):,} lines; at most {MAX_PAIRS} are allowed.")
    seen = set[str]()
    for old, new in pairs:
        if not old.strip():
            raise CleanupError("A line of the map has nothing before the equals sign.")
        if max(len(old), len(new)) > MAX_FIELD:
            raise CleanupError(f"A text of the map has at most {MAX_FIELD} characters.")
        if old in seen:
            raise CleanupError(f"The map has “{old[:60]}” twice.")
        seen.add(old)


def read_steps(rows: Any) -> tuple[CleanupStep, ...]:
    """Return a chain from its JSON. Raises CleanupError, TypeError or KeyError for anything else."""
    if not isinstance(rows, list):
        raise TypeError(f"not a chain of steps: {str(rows)[:100]}")
    if len(rows) > MAX_STEPS:
        raise CleanupError(f"The chain has {len(rows)} steps; at most {MAX_STEPS} are allowed.")
    return tuple(map(CleanupStep.from_json, rows))
