"""Monitoring as people see it: each template's checks on a time line, its bellwethers, and the health of its rule in figures."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from django.db.models import Count, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from extraction.algorithms.errors import PageError
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.models import Attribute, Bellwether, Breakage, Check, Cluster, Label, Rule, Site, Snapshot
from extraction.models.check_findings import AttributeFinding, CheckedPage, CheckEvidence
from extraction.models.monitor import list_broken
from extraction.services.core.stored_pages import read_root
from extraction.services.monitoring.silence import answered_since
from extraction.services.rules import rule_xpaths
from extraction.services.rules.rules import compile_rule
from extraction.views.schema.shown_attributes import find_attributes

SHOWN = 60
"""How many checks the time line shows: two months of daily ones."""


SINCE = timedelta(days=400)
"""How far back checks are read."""


@dataclass(frozen=True, slots=True)
class ValueLine:
    """An attribute's share of watched pages with a value, check by check, the oldest first; None where no page answered."""

    attribute: Attribute
    fractions: list[float | None]

    @property
    def last(self) -> float | None:
        """The share at the last check that could tell."""
        return next((each for each in reversed(self.fractions) if each is not None), None)


@dataclass(frozen=True, slots=True)
class Watched:
    """A bellwether and what its address gave at the last check; empty before the first."""

    bellwether: Bellwether
    outcome: str


@dataclass(frozen=True, slots=True)
class Health:
    """A rule's health.

    to_detect_s: the median time from the last check that found all well to the one that found the break. No break can have been unseen
        for longer. None while there was none.
    to_repair_s: the median time from that check to the repair. None while there was none.
    breakages: how many of each ending.
    annotated: pages a person marked for this template.
    """

    checks: int
    breakages: Mapping[str, int]
    to_detect_s: float | None
    to_repair_s: float | None
    annotated: int


@dataclass(frozen=True, slots=True)
class TemplateWatch:
    """A template's monitoring.

    dots: its checks with the names of the attributes that each found broken, the newest last.
    lines: one for each attribute, broken ones first.
    """

    cluster: Cluster
    rule: Rule
    dots: list[tuple[Check, list[str]]]
    lines: list[ValueLine]
    watched: list[Watched]
    health: Health
    breakage: Breakage | None

    @property
    def last(self) -> Check | None:
        """The latest check."""
        return self.dots[-1][0] if self.dots else None

    @property
    def coverage(self) -> list[float | None]:
        """Share of the pages that answered which still have the template's structure, check by check."""
        return [check.covered_fraction if check.reached else None for check, _ in self.dots]


@dataclass(frozen=True, slots=True)
class Drift:
    """An attribute whose values go missing little by little. pages: those without a value at the check."""

    attribute: Attribute
    finding: AttributeFinding
    pages: list[CheckedPage]


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check: what was found of each attribute, with the evidence, and what each page gave."""

    check: Check
    attributes: list[tuple[Attribute, AttributeFinding]]
    drifts: list[Drift]
    pages: tuple[CheckedPage, ...] = ()
    evidence: list[tuple[Attribute, CheckEvidence]] = field(default_factory=list)

    @property
    def unjudged(self) -> bool:
        """Whether the values were not judged because a single page answered."""
        return self.check.reached == 1

    @property
    def doubted(self) -> list[str]:
        """The names of attributes that are not broken although some pages speak against them."""
        return [attribute.name for attribute, _ in self.evidence_by_attribute if attribute.name not in self.check.broken]

    @property
    def evidence_by_attribute(self) -> list[tuple[Attribute, list[CheckEvidence]]]:
        """The evidence, attribute by attribute."""
        found: dict[str, tuple[Attribute, list[CheckEvidence]]] = {}
        for attribute, each in self.evidence:
            found.setdefault(attribute.name, (attribute, []))[1].append(each)
        return list(found.values())


def list_templates(site: Site) -> list[TemplateWatch]:
    """The templates of a site with a rule that serves, in the order of their numbers; a constant number of queries."""
    serving = Rule.objects.serving().of_site(site).not_ignored().defer("stylesheet", "report")
    rules = list(serving.select_related("cluster__site", "cluster__record_type").order_by("cluster__number"))
    ids = [rule.cluster_id for rule in rules]
    known = Attribute.objects.filter(record_type__clusters__in=ids)
    schema: dict[tuple[int | None, str], Attribute] = {(each.record_type_id, each.name): each for each in known}
    checks, ended = _read_checks(ids), _read_breakages(ids)
    well = _read_well([cluster for cluster, many in ended.items() if any(each.state != Breakage.State.DISMISSED for each in many)])
    broken = {each.cluster_id: each for each in Breakage.objects.open().filter(cluster__in=ids)}
    watched = defaultdict(list)
    for bellwether in Bellwether.objects.filter(cluster__in=ids).select_related("page"):
        watched[bellwether.cluster_id].append(bellwether)
    pages = Label.objects.filter(cluster__in=ids).values_list("cluster").order_by().annotate(n=Count("snapshot", distinct=True))
    counts = Check.objects.filter(cluster__in=ids).values_list("cluster").order_by().annotate(n=Count("pk"))
    annotated, counted = dict(pages), dict(counts)
    found = []
    for rule in rules:
        pk = rule.cluster_id
        health = _health(well[pk], ended[pk], counted.get(pk, 0), annotated.get(pk, 0))
        found.append(_template(rule, schema, checks[pk], broken.get(pk), watched[pk], health))
    return found


def find_last_check(site: Site) -> datetime | None:
    """When one of the site's templates was last checked, on schedule or because a person asked."""
    return Check.objects.filter(cluster__site=site).order_by("-checked_at").values_list("checked_at", flat=True).first()


