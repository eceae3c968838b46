"""The structure lab: a site's pages clustered by several methods, beside its templates; nothing of the site changes.

Each method is a process of its own (`method_process`) and one row, written when it is through. A run that is taken up again, after its
worker died, goes on with the methods that have no row yet, on the pages that were chosen at first.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from django.contrib.auth.models import User
from django.db import transaction

from extraction.algorithms.methods import METHODS, Groups, Pages
from extraction.models import Clustering, Run, Site, Snapshot
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import JobError, Progress
from extraction.services.lab import compare_clusterings, method_process

NOW = ""
"""The method of the row that holds the templates as they were when they were compared; how they are now is seen anew."""

KEPT_RUNS = 3
"""Comparisons of a site that are kept; each is some ten kilobytes a method."""


def start_comparison(site: Site, methods: Sequence[str], *, user: User | None = None) -> Run:
    """Starts comparing. Raises JobError where no method is named, one is unknown, or the site has no pages."""
    unknown = sorted(set(methods) - set(METHODS))
    if unknown or not methods:
        raise JobError(f"there is no method {unknown[0]}" if unknown else "choose at least one method")
    if not compare_clusterings.choose_pages(site, most=1):
        raise JobError("there are no pages to compare")
    return runs.start_run(
        Run.Kind.LAB,
        site,
        parameters=RunParameters(methods=tuple(name for name in METHODS if name in methods)),
        unit="clusterings",
        user=user,
    )


def run_comparison(run: Run, progress: Progress) -> RunSummary:
    """Clusters the chosen pages by each method. Summary: methods through, pages, those that gave up; snapshots: the pages' ids."""
    methods = run.read_parameters().methods or ()
    pages = _pages(run)
    done = set(run.clusterings.values_list("method", flat=True))
    if NOW not in done:
        _write(
            run, NOW, group_by_template(pages), bits=method_process.measure_bits(pages, group_by_template(pages), look=lambda: progress(0))
        )
    for number, method in enumerate(methods):
        progress(number, total=len(methods), message=f"Clustering {len(pages):,} pages by {method}", now=True)
        if method not in done:
            place = number
            found = method_process.run_method(method, pages, look=lambda place=place: progress(place))  # type: ignore[misc]
            _write(run, method, found.groups or [], found.bits, found.seconds, found.peak_bytes, found.reason)
    _forget(run.site)
    gave_up = run.clusterings.exclude(reason="").count()
    return replace(run.read_summary(), methods=len(methods), pages=len(pages), gave_up=gave_up)


def find_last_comparison(site: Site) -> Run | None:
    """The newest comparison that has a row to look at, or that is still going."""
    return Run.objects.filter(site=site, kind=Run.Kind.LAB).order_by("-pk").first()


def group_by_template(pages: Collection[str]) -> Groups:
    """The pages by the templates they are of now; those of none are groups of one."""
    rows = Snapshot.objects.current().filter(page__in=[int(page) for page in pages])
    cluster_of = dict(rows.values_list("page", "cluster"))
    groups: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        cluster = cluster_of.get(int(page))
        groups[f"alone {page}" if cluster is None else str(cluster)].append(page)
    return list(groups.values())


def sort_groups(groups: Groups) -> list[list[int]]:
    """Groups as a `Clustering` keeps them: of numbers, the largest first."""
    return sorted(([int(page) for page in group] for group in groups), key=lambda group: (-len(group), group))


def _pages(run: Run) -> Pages:
    """The pages that are compared: chosen once a run."""
    chosen = run.read_summary().snapshots
    if chosen is None:
        chosen = tuple(snapshot.pk for snapshot in compare_clusterings.choose_pages(run.site))
        run.write_summary(RunSummary(snapshots=chosen))
    pages = compare_clusterings.read_pages(list(Snapshot.objects.filter(pk__in=chosen).order_by("page")))
    if not pages:
        raise JobError("there are no pages to compare")
    return pages


def _write(
    run: Run, method: str, groups: Groups, bits: float = math.nan, seconds: float = 0.0, peak_bytes: int = 0, reason: str = ""
) -> None:
    row = {"site": run.site, "groups": sort_groups(groups), "bits": None if math.isnan(bits) else bits}
    row |= {"seconds": seconds, "peak_bytes": peak_bytes, "reason": reason[:500]}
    Clustering.objects.update_or_create(run=run, method=method, defaults=row)


@transaction.atomic
def _forget(site: Site) -> None:
    """Lets go of old comparisons' clusterings, not of what can be gone back to."""
    kept = list(Run.objects.filter(site=site, kind=Run.Kind.LAB).order_by("-pk").values_list("pk", flat=True)[:KEPT_RUNS])
    Clustering.objects.filter(site=site, run__kind=Run.Kind.LAB).exclude(run__in=kept).delete()
