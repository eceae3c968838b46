"""A run never says "running" while nobody works on it, and a worker that hangs is found."""

import errno
import os
import subprocess
from datetime import datetime, timedelta

import psutil
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from django.db import OperationalError
from django.utils import timezone

from extraction import tasks
from extraction.models import Run, Site
from extraction.models.run_values import RunSummary
from extraction.services.core import lost_runs, outages, runs, worker_names

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(sent: list[int]) -> Run:
    site = Site.objects.create(name="Books", slug="books")
    return runs.start_run(Run.Kind.CLUSTER, site)


def claim(run: Run) -> Run:
    claimed = runs.claim_run(run.pk)
    assert claimed
    return claimed


def age(run: Run, seconds: float) -> None:
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def test_a_worker_gives_back_the_run_whose_end_it_could_not_write(run: Run, sent: list[int]) -> None:
    claim(run)
    assert lost_runs.sweep_runs() == 0, "the process lives, so the sweep leaves the run"
    tasks.sweep()
    run.refresh_from_db()
    assert (run.state, run.claimed_by) == (Run.State.QUEUED, "")
    assert "database" in run.message
    Run.objects.filter(pk=run.pk).update(sent_at=timezone.now() - timedelta(seconds=60))
    assert lost_runs.sweep_runs() == 1
    assert runs.execute_run(run.pk, {Run.Kind.CLUSTER: lambda run, progress: RunSummary()})
    run.refresh_from_db()
    assert run.state == Run.State.DONE


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OperationalError("database is locked"), "The database is locked"),
        (OperationalError("server closed the connection unexpectedly"), "The database did not answer"),
        (OperationalError("database or disk is full"), "The disk is full"),
        (OperationalError("disk I/O error"), "The disk of the database is full or does not work"),
        (OperationalError("unable to open database file"), "The disk of the database is full or does not work"),
        (OperationalError("attempt to write a readonly database"), "The database can only be read"),
        (OperationalError('could not extend file "base/1": No space left on device'), "The disk is full"),
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full"),
        (OSError(errno.EFBIG, "File too large"), "The disk is full"),
        (OSError(errno.EROFS, "Read-only file system"), "The disk can only be read"),
        (OSError(errno.EIO, "Input/output error"), "The disk or the folder of the stored pages cannot be used"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory"), "The disk or the folder of the stored pages cannot be used"),
        (EndpointConnectionError(endpoint_url="https://s3.example"), "The object storage did not answer"),
        (ClientError({"Error": {"Code": "SlowDown"}}, "PutObject"), "The object storage did not answer"),
    ],
)
def test_an_outage_puts_the_run_back_and_says_why(run: Run, error: Exception, message: str) -> None:
    claim(run)
    runs.end_broken_run(error)
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED
    assert run.message.startswith(message)


def test_an_outage_is_found_behind_another_error(run: Run) -> None:
    error = RuntimeError("could not store the page")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert outages.describe_outage(error) == "The disk is full"
    assert outages.describe_outage(RuntimeError("something else")) is None


def test_an_outage_that_lasts_ends_the_run_with_its_reason(run: Run) -> None:
    for attempt in range(runs.MAX_ATTEMPTS):
        assert Run.objects.get(pk=run.pk).state == Run.State.QUEUED, attempt
        claim(run)
        runs.end_broken_run(OperationalError("database is locked"))
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "tried 5 times" in run.error


def test_the_time_until_the_next_attempt_grows(run: Run) -> None:
    waits = []
    for _ in range(3):
        claim(run)
        runs.end_broken_run(OperationalError("database is locked"))
        sent_at = Run.objects.get(pk=run.pk).sent_at
        assert sent_at
        waits.append((sent_at - timezone.now()).total_seconds())
    assert waits[0] < waits[1] < waits[2]


def test_a_mistake_in_our_code_is_not_tried_again(run: Run) -> None:
    claim(run)
    runs.end_broken_run(KeyError("title"))
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "KeyError" in run.error


