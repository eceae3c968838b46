"""The progress of a run in figures: done, left, rate, time left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Q, When

from extraction.models import Cluster, ProblemCount, Run, RunProblem, Site
from extraction.services.core import runs
from extraction.views.core.keyset import ListPage, read_page

STEADY_AFTER_S = 2.0
"""Before that, no rate is shown, since loading code once distorts it."""

PROBLEMS_PER_PAGE = 50

OF_TEMPLATES = (
    Run.Kind.CRAWL,
    Run.Kind.IMPORT,
    Run.Kind.CLUSTER,
    Run.Kind.PLACE,
    Run.Kind.LEARN,
    Run.Kind.EXTRACT,
    Run.Kind.CHECK,
    Run.Kind.REUSE,
)
"""The kinds of runs that change what is shown of a template."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run with its figures. A figure is None while it is unknown.

    fraction: the share that is done.
    elapsed_s: seconds of work, without pauses.
    rate: units per second since the run was last started or resumed.
    left_s: seconds left at this rate.
    """

    run: Run
    fraction: float | None
    elapsed_s: float | None
    rate: float | None
    left_s: float | None

    @property
    def left(self) -> int:
        """The number of units still to do."""
        return max(0, self.run.total - self.run.done)


def describe_progress(run: Run) -> RunProgress:
    """Return the current figures of a run."""
    fraction = min(1.0, run.done / run.total) if run.total else None
    if run.started_at is None:
        return RunProgress(run, fraction, None, None, None)
    stretch_s = runs.measure_stretch_s(run)
    fresh = max(0, run.done - (run.read_summary().before or 0))  # without what was done before the run was resumed
    steady = fresh > 0 and (run.finished or (run.state == Run.State.RUNNING and stretch_s >= STEADY_AFTER_S))
    rate = fresh / max(stretch_s, 0.001) if steady else None
    left_s = max(0, run.total - run.done) / rate if rate and run.total and not run.finished else None
    return RunProgress(run, fraction, run.worked_s + stretch_s, rate, left_s)


def find_going(site: Site) -> Run | None:
    """Return the oldest unfinished run that fetches or imports the site's pages or finds their templates, or None."""
    kinds = (Run.Kind.CRAWL, Run.Kind.IMPORT, Run.Kind.CLUSTER)
    found = Run.objects.unfinished().filter(site=site, kind__in=kinds)
    return found.select_related("site", "created_by").order_by("pk").first()


def find_going_of(cluster: Cluster) -> Run | None:
    """Return the unfinished run that concerns a template: a running one before those that wait, then the oldest. None if there is none."""
    found = Run.objects.unfinished().filter(Q(cluster=cluster) | Q(cluster=None), site=cluster.site_id, kind__in=OF_TEMPLATES)
    return found.select_related("site").order_by(Case(When(state=Run.State.RUNNING, then=0), default=1), "pk").first()


def find_following(run: Run) -> Run | None:
    """Return the unfinished run that followed this one, or None.

    After an import or a crawl, that is the search for templates; after the search, it is the extraction, if requested.
    """
    return find_followers([run]).get(run.pk)


def find_followers(found: Sequence[Run]) -> dict[int, Run]:
    """Return {run: the unfinished run that followed it} in one query. Runs that nothing follows are left out."""
    kinds = {run.pk: kind for run in found if run.finished and (kind := _name_next_kind(run))}
    sites = {run.site_id for run in found if run.pk in kinds}
    later = list(Run.objects.unfinished().filter(site__in=sites, kind__in=set(kinds.values())).order_by("pk")) if kinds else []
    followers = {}
    for run in found:
        for each in later:
            if each.site_id == run.site_id and each.kind == kinds.get(run.pk) and each.pk > run.pk:
                followers[run.pk] = each
                break
    return followers


def _name_next_kind(run: Run) -> Run.Kind | None:
    if run.kind in (Run.Kind.IMPORT, Run.Kind.CRAWL):
        return Run.Kind.CLUSTER
    return Run.Kind.EXTRACT if run.kind == Run.Kind.CLUSTER and run.read_parameters().wants_records else None


def list_problems(run: Run, asked: Mapping[str, Any]) -> ListPage[RunProblem]:
    """Return one page of what the run could not use. asked: the query of the address."""
    count = ProblemCount.objects.filter(run=run).total()
    return read_page(RunProblem.objects.filter(run=run), asked, per_page=PROBLEMS_PER_PAGE, count=count)
