"""The life of a run: queued → running → done, failed or cancelled. A crawl can also be paused, and then returns to the queue.

A run is a row. A message only carries its id and may be lost, duplicated or late. So a worker *claims* the row by
compare-and-set before it does anything, and reports progress while it works. `lost_runs.sweep_runs` finds the runs whose message was
lost or whose worker died. Every job is written so that running it again from the start does no harm.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import Enum

from celery import current_app
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from extraction.models import AuditKind, Cluster, Run, RunProblem, Site
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import audit
from extraction.services.core.log_context import working_on
from extraction.services.core.outages import describe_outage
from extraction.services.core.worker_names import name_worker

logger = logging.getLogger(__name__)

HEARTBEAT_S = 2.0
"""How often a running run writes its progress: often enough for a progress bar, and rarely enough to cost little."""

UNCLAIMED_AFTER_S = 15.0
"""A message is sent again if no worker has claimed its run after this time. A duplicate does no harm, because only one worker can
claim the run.
"""

MAX_ATTEMPTS = 5
"""A run whose worker died this many times is not tried again."""

MAX_PROBLEMS = 5_000
"""The largest number of problems stored for a run. Further ones are only counted."""


class Cancelled(Exception):  # noqa: N818
    """A person cancelled or paused the run while it worked, or another worker has it."""


class JobError(Exception):
    """The job cannot be done. The message tells a person why."""


class Interrupted(Exception):  # noqa: N818
    """The job was stopped from outside, for example because its child process was killed. It is tried again.

    The message is a sentence without its full stop.
    """


class Resumption(Enum):
    """The result of resuming a run."""

    RESUMED = "resumed"
    NOT_RESTING = "not resting"
    """The run is queued, running or done."""
    ANOTHER_UNDER_WAY = "another under way"
    """Another run of the same kind and target has been started since."""


def start_run(
    kind: Run.Kind,
    site: Site,
    *,
    cluster: Cluster | None = None,
    parameters: RunParameters | None = None,
    unit: str = "pages",
    user: User | None = None,
) -> Run:
    """Create a run and send it to a worker when the transaction commits.

    If there is an unfinished run of the same kind, site, cluster and target (`Run.target_of`), return it instead. The database
    allows only one, so this also holds when two are started at the same moment.
    """
    stored = (parameters or RunParameters()).as_json()
    with transaction.atomic():
        run, new = Run.objects.unfinished().get_or_create(
            kind=kind,
            site=site,
            cluster=cluster,
            target=Run.target_of(kind, stored),
            defaults={"parameters": stored, "unit": unit, "created_by": user, "sent_at": timezone.now()},
        )
        if new:
            audit.record_if_asked(AuditKind.RUN_STARTED, run)
            send_run(run)
    return run


def send_run(run: Run) -> None:
    """Send the run's message once the transaction has committed."""
    # The task is sent by name, because tasks import services. If the broker is down, the sweep sends the run again.
    transaction.on_commit(lambda: _send_message(run.pk), robust=True)


def cancel_run(run: Run) -> bool:
    """Cancel an unfinished run. Return False if it had already ended."""
    unfinished = Run.objects.unfinished().filter(pk=run.pk)
    with transaction.atomic():
        changed = unfinished.update(state=Run.State.CANCELLED, finished_at=timezone.now(), message="Cancelled")
        if changed:
            audit.record(AuditKind.RUN_CANCELLED, run)
    return bool(changed)


def acknowledge_failure(run: Run, *, known: bool) -> bool:
    """Save that a person knows that a run failed, so that the home page leaves it out. Return False if it has not failed.

    known: False to list it again.
    """
    failed = Run.objects.filter(pk=run.pk, state=Run.State.FAILED)
    with transaction.atomic():
        changed = failed.update(acknowledged_at=timezone.now() if known else None)
        if changed:
            audit.record(AuditKind.RUN_ACKNOWLEDGED, run, text="" if known else "no longer")
    return bool(changed)


