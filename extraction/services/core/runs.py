"""The life of a run: queued → running → done, failed or cancelled; a crawl also paused, from where it goes back to the queue.

A run is a row; a message only carries its id and may be lost, doubled or late. So a worker *claims* the row by
compare-and-set before it does anything, shows life while it works, and `sweep` finds rows that nobody holds: messages
that were lost, workers that died. A job is written so that running it again from the start does no harm.
"""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from enum import Enum

import psutil
from celery import current_app
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from extraction.models import Cluster, Run, RunProblem, Site
from extraction.models.run_values import RunParameters, RunSummary

logger = logging.getLogger(__name__)

HEARTBEAT_S = 2.0
"""How often a working run writes its progress: often enough for a bar, seldom enough not to be the work."""

STALE_AFTER_S = 90.0
"""A run on another machine without a sign of life for so long is given up: no step of a job is silent for longer."""

UNCLAIMED_AFTER_S = 15.0
"""A message not taken up for so long is sent again; a second one does no harm, the claim decides."""

MAX_ATTEMPTS = 5
"""A run that took five workers with it is not given to a sixth."""

MAX_PROBLEMS = 5_000
"""Problems kept a run; the rest is counted."""


class Cancelled(Exception):  # noqa: N818
    """A person cancelled or paused the run while it worked, or another worker has it."""


class JobError(Exception):
    """The job cannot be done, for a reason a person can read."""


class Resumption(Enum):
    """What came of resuming a run."""

    RESUMED = "resumed"
    NOT_RESTING = "not resting"
    """The run waits or works, or it is done."""
    ANOTHER_UNDER_WAY = "another under way"
    """Another run of the same kind and target was started since."""


def start_run(
    kind: Run.Kind,
    site: Site,
    *,
    cluster: Cluster | None = None,
    parameters: RunParameters | None = None,
    unit: str = "pages",
    user: User | None = None,
) -> Run:
    """A new run, sent to a worker when the transaction commits.

    An unfinished run of the same kind, site, cluster and target (`Run.target_of`) is given back instead of a second. The database allows
    only one, so this also holds when two are started at the same moment.
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
            send_run(run)
    return run


def send_run(run: Run) -> None:
    """Sends the run's message once the transaction has committed."""
    # By name: tasks call services, so a service cannot import them. A broker that is away only delays: the sweep sends again.
    transaction.on_commit(lambda: _message(run.pk), robust=True)


def cancel_run(run: Run) -> bool:
    """Cancels an unfinished run; False when it had ended already."""
    unfinished = Run.objects.unfinished().filter(pk=run.pk)
    return bool(unfinished.update(state=Run.State.CANCELLED, finished_at=timezone.now(), message="Cancelled"))


def pause_run(run: Run) -> bool:
    """Lets an unfinished run rest: its worker lets go of it at its next sign of life. False when it rests or has ended already.

    Only for jobs that go on where they were, or all that was done is done again.
    """
    changed = Run.objects.filter(pk=run.pk, state__in=(Run.State.QUEUED, Run.State.RUNNING)).update(state=Run.State.PAUSED, message="")
    return bool(changed)


def resume_run(run: Run) -> Resumption:
    """Gives a run back to the queue that was paused, failed or was cancelled."""
    resting = Run.objects.filter(pk=run.pk, state__in=(Run.State.PAUSED, Run.State.FAILED, Run.State.CANCELLED))
    try:
        with transaction.atomic():
            # A person looked at it, so the workers that died count no longer.
            changed = resting.update(
                state=Run.State.QUEUED, sent_at=timezone.now(), finished_at=None, error="", message="", claimed_by="", attempts=0
            )
            if changed:
                send_run(run)
    except IntegrityError:
        return Resumption.ANOTHER_UNDER_WAY
    return Resumption.RESUMED if changed else Resumption.NOT_RESTING


def _message(run_id: int) -> None:
    current_app.send_task("extraction.tasks.execute", args=[run_id])


