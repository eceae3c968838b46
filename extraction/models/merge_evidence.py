"""Why two templates seem to be one: `MergeProposal.evidence`."""

from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeEvidence(JsonValue):
    """The figures of the comparison.

    pages: number of pages that rules were tried on; if there was no rule, number of pages of the smaller template.
    answers, same: if both have rules, the number of values given and how many of them are equal.
    complete: if only one has a rule, the number of pages on which it gives complete records.
    alike_percent: if there was no rule, how much of the structure that one requires the other knows.
    """

    pages: int = 0
    answers: int | None = None
    same: int | None = None
    complete: int | None = None
    alike_percent: int | None = None
