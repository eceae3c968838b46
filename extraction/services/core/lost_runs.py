"""Find the runs that nobody works on any more, and the workers that work on nothing.

A worker dies, a message is lost, the database is away at the moment in which a run should end: each leaves a row that says "running" or
"queued" although nothing happens. A worker process that lives is no proof of progress. So a worker first gives back what it still holds
when it takes its next task, and the supervisor ends a worker whose run was cancelled or has reported nothing for a long time.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from extraction.models import Run
from extraction.services.core.runs import MAX_ATTEMPTS, UNCLAIMED_AFTER_S, return_run, send_run
from extraction.services.core.worker_names import is_alive, name_worker

STALE_AFTER_S = 90.0
"""A run on another machine counts as lost after this time without progress."""

MAX_SENT_AGAIN = 20
"""How many runs a sweep sends again. Each message lets a worker take any waiting run (`fair_order`). While workers are busy for hours, a
message for each of a thousand waiting runs every quarter of a minute would fill the broker."""

LONGEST_PAUSE_S = UNCLAIMED_AFTER_S * 2**MAX_ATTEMPTS
"""No run is put off for longer (`runs.return_run`). One that seems to be was queued before the clock was set back."""

SILENT_AFTER_S = 600.0
"""A worker is ended after this time without progress. The longest step of a job that we measured takes 40 seconds."""

CANCELLED_AFTER_S = 30.0
"""A worker is ended if it still holds a run this long after a person cancelled or paused it. A heartbeat comes every two seconds."""


def sweep_runs() -> int:
    """Put lost runs back into the queue and send unclaimed ones again. Return how many were sent."""
    for run in Run.objects.running():
        if not _has_lost_worker(run):
            continue
        held = Run.objects.running().claimed_as(run)
        if run.attempts >= MAX_ATTEMPTS:
            error = f"Its worker died {run.attempts} times, so the run is not tried again."
            held.update(state=Run.State.FAILED, finished_at=timezone.now(), error=error)
        else:
            held.update(state=Run.State.QUEUED, claimed_by="", sent_at=None, message="Its worker died; starting again")
    now = timezone.now()
    _correct_heartbeats(now)
    waiting = (
        Q(sent_at=None)
        | Q(sent_at__lt=now - timedelta(seconds=UNCLAIMED_AFTER_S))
        | Q(sent_at__gt=now + timedelta(seconds=LONGEST_PAUSE_S))
    )
    return _send_all(Run.objects.queued().filter(waiting).order_by("id")[:MAX_SENT_AGAIN])


def return_own_runs() -> int:
    """Give back the runs that this process holds and does not work on. Return how many.

    Call it in a worker before its next task. A worker does one task at a time, so whatever it still holds is a run whose end could not be
    written.
    """
    held = list(Run.objects.running().filter(claimed_by=name_worker()))
    for run in held:
        return_run(run, "Its worker lost the database")
    return len(held)


def find_stuck_workers(pids: Iterable[int]) -> dict[int, str]:
    """Return the worker processes that must be ended, and why.

    pids: the workers of this machine.
    """
    names = {name_worker(pid): pid for pid in pids}
    now = timezone.now()
    held = Run.objects.filter(claimed_by__in=names).exclude(state__in=(Run.State.DONE, Run.State.FAILED))
    return {names[run.claimed_by]: reason for run in held if (reason := _find_reason_to_end(run, now))}


def _correct_heartbeats(now: datetime) -> None:
    """Date heartbeats of the future as of now. They were written by a clock that was ahead, and would keep a dead run alive until then."""
    ahead = Run.objects.exclude(claimed_by="").filter(heartbeat_at__gt=now + timedelta(seconds=STALE_AFTER_S))
    ahead.update(heartbeat_at=now)


def _find_reason_to_end(run: Run, now: datetime) -> str:
    heard_s = (now - (run.heartbeat_at or run.started_at or now)).total_seconds()
    if run.state == Run.State.RUNNING:
        return f"{run} has reported nothing for {heard_s:,.0f} seconds" if heard_s > SILENT_AFTER_S else ""
    ended_s = (now - run.finished_at).total_seconds() if run.finished_at else heard_s
    # An end in the future was written by a clock that was ahead.
    let_go = (heard_s if ended_s < 0 else min(heard_s, ended_s)) <= CANCELLED_AFTER_S
    return "" if let_go else f"{run} is {run.get_state_display().lower()}, but the worker has not stopped"


def _send_all(runs: Iterable[Run]) -> int:
    sent = 0
    for run in runs:
        with transaction.atomic():
            if Run.objects.queued().filter(pk=run.pk, sent_at=run.sent_at).update(sent_at=timezone.now()):
                send_run(run)
                sent += 1
    return sent


def _has_lost_worker(run: Run) -> bool:
    alive = is_alive(run.claimed_by)
    if alive is not None:
        return not alive
    return run.heartbeat_at is None or run.heartbeat_at < timezone.now() - timedelta(seconds=STALE_AFTER_S)