class Progress:
    """What a job uses to say where it is. Writes at most every HEARTBEAT_S; raises Cancelled when a person cancelled or paused."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._written = 0.0
        self._problems = 0

    def __call__(self, done: int, *, total: int | None = None, message: str | None = None, now: bool = False) -> None:
        """Says how far the job is; `now` writes even when something was written a moment ago."""
        self.run.done = done
        if total is not None:
            self.run.total = total
        if message is not None:
            self.run.message = message
            now = True
        if now or time.monotonic() - self._written >= HEARTBEAT_S:
            self._write()

    def problem(self, name: str, reason: str) -> None:
        """Notes one thing that could not be used; the rest goes on."""
        self._problems += 1
        if self._problems <= MAX_PROBLEMS:
            RunProblem.objects.get_or_create(run=self.run, name=name[:2000], reason=reason[:500])

    @property
    def problems(self) -> int:
        """How many things could not be used."""
        return self._problems

    def _write(self) -> None:
        held = Run.objects.running().claimed_as(self.run)
        alive = held.update(done=self.run.done, total=self.run.total, message=self.run.message, heartbeat_at=timezone.now())
        if not alive:
            raise Cancelled
        self._written = time.monotonic()


Job = Callable[[Run, Progress], RunSummary]


def execute_run(run_id: int, jobs: Mapping[str, Job], *, follow: Callable[[Run], None] = lambda _: None) -> bool:
    """Claims the run and does its job; False when somebody else has it or it is over.

    follow: called with a run that is done, in the transaction that marks it as done.
    """
    run = claim_run(run_id)
    if run is None:
        return False
    progress = Progress(run)
    try:
        summary = jobs[run.kind](run, progress)
    except Cancelled:
        logger.info("run %s was cancelled or taken over", run.pk)
        # How far it came is known only here; who cancelled saw what was written some time before.
        mine = Run.objects.claimed_as(run).filter(state__in=(Run.State.CANCELLED, Run.State.PAUSED))
        mine.update(done=run.done, total=run.total)
    except JobError as error:
        _finish(run, Run.State.FAILED, error=str(error))
    else:
        with transaction.atomic():
            if _finish(run, Run.State.DONE, summary=summary):
                run.refresh_from_db()
                follow(run)
    return True


def fail_broken_run(run_id: int, error: BaseException) -> None:
    """A job died of an error of the program. It must end in its row, or a person waits for ever."""
    Run.objects.running().filter(pk=run_id, claimed_by=_me()).update(
        state=Run.State.FAILED, error=f"Internal error: {type(error).__name__}: {error}", finished_at=timezone.now()
    )


def claim_run(run_id: int) -> Run | None:
    """Takes a queued run by compare-and-set; None when it is not queued any more."""
    now = timezone.now()
    waiting = Run.objects.queued().filter(pk=run_id)
    found = waiting.first()
    if found is None:
        return None
    # Before another claims it, its last stretch ended with its last sign of life.
    mine = waiting.filter(started_at=found.started_at).update(
        worked_s=found.worked_s + measure_stretch_s(found),
        state=Run.State.RUNNING,
        claimed_by=_me(),
        started_at=now,
        heartbeat_at=now,
        attempts=F("attempts") + 1,
        error="",
    )
    return Run.objects.select_related("site", "cluster").get(pk=run_id) if mine else None


def measure_stretch_s(run: Run) -> float:
    """Seconds from when a run was claimed last to its end, or to its last sign of life while it waits or rests; 0 before it began."""
    if run.started_at is None:
        return 0.0
    rests = run.state in (Run.State.QUEUED, Run.State.PAUSED, Run.State.CANCELLED)  # cancelled perhaps long after
    last = (run.heartbeat_at if rests else run.finished_at) or run.finished_at
    end = timezone.now() if run.state == Run.State.RUNNING else last or run.started_at
    return max(0.0, (end - run.started_at).total_seconds())


def sweep_runs() -> int:
    """Gives back to the queue what nobody holds any more, sends again what nobody took; how many were sent."""
    for run in Run.objects.running():
        if not _lost(run):
            continue
        over = run.attempts >= MAX_ATTEMPTS
        held = Run.objects.running().claimed_as(run)
        if over:
            held.update(
                state=Run.State.FAILED,
                finished_at=timezone.now(),
                error=f"Its worker died {run.attempts} times, so the run is not tried again.",
            )
        else:
            held.update(state=Run.State.QUEUED, claimed_by="", sent_at=None, message="Its worker died; starting again")
    waiting = Q(sent_at=None) | Q(sent_at__lt=timezone.now() - timedelta(seconds=UNCLAIMED_AFTER_S))
    return _send_all(Run.objects.queued().filter(waiting).order_by("id"))


def _send_all(runs: Iterable[Run]) -> int:
    sent = 0
    for run in runs:
        with transaction.atomic():
            if Run.objects.queued().filter(pk=run.pk, sent_at=run.sent_at).update(sent_at=timezone.now()):
                send_run(run)
                sent += 1
    return sent


def _lost(run: Run) -> bool:
    host, _, process = run.claimed_by.partition(" ")
    if host == socket.gethostname():
        return process not in {_process(pid) for pid in psutil.pids() if process.startswith(f"{pid}@")}
    return run.heartbeat_at is None or run.heartbeat_at < timezone.now() - timedelta(seconds=STALE_AFTER_S)


def _process(pid: int) -> str:
    """A process by number and start, since numbers are used again."""
    try:
        return f"{pid}@{psutil.Process(pid).create_time():.1f}"
    except psutil.Error:
        return ""


def _me() -> str:
    return f"{socket.gethostname()} {_process(os.getpid())}"


def _finish(run: Run, state: Run.State, *, error: str = "", summary: RunSummary | None = None) -> bool:
    """Ends the run in its row; False when it is not this worker's any more."""
    done = max(run.done, run.total) if state == Run.State.DONE else run.done
    held = Run.objects.running().claimed_as(run)
    figures = (summary or RunSummary()).as_json()
    ended = held.update(state=state, error=error, summary=figures, finished_at=timezone.now(), done=done, total=run.total, message="")
    return bool(ended)
