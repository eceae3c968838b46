"""What a check writes down, as values: `Check.attributes`, `Check.pages` and `Check.evidence`."""

from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeFinding(JsonValue):
    """What a check found of one attribute.

    kind: `monitoring.verdict.VerdictKind`.
    pages: watched pages that have a say.
    fraction: share of them with evidence against the rule.
    null_fraction: share of the pages that answered on which the rule gives no value; None where none answered.
    """

    kind: str
    pages: int = 0
    fraction: float = 0.0
    null_fraction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPage(JsonValue):
    """A watched page: what came of it, and its snapshots before and then.

    outcome: of `fetching.crawl.messages.Outcome`.
    old: the baseline.
    new: equal to `old` where the page is unchanged, None where no page came.
    """

    url: str
    outcome: str
    old: int
    new: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEvidence(JsonValue):
    """A page that speaks against an attribute's rule.

    kind, strong, reason: as in `monitoring.evidence.Evidence`.
    before, now: the rule's values on the page as it was and as it is.
    """

    attribute: str
    url: str = ""
    kind: str = ""
    strong: bool = False
    before: tuple[str, ...] = ()
    now: tuple[str, ...] = ()
    reason: str = ""