def pause_run(run: Run) -> bool:
    """Pause an unfinished run. Its worker stops at its next heartbeat. Return False if the run is already paused or has ended.

    Use this only for jobs that continue where they stopped; other jobs would start again from the beginning.
    """
    under_way = Run.objects.filter(pk=run.pk, state__in=(Run.State.QUEUED, Run.State.RUNNING))
    with transaction.atomic():
        changed = under_way.update(state=Run.State.PAUSED, message="")
        if changed:
            audit.record(AuditKind.RUN_PAUSED, run)
    return bool(changed)


def resume_run(run: Run) -> Resumption:
    """Put a paused, failed or cancelled run back into the queue."""
    resting = Run.objects.filter(pk=run.pk, state__in=(Run.State.PAUSED, Run.State.FAILED, Run.State.CANCELLED))
    try:
        with transaction.atomic():
            # A person decided to try again, so earlier deaths of workers no longer count.
            changed = resting.update(
                state=Run.State.QUEUED, sent_at=timezone.now(), finished_at=None, error="", message="", claimed_by="", attempts=0
            )
            if changed:
                audit.record(AuditKind.RUN_RESUMED, run)
                send_run(run)
    except IntegrityError:
        return Resumption.ANOTHER_UNDER_WAY
    return Resumption.RESUMED if changed else Resumption.NOT_RESTING


def _send_message(run_id: int) -> None:
    current_app.send_task("extraction.tasks.execute", args=[run_id])


