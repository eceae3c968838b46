"""What happened to a rule's versions, who did it, and how two versions differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.rule import AttributeRule, ListRule
from extraction.models import Attribute, Breakage, Cluster, Decision, Rule
from extraction.services.core import stored_texts
from extraction.services.labels import designs
from extraction.services.rules import effects, rule_xpaths
from extraction.services.rules.effects import RuleEffect
from extraction.views.rules import cleanup_words
from extraction.views.schema.shown_attributes import find_attributes


@dataclass(frozen=True, slots=True)
class RuleEvent:
    """One thing that happened to a version. state: as a badge shows it. by: the person or their name, None for Vertex itself."""

    at: datetime
    state: str
    words: str
    by: User | str | None = None
    breakage: Breakage | None = None


@dataclass(frozen=True, slots=True)
class AttributeDifference:
    """An attribute whose XPaths or clean-up differ between two versions; () where a version has none for it."""

    attribute: Attribute
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_cleanup: str = ""
    new_cleanup: str = ""


MAX_BREAKAGES = 20
"""Newest breakages of a version in its history."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version. changes: which attributes it added, dropped or changed. approved: the decision by which it last went live."""

    rule: Rule
    changes: list[tuple[str, str]]
    approved: Decision | None


def count_earlier_breakages(rule: Rule) -> int:
    """Return how many breakages of a version its events leave out."""
    return max(0, Breakage.objects.filter(rule=rule).count() - MAX_BREAKAGES)


def list_events(rule: Rule) -> list[RuleEvent]:
    """Return what happened to a version, the latest first. Of its breakages, only the newest."""
    return sorted(_events(rule), key=lambda event: event.at, reverse=True)


def list_versions(cluster: Cluster) -> list[VersionRow]:
    """Return all versions of a template's rule, newest first, with what changed."""
    found = list(Rule.objects.filter(cluster=cluster).select_related("created_by").defer("stylesheet"))
    before = [*found[1:], None]
    decisions = Decision.objects.filter(rule__cluster=cluster, what__in=Decision.LIVE).order_by("at", "pk")
    approved = {each.rule_id: each for each in decisions}
    return [VersionRow(rule, _changes(rule, older), approved.get(rule.pk)) for rule, older in zip(found, before, strict=False)]


def list_differences(old: Rule, new: Rule) -> list[AttributeDifference]:
    """Return the attributes whose definitions differ, including those of lists, in the order of the newer version."""
    then, now = rule_xpaths.find_entries(old), rule_xpaths.find_entries(new)
    names = [name for name in dict.fromkeys([*now, *then]) if then.get(name) != now.get(name)]
    shown = find_attributes(new.cluster, names)
    return [
        AttributeDifference(
            each,
            rule_xpaths.format_xpaths(then.get(each.name)),
            rule_xpaths.format_xpaths(now.get(each.name)),
            _describe_cleanup(then.get(each.name)),
            _describe_cleanup(now.get(each.name)),
        )
        for each in shown
    ]


def _describe_cleanup(entry: rule_xpaths.DefinitionEntry | None) -> str:
    """Return the steps of an attribute's clean-up in words, "" if there are none."""
    return gettext("; then ").join(cleanup_words.describe_chain(entry.attribute.cleanup)) if entry else ""


def compare_versions(old: Rule, new: Rule, attribute: str) -> RuleEffect:
    """Return what one attribute gives by each of two versions, on some pages of the template."""
    try:
        return effects.compare_rules(new.cluster, old.read_definition(), new.read_definition(), attribute, on=designs.find_check_pages(new))
    except (RuleError, XPathError) as error:
        return RuleEffect(error=stored_texts.tell(str(error)))


def _events(rule: Rule) -> Iterator[RuleEvent]:
    repaired_from = rule.read_report().repaired_from
    made = (
        gettext("made to repair version %(repaired_from)s") % {"repaired_from": repaired_from}
        if repaired_from
        else rule.get_origin_display().lower()
    )
    yield RuleEvent(rule.created_at, "draft", made, rule.created_by)
    accepted = Breakage.objects.filter(proposal=rule, state=Breakage.State.REPAIRED).select_related("cluster").first()
    for decision in Decision.objects.filter(rule=rule):
        live = decision.what in Decision.LIVE
        repair = accepted if decision.what in (Decision.What.ACCEPTED, Decision.What.AUTOMATIC) else None
        words = decision.get_what_display().lower()
        yield RuleEvent(decision.at, "live" if live else "retired", words, decision.by_name or None, repair)
    broken = Breakage.objects.filter(rule=rule).select_related("closed_by", "proposal", "cluster").order_by("-pk")
    for each in broken[:MAX_BREAKAGES]:
        yield RuleEvent(each.opened_at, "broken", gettext("a check found that %(subject)s broke") % {"subject": each.subject}, None, each)
        if each.closed_at:
            yield RuleEvent(each.closed_at, each.state, _ending(each), each.closed_by, each)


def _ending(breakage: Breakage) -> str:
    if breakage.state == Breakage.State.REPAIRED:
        proposal = breakage.proposal
        return (
            gettext("replaced by version %(version)s") % {"version": proposal.version}
            if proposal and proposal.published_at
            else gettext("replaced by another version")
        )
    return (
        gettext("works again without a repair") if breakage.state == Breakage.State.RECOVERED else gettext("dismissed: nothing was broken")
    )


def _changes(rule: Rule, older: Rule | None) -> list[tuple[str, str]]:
    """Return (what happened, attribute) compared with the version before."""
    now = _entries(rule)
    then = _entries(older) if older else {}
    if older is None:
        return [(gettext("first version"), "")]
    came = [("new", name) for name in now if name not in then]
    went = [("gone", name) for name in then if name not in now]
    changed = [("changed", name) for name in now if name in then and now[name] != then[name]]
    return [*came, *went, *changed] or [(gettext("same XPaths"), "")]


def _entries(rule: Rule) -> dict[str, AttributeRule | ListRule]:
    """Return what a version has for each of its attributes and lists, by name."""
    value = rule_xpaths.read_definition_or_empty(rule)
    entries: tuple[AttributeRule | ListRule, ...] = (*value.attributes, *value.lists)
    return {each.name: each for each in entries}