def is_silent(site: Site) -> bool:
    """Whether the site did not answer its last check, nor any fetch since."""
    checks = Check.objects.filter(cluster__site=site, rule__state__in=Rule.SERVING).only("verdict")
    last = checks.order_by("-checked_at", "-pk").first()
    if last is None or last.verdict != Check.Verdict.UNREACHABLE:
        return False
    return not Check.objects.filter(answered_since(), pk=last.pk).exists()


def show_check(found: Check) -> CheckView:
    """One check for its page."""
    findings = found.read_attributes()
    known = dict(zip(findings, find_attributes(found.cluster, list(findings)), strict=True))
    rows = [(known[name], finding) for name, finding in findings.items()]
    evidence = [(known[each.attribute], each) for each in found.read_evidence() if each.attribute in known]
    return CheckView(found, rows, _list_drifts(found, rows), found.read_pages(), evidence)


def take_page(check: Check, asked: str) -> Snapshot | None:
    """Return a page as a check found it, to annotate it; None if the check has no such page or it is no longer kept.

    The check stored it apart from the template's pages. From now on it belongs to the template.
    """
    mine = {str(each.new) for each in check.read_pages() if each.new}
    if asked not in mine:
        return None
    Snapshot.objects.filter(pk=int(asked), cluster=None).update(cluster=check.cluster)
    return Snapshot.objects.filter(pk=int(asked)).first()


def _list_drifts(check: Check, rows: Sequence[tuple[Attribute, AttributeFinding]]) -> list[Drift]:
    """Return the attributes that drift, each with the check's pages on which its rule finds nothing."""
    drifts = [(attribute, finding) for attribute, finding in rows if finding.usual_fraction is not None]
    if not drifts:
        return []
    values = _read_values(check)
    return [
        Drift(attribute, finding, [each for each in check.read_pages() if each.new in values and not values[each.new].get(attribute.name)])
        for attribute, finding in drifts
    ]


def _read_values(check: Check) -> dict[int, Mapping[str, tuple[str, ...]]]:
    """Return {snapshot: what the check's rule gives on it}, for the pages that can be read."""
    sheet = compile_rule(check.rule)
    found: dict[int, Mapping[str, tuple[str, ...]]] = {}
    for pk, snapshot in Snapshot.objects.in_bulk([each.new for each in check.read_pages() if each.new]).items():
        try:
            found[pk] = extract_or_nothing(sheet, read_root(snapshot)).merged()
        except PageError:
            continue
    return found


class _Past(NamedTuple):
    """What is read of a breakage of the past."""

    cluster: int
    state: str
    opened_at: datetime
    closed_at: datetime | None


