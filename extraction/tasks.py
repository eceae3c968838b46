"""Celery tasks. Each takes at most an id and calls a service."""

from typing import Any

from celery import shared_task
from celery.signals import task_failure, worker_ready
from django.db import connection
from django.utils import timezone

from extraction import pipeline
from extraction.services.core import (
    api_outcomes,
    audit,
    fair_order,
    heartbeats,
    invitations,
    left_bytes,
    lost_runs,
    runs,
    sessions,
)
from extraction.services.deliveries import deliver as delivering
from extraction.services.deliveries import outbox
from extraction.services.monitoring import alerts, care, event_alerts, monitors, tidy_checks
from extraction.services.records import stored_files
from extraction.services.refresh import start_refreshes

TRIES = 5
"""How often a worker looks for a run when others take them first. What then still waits is sent again by the sweep."""


@shared_task
def execute(run_id: int) -> None:  # noqa: ARG001 - the message says that this run waits; another may come first
    """Do the job of the run whose turn it is (`fair_order`). If another worker is faster, try the next one."""
    lost_runs.return_own_runs()
    for _ in range(TRIES):
        chosen = fair_order.choose_run()
        if chosen is None or pipeline.execute_run(chosen):
            return


@shared_task
def sweep() -> None:
    """Find runs that no worker has and send them again."""
    lost_runs.return_own_runs()
    lost_runs.sweep_runs()
    outbox.send_lost(timezone.now())


@shared_task
def tick() -> None:
    """Start the checks and refreshes that are due, and send the alerts and deliveries that are waiting."""
    heartbeats.record_tick()
    monitors.start_due_checks(timezone.now())
    start_refreshes.start_due_refreshes(timezone.now())
    event_alerts.queue_run_alerts(timezone.now())
    alerts.send_due_alerts(timezone.now())
    outbox.queue_due(timezone.now())
    outbox.send_due(timezone.now())


@shared_task
def tidy() -> None:
    """Delete contents, files of downloads, outcomes of requests and old entries of the audit log. Look after the database."""
    care.tidy_database()
    left_bytes.collect_left()
    tidy_checks.tidy_checks(timezone.now())
    api_outcomes.tidy_outcomes(timezone.now())
    audit.tidy_entries(timezone.now())
    sessions.tidy_sessions(timezone.now())
    invitations.tidy_invitations(timezone.now())
    stored_files.tidy_files(timezone.now())


@shared_task
def deliver(alert_id: int) -> None:
    """Send an alert, unless another worker does."""
    alerts.deliver_alert(alert_id, timezone.now())


@shared_task
def deliver_records(delivery_id: int) -> None:
    """Do a delivery, unless another worker does."""
    outbox.return_own(timezone.now())
    delivering.deliver(delivery_id, timezone.now())


@task_failure.connect(sender=execute)
def execute_failed(*, exception: BaseException, **_: Any) -> None:
    """End the run whose job raised an error that it does not explain. Celery logs the traceback."""
    connection.close_if_unusable_or_obsolete()
    runs.end_broken_run(exception)


@worker_ready.connect
def worker_started(**_: Any) -> None:
    """Resume at once the runs that a killed worker left behind."""
    lost_runs.sweep_runs()
    outbox.send_lost(timezone.now())
    connection.close()
