"""The form for a chain of clean-up steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from django.utils.translation import gettext

from extraction.algorithms.values.cleanup.chain import MAX_STEPS, CleanupError, CleanupStep, StepKind
from extraction.services.core import stored_texts

MAX_BODY = 100_000
"""Longest text of a field in characters: a map of 500 long lines."""


@dataclass(frozen=True, slots=True)
class StepFields:
    """The fields of one step as a person filled them in. error: what is wrong with them, in words."""

    kind: StepKind
    text: str = ""
    by: str = ""
    pairs: str = ""
    pattern: bool = False
    keep: bool = True
    error: str = ""

    @classmethod
    def of_step(cls, step: CleanupStep) -> "StepFields":
        """Return the fields that describe a step."""
        pairs = "\n".join(f"{old} = {new}" for old, new in step.pairs)
        return cls(step.kind, step.text, step.by, pairs, step.pattern, step.keep)

    def read(self) -> CleanupStep:
        """Return the step. Raises CleanupError."""
        text, by, pairs = self.text, self.by, ()
        if self.kind in ("lower", "upper", "map"):
            text = ""
        if self.kind != "replace":
            by = ""
        if self.kind == "map":
            pairs = tuple(_read_pair(line) for line in self.pairs.splitlines() if line.strip())  # type: ignore[assignment]
        pattern = self.pattern and self.kind in ("split", "replace")
        return CleanupStep(self.kind, text, by, pairs, pattern, self.keep or self.kind != "map")


def _read_pair(line: str) -> tuple[str, str]:
    old, found, new = line.partition("=")
    if not found:
        raise CleanupError(gettext("The line “%(line)s” of the map has no equals sign.") % {"line": line.strip()[:60]})
    return " ".join(old.split()), " ".join(new.split())


class CleanupForm:
    """A chain as a person filled it in. Its fields are numbered: kind-0, text-0, by-0, pairs-0, pattern-0, keep-0, kind-1 …

    fields: of each step.
    steps: the chain, if every step can be read.
    """

    def __init__(self, data: Mapping[str, str]) -> None:
        self.fields = [self._read_fields(data, n) for n in range(MAX_STEPS) if data.get(f"kind-{n}") in get_args(StepKind)]
        self.steps: list[CleanupStep] = []
        for number, each in enumerate(self.fields):
            try:
                self.steps.append(each.read())
            except CleanupError as error:
                self.fields[number] = replace(each, error=stored_texts.tell(str(error)))

    @property
    def is_valid(self) -> bool:
        """Whether every step can be read."""
        return len(self.steps) == len(self.fields)

    @staticmethod
    def _read_fields(data: Mapping[str, str], n: int) -> StepFields:
        text, by, pairs = (data.get(f"{name}-{n}", "")[:MAX_BODY] for name in ("text", "by", "pairs"))
        kind: StepKind = data[f"kind-{n}"]  # type: ignore[assignment]
        return StepFields(kind, text, by, pairs, bool(data.get(f"pattern-{n}")), bool(data.get(f"keep-{n}")))

    def edited(self, what: str) -> Sequence[StepFields]:
        """Return the fields after a step was added (“add trim”), removed (“remove 2”) or moved up (“up 2”)."""
        action, _, argument = what.partition(" ")
        fields = [replace(each, error="") for each in self.fields]
        if action == "add" and argument in get_args(StepKind) and len(fields) < MAX_STEPS:
            fields.append(StepFields(argument))  # type: ignore[arg-type]
        place = int(argument) if argument.isdecimal() and len(argument) < 4 else -1
        if action == "remove" and 0 <= place < len(fields):
            del fields[place]
        if action == "up" and 0 < place < len(fields):
            fields[place - 1 : place + 1] = [fields[place], fields[place - 1]]
        return fields
