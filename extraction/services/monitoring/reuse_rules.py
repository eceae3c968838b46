"""New templates are offered the rules of old ones (Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

When part of a site's pages get another design, clustering makes a new template of them. The addresses of its pages are known from an old
template that has a rule. That rule is tried on the pages that both have, as they were and as they are. What passes the field test and is
not judged broken is kept, and the rest is learned again from the old values. The result is a version of the new template's own rule. It
waits for a person, unless the site lets repairs go live without one and the old rule cannot be right where it was replaced.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from extraction.algorithms.monitoring.constancy import ChangeCounts, estimate_rate, is_constant
from extraction.algorithms.monitoring.evidence import Revisit
from extraction.algorithms.monitoring.verdict import judge_rule
from extraction.algorithms.rules import reuse
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.reuse import NoReuse, OldCluster, Reuse
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.sketches.shingles import Mask
from extraction.models import Cluster, Decision, Monitor, Record, Rule, Run, Site, Snapshot
from extraction.models.rule_report import ReusedFrom
from extraction.models.run_values import RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import Progress
from extraction.services.labels.proofs import LEAST_JUDGES
from extraction.services.monitoring import history, repairs, unproven, valued_pages
from extraction.services.monitoring.history import KnownPage
from extraction.services.monitoring.repairs import Repair
from extraction.services.rules import rules

MAX_SHARED = 40
"""Shared pages on which a rule is tried, spread evenly over all of them. More are added for attributes that few pages have."""

LEAST_SHARED = 2
"""Shared pages without which no rule is offered."""

Pairs = Mapping[int, Sequence[tuple[int, int]]]
"""{old cluster: (old, new) snapshots of the pages it shares with the new one}."""


def start_reuse(site: Site, *, user: User | None = None) -> Run | None:
    """Starts the job if a template without a rule has pages that used to belong to a template with a rule."""
    return runs.start_run(Run.Kind.REUSE, site, unit="templates", user=user) if _shared(site) else None


def run_reuse(run: Run, progress: Progress) -> RunSummary:
    """The run's job. Templates that have a version are skipped, so it can start again. Summary: templates, reused, relearned, live."""
    shared = _shared(run.site)
    progress(0, total=len(shared))
    counts = Counter[str]()
    for done, (cluster_id, pairs) in enumerate(sorted(shared.items()), 1):
        cluster = Cluster.objects.get(pk=cluster_id)
        counts.update(_offer(cluster, pairs, progress))
        progress(done)
    return RunSummary(templates=len(shared), reused=counts["reused"], relearned=counts["relearned"], live=counts["live"])


@dataclass(frozen=True, slots=True)
class TriedRule:
    """An old rule on the pages that both templates have, as they were and as they are.

    broken: {attribute: why}.
    certain: what the rule gives of these attributes cannot be right, and there were enough pages to say so of the others.
    """

    pages: Sequence[KnownPage]
    broken: Mapping[str, str]
    certain: bool


def _shared(site: Site) -> dict[int, dict[int, list[tuple[int, int]]]]:
    """{new cluster without a rule: its Pairs}, with the newest of each page's old snapshots."""
    found: dict[int, dict[int, dict[int, tuple[int, int]]]] = defaultdict(lambda: defaultdict(dict))
    for new, old, page, before, now in (*_kept_pages(site), *_changed_pages(site)):
        found[new][old][page] = (before, now)
    shared = {
        new: {old: sorted(pages.values()) for old, pages in olds.items() if len(pages) >= LEAST_SHARED} for new, olds in found.items()
    }
    return {new: olds for new, olds in shared.items() if olds}


def _changed_pages(site: Site) -> "QuerySet[Any, Any]":
    """(new cluster, old cluster, page, old snapshot, current snapshot), the oldest first."""
    return (
        Snapshot.objects.of_site(site)
        .readable()
        .filter(cluster__in=_ruled(site))
        .filter(page__current__cluster__rules=None, page__current__cluster__ignored=False, page__current__kept=True)
        .exclude(page__current__cluster=None)
        .exclude(cluster=F("page__current__cluster"))
        .order_by("fetched_at", "pk")
        .values_list("page__current__cluster", "cluster", "page", "pk", "page__current")
    )


def _kept_pages(site: Site) -> "QuerySet[Any, Any]":
    """Yield the same for unchanged pages: if most pages changed, the unchanged ones make up the new cluster."""
    return (
        Record.objects.standing()
        .filter(cluster__in=_ruled(site), snapshot__kept=True, snapshot__error="")
        .filter(snapshot__cluster__rules=None, snapshot__cluster__ignored=False)
        .exclude(snapshot__cluster=None)
        .values_list("snapshot__cluster", "cluster", "snapshot__page", "snapshot", "snapshot")
    )


def _ruled(site: Site) -> "QuerySet[Any, Any]":
    """The clusters whose rule may be tried on others."""
    return Rule.objects.serving().of_site(site).not_ignored().values("cluster")


