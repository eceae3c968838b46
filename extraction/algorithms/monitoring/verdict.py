"""Is a rule broken? This is where a check decides, from pages as they were and the same pages as they are now.

The paper names three failures: *shingle change*, the page's vector is no longer covered; *null extraction*; and *incorrect extraction*
(Gulhane et al. 2011, section 3.2.2; docs/algorithms.md#monitoring). None of them alone is a break: a page may gain a section, which
changes its vector but not its values. So evidence is gathered for each attribute (`evidence`), and an attribute is broken when enough
of the pages that answered have some:

1. `is_unreachable`: too few pages answered. Pages that could not be fetched say nothing.
2. `is_structure_changed`: the cluster no longer covers most of the pages.
3. "incorrect", then "null": an attribute for which `is_enough` evidence was found.
4. Else the rule works.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from extraction.algorithms.monitoring.evidence import Evidence, Revisit, find_evidence
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition

VerdictKind = Literal["ok", "shingle", "null", "incorrect", "unreachable"]

STRONG_SHARE = 0.1
"""Share of pages with strong evidence from which an attribute is broken: news hardly ever looks like it."""

WEAK_SHARE = 0.35
"""The same for evidence of either strength: a third of the products can be out of stock or on sale."""

MAX_SHARE = 0.8
"""Highest value to which dismissals raise either share."""

DISMISSAL_FACTOR = 1.5
"""How much each dismissed alarm raises the shares."""

LEAST_PAGES = 2
"""One bad page is not a break; of one page alone nothing is said."""

LEAST_OF_ROWS = 0.5
"""Share of a list's old values that must stand on the page without the rule giving them. Rows come and go every day, and what has left
a list of news may still stand beside it."""

REACHED_SHARE = 0.5
"""Share of pages that must answer for a verdict."""

COVERED_SHARE = 0.5
"""Share of pages whose vector must still be covered, else the structure has changed."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much evidence makes a rule broken. Dismissals by operators raise the shares for their site, up to MAX_SHARE."""

    strong_fraction: float = STRONG_SHARE
    weak_fraction: float = WEAK_SHARE
    least_pages: int = LEAST_PAGES

    def raised(self, dismissals: int) -> "Thresholds":
        """The thresholds after a number of dismissed alarms."""
        factor = DISMISSAL_FACTOR**dismissals
        return Thresholds(min(self.strong_fraction * factor, MAX_SHARE), min(self.weak_fraction * factor, MAX_SHARE), self.least_pages)


@dataclass(frozen=True, slots=True)
class AttributeVerdict:
    """The verdict on one attribute. pages: pages that answered and had a value, then or now. fraction: share of these with evidence."""

    kind: VerdictKind
    pages: int
    fraction: float
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What a check says of a cluster's rule.

    kind: the first that applies of unreachable, shingle, incorrect, null and ok.
    asked: how many pages were fetched. reached: how many of them answered.
    covered_fraction: share of pages whose vector is still covered.
    attributes: the verdicts by attribute name. If the cluster is unreachable, so are all of its attributes.
    """

    kind: VerdictKind
    reached: int
    asked: int
    covered_fraction: float
    attributes: Mapping[str, AttributeVerdict]

    @property
    def broken(self) -> tuple[str, ...]:
        """The attributes whose rule no longer works."""
        return tuple(name for name, each in self.attributes.items() if each.kind in ("shingle", "null", "incorrect"))


def judge_rule(
    rule: RuleDefinition,
    profiles: Mapping[str, Profile],
    visits: Sequence[Revisit],
    *,
    asked: int | None = None,
    thresholds: Thresholds | None = None,
) -> RuleVerdict:
    """The verdict on a cluster's rule.

    profiles: what each attribute's values have looked like.
    visits: the pages that answered.
    asked: how many pages were fetched; by default the number of `visits`.
    """
    limits, asked = thresholds or Thresholds(), len(visits) if asked is None else asked
    attributes, columns = list_judged_attributes(rule), {each.name for one in rule.lists for each in one.attributes}
    if is_unreachable(reached=len(visits), asked=asked):
        none = AttributeVerdict("unreachable", len(visits), 0.0)
        return RuleVerdict("unreachable", len(visits), asked, 0.0, {each.name: none for each in attributes})
    found = {}
    for each in attributes:
        least = LEAST_OF_ROWS if each.name in columns else 0.0
        found[each.name] = _judge_attribute(each, profiles.get(each.name), visits, limits, least_standing_fraction=least)
    covered = sum(visit.covered for visit in visits) / len(visits)
    kind: VerdictKind = "shingle" if is_structure_changed(covered) else _find_worst(found.values())
    return RuleVerdict(kind, len(visits), asked, covered, found)


def confirm_verdict(first: RuleVerdict, second: RuleVerdict) -> RuleVerdict:
    """Combines two verdicts on the same pages: an attribute is broken only if both say so. second: a verdict on pages that answered."""
    attributes = {
        name: each if name in first.broken or each.kind == "ok" else AttributeVerdict("ok", each.pages, 0.0)
        for name, each in second.attributes.items()
    }
    kind: VerdictKind = "shingle" if second.kind == "shingle" else _find_worst(attributes.values())
    return replace(second, attributes=attributes, kind=kind)


def list_judged_attributes(rule: RuleDefinition) -> tuple[AttributeRule, ...]:
    """Lists what is judged: a rule's attributes, then those of its lists, each as a single attribute with the values of all rows."""
    columns = (replace(each, multiple=True, mandatory=False) for one in rule.lists for each in one.attributes)
    return (*rule.attributes, *columns)


def is_unreachable(*, reached: int, asked: int) -> bool:
    """Whether too few pages answered for a verdict."""
    return not reached or reached < REACHED_SHARE * asked


def is_structure_changed(covered_fraction: float) -> bool:
    """Whether the cluster no longer covers the vectors of most pages."""
    return covered_fraction < COVERED_SHARE


def is_enough(evidence: Sequence[Evidence], limits: Thresholds, *, pages: int, visited: int) -> bool:
    """Whether the evidence makes an attribute broken.

    pages: those that had or have a value of the attribute. visited: all pages that answered.
    """
    least, strong = min(limits.least_pages, visited), sum(each.strong for each in evidence)
    return strong >= max(least, limits.strong_fraction * pages) or len(evidence) >= max(least, limits.weak_fraction * pages)


def _judge_attribute(
    attribute: AttributeRule,
    profile: Profile | None,
    visits: Sequence[Revisit],
    limits: Thresholds,
    *,
    least_standing_fraction: float,
) -> AttributeVerdict:
    seen = [visit for visit in visits if visit.before.get(attribute.name) or visit.now.get(attribute.name)]
    if not seen:
        return AttributeVerdict("ok", 0, 0.0)
    found = find_evidence(attribute, profile, seen, least_standing_fraction=least_standing_fraction)
    kind: VerdictKind = "ok"
    if is_enough(found, limits, pages=len(seen), visited=len(visits)):
        missing = sum(each.kind == "null" for each in found)
        kind = "null" if 2 * missing >= len(found) else "incorrect"
    return AttributeVerdict(kind, len(seen), len(found) / len(seen), tuple(found))


def _find_worst(verdicts: Iterable[AttributeVerdict]) -> VerdictKind:
    """Returns the worst kind among the attributes' verdicts. Wrong values are worse than missing ones."""
    kinds = {each.kind for each in verdicts}
    return "incorrect" if "incorrect" in kinds else "null" if "null" in kinds else "ok"
