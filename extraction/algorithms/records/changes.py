"""Changes between two states of a record, their causes, and earlier states rebuilt from changes.

A history keeps the present state and the changes that led to it. `undo_change` takes one change back, so the state at any
time follows from the present one, and old changes can be dropped without touching newer states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from extraction.algorithms.errors import VertexError
from extraction.algorithms.records.keys import Values

Cause = Literal["page", "rule", "both", "reading", "correction", "unknown"]
"""Why a value changed.

page: the page changed.
rule: the rule changed; the page gives the new value in its earlier content, too.
both: the rule and the page changed, and each of them makes a difference.
reading: neither changed, but Vertex reads the page in another way.
correction: a person corrected it, or took a correction back.
unknown: both changed, and the earlier content can no longer be read.
"""


class ReplayError(VertexError):
    """A change does not fit the state that it should have led to."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one attribute. An attribute without values has an empty list. by: who corrected it, "" for any other cause."""

    before: Sequence[Mapping[str, Any]]
    after: Sequence[Mapping[str, Any]]
    cause: Cause
    by: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON."""
        row = {"from": list(self.before), "to": list(self.after), "cause": self.cause}
        return row | ({"by": self.by} if self.by else {})


def find_changes(before: Values, after: Values) -> dict[str, tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]]:
    """Return {attribute: (its values before, its values after)} for each attribute that differs, by name."""
    names = sorted({*before, *after})
    return {name: (before.get(name, ()), after.get(name, ())) for name in names if list(before.get(name, ())) != list(after.get(name, ()))}


def describe_difference(values: Values, others: Values) -> str:
    """Return which attributes differ between two sources of a thing; "" if none does."""
    names = list(find_changes(values, others))
    return f"{', '.join(names)} differ{'s' if len(names) == 1 else ''}"[:500] if names else ""


def explain_changes(
    before: Values,
    after: Values,
    *,
    same_page: bool,
    same_rule: bool,
    reread: Values | None,
    corrected: Mapping[str, str] | None = None,
) -> dict[str, Change]:
    """Return {attribute: its change with its cause}.

    same_page: both states come from the same content of the page.
    same_rule: both states come from the same version of the rule.
    reread: what the new rule gives for the earlier content, None if that cannot be told. Only used if both changed.
    corrected: {attribute: who corrected it} of the values after the change.
    """
    people = corrected or {}

    def find_cause(name: str) -> Cause:
        if name in people and same_page and same_rule:
            return "correction"
        if same_page or same_rule:
            return "reading" if same_page and same_rule else "rule" if same_page else "page"
        if reread is None:
            return "unknown"
        now = list(reread.get(name, ()))
        if now == list(after.get(name, ())):
            return "rule"
        return "page" if now == list(before.get(name, ())) else "both"

    changes = {name: Change(old, new, find_cause(name)) for name, (old, new) in find_changes(before, after).items()}
    return {name: replace(each, by=people[name]) if each.cause == "correction" else each for name, each in changes.items()}


def undo_change(state: Values, changes: Mapping[str, Mapping[str, Any]]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the state before a change.

    Raises ReplayError if the state is not the one that the change led to.

    changes: {attribute: `Change.as_json`}.
    """
    earlier = dict(state)
    for name, change in changes.items():
        if list(state.get(name, ())) != list(change["to"]):
            raise ReplayError(f"The history does not fit: {name} is not what its last change says.")
        if change["from"]:
            earlier[name] = change["from"]
        else:
            earlier.pop(name, None)
    return earlier