def _offer(cluster: Cluster, pairs: Pairs, progress: Progress) -> dict[str, int]:
    """Gives the cluster a version made from the best old rule. Returns what is added to the summary."""
    old = Cluster.objects.get(pk=_chosen(cluster, pairs))
    rule = old.rules.serving().get()
    value = rule.read_definition()
    tried = _try(rule, value, pairs[old.pk])
    repair = unproven.explain_lost(repairs.make_repair(value, tried.broken, tried.pages), tried.pages)
    for name, reason in repair.failed.items():
        progress.problem(f"{cluster.label}: {name}", reason)
    if len(repair.failed) == len(value.every):
        return {}
    draft = _draft(cluster, rule, repair)
    sure = draft.state == Rule.State.VALIDATED and repair.simple and tried.certain
    live = sure and Monitor.objects.filter(site=cluster.site, auto_repair=True).exists()
    if live:
        rules.publish_rule(draft, what=Decision.What.AUTOMATIC)
    return {"reused": int(not tried.broken), "relearned": int(bool(repair.relearned)), "live": int(live)}


def _chosen(cluster: Cluster, pairs: Pairs) -> int:
    """Return the old cluster that the paper's tests choose. If no cluster looks alike, it is the one with the most shared pages."""
    members = cluster.snapshots.current().kept().exclude(vector="")
    vectors = [int(vector, 16) for vector in members.values_list("vector", flat=True)]
    urls = frozenset(members.values_list("page__url", flat=True))
    masks = frozenset(Mask.from_text(text) for text in cluster.masks)
    chosen = reuse.choose_old_cluster(masks, vectors, urls, [_old(each, pairs[each.pk]) for each in Cluster.objects.filter(pk__in=pairs)])
    match chosen:
        case Reuse():
            return chosen.id
        case NoReuse():
            return min(pairs, key=lambda pk: (-len(pairs[pk]), pk))


def _old(cluster: Cluster, shared: Sequence[tuple[int, int]]) -> OldCluster:
    urls = Snapshot.objects.filter(pk__in=[before for before, _ in shared]).values_list("page__url", flat=True)
    importance = float(cluster.snapshots.current().kept().count() * Record.objects.filter(cluster=cluster).count())
    return OldCluster(cluster.pk, frozenset(Mask.from_text(text) for text in cluster.masks), frozenset(urls), importance)


def _try(rule: Rule, value: RuleDefinition, shared: Sequence[tuple[int, int]]) -> TriedRule:
    """Try an old rule: with the field test, and with the tests of a check."""
    sheet = rules.compile_rule(rule)
    current = dict(shared)
    chosen = sorted(valued_pages.spread_pages(rule.cluster_id, [before for before, _ in shared], MAX_SHARED))
    pages = history.read_known_pages(sheet, [(before, current[before]) for before in chosen])
    visits = []
    for each in pages:
        now = extract_or_nothing(sheet, each.new.root).merged()
        visits.append(Revisit(each.url, each.old, each.new, each.before, now, covered=True))
    profiles = history.learn_profiles(rule, value, [each.before for each in visits])
    counts = history.count_changes(rule, value, sheet)
    found = judge_rule(value, profiles, visits, counts=counts)
    constant = {
        each.name
        for each in value.attributes
        if is_constant(estimate_rate(each, profiles.get(each.name), counts.get(each.name, ChangeCounts())))
    }
    old, new = {each.url: each.before for each in visits}, {each.url: each.now for each in visits}
    tested = reuse.check_fields(value.attributes, old, new, constant=constant)
    broken = dict(tested.failures) | {name: found.attributes[name].evidence[0].reason for name in found.broken}
    certain = len(pages) >= LEAST_JUDGES and all(name in found.broken and found.attributes[name].certain for name in broken)
    if unproven.is_redesign(value, broken):
        broken |= dict.fromkeys(unproven.find_unseen(rule.cluster, value, sheet, pages, broken), unproven.UNSEEN)
    return TriedRule(pages, broken, certain)


def _draft(cluster: Cluster, rule: Rule, repair: Repair) -> Rule:
    """The new cluster's first version. If the cluster has no record type, it gets the old cluster's."""
    reused = ReusedFrom(template=rule.cluster.label, version=rule.version)
    report = replace(repair.report(rule), repaired_from=None, reused_from=reused)
    origin = Rule.Origin.REPAIRED if repair.relearned or repair.failed else Rule.Origin.REUSED
    with transaction.atomic():
        Cluster.objects.filter(pk=cluster.pk, record_type=None).update(record_type=rule.cluster.record_type, small=False)
        draft = rules.add_draft(cluster, repair.value, report=report, origin=origin)
        if repair.valid:
            rules.move_rule(draft, Rule.State.VALIDATED)
    return draft
