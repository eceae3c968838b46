"""Sort the pages that a refresh brought into the templates that are there already, without searching for templates again.

Pages with new content have no template until then. A search for templates compares all pages of a site, which is too much for each
refresh, and it is needed only when pages came that fit no template.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from django.contrib.auth.models import User
from django.db import transaction

from extraction.algorithms.clustering.threshold import default_threshold
from extraction.models import PageCount, Placement, Run, Site, Snapshot
from extraction.models.kept.locking import lock_pages
from extraction.models.run_values import RunParameters, RunSummary
from extraction.models.snapshot import SnapshotQuerySet
from extraction.services.core import runs
from extraction.services.core.runs import Progress
from extraction.services.templates import clusters
from extraction.services.templates.page_matching import Matcher, PageRow

BATCH = 100

PAGE_FIELDS = ("pk", "sha256", "content_type", "error", "vector", "scheme", "cluster_id", "page__url")
"""The fields of a snapshot in the order of `PageRow`."""


def start_placing(site: Site, *, refresh: int, user: User | None = None) -> Run | None:
    """Start a run that sorts the pages without a template; None if there are none."""
    if not _select_unplaced(site).exists():
        return None
    return runs.start_run(Run.Kind.PLACE, site, parameters=RunParameters(refresh=refresh), user=user)


def run_placing(run: Run, progress: Progress) -> RunSummary:
    """Give each page without a template the one that it matches. Summary: placed, unplaced."""
    pages, matcher = _select_unplaced(run.site), Matcher(run.site)
    said = _Said(run.site)
    total, done, placed, last = pages.count(), 0, 0, 0
    progress(0, total=total, message="Assigning new pages to templates")
    for batch in _read_batches(run.site):
        found: dict[int, list[int]] = defaultdict(list)
        for page_id, page in batch:
            cluster_id = said.settle(page_id, matcher.cluster_of(page))
            if cluster_id is not None:
                found[cluster_id].append(page.snapshot_id)
        placed += _write(run.site, found)
        last = batch[-1][1].snapshot_id
        done += len(batch)
        progress(min(done, total), total=total)
    if not needs_search(run):  # else the search sorts them
        Snapshot.objects.filter(pk__in=_select_unplaced(run.site).filter(pk__lte=last)).update(unsorted=False)
    return RunSummary(placed=placed, unplaced=_select_unplaced(run.site).count())


def needs_search(run: Run) -> bool:
    """Return whether the pages that came since the last search for templates and match none are enough for a template of their own."""
    last = Run.objects.filter(site=run.site, kind=Run.Kind.CLUSTER, state=Run.State.DONE).order_by("-pk").first()
    new = _select_unplaced(run.site).filter(error="")
    if last is not None:
        new = new.filter(page__visits__changed_at__gt=last.started_at or last.created_at)
    kept = PageCount.objects.filter(site=run.site, kept=True).total()
    return new.count() >= default_threshold(kept)


class _Said:
    """What people said about the templates of a site's pages."""

    def __init__(self, site: Site) -> None:
        rows = Placement.objects.filter(cluster__site=site).values_list("page", "cluster", "belongs")
        self._belongs = {page: cluster for page, cluster, belongs in rows if belongs}
        self._refused = {(page, cluster) for page, cluster, belongs in rows if not belongs}

    def settle(self, page_id: int, found: int | None) -> int | None:
        """Return the template that a person gave to the page, else the one that was found, unless a person said that it is not its."""
        cluster_id = self._belongs.get(page_id, found)
        return None if (page_id, cluster_id) in self._refused else cluster_id


def _select_unplaced(site: Site) -> SnapshotQuerySet:
    return Snapshot.objects.of_site(site).current().kept().filter(cluster=None, page__gone_at=None).order_by("pk")


def _read_batches(site: Site) -> Iterator[list[tuple[int, PageRow]]]:
    last = 0
    while rows := list(_select_unplaced(site).filter(pk__gt=last).values_list("page_id", *PAGE_FIELDS)[:BATCH]):
        last = rows[-1][1]
        yield [(page_id, PageRow(*rest)) for page_id, *rest in rows]


def _write(site: Site, found: Mapping[int, list[int]]) -> int:
    """Write the templates of pages that still have none, and return how many."""
    if not found:
        return 0
    with transaction.atomic():
        clusters.lock_templates(site)
        lock_pages(pk for snapshots in found.values() for pk in snapshots)
        there = set(site.clusters.filter(pk__in=found).values_list("pk", flat=True))
        return sum(
            Snapshot.objects.filter(pk__in=snapshots, cluster=None).update(cluster=cluster_id, unsorted=False)
            for cluster_id, snapshots in sorted(found.items())
            if cluster_id in there
        )
