"""The findings of a check, as values: `Check.attributes`, `Check.pages` and `Check.evidence`."""

from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeFinding(JsonValue):
    """What a check found for one attribute.

    kind: a `monitoring.verdict.VerdictKind`.
    pages: number of watched pages that could judge the attribute.
    fraction: share of these pages with evidence against the rule.
    null_fraction: share of the answering pages on which the rule gives no value; None if no page answered.
    compared, changed: number of pages that had a value before and are not in doubt, and on how many of them it has changed.
    certain: what the rule gives cannot be right, so that a repair may go live without a person.
    usual_fraction: the share of pages with a value that earlier checks found, if it is much lower now; else None.
    """

    kind: str
    pages: int = 0
    fraction: float = 0.0
    null_fraction: float | None
    compared: int = 0
    changed: int = 0
    certain: bool = True
    usual_fraction: float | None = None

    @property
    def valued_fraction(self) -> float | None:
        """Share of the answering pages on which the rule gives a value; None if no page answered."""
        return None if self.null_fraction is None else 1 - self.null_fraction

    @property
    def doubted_pages(self) -> int:
        """Number of pages with evidence against the rule."""
        return round(self.fraction * self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPage(JsonValue):
    """The result of fetching one watched page, with its snapshots before and after.

    outcome: a `fetching.crawl.messages.Outcome`.
    old: the baseline snapshot.
    new: the fetched snapshot. It equals `old` if the page is unchanged, and is None if the fetch gave no page.
    """

    url: str
    outcome: str
    old: int
    new: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEvidence(JsonValue):
    """Evidence against an attribute's rule on one page.

    kind, strong, reason: as in `monitoring.evidence.Evidence`.
    before, now: the rule's values on the old and on the new content of the page.
    """

    attribute: str
    url: str = ""
    kind: str = ""
    strong: bool = False
    before: tuple[str, ...] = ()
    now: tuple[str, ...] = ()
    reason: str = ""
