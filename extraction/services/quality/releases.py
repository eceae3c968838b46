"""Whether a run's records may be delivered: the verdict takes effect, and an operator releases or rejects what is held back.

The last released run of a template says which state of its records is delivered. A later run that is held back or rejected changes
nothing about that, and the runs after it are compared with the last released one, too. When a run is released, earlier ones of its
template that still wait are rejected: their records have been replaced.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from extraction.models import AuditKind, Cluster, QualityRule, Run, RunRelease
from extraction.services.core import audit, signals


def find_released_runs(clusters: Iterable[Cluster]) -> dict[int, Run]:
    """Return {template: its newest released run}, whose state is what is delivered. A template that never had one is missing.

    A record type may have a thousand templates, so what the runs say of their work is read only if it is asked for.
    """
    newest = RunRelease.objects.released().filter(cluster__in=[each.pk for each in clusters]).order_by().values("cluster")
    found = RunRelease.objects.filter(pk__in=newest.annotate(newest=Max("pk")).values("newest"))
    chosen = dict(found.values_list("cluster", "run"))
    runs = Run.objects.only("site", "cluster", "kind", "state", "created_at", "started_at", "finished_at").in_bulk(chosen.values())
    return {cluster: runs[run] for cluster, run in chosen.items() if run in runs}


def find_released(cluster: Cluster) -> RunRelease | None:
    """Return the newest release of a template whose records may be delivered, None if there is none."""
    return RunRelease.objects.released().filter(cluster=cluster).select_related("run").order_by("-pk").first()


def settle_run(run: Run) -> list[RunRelease]:
    """Release the records of a run that is done, or hold them back. Call this in the transaction that marks it as done.

    Returns the releases that were settled now. Each is settled once.
    """
    judged = RunRelease.objects.select_for_update(of=("self",)).filter(run=run, state=RunRelease.State.JUDGED)
    settled = list(judged.select_related("cluster__site", "run").order_by("pk"))
    for release in settled:
        weights = set(release.results.filter(broken=True).values_list("weight", flat=True))
        if QualityRule.Weight.BLOCK in weights:
            RunRelease.objects.filter(pk=release.pk).update(state=RunRelease.State.HELD)
            release.state = RunRelease.State.HELD
        else:
            _decide(release, RunRelease.State.JUDGED, RunRelease.State.RELEASED)
        if weights & {QualityRule.Weight.BLOCK, QualityRule.Weight.WARN}:
            signals.records_doubted.send(RunRelease, release=release)
    return settled


@dataclass(frozen=True, slots=True)
class Decided:
    """How a person's decision about a held run ended.

    taken: whether it counts. If not, somebody else had decided before.
    release: the row as it is now.
    """

    taken: bool
    release: RunRelease


def release_run(release: RunRelease, user: User, note: str = "") -> Decided:
    """Release the records of a held run, because a person found them right."""
    with transaction.atomic():
        taken = _decide(release, RunRelease.State.HELD, RunRelease.State.RELEASED, user=user, note=note)
        if taken:
            audit.record(AuditKind.RUN_RELEASED, release, text=note)
    return Decided(taken, _reread(release))


def reject_run(release: RunRelease, user: User, note: str = "") -> Decided:
    """Reject the records of a held run. The last released ones stay delivered."""
    with transaction.atomic():
        taken = _decide(release, RunRelease.State.HELD, RunRelease.State.REJECTED, user=user, note=note)
        if taken:
            audit.record(AuditKind.RUN_REJECTED, release, text=note)
    return Decided(taken, _reread(release))


def _reread(release: RunRelease) -> RunRelease:
    return RunRelease.objects.select_related("cluster__site", "run", "decided_by").get(pk=release.pk)


def _decide(release: RunRelease, before: str, after: str, *, user: User | None = None, note: str = "") -> bool:
    """Move a release from one state to another, unless somebody else has moved it. The caller holds the transaction."""
    now = timezone.now()
    mine = RunRelease.objects.filter(pk=release.pk, state=before)
    name = user.get_username() if user else ""
    if not mine.update(state=after, decided_at=now, decided_by=user, decided_name=name, note=note[:500]):
        return False
    release.state = after
    if after == RunRelease.State.RELEASED:
        earlier = RunRelease.objects.held().filter(cluster=release.cluster, pk__lt=release.pk)
        replaced = f"Run {release.run_id} was judged later and released, so the records of this one were replaced."
        earlier.update(state=RunRelease.State.REJECTED, decided_at=now, note=replaced)
        signals.records_released.send(RunRelease, run=release.run, cluster=release.cluster, user=user)
    return True
