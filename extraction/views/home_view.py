"""The home page: what is waiting for a person, what is running, and the state of the sites."""

from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from extraction.models import Cluster, Correction, Delivery, Label, PageCount, Record, Rule, Run, RunRelease
from extraction.services.schema.new_attributes import find_new_attributes
from extraction.services.sites import sites
from extraction.views.core import run_progress
from extraction.views.monitoring import breakage_view

SHOWN = 6
"""The number of rows shown of each kind. The rest is only counted."""

FAILED_RUNS_FOR_DAYS = 14
"""Days for which a failed run is shown, unless it was repeated with success."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One kind of waiting work: the first rows, and how many there are in all."""

    kind: str
    clusters: list[tuple[Cluster, int]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    breakages: list[breakage_view.BreakageRow] = field(default_factory=list)
    releases: list[RunRelease] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    count: int = 0

    @property
    def more(self) -> int:
        """The number of rows that are not shown."""
        shown = len(self.clusters) + len(self.runs) + len(self.breakages) + len(self.releases) + len(self.deliveries)
        return self.count - shown


@dataclass(frozen=True, slots=True)
class Home:
    """All that the home page shows.

    waiting: the kinds of work that are not empty.
    running: runs that are running or queued.
    paused: runs that are paused.
    """

    waiting: list[Waiting]
    running: list[run_progress.RunProgress]
    paused: list[run_progress.RunProgress]
    sites: list[sites.SiteRow]

    @property
    def count(self) -> int:
        """The number of things that are waiting."""
        return sum(kind.count for kind in self.waiting)


def build_home(*, operates: bool) -> Home:
    """Collect what the home page shows, in a constant number of queries.

    operates: whether it is for an operator. Only operators can send deliveries again, so others do not get the failed ones.
    """
    sizes = PageCount.objects.of_templates().totals("cluster_key")
    broken = breakage_view.list_open()
    held = RunRelease.objects.held().select_related("cluster__site").order_by("pk")
    kinds = [Waiting("held", releases=list(held[:SHOWN]), count=held.count())]
    kinds.append(Waiting("breakage", breakages=broken[:SHOWN], count=len(broken)))
    kinds.append(_list_reviews())
    kinds += [_describe_clusters(kind, found, sizes) for kind, found in _group_unfinished_clusters().items()]
    kinds.append(_list_failed_runs())
    if operates:
        kinds.append(_list_failed_deliveries())
    running = _list_progress(Run.State.QUEUED, Run.State.RUNNING)
    return Home([kind for kind in kinds if kind.count], running, _list_progress(Run.State.PAUSED), sites.list_sites())


def _list_progress(*states: Run.State) -> list[run_progress.RunProgress]:
    found = Run.objects.filter(state__in=states).select_related("site", "cluster__site").order_by("-id")[: SHOWN * 2]
    return [run_progress.describe_progress(run) for run in found]


def _group_unfinished_clusters() -> "dict[str, QuerySet[Cluster]]":
    """Return the waiting templates by their next step. Each template has one next step only."""
    cluster = OuterRef("pk")
    labels = Exists(Label.objects.filter(cluster=cluster))
    rules = Exists(Rule.objects.filter(cluster=cluster))
    live = Exists(Rule.objects.serving().filter(cluster=cluster))
    draft = Exists(Rule.objects.unpublished().filter(cluster=cluster))
    broken = Exists(Rule.objects.filter(cluster=cluster, state=Rule.State.BROKEN))  # already listed as a breakage
    records = Exists(Record.objects.now().filter(cluster=cluster, rule__state__in=Rule.SERVING))
    mine = Cluster.objects.shown().select_related("site", "record_type")
    typed = mine.exclude(record_type=None)
    new = list(find_new_attributes(typed.exclude(broken)))
    return {
        "draft": typed.filter(draft).exclude(live).exclude(pk__in=new),
        "learn": typed.filter(labels).exclude(rules),
        "annotate": typed.exclude(labels).exclude(rules),
        "new": typed.filter(pk__in=new),
        "run": typed.filter(live).exclude(records).exclude(broken).exclude(pk__in=new),
        "type": mine.filter(record_type=None),
    }


def _describe_clusters(kind: str, found: "QuerySet[Cluster]", sizes: dict[int, int]) -> Waiting:
    largest = sorted(found, key=lambda cluster: (-sizes.get(cluster.pk, 0), cluster.pk))
    return Waiting(kind, [(cluster, sizes.get(cluster.pk, 0)) for cluster in largest[:SHOWN]], count=len(largest))


def _list_reviews() -> Waiting:
    """Return the templates with corrections to review, each with how many there are."""
    waiting = Correction.objects.to_review().exclude(page__cluster=None).order_by()
    counts = dict(waiting.values_list("page__cluster").annotate(n=Count("pk")))
    largest = sorted(
        Cluster.objects.filter(pk__in=counts).select_related("site", "record_type"), key=lambda each: (-counts[each.pk], each.pk)
    )
    return Waiting("review", [(cluster, counts[cluster.pk]) for cluster in largest[:SHOWN]], count=len(largest))


def _list_failed_runs() -> Waiting:
    since = timezone.now() - timedelta(days=FAILED_RUNS_FOR_DAYS)
    again = Run.objects.filter(kind=OuterRef("kind"), site=OuterRef("site"), pk__gt=OuterRef("pk"), state=Run.State.DONE)
    repeated = Exists(again.filter(Q(cluster=OuterRef("cluster")) | Q(cluster=None)))
    failed = Run.objects.filter(state=Run.State.FAILED, finished_at__gte=since).exclude(repeated)
    return Waiting("failed", runs=list(failed.select_related("site", "cluster__site")[:SHOWN]), count=failed.count())


def _list_failed_deliveries() -> Waiting:
    """Return the last failed delivery of each target that got nothing since, the newest first.

    A delivery brings whatever the receiver lacks, so one that worked makes up for all that failed before. Targets that are switched off are
    left out. Old failures are shown, too: a target without a schedule may get its next delivery months later.
    """
    later = Delivery.objects.filter(target=OuterRef("target")).filter(
        Q(finished_at__gt=OuterRef("finished_at")) | Q(finished_at=OuterRef("finished_at"), pk__gt=OuterRef("pk"))
    )
    failed = Delivery.objects.filter(state=Delivery.State.FAILED, target__enabled=True).exclude(Exists(later))
    newest = failed.select_related("target__record_type").defer("batch", "batch_entries").order_by("-finished_at", "-pk")
    return Waiting("delivery", deliveries=list(newest[:SHOWN]), count=failed.count())
