"""Why two templates seem to be one: `MergeProposal.evidence`."""

from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeEvidence(JsonValue):
    """Figures of the comparison.

    pages: pages that rules were tried on.
    answers, same: where both have rules, values given and how many of them are equal.
    complete: where only one has a rule, pages on which it gives whole records.
    """

    pages: int = 0
    answers: int | None = None
    same: int | None = None
    complete: int | None = None
