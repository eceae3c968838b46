"""What speaks against an attribute's rule: one predicate for each way in which a rule can fail.

None of the differences between two visits of a page is a break by itself. A product may be out of stock, or have a new price. What
tells a break from news is where the values are on both pages. The hypotheses about one page, in the order in which they are tried:

=====================  ==========  ========  ==============================================================================
hypothesis             kind        strength  holds when
=====================  ==========  ========  ==============================================================================
`is_overlooked`        null        strong    the rule gives nothing, and an old value still stands on the page
`is_missing`           null        weak      the rule gives nothing, and the attribute is mandatory
`is_taken_elsewhere`   incorrect   strong    an old value still stands, and a new one stood elsewhere on the old page
`is_misread`           incorrect   strong    an old value still stands, and the rule gives nothing new, part of it or something odd
`is_odd`               incorrect   weak      a new value does not look like the old ones (`profiles.Profile.odd`)
=====================  ==========  ========  ==============================================================================

A page has the evidence of the first hypothesis that holds, or none. A value that is new and looks like the old ones is news. Where no
page has evidence by itself, two hypotheses about all pages together are tried: `are_all_alike` (incorrect, strong) and
`have_vanished` (null, weak).

The kinds are those of docs/algorithms.md#monitoring (Gulhane et al. 2011, section 3.2.2).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Literal

from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.places import ValueFinder, loosen, normalise_value
from extraction.algorithms.monitoring.profiles import FEW_PAGES, Profile
from extraction.algorithms.rules.rule import AttributeRule

RARE = 1e-4
"""Probability below which a number of pages without a value is no coincidence. With fifteen pages a day, a coincidence as rare as this
happens once in the lifetime of a site."""

LEAST_ALIKE_PAGES = 3
"""Pages that must give the same value before `are_all_alike` holds."""

SHOWN_CHARACTERS = 60
"""Length to which values are cut in reasons."""

EvidenceKind = Literal["null", "incorrect"]

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revisit:
    """One page, then and now.

    before, now: the rule's values on the old and on the new page, by attribute.
    covered: whether the cluster still covers the new page's shingle vector.
    """

    url: str
    old: PageTable
    new: PageTable
    before: Mapping[str, Values]
    now: Mapping[str, Values]
    covered: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against an attribute's rule on one page. reason: an explanation for people."""

    url: str
    kind: EvidenceKind
    strong: bool
    before: Values
    now: Values
    reason: str


@dataclass(frozen=True)
class ValueChange:
    """One attribute on one page, then and now.

    profile: what the attribute's values have looked like; None when nothing is known.
    least_standing_fraction: share of the old values that must still stand on the page for any of them to count. It is above 0 for the
    attributes of lists, whose rows come and go.
    """

    attribute: AttributeRule
    profile: Profile | None
    visit: Revisit
    least_standing_fraction: float = 0.0

    @cached_property
    def before(self) -> Values:
        """The rule's values on the old page."""
        return self.visit.before.get(self.attribute.name, ())

    @cached_property
    def now(self) -> Values:
        """The rule's values on the new page."""
        return self.visit.now.get(self.attribute.name, ())

    @cached_property
    def lost(self) -> Values:
        """Old values that the rule no longer gives, however they are written."""
        return self._find_missing(self.before, self.now)

    @cached_property
    def gained(self) -> Values:
        """New values that the rule did not give before, however they are written."""
        return self._find_missing(self.now, self.before)

    @cached_property
    def still_standing(self) -> Values:
        """Lost values that are still the text of some element of the new page. The rule lost them, not the page."""
        finder = ValueFinder(self.visit.new)
        standing = tuple(value for value in self.lost if finder.stands(value))
        return standing if len(standing) >= self.least_standing_fraction * len(self.before) else ()

    @cached_property
    def stood_before(self) -> Values:
        """Gained values that were already the text of some element of the old page. They were never this attribute's."""
        finder = ValueFinder(self.visit.old)
        return tuple(value for value in self.gained if finder.stands(value))

    @cached_property
    def oddities(self) -> tuple[str, ...]:
        """Says in words how the gained values differ from those of the past."""
        return self.profile.odd(self.gained) if self.profile and self.gained else ()

    def _find_missing(self, values: Values, others: Values) -> Values:
        known = {normalise_value(value, self.attribute.type) for value in others}
        return tuple(value for value in values if normalise_value(value, self.attribute.type) not in known)


def is_overlooked(change: ValueChange) -> str | None:
    """The rule gives nothing although an old value still stands on the page. Returns the reason, None when this does not hold."""
    if change.now or not change.still_standing:
        return None
    return f"{_quote(change.still_standing[0])} is on the page, but the rule no longer finds it"


