"""What became of a version of a rule and who did it, and how two versions differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from extraction.algorithms.errors import RuleError, XPathError
from extraction.models import Attribute, Breakage, Rule
from extraction.services import breakage_view, effects, rules
from extraction.services.effects import Effect


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a version. state: as a badge shows it. by: who did it, None for Vertex itself."""

    at: datetime
    state: str
    words: str
    by: Any = None
    breakage: Breakage | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """An attribute whose XPaths differ between two versions; () where a version has none for it."""

    attribute: Attribute
    old: tuple[str, ...]
    new: tuple[str, ...]


def events(rule: Rule) -> list[Event]:
    """What became of a version, the latest first."""
    return sorted(_events(rule), key=lambda event: event.at, reverse=True)


def differences(old: Rule, new: Rule) -> list[Difference]:
    """The pages' own attributes whose definitions differ, in the order of the newer version."""
    then, now = _defined(old), _defined(new)
    names = [name for name in dict.fromkeys([*now, *then]) if then.get(name) != now.get(name)]
    shown = breakage_view.attributes(new.cluster, names)
    return [Difference(each, _xpaths(then.get(each.name)), _xpaths(now.get(each.name))) for each in shown]


def effect(old: Rule, new: Rule, attribute: str) -> Effect:
    """What one attribute gives by the one version and by the other, on some pages of the template."""
    try:
        return effects.compare(new.cluster, rules.value_of(old), rules.value_of(new), attribute)
    except (RuleError, XPathError) as error:
        return Effect(error=str(error))


def _events(rule: Rule) -> Iterator[Event]:
    repaired_from = rule.report.get("repaired_from")
    made = f"made to repair version {repaired_from}" if repaired_from else rule.get_origin_display().lower()
    yield Event(rule.created_at, "draft", made, rule.created_by)
    accepted = Breakage.objects.filter(proposal=rule, state=Breakage.State.REPAIRED).select_related("closed_by").first()
    if rule.published_at:
        by = accepted.closed_by if accepted else None
        yield Event(rule.published_at, "live", "accepted as the repair" if accepted else "published", by, accepted)
    for each in Breakage.objects.filter(rule=rule).select_related("closed_by", "proposal", "cluster"):
        yield Event(each.opened_at, "broken", f"{', '.join(each.attributes)} broke, found by a check", None, each)
        if each.closed_at:
            yield Event(each.closed_at, each.state, _ending(each), each.closed_by, each)


def _ending(breakage: Breakage) -> str:
    if breakage.state == Breakage.State.REPAIRED:
        proposal = breakage.proposal
        return f"version {proposal.version} took its place" if proposal and proposal.published_at else "another version took its place"
    return "it works again" if breakage.state == Breakage.State.RECOVERED else "somebody said that nothing was broken"


def _defined(rule: Rule) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in rule.definition.get("attributes", [])}


def _xpaths(entry: dict[str, Any] | None) -> tuple[str, ...]:
    return tuple(each["xpath"] for each in (entry or {}).get("alternatives", []))