def _read_checks(clusters: Sequence[int]) -> Mapping[int, list[Check]]:
    """Return the newest checks of templates, the oldest of them first. Only the last of each template has its pages."""
    recent = Check.objects.filter(cluster__in=clusters, checked_at__gte=timezone.now() - SINCE).order_by()
    place = Window(RowNumber(), partition_by="cluster", order_by=["-checked_at", "-pk"])
    newest = list(recent.annotate(place=place).filter(place__lte=SHOWN).values_list("pk", flat=True))
    found: dict[int, list[Check]] = defaultdict(list)
    for check in Check.objects.filter(pk__in=newest).defer("evidence", "pages").order_by("checked_at", "pk"):
        found[check.cluster_id].append(check)
    last = {many[-1].pk: many[-1] for many in found.values()}
    for pk, pages in Check.objects.filter(pk__in=last).values_list("pk", "pages"):
        last[pk].pages = pages
    return found


def _read_breakages(clusters: Sequence[int]) -> Mapping[int, list[_Past]]:
    """Return all breakages of templates, the oldest first."""
    found: dict[int, list[_Past]] = defaultdict(list)
    for row in Breakage.objects.filter(cluster__in=clusters).order_by("opened_at").values_list(*_Past._fields):
        found[row[0]].append(_Past(*row))
    return found


def _read_well(clusters: Sequence[int]) -> Mapping[int, list[datetime]]:
    """Return the times of the checks of templates that found nothing broken, in order."""
    found: dict[int, list[datetime]] = defaultdict(list)
    rows = Check.objects.filter(cluster__in=clusters, checked_at__gte=timezone.now() - SINCE, verdict=Check.Verdict.OK)
    for cluster, at in rows.order_by("checked_at").values_list("cluster", "checked_at"):
        found[cluster].append(at)
    return found


def _template(
    rule: Rule,
    schema: Mapping[tuple[int | None, str], Attribute],
    checks: list[Check],
    broken: Breakage | None,
    bellwethers: Sequence[Bellwether],
    health: Health,
) -> TemplateWatch:
    outcomes = {each.url: each.outcome for each in checks[-1].read_pages()} if checks else {}
    watched = [Watched(each, outcomes.get(each.page.url, "")) for each in bellwethers]
    names = [each.name for each in rule_xpaths.read_definition_or_empty(rule).every]
    findings = [each.read_attributes() for each in checks]
    names.sort(key=lambda name: not (findings and name in list_broken(findings[-1])))
    known = [schema.get((rule.cluster.record_type_id, name)) or Attribute(name=name, position=n) for n, name in enumerate(names)]
    lines = [ValueLine(each, _list_shares(findings, each.name)) for each in known]
    dots = [(each, list_broken(found)) for each, found in zip(checks, findings, strict=True)]
    return TemplateWatch(rule.cluster, rule, dots, lines, watched, health, broken)


def _list_shares(findings: Sequence[Mapping[str, AttributeFinding]], name: str) -> list[float | None]:
    return [each[name].valued_fraction if name in each else None for each in findings]


def _health(well: Sequence[datetime], breakages: Sequence[_Past], counted: int, annotated: int) -> Health:
    real = [each for each in breakages if each.state != Breakage.State.DISMISSED]
    unseen = [seconds for each in real if (seconds := _unseen_s(each, well)) is not None]
    repaired = [each.closed_at - each.opened_at for each in real if each.state == Breakage.State.REPAIRED and each.closed_at]
    states = {state: sum(each.state == state for each in breakages) for state in Breakage.State.values}
    return Health(counted, states, median(unseen) if unseen else None, _median_s(repaired), annotated)


def _unseen_s(breakage: _Past, well: Sequence[datetime]) -> float | None:
    """Seconds from the last check that found nothing broken to the one that found the break, None where that was the first check.

    well: the times of the checks that found nothing broken, in order.
    """
    before = bisect_left(well, breakage.opened_at)
    return (breakage.opened_at - well[before - 1]).total_seconds() if before else None


def _median_s(times: Sequence[timedelta]) -> float | None:
    return median(each.total_seconds() for each in times) if times else None