def is_missing(change: ValueChange) -> str | None:
    """The rule gives nothing for a mandatory attribute. Returns the reason, None when this does not hold."""
    return "the rule finds nothing" if not change.now and change.attribute.mandatory else None


def is_taken_elsewhere(change: ValueChange) -> str | None:
    """The rule has slipped to a neighbour: it gives what stood elsewhere on the old page. Returns the reason or None."""
    if not change.now or not change.still_standing or not change.stood_before:
        return None
    return f"{_quote(change.stood_before[0])} instead of {_quote(change.still_standing[0])}; both were on the old page"


def is_misread(change: ValueChange) -> str | None:
    """An old value is still on the page, but the rule gives only part of it, more than it, or something odd. Returns the reason or None."""
    if not change.now or not change.still_standing:
        return None
    holds = any(loosen(old) in loosen(new) for old in change.still_standing for new in change.gained)
    if not change.oddities and change.gained and not holds:
        return None
    default = f"{_quote(change.still_standing[0])} is on the page, but the rule gives something else"
    return change.oddities[0] if change.oddities else default


def is_odd(change: ValueChange) -> str | None:
    """The rule gives a value that does not look like those of the past. Returns the reason, None when this does not hold."""
    return change.oddities[0] if change.oddities else None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A way in which a rule can fail on a page. holds: gives the reason, None when the hypothesis does not hold."""

    holds: Callable[[ValueChange], str | None]
    kind: EvidenceKind
    strong: bool


PAGE_HYPOTHESES = (
    Hypothesis(is_overlooked, "null", strong=True),
    Hypothesis(is_missing, "null", strong=False),
    Hypothesis(is_taken_elsewhere, "incorrect", strong=True),
    Hypothesis(is_misread, "incorrect", strong=True),
    Hypothesis(is_odd, "incorrect", strong=False),
)
"""The hypotheses about one page. The first that holds counts."""


def find_evidence(
    attribute: AttributeRule,
    profile: Profile | None,
    visits: Sequence[Revisit],
    *,
    least_standing_fraction: float = 0.0,
) -> list[Evidence]:
    """What speaks against the attribute's rule: at most one piece of evidence for each page.

    visits: pages that had or have a value of the attribute.
    """
    changes = [ValueChange(attribute, profile, visit, least_standing_fraction) for visit in visits]
    found = [evidence for change in changes if (evidence := judge_page(change)) is not None]
    return found or are_all_alike(changes) or have_vanished(changes)


def judge_page(change: ValueChange) -> Evidence | None:
    """Returns the evidence of the first hypothesis that holds on a page, or None if the rule seems to work there."""
    if not change.lost and not change.gained:
        return None
    for hypothesis in PAGE_HYPOTHESES:
        reason = hypothesis.holds(change)
        if reason is not None:
            return Evidence(change.visit.url, hypothesis.kind, hypothesis.strong, change.before, change.now, reason)
    return None


def are_all_alike(changes: Sequence[ValueChange]) -> list[Evidence]:
    """Every page gives the same value although pages used to differ: the rule reads a text of the site, not of the page."""
    given = [change for change in changes if change.now]
    profile = given[0].profile if given else None
    if profile is None or not profile.varies or len(given) < LEAST_ALIKE_PAGES or len({change.now for change in given}) > 1:
        return []
    reason = f"all pages give {_quote(given[0].now[0])}, although each had its own value"
    return [Evidence(each.visit.url, "incorrect", True, each.before, each.now, reason) for each in given]


def have_vanished(changes: Sequence[ValueChange]) -> list[Evidence]:
    """Far more pages lack a value than the attribute's usual share of such pages explains."""
    profile = changes[0].profile if changes else None
    if profile is None or profile.valued < FEW_PAGES:
        return []
    lost = [change for change in changes if not change.now]
    usual = (profile.pages - profile.valued + 1) / (profile.pages + 2)
    if _probability_of_at_least(len(lost), of=len(changes), chance=usual) > RARE:
        return []
    reason = f"the rule finds nothing on {len(lost)} of {len(changes)} pages; {usual:.0%} was usual"
    return [Evidence(each.visit.url, "null", False, each.before, (), reason) for each in lost]


def _probability_of_at_least(count: int, *, of: int, chance: float) -> float:
    """Returns the probability of at least `count` successes in `of` independent tries, each with probability `chance`."""
    return sum(comb(of, n) * chance**n * (1 - chance) ** (of - n) for n in range(count, of + 1))


def _quote(value: str) -> str:
    return f"“{value[:SHOWN_CHARACTERS]}”"