def test_a_job_that_was_interrupted_from_outside_is_tried_again(run: Run) -> None:
    def job(run: Run, progress: runs.Progress) -> RunSummary:
        raise runs.Interrupted("The process that reads the pages was killed")

    runs.execute_run(run.pk, {Run.Kind.CLUSTER: job})
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED
    assert "was killed" in run.message


def test_a_worker_that_reports_is_left_alone(run: Run) -> None:
    claim(run)
    assert lost_runs.find_stuck_workers([os.getpid()]) == {}


def test_a_silent_worker_is_found(run: Run) -> None:
    claim(run)
    age(run, lost_runs.SILENT_AFTER_S + 5)
    assert "has reported nothing for" in lost_runs.find_stuck_workers([os.getpid()])[os.getpid()]
    assert lost_runs.find_stuck_workers([os.getppid()]) == {}, "another process does not hold the run"


@pytest.mark.parametrize("stop", [runs.cancel_run, runs.pause_run])
def test_a_worker_that_does_not_stop_when_its_run_does_is_found(run: Run, stop: object) -> None:
    claim(run)
    assert stop(run)  # type: ignore[operator]
    assert lost_runs.find_stuck_workers([os.getpid()]) == {}, "it may still be about to stop"
    long_ago = timezone.now() - timedelta(seconds=lost_runs.CANCELLED_AFTER_S + 5)
    Run.objects.filter(pk=run.pk).update(heartbeat_at=long_ago)
    Run.objects.filter(pk=run.pk, finished_at__isnull=False).update(finished_at=long_ago)
    assert os.getpid() in lost_runs.find_stuck_workers([os.getpid()])


def test_a_worker_that_let_a_cancelled_run_go_is_left_alone(run: Run) -> None:
    def job(run: Run, progress: runs.Progress) -> RunSummary:
        runs.cancel_run(run)
        progress(1, now=True)
        return RunSummary()

    runs.execute_run(run.pk, {Run.Kind.CLUSTER: job})
    long_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(pk=run.pk).update(heartbeat_at=long_ago, finished_at=long_ago)
    assert lost_runs.find_stuck_workers([os.getpid()]) == {}


def test_a_heartbeat_in_the_future_does_not_keep_a_dead_run_alive(run: Run) -> None:
    claim(run)
    Run.objects.filter(pk=run.pk).update(claimed_by="elsewhere 1@2", heartbeat_at=timezone.now() + timedelta(days=1))
    lost_runs.sweep_runs()
    age(run, lost_runs.STALE_AFTER_S + 5 - (timezone.now() - heartbeat(run)).total_seconds())
    assert lost_runs.sweep_runs() == 1, "its heartbeat was dated as of the first sweep, and that is long ago now"


def test_a_silent_worker_is_found_although_its_last_heartbeat_is_in_the_future(run: Run) -> None:
    claim(run)
    age(run, -86_400)
    lost_runs.sweep_runs()
    assert abs((heartbeat(run) - timezone.now()).total_seconds()) < 30


def heartbeat(run: Run) -> datetime:
    found = Run.objects.get(pk=run.pk).heartbeat_at
    assert found
    return found


def test_a_worker_that_does_not_stop_is_found_although_its_run_was_cancelled_in_the_future(run: Run) -> None:
    claim(run)
    runs.cancel_run(run)
    age(run, lost_runs.CANCELLED_AFTER_S + 5)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() + timedelta(days=1))
    assert os.getpid() in lost_runs.find_stuck_workers([os.getpid()])


def test_setting_the_clock_does_not_make_living_workers_look_dead(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = claim(run)
    monkeypatch.setattr(psutil, "boot_time", lambda: 0.0)
    monkeypatch.setattr(psutil._pslinux, "boot_time", lambda: 0.0)
    assert worker_names.is_alive(claimed.claimed_by)
    assert lost_runs.sweep_runs() == 0


def test_a_worker_that_is_gone_or_another_process_of_its_number_is_dead() -> None:
    gone = subprocess.Popen(["true"])
    name = worker_names.name_worker(gone.pid)
    gone.wait()
    assert worker_names.is_alive(name) is False
    assert worker_names.is_alive(f"{worker_names.name_worker()}0") is False
    assert worker_names.is_alive("elsewhere 1@2") is None
