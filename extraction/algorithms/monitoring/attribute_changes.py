"""One attribute on all pages, then and now, and the chances measured on them. `hypotheses` and `common_causes` test these."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from extraction.algorithms.monitoring import constancy
from extraction.algorithms.monitoring.chance import MAX_FOREIGN_VALUES, Coincidence, ForeignValue
from extraction.algorithms.monitoring.evidence import Evidence, EvidenceKind, ValueChange

ODD_RATE = 0.02
"""Chance that a value that works looks odd, or is part of another text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sign, and all pages that have it.

    probability: of so many pages if the rule works; None for a sign that is not tested.
    plausible: the pages have values that might be right. No repair goes live by itself because of such a sign.
    compared: the pages, by URL, whose old versions the test needs again, because it compares pages with each other.
    """

    sign: str
    evidence: tuple[Evidence, ...]
    probability: float | None
    plausible: bool = False
    compared: frozenset[str] = frozenset()


class AttributeChanges:
    """All pages that had or have a value of one attribute.

    pages: the attribute on each page. moved: those of the pages on which its value is another one now, or is gone, or is new.
    counts: how often the attribute's value changed so far.
    visits: the number of visits since the oldest baseline. rate: how often the value changes from one visit to the next.
    """

    def __init__(self, changes: Sequence[ValueChange], counts: constancy.ChangeCounts) -> None:
        self.pages = changes
        first = changes[0]
        self.attribute, self.profile = first.attribute, first.profile
        self.visits = max(change.visit.visits for change in changes)
        self.rate = constancy.estimate_rate(first.attribute, first.profile, counts)
        self.moved = [change for change in changes if change.lost or change.gained]

    @property
    def urls(self) -> frozenset[str]:
        """The pages' URLs."""
        return frozenset(each.visit.url for each in self.pages)

    @property
    def usual_null_fraction(self) -> float:
        """The share of pages that usually have no value."""
        known = self.profile
        return (known.pages - known.valued + 1) / (known.pages + 2) if known else ODD_RATE

    @cached_property
    def coincidence(self) -> Coincidence:
        """How likely values stand on the pages by chance, measured with the values of other pages."""
        old = self._count_foreign(lambda change: change.before)
        new = self._count_foreign(lambda change: change.now)
        return Coincidence.measure(old, new)

    def estimate_standing_chance(self, change: ValueChange) -> float:
        """The chance that an old value of the page stands on the new page although the rule's place no longer holds it."""
        if change.stood_elsewhere:
            return 1.0
        return min(1.0, self.coincidence.appears.chance * self.count_chances(change))

    @staticmethod
    def count_chances(change: ValueChange) -> int:
        """How many old values may stand on the page by chance. Of a list, most would have to, which is less likely than for one."""
        return 1 if change.least_standing_fraction else max(1, len(change.before))

    def _count_foreign(self, values: Callable[[ValueChange], Iterable[str]]) -> list[ForeignValue]:
        """Counts, on each page, how often the values of other pages stand there."""
        known = sorted({value for change in self.pages for value in values(change)})
        known = known[:: -(-len(known) // MAX_FOREIGN_VALUES) or 1]
        return [
            ForeignValue(change.count_before(value), change.count_now(value))
            for change in self.pages
            for value in known
            if value not in change.before and value not in change.now
        ]


def make_evidence(change: ValueChange, kind: EvidenceKind, reason: str, *, strong: bool = True) -> Evidence:
    """The evidence that a page's change is, for a reason in words."""
    return Evidence(change.visit.url, kind, strong, change.before, change.now, reason)
