"""What became of a version of a rule and who did it, and how two versions differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from extraction.algorithms.errors import RuleError, XPathError
from extraction.models import Attribute, Breakage, Decision, Rule
from extraction.services.labels import designs
from extraction.services.rules import effects, rule_xpaths
from extraction.services.rules.effects import Effect
from extraction.views.schema.shown_attributes import find_attributes


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a version. state: as a badge shows it. by: who did it or their name, None for Vertex itself."""

    at: datetime
    state: str
    words: str
    by: User | str | None = None
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
    """The attributes whose definitions differ, those of lists among them, in the order of the newer version."""
    then, now = rule_xpaths.entries(old), rule_xpaths.entries(new)
    names = [name for name in dict.fromkeys([*now, *then]) if then.get(name) != now.get(name)]
    shown = find_attributes(new.cluster, names)
    return [Difference(each, rule_xpaths.shown(then.get(each.name)), rule_xpaths.shown(now.get(each.name))) for each in shown]


def effect(old: Rule, new: Rule, attribute: str) -> Effect:
    """What one attribute gives by the one version and by the other, on some pages of the template."""
    try:
        return effects.compare(new.cluster, old.read_definition(), new.read_definition(), attribute, on=designs.check_pages(new))
    except (RuleError, XPathError) as error:
        return Effect(error=str(error))


def _events(rule: Rule) -> Iterator[Event]:
    repaired_from = rule.read_report().repaired_from
    made = f"made to repair version {repaired_from}" if repaired_from else rule.get_origin_display().lower()
    yield Event(rule.created_at, "draft", made, rule.created_by)
    accepted = Breakage.objects.filter(proposal=rule, state=Breakage.State.REPAIRED).select_related("cluster").first()
    for decision in Decision.objects.filter(rule=rule):
        live = decision.what in Decision.LIVE
        repair = accepted if decision.what in (Decision.What.ACCEPTED, Decision.What.AUTOMATIC) else None
        words = decision.get_what_display().lower()
        yield Event(decision.at, "live" if live else "retired", words, decision.by_name or None, repair)
    for each in Breakage.objects.filter(rule=rule).select_related("closed_by", "proposal", "cluster"):
        yield Event(each.opened_at, "broken", f"a check found that {', '.join(each.attributes)} broke", None, each)
        if each.closed_at:
            yield Event(each.closed_at, each.state, _ending(each), each.closed_by, each)


def _ending(breakage: Breakage) -> str:
    if breakage.state == Breakage.State.REPAIRED:
        proposal = breakage.proposal
        return f"replaced by version {proposal.version}" if proposal and proposal.published_at else "replaced by another version"
    return "works again" if breakage.state == Breakage.State.RECOVERED else "dismissed: nothing was broken"
