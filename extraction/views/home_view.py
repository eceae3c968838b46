"""The home page: what is waiting for a person, what is running, and the state of the sites."""

from collections.abc import Sized
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from extraction.models import (
    Breakage,
    Check,
    Cluster,
    Correction,
    Delivery,
    Label,
    Monitor,
    PageCount,
    RecordCount,
    Role,
    Rule,
    Run,
    RunRelease,
    Site,
)
from extraction.services.core.access import visible_to
from extraction.services.monitoring.lost_values import find_lost_values
from extraction.services.monitoring.silence import answered_since
from extraction.services.schema.new_attributes import find_new_attributes
from extraction.services.sites import sites
from extraction.views.core import run_progress
from extraction.views.monitoring import breakage_view

SHOWN = 6
"""The number of rows shown of each kind. The rest is only counted."""

SHOWN_SITES = 12

FAILED_RUNS_FOR_DAYS = 14
"""Days for which a failed run is shown, unless it was repeated with success or a person acknowledged it."""


@dataclass(frozen=True, slots=True)
class LostRow:
    """A template whose repaired rule lacks attributes, that rule's version, and the attributes' names."""

    cluster: Cluster
    version: int
    names: list[str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """One kind of waiting work: the first rows, and how many there are in all."""

    kind: str
    clusters: list[tuple[Cluster, int]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    breakages: list[breakage_view.BreakageRow] = field(default_factory=list)
    releases: list[RunRelease] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    lost: list[LostRow] = field(default_factory=list)
    count: int = 0

    @property
    def more(self) -> int:
        """The number of rows that are not shown."""
        kinds: tuple[Sized, ...] = (self.clusters, self.runs, self.breakages, self.releases, self.deliveries, self.checks, self.lost)
        return self.count - sum(len(rows) for rows in kinds)


@dataclass(frozen=True, slots=True)
class Home:
    """All that the home page shows.

    waiting: the kinds of work that are not empty.
    running: runs that are running or queued.
    paused: runs that are paused.
    sites: the first of them by name. site_count: how many there are.
    """

    waiting: list[Waiting]
    running: list[run_progress.RunProgress]
    paused: list[run_progress.RunProgress]
    sites: list[sites.SiteRow]
    site_count: int

    @property
    def count(self) -> int:
        """The number of things that are waiting."""
        return sum(kind.count for kind in self.waiting)


def build_home(user: User) -> Home:
    """Collect what the home page shows of a person's teams, in a constant number of queries.

    What is assigned to the person comes first. Only operators can send deliveries again, so others do not get the failed ones.
    """
    mine = visible_to(Site.objects.all(), user)
    sizes = PageCount.objects.of_templates().filter(site__in=mine).totals("cluster_key")
    held = visible_to(RunRelease.objects.held(), user).select_related("cluster__site").order_by("pk")
    kinds = [_list_assigned(user, sizes)]
    kinds.append(Waiting("held", releases=list(held[:SHOWN]), count=held.count()))
    kinds.append(Waiting("breakage", breakages=breakage_view.list_open(user, most=SHOWN), count=breakage_view.count_open(user)))
    kinds.append(_list_lost_values(user, sizes))
    kinds += _list_checks(user)
    kinds.append(_list_reviews(user))
    kinds += _describe_clusters(_group_unfinished_clusters(user), sizes)
    kinds.append(_list_failed_runs(user))
    kinds.append(_list_failed_deliveries(user))
    running = _list_progress(user, Run.State.QUEUED, Run.State.RUNNING)
    paused = _list_progress(user, Run.State.PAUSED)
    return Home([kind for kind in kinds if kind.count], running, paused, sites.list_sites(mine[:SHOWN_SITES]), mine.count())


def _list_assigned(user: User, sizes: dict[int, int]) -> Waiting:
    """Return the open breakages and the templates that are assigned to a person."""
    mine = breakage_view.list_open(user, most=SHOWN, assignee=user)
    count = visible_to(Breakage.objects.open().filter(assignee=user), user).count()
    found = visible_to(Cluster.objects.filter(assignee=user), user).select_related("site", "record_type")
    templates = _describe_clusters({"assigned": found}, sizes)[0]
    room = max(0, SHOWN - len(mine))
    return Waiting("assigned", clusters=templates.clusters[:room], breakages=mine, count=count + templates.count)


def _list_progress(user: User, *states: Run.State) -> list[run_progress.RunProgress]:
    found = visible_to(Run.objects.filter(state__in=states), user).select_related("site", "cluster__site").order_by("-id")[: SHOWN * 2]
    return [run_progress.describe_progress(run) for run in found]


def _group_unfinished_clusters(user: User) -> "dict[str, QuerySet[Cluster]]":
    """Return the waiting templates by their next step. Each template has one next step only."""
    cluster = OuterRef("pk")
    labels = Exists(Label.objects.filter(cluster=cluster))
    rules = Exists(Rule.objects.filter(cluster=cluster))
    live = Exists(Rule.objects.serving().filter(cluster=cluster))
    draft = Exists(Rule.objects.unpublished().filter(cluster=cluster))
    broken = Exists(Rule.objects.filter(cluster=cluster, state=Rule.State.BROKEN))  # already listed as a breakage
    unfinished = Run.objects.unfinished().filter(site=OuterRef("site"))  # a crawl or a run that extracts its records next
    busy = Exists(unfinished.filter(Q(cluster=None) | Q(cluster=cluster)))
    counts = RecordCount.objects.now().filter(rule__state__in=Rule.SERVING).totals("cluster")
    visible = visible_to(Site.objects.all(), user)
    mine = Cluster.objects.shown().filter(site__in=visible).select_related("site", "record_type")
    typed = mine.exclude(record_type=None)
    new = list(find_new_attributes(typed.exclude(broken)))
    return {
        "draft": typed.filter(draft).exclude(live).exclude(pk__in=new),
        "learn": typed.filter(labels).exclude(rules),
        "annotate": typed.exclude(labels).exclude(rules),
        "new": typed.filter(pk__in=new),
        "run": typed.filter(live).exclude(pk__in=counts).exclude(broken).exclude(pk__in=new).exclude(busy),
        "type": mine.filter(record_type=None),
    }


def _describe_clusters(kinds: "dict[str, QuerySet[Cluster]]", sizes: dict[int, int]) -> list[Waiting]:
    """Return the templates of each kind, the largest first. Those that are shown are read in one query."""
    ranked = {
        kind: sorted(found.order_by().values_list("pk", flat=True), key=lambda pk: (-sizes.get(pk, 0), pk)) for kind, found in kinds.items()
    }
    shown = {pk for ids in ranked.values() for pk in ids[:SHOWN]}
    clusters = Cluster.objects.select_related("site", "record_type").in_bulk(shown)
    return [
        Waiting(kind, [(clusters[pk], sizes.get(pk, 0)) for pk in ids[:SHOWN] if pk in clusters], count=len(ids))
        for kind, ids in ranked.items()
    ]


def _list_lost_values(user: User, sizes: dict[int, int]) -> Waiting:
    """Return the templates whose accepted repair left attributes without a rule, the largest first."""
    found = find_lost_values(Cluster.objects.not_ignored().filter(site__in=visible_to(Site.objects.all(), user)))
    ids = sorted(found, key=lambda pk: (-sizes.get(pk, 0), pk))
    rules = Rule.objects.serving().filter(cluster__in=ids[:SHOWN]).select_related("cluster__site", "cluster__record_type")
    rows = {rule.cluster_id: LostRow(rule.cluster, rule.version, found[rule.cluster_id]) for rule in rules}
    return Waiting("lost", lost=[rows[pk] for pk in ids[:SHOWN] if pk in rows], count=len(ids))


def _list_checks(user: User) -> list[Waiting]:
    """Return the sites that have not answered since the last check, and the checks that doubt a rule without a breakage that says so.

    What a person has acknowledged is left out.
    """
    last = Check.objects.filter(cluster=OuterRef("pk")).order_by("-checked_at", "-pk").values("pk")[:1]
    served = Exists(Rule.objects.serving().filter(cluster=OuterRef("pk")))
    mine = Cluster.objects.not_ignored().filter(site__in=visible_to(Site.objects.all(), user))
    newest = mine.filter(served).order_by().annotate(last_check=Subquery(last)).values("last_check")
    told = Exists(Breakage.objects.filter(Q(check_found=OuterRef("pk")) | Q(cluster=OuterRef("cluster"), state=Breakage.State.OPEN)))
    found = Check.objects.filter(pk__in=newest, rule__state__in=Rule.SERVING, accepted_at=None)
    found = found.exclude(verdict=Check.Verdict.OK, drifting=False)
    found = found.exclude(answered_since(), verdict=Check.Verdict.UNREACHABLE)
    alarming = list(found.exclude(told).select_related("cluster__site").defer("pages", "evidence").order_by("-checked_at", "-pk"))
    known = set(Monitor.objects.exclude(silence_known_at=None).values_list("site", flat=True))
    silent = [each for each in alarming if each.verdict == Check.Verdict.UNREACHABLE and each.cluster.site_id not in known]
    by_site = list({each.cluster.site_id: each for each in reversed(silent)}.values())[::-1]
    drifting = [each for each in alarming if each.verdict == Check.Verdict.OK]
    doubtful = [each for each in alarming if each.verdict not in (Check.Verdict.OK, Check.Verdict.UNREACHABLE)]
    return [
        Waiting("unreachable", checks=by_site[:SHOWN], count=len(by_site)),
        Waiting("drifting", checks=drifting[:SHOWN], count=len(drifting)),
        Waiting("doubtful", checks=doubtful[:SHOWN], count=len(doubtful)),
    ]


def _list_reviews(user: User) -> Waiting:
    """Return the templates with corrections to review, each with how many there are."""
    waiting = visible_to(Correction.objects.to_review(), user).exclude(page__cluster=None).order_by()
    counts = dict(waiting.values_list("page__cluster").annotate(n=Count("pk")))
    largest = sorted(
        Cluster.objects.filter(pk__in=counts).select_related("site", "record_type"), key=lambda each: (-counts[each.pk], each.pk)
    )
    return Waiting("review", [(cluster, counts[cluster.pk]) for cluster in largest[:SHOWN]], count=len(largest))


def _list_failed_runs(user: User) -> Waiting:
    since = timezone.now() - timedelta(days=FAILED_RUNS_FOR_DAYS)
    again = Run.objects.filter(kind=OuterRef("kind"), site=OuterRef("site"), pk__gt=OuterRef("pk"), state=Run.State.DONE)
    repeated = Exists(again.filter(Q(cluster=OuterRef("cluster")) | Q(cluster=None)))
    failed = visible_to(Run.objects.failed_unseen().filter(finished_at__gte=since), user).exclude(repeated)
    return Waiting("failed", runs=list(failed.select_related("site", "cluster__site")[:SHOWN]), count=failed.count())


def _list_failed_deliveries(user: User) -> Waiting:
    """Return the last failed delivery of each target that got nothing since, the newest first.

    A delivery brings whatever the receiver lacks, so one that worked makes up for all that failed before. Targets that are switched off are
    left out. Old failures are shown, too: a target without a schedule may get its next delivery months later.
    """
    later = Delivery.objects.filter(target=OuterRef("target")).filter(
        Q(finished_at__gt=OuterRef("finished_at")) | Q(finished_at=OuterRef("finished_at"), pk__gt=OuterRef("pk"))
    )
    failed = Delivery.objects.filter(state=Delivery.State.FAILED, target__enabled=True).exclude(Exists(later))
    newest = (
        visible_to(failed, user, least=Role.OPERATOR)
        .select_related("target__record_type")
        .defer("batch", "batch_entries")
        .order_by("-finished_at", "-pk")
    )
    return Waiting("delivery", deliveries=list(newest[:SHOWN]), count=newest.count())