class Progress:
    """Reports how far a job is. It writes at most every HEARTBEAT_S, and raises Cancelled if a person cancelled or paused the run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._written = 0.0
        self._problems = 0

    def __call__(self, done: int, *, total: int | None = None, message: str | None = None, now: bool = False) -> None:
        """Report how far the job is.

        done, total: in the run's unit; None leaves total as it is.
        message: what the job does now; it is written at once.
        now: write even if something was just written.
        """
        self.run.done = done
        if total is not None:
            self.run.total = total
        if message is not None:
            self.run.message = message
            now = True
        if now or time.monotonic() - self._written >= HEARTBEAT_S:
            self._write()

    def problem(self, name: str, reason: str) -> None:
        """Store one thing that could not be used. The job goes on."""
        self._problems += 1
        if self._problems <= MAX_PROBLEMS:
            RunProblem.objects.get_or_create(run=self.run, name=name[:2000], reason=reason[:500])

    @property
    def problems(self) -> int:
        """The number of things that could not be used."""
        return self._problems

    def _write(self) -> None:
        held = Run.objects.running().claimed_as(self.run)
        alive = held.update(done=self.run.done, total=self.run.total, message=self.run.message, heartbeat_at=timezone.now())
        if not alive:
            raise Cancelled
        self._written = time.monotonic()


Job = Callable[[Run, Progress], RunSummary]


def execute_run(run_id: int, jobs: Mapping[str, Job], *, follow: Callable[[Run], None] = lambda _: None) -> bool:
    """Claim the run and do its job. Return False if another worker has it or it has ended.

    jobs: {kind of run: the function that does its work}.
    follow: called with a run that is done, in the transaction that marks it as done.
    """
    run = claim_run(run_id)
    if run is None:
        return False
    with working_on(run=run.pk, kind=run.kind, site=run.site.slug):
        logger.info("%s of %s begins", run.get_kind_display(), run.site)
        began = time.monotonic()
        outcome = _do(run, jobs[run.kind], follow)
        logger.info("%s of %s %s after %.1f s", run.get_kind_display(), run.site, outcome, time.monotonic() - began)
    return True


def _do(run: Run, job: Job, follow: Callable[[Run], None]) -> str:
    """Do the job of a claimed run, and return how it ended, in words."""
    progress = Progress(run)
    try:
        summary = job(run, progress)
        RunSummary.from_json(summary.as_json())  # what cannot be read again must not be stored: it would break every list of runs
    except Cancelled:
        # Only this process knows how far the run came; the row has an older figure.
        mine = Run.objects.claimed_as(run).filter(state__in=(Run.State.CANCELLED, Run.State.PAUSED))
        # Without a name in the row, the supervisor sees that this worker has let the run go.
        mine.update(done=run.done, total=run.total, claimed_by="")
        return "was cancelled or taken over"
    except Interrupted as error:
        return_run(run, str(error))
        return f"was interrupted ({error})"
    except JobError as error:
        _finish(run, Run.State.FAILED, error=str(error))
        return f"failed ({error})"
    except Exception:
        # Without its site, a job meets missing rows anywhere. That is an end that a person wanted, not an error.
        if Run.objects.filter(pk=run.pk).exists():
            raise
        return "was stopped, because its site was deleted"
    with transaction.atomic():
        if _finish(run, Run.State.DONE, summary=summary):
            run.refresh_from_db()
            follow(run)
    return "is done"


def end_broken_run(error: BaseException) -> None:
    """End the run of this process whose job raised an error that it does not explain. Otherwise a person would wait for it forever.

    If the database or the disk failed, put the run back into the queue; it fails after MAX_ATTEMPTS. Other errors are mistakes in our
    code, and trying again would not help.
    """
    mine = Run.objects.running().filter(claimed_by=name_worker())
    reason = describe_outage(error)
    run = mine.first()
    if run is None:
        return
    if reason is None:
        mine.update(state=Run.State.FAILED, error=f"Internal error: {type(error).__name__}: {error}", finished_at=timezone.now())
    else:
        return_run(run, reason)


def return_run(run: Run, reason: str) -> None:
    """Put a running run back into the queue after a failure that may pass, or fail it if it was tried MAX_ATTEMPTS times.

    reason: a sentence without its full stop. The sweep sends the run again after a time that doubles with each attempt.
    """
    held = Run.objects.running().claimed_as(run)
    if run.attempts >= MAX_ATTEMPTS:
        error = f"{reason}. The run was tried {run.attempts} times; it is not tried again."
        held.update(state=Run.State.FAILED, finished_at=timezone.now(), error=error)
        return
    pause = timedelta(seconds=UNCLAIMED_AFTER_S * (2 ** max(0, run.attempts - 1) - 1))
    held.update(state=Run.State.QUEUED, claimed_by="", sent_at=timezone.now() + pause, message=f"{reason}; trying again soon")


def claim_run(run_id: int) -> Run | None:
    """Claim a queued run by compare-and-set. Return None if it is no longer queued."""
    now = timezone.now()
    waiting = Run.objects.queued().filter(pk=run_id)
    found = waiting.first()
    if found is None:
        return None
    # The previous stretch of work ended with its last heartbeat.
    mine = waiting.filter(started_at=found.started_at).update(
        worked_s=found.worked_s + measure_stretch_s(found),
        state=Run.State.RUNNING,
        claimed_by=name_worker(),
        started_at=now,
        heartbeat_at=now,
        attempts=F("attempts") + 1,
        error="",
    )
    return Run.objects.select_related("site", "cluster").filter(pk=run_id).first() if mine else None


def measure_stretch_s(run: Run) -> float:
    """Return the seconds from when a run was last claimed to its end, or to its last heartbeat if it is queued or paused; 0 before
    its start.
    """
    if run.started_at is None:
        return 0.0
    rests = run.state in (Run.State.QUEUED, Run.State.PAUSED, Run.State.CANCELLED)  # a run may be cancelled long after its last heartbeat
    last = (run.heartbeat_at if rests else run.finished_at) or run.finished_at
    end = timezone.now() if run.state == Run.State.RUNNING else last or run.started_at
    return max(0.0, (end - run.started_at).total_seconds())


def _finish(run: Run, state: Run.State, *, error: str = "", summary: RunSummary | None = None) -> bool:
    """End the run in its row. Return False if another worker has it or it has already ended."""
    done = max(run.done, run.total) if state == Run.State.DONE else run.done
    held = Run.objects.running().claimed_as(run)
    figures = (summary or RunSummary()).as_json()
    ended = held.update(state=state, error=error, summary=figures, finished_at=timezone.now(), done=done, total=run.total, message="")
    return bool(ended)
