"""Celery tasks: an id in, one service call."""

from typing import Any

from celery import shared_task
from celery.signals import task_failure, worker_ready
from django.db import connection
from django.utils import timezone

from extraction import pipeline
from extraction.services.core import runs
from extraction.services.monitoring import alerts, monitors, tidy_checks


@shared_task
def execute(run_id: int) -> None:
    """Does the job of a run, unless somebody else does."""
    pipeline.execute_run(run_id)


@shared_task
def sweep() -> None:
    """Finds runs that nobody holds and sends them again."""
    runs.sweep_runs()


@shared_task
def tick() -> None:
    """Starts the checks that are due and sends the alerts that wait."""
    monitors.start_due_checks(timezone.now())
    alerts.send_due_alerts(timezone.now())


@shared_task
def tidy() -> None:
    """Lets go of what old checks stored."""
    tidy_checks.tidy_checks(timezone.now())


@shared_task
def deliver(alert_id: int) -> None:
    """Sends an alert, unless somebody else does."""
    alerts.deliver_alert(alert_id, timezone.now())


@task_failure.connect(sender=execute)
def execute_failed(*, exception: BaseException, args: Any, **_: Any) -> None:
    """A job died of an error of the program: its run ends as failed; Celery logs the trace."""
    runs.fail_broken_run(args[0], exception)


@worker_ready.connect
def worker_started(**_: Any) -> None:
    """A worker that comes back takes up at once what its predecessor was killed over."""
    runs.sweep_runs()
    connection.close()
