"""Is a rule broken? Pages as they were against the same pages as they are now (Vertex §3.2.2; ALGORITHMS 6).

The paper's three failures: *shingle change*, the page's vector is no longer covered; *null extraction*; *incorrect
extraction*. None of them alone is a break: a page may gain a section (its vector changes, its values do not), lose a
value because the product is out of stock, or have a new price. What tells a break from news is where the values are now:

- a value the rule no longer gives but which still *stands on the page* was lost by the rule, not by the page;
- a value the rule gives now that stood elsewhere on the *old* page was never this attribute's: the rule has slipped to a neighbour;
- a value neither old nor like the old ones (`profiles.Profile.odd`) is suspicious, but less so;
- a value that is new and looks like the old ones is news.

Evidence of the first two kinds is *strong*; of the third, a mandatory value's absence and an optional one's on far more pages
than usual *weak*. A page has one of them per
attribute or none, and an attribute is broken when enough of the pages that answered have it. Pages that could not be
fetched say nothing; when most could not, the verdict is *unreachable*.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.monitoring.places import Finder, loose
from extraction.algorithms.monitoring.profiles import FEW_PAGES, Profile
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.rules.values import read

Kind = Literal["ok", "shingle", "null", "incorrect", "unreachable"]

STRONG_SHARE = 0.1
"""Share of pages with strong evidence from which an attribute is broken: news hardly ever looks like it."""

WEAK_SHARE = 0.35
"""The same for evidence of either kind: a third of the products can be out of stock or on sale."""

LEAST_PAGES = 2
"""One bad page is not a break; of one page alone nothing is said."""

LEAST_OF_ROWS = 0.5
"""Share of a list's old values that must stand on the page without the rule giving them. Rows come and go every day, and what has left
a list of news may still stand beside it."""

RARE = 1e-4
"""Chance below which a number of pages without a value is no chance: with fifteen pages a day, once in a lifetime of a site."""

REACHED_SHARE = 0.5
"""Share of pages that must answer for a verdict."""

COVERED_SHARE = 0.5
"""Share of pages whose vector must still be covered, else the structure has changed."""

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When evidence is enough. Dismissals by operators raise the shares for their site (never above 0.8)."""

    strong_fraction: float = STRONG_SHARE
    weak_fraction: float = WEAK_SHARE
    least_pages: int = LEAST_PAGES

    def raised(self, dismissals: int) -> "Thresholds":
        """The shares after so many dismissed alarms, each by a half."""
        factor = 1.5**dismissals
        return Thresholds(min(self.strong_fraction * factor, 0.8), min(self.weak_fraction * factor, 0.8), self.least_pages)


@dataclass(frozen=True, slots=True)
class Visit:
    """One page then and now. before, now: the rule's values by attribute. covered: whether the cluster still covers its vector."""

    url: str
    old: PageTable
    new: PageTable
    before: Mapping[str, Values]
    now: Mapping[str, Values]
    covered: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against an attribute's rule on one page, in words."""

    url: str
    kind: Literal["null", "incorrect"]
    strong: bool
    before: Values
    now: Values
    reason: str


