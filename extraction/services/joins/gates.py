"""Gates before joins: only released records are joined.

A joined record is a copy of values. Rows of a list without a key have no history, so what they were at the last released run cannot be
made again. Therefore a join is left as it is while the newest records of one of its sides are not released: held back, rejected, from a
run that failed, or being extracted at the moment. The joined records are then those of the last time at which all sides were released.
The next release starts the join.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.models import Cluster, Rule, Run, RunRelease, Site

MAX_RUNS = 500
"""Newest runs among which the last extraction of each side is sought."""


@dataclass(frozen=True, slots=True)
class ClosedGate:
    """Why the present records of a template must not be joined.

    run: the last one that extracted records for the template.
    release: the verdict on it, None if there is none.
    words: a sentence.
    """

    cluster: Cluster
    run: Run
    release: RunRelease | None
    words: str


def find_closed_gates(site: Site, clusters: Sequence[Cluster]) -> list[ClosedGate]:
    """Return the gates that are closed, in the order of the templates; none if all records of these templates may be joined."""
    last = _find_last_runs(site, clusters)
    found = RunRelease.objects.filter(run__in=last.values(), cluster__in=last).select_related("cluster__site")
    releases = {(each.run_id, each.cluster_id): each for each in found}
    judged = [(cluster, last[cluster.pk], releases.get((last[cluster.pk].pk, cluster.pk))) for cluster in clusters if cluster.pk in last]
    return [ClosedGate(*each, words) for each in judged if (words := _describe_gate(*each))]


def _find_last_runs(site: Site, clusters: Sequence[Cluster]) -> dict[int, Run]:
    """Return {template: the last run that began to extract its records}."""
    templates = dict(Rule.objects.filter(cluster__in=clusters).values_list("pk", "cluster_id"))
    runs = Run.objects.filter(site=site, kind__in=(Run.Kind.EXTRACT, Run.Kind.CRAWL), started_at__isnull=False).order_by("-pk")
    found: dict[int, Run] = {}
    wanted = len({each.pk for each in clusters})
    for run in runs[:MAX_RUNS].iterator():
        for rule in run.read_parameters().rules or ():
            if rule in templates:
                found.setdefault(templates[rule], run)
        if len(found) == wanted:
            break
    return found


def _describe_gate(cluster: Cluster, run: Run, release: RunRelease | None) -> str:
    """Return why the gate is closed, "" if it is open."""
    if not run.finished:
        return gettext("Records of %(cluster)s are being extracted. They are joined when they are released.") % {"cluster": cluster.label}
    if run.state != Run.State.DONE:
        ended = gettext("was cancelled") if run.state == Run.State.CANCELLED else gettext("failed")
        return gettext("The last extraction of %(cluster)s %(ended)s, so its records are not released. Extract them again.") % {
            "cluster": cluster.label,
            "ended": ended,
        }
    if release is None or release.state == RunRelease.State.RELEASED:
        return ""
    if release.state == RunRelease.State.REJECTED:
        return gettext(
            "The last records of %(cluster)s were rejected. The joined records are from before. The next release brings new ones."
        ) % {"cluster": cluster.label}
    return gettext(
        "The last records of %(cluster)s are held back. The joined records are from before, until an operator releases them."
    ) % {"cluster": cluster.label}
