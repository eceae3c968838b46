"""The structure lab: cluster a site's pages with several methods and compare the results with its templates.

The site itself is not changed. Each method runs in a process of its own (`method_process`), and its result is one row. A
run that is restarted after its worker died continues with the methods that have no row yet, on the same pages.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.methods import METHODS, Groups, Pages
from extraction.models import Clustering, Run, Site, Snapshot
from extraction.models.lab import GroupPaths
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import Interrupted, JobError, Progress
from extraction.services.lab import compare_clusterings, method_process
from extraction.services.lab.method_process import MethodResult

NOW = ""
"""The method of the row with the site's templates at the time of the comparison. The templates as they are now are
computed each time they are shown."""

KEPT_RUNS = 3
"""The number of comparisons kept per site. Each takes about ten kilobytes per method."""


def start_comparison(site: Site, methods: Sequence[str], *, user: User | None = None) -> Run:
    """Start a comparison. Raises JobError when no method is given, a method is unknown, or the site has no pages."""
    unknown = sorted(set(methods) - set(METHODS))
    if unknown or not methods:
        raise JobError(
            gettext("there is no method %(unknown)s; there are: %(methods)s") % {"unknown": unknown[0], "methods": ", ".join(METHODS)}
            if unknown
            else gettext("choose at least one method")
        )
    if not compare_clusterings.choose_pages(site, most=1):
        raise JobError(gettext("there are no pages to compare"))
    return runs.start_run(
        Run.Kind.LAB,
        site,
        parameters=RunParameters(methods=tuple(name for name in METHODS if name in methods)),
        unit="clusterings",
        user=user,
    )


def run_comparison(run: Run, progress: Progress) -> RunSummary:
    """Cluster the chosen pages with each method.

    The summary has the number of methods, pages and methods that gave up, the notices of methods, and the ids of the snapshots. Raises
    Interrupted when something outside stops a method: it has not given up, and is tried again.
    """
    methods = run.read_parameters().methods or ()
    pages = _pages(run)
    done = set(run.clusterings.values_list("method", flat=True))
    if NOW not in done:
        _write(run, NOW, method_process.measure_bits(pages, group_by_template(pages), look=lambda: progress(0), paths=True))
    for number, method in enumerate(methods):
        progress(number, total=len(methods), message=f"Clustering {len(pages):,} pages by {method}", now=True)
        if method not in done:
            place = number
            found = method_process.run_method(method, pages, look=lambda place=place: progress(place), paths=True)  # type: ignore[misc]
            _write(run, method, found)
            if found.notice:
                summary = run.read_summary()
                run.write_summary(replace(summary, notices={**(summary.notices or {}), method: found.notice}))
    _forget(run.site)
    gave_up = run.clusterings.exclude(reason="").count()
    return replace(run.read_summary(), methods=len(methods), pages=len(pages), gave_up=gave_up)


def find_last_comparison(site: Site) -> Run | None:
    """Return the site's newest comparison, finished or not; None if there is none."""
    return Run.objects.filter(site=site, kind=Run.Kind.LAB).order_by("-pk").first()


def group_by_template(pages: Collection[str]) -> Groups:
    """Group pages by their current templates. A page without a template is a group of its own."""
    rows = Snapshot.objects.current().filter(page__in=[int(page) for page in pages])
    cluster_of = dict(rows.values_list("page", "cluster"))
    groups: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        cluster = cluster_of.get(int(page))
        groups[f"alone {page}" if cluster is None else str(cluster)].append(page)
    return list(groups.values())


def sort_groups(groups: Groups) -> list[list[int]]:
    """Return groups as a `Clustering` stores them: page ids as numbers, the largest group first."""
    return sorted(([int(page) for page in group] for group in groups), key=lambda group: (-len(group), group))


def _pages(run: Run) -> Pages:
    """Return the pages to compare. They are chosen once per run."""
    chosen = run.read_summary().snapshots
    if chosen is None:
        chosen = tuple(snapshot.pk for snapshot in compare_clusterings.choose_pages(run.site))
        run.write_summary(RunSummary(snapshots=chosen))
    pages = compare_clusterings.read_pages(list(Snapshot.objects.filter(pk__in=chosen).order_by("page")))
    if not pages:
        raise JobError(gettext("there are no pages to compare"))
    return pages


def _write(run: Run, method: str, result: MethodResult) -> None:
    if result.stopped:
        raise Interrupted(
            gettext("Clustering by %(method)s ended: %(stopped)s") % {"method": method or "the templates", "stopped": result.stopped}
        )
    groups = sort_groups(result.groups or [])
    row = {
        "site": run.site,
        "groups": groups,
        "paths": _sort_paths(groups, result),
        "bits": None if math.isnan(result.bits) else result.bits,
        "bits_reason": result.bits_reason[:500],
        "seconds": result.seconds,
        "peak_bytes": result.peak_bytes,
        "reason": result.reason[:500],
    }
    Clustering.objects.update_or_create(run=run, method=method, defaults=row)


def _sort_paths(groups: Sequence[Sequence[int]], result: MethodResult) -> dict[str, Any] | None:
    """Return the paths of a result in the order of its stored groups, None if they are not known."""
    if result.paths is None or result.groups is None:
        return None
    by_group = {frozenset(map(int, group)): paths for group, paths in zip(result.groups, result.paths.templates, strict=True)}
    return asdict(GroupPaths(tuple(by_group[frozenset(group)] for group in groups), result.paths.frame))


@transaction.atomic
def _forget(site: Site) -> None:
    """Delete the clusterings of old comparisons. Clusterings that hold the templates before an adoption are kept."""
    kept = list(Run.objects.filter(site=site, kind=Run.Kind.LAB).order_by("-pk").values_list("pk", flat=True)[:KEPT_RUNS])
    Clustering.objects.filter(site=site, run__kind=Run.Kind.LAB).exclude(run__in=kept).delete()