@dataclass(frozen=True, slots=True)
class AttributeVerdict:
    """What is said of one attribute. pages: those that answered and had a say. fraction: share of them with evidence."""

    kind: Kind
    pages: int
    fraction: float
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says of a cluster.

    kind: unreachable; shingle when the structure changed on most pages; else the worst of its attributes. covered_fraction: share of
    pages whose vector is still covered. attributes: by name; those of an unreachable cluster are unreachable.
    """

    kind: Kind
    reached: int
    asked: int
    covered_fraction: float
    attributes: Mapping[str, AttributeVerdict]

    @property
    def broken(self) -> tuple[str, ...]:
        """The attributes whose rule no longer works."""
        return tuple(name for name, each in self.attributes.items() if each.kind in ("shingle", "null", "incorrect"))


def check(
    attributes: Sequence[AttributeRule],
    profiles: Mapping[str, Profile],
    visits: Sequence[Visit],
    *,
    columns: Collection[str] = (),
    asked: int | None = None,
    thresholds: Thresholds | None = None,
) -> Verdict:
    """The verdict on a cluster's rule.

    visits: the pages that answered; asked: how many were asked. columns: attributes of lists, whose values are those of all rows.
    """
    limits, asked = thresholds or Thresholds(), len(visits) if asked is None else asked
    if not visits or len(visits) < REACHED_SHARE * asked:
        none = AttributeVerdict("unreachable", len(visits), 0.0)
        return Verdict("unreachable", len(visits), asked, 0.0, {each.name: none for each in attributes})
    covered = sum(visit.covered for visit in visits) / len(visits)
    found = {each.name: _attribute(each, profiles.get(each.name), visits, limits, least=_least(each, columns)) for each in attributes}
    kinds = {each.kind for each in found.values()}
    worst: Kind = next((kind for kind in ("incorrect", "null") if kind in kinds), "ok")
    return Verdict("shingle" if covered < COVERED_SHARE else worst, len(visits), asked, covered, found)


def _least(attribute: AttributeRule, columns: Collection[str]) -> float:
    return LEAST_OF_ROWS if attribute.name in columns else 0.0


def _attribute(
    attribute: AttributeRule, profile: Profile | None, visits: Sequence[Visit], limits: Thresholds, *, least: float
) -> AttributeVerdict:
    seen = [visit for visit in visits if visit.before.get(attribute.name) or visit.now.get(attribute.name)]
    if not seen:
        return AttributeVerdict("ok", 0, 0.0)
    found = [evidence for visit in seen if (evidence := _evidence(attribute, profile, visit, least)) is not None]
    found = found or _all_alike(attribute, profile, seen) or _vanished(attribute, profile, seen)
    strong, few = sum(each.strong for each in found), min(limits.least_pages, len(visits))
    enough = strong >= max(few, limits.strong_fraction * len(seen)) or len(found) >= max(few, limits.weak_fraction * len(seen))
    null = sum(each.kind == "null" for each in found)
    kind: Kind = "ok" if not enough else "null" if 2 * null >= len(found) else "incorrect"
    return AttributeVerdict(kind, len(seen), len(found) / len(seen), tuple(found))


def _evidence(attribute: AttributeRule, profile: Profile | None, visit: Visit, least: float) -> Evidence | None:
    before, now = visit.before.get(attribute.name, ()), visit.now.get(attribute.name, ())
    lost, gained = _beyond(attribute, before, now), _beyond(attribute, now, before)
    if not lost and not gained:
        return None

    def say(kind: Literal["null", "incorrect"], reason: str, *, strong: bool) -> Evidence:
        return Evidence(visit.url, kind, strong, before, now, reason)

    new, old = Finder(visit.new), Finder(visit.old)
    still = [value for value in lost if new.stands(value)]
    still = still if len(still) >= least * len(before) else []
    if not now:
        if still:
            return say("null", f"“{still[0][:60]}” is on the page, but the rule no longer finds it", strong=True)
        return say("null", "the rule finds nothing", strong=False) if attribute.mandatory else None
    slipped = [value for value in gained if old.stands(value)]
    if still and slipped:
        return say("incorrect", f"“{slipped[0][:60]}” instead of “{still[0][:60]}”; both were on the old page", strong=True)
    odd = profile.odd(gained) if profile and gained else ()
    if still and (odd or not gained or any(loose(old) in loose(new) for old in still for new in gained)):
        return say("incorrect", odd[0] if odd else f"“{still[0][:60]}” is on the page, but the rule gives something else", strong=True)
    return say("incorrect", odd[0], strong=False) if odd else None


def _all_alike(attribute: AttributeRule, profile: Profile | None, seen: Sequence[Visit]) -> list[Evidence]:
    """Every page gives the same value where pages used to differ: the rule reads something of the site's, not of the page's."""
    now = [visit.now.get(attribute.name, ()) for visit in seen]
    given = [values for values in now if values]
    if profile is None or not profile.varies or len(given) < 3 or len(set(given)) > 1:
        return []
    reason = f"all pages give “{given[0][0][:60]}”, although each had its own value"
    return [
        Evidence(v.url, "incorrect", True, v.before.get(attribute.name, ()), v.now[attribute.name], reason)
        for v in seen
        if v.now.get(attribute.name)
    ]


def _vanished(attribute: AttributeRule, profile: Profile | None, seen: Sequence[Visit]) -> list[Evidence]:
    """Far more pages without a value than the attribute's usual share of them would ever bring."""
    lost = [visit for visit in seen if not visit.now.get(attribute.name)]
    if profile is None or profile.valued < FEW_PAGES:
        return []
    usual = (profile.pages - profile.valued + 1) / (profile.pages + 2)
    if _at_least(len(lost), of=len(seen), chance=usual) > RARE:
        return []
    reason = f"the rule finds nothing on {len(lost)} of {len(seen)} pages; {usual:.0%} was usual"
    return [Evidence(v.url, "null", False, v.before.get(attribute.name, ()), (), reason) for v in lost]


def _at_least(count: int, *, of: int, chance: float) -> float:
    """The probability of so many or more in as many independent tries."""
    return sum(comb(of, n) * chance**n * (1 - chance) ** (of - n) for n in range(count, of + 1))


def _beyond(attribute: AttributeRule, values: Values, others: Values) -> Values:
    """The values that the others do not have, in whatever writing."""
    form = _form(attribute)
    known = {form(value) for value in others}
    return tuple(value for value in values if form(value) not in known)


def _form(attribute: AttributeRule) -> Callable[[str], str]:
    if attribute.type in ("number", "price", "date"):
        return lambda value: read(value, attribute.type).value or loose(value)
    return lambda value: loose(value) or value
