"""Deliveries are an outbox: rows written in the transaction of what causes them, which a worker sends afterwards.

They are rows of their own and not runs: a run belongs to a site and is tried again at once, while a delivery belongs to a record type,
which several sites may have, and waits hours for a receiver that does not answer. They differ from alerts, too: an alert whose worker
died is not sent again, because people ignore what comes twice. A delivery is, because doing it twice gives the same: files are replaced
under the same name, rows of a table are found by their number, and a batch of a webhook keeps its id and its bytes.

The deliveries of a target are sent one after another, in their order. Each brings whatever the receiver lacks, so one that failed for good
loses nothing: the next one brings it.
"""

from datetime import datetime, timedelta

from celery import current_app
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from extraction.algorithms.refresh import times
from extraction.models import AuditKind, Cluster, Delivery, DeliveryTarget, Run
from extraction.services.core import audit
from extraction.services.core.repeating import find_due_after, find_next_due
from extraction.services.core.worker_names import is_alive, name_worker

WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 20, 60, 240, 720))
"""Waits after the first, second, … failed attempt. After the last wait there is one more attempt."""

LONGEST_WAIT = timedelta(hours=24)
"""A receiver that asks for a longer wait is asked again after this."""

STALE_AFTER = timedelta(minutes=3)
"""A delivery on another machine counts as lost after this time without a sign of life; the worker gives one every two seconds or so."""

MAX_ATTEMPTS = 20
"""A delivery that was begun so often is not begun again: its worker dies each time."""


class TakenOver(Exception):  # noqa: N818
    """Another worker has the delivery, or its target was deleted."""


def queue_released(run: Run, cluster: Cluster, user: User | None = None) -> list[Delivery]:
    """Queue the deliveries of the records that a run released, in the caller's transaction.

    A delivery brings all templates of its record type. So the templates that one run releases share one, as long as it has not begun.
    """
    targets = DeliveryTarget.objects.filter(enabled=True, mode=DeliveryTarget.Mode.RUNS, record_type=cluster.record_type_id)
    made = []
    for target in targets if cluster.record_type_id else ():
        shared = target.deliveries.filter(key=f"run {run.pk}").first()
        begun = shared is not None and (shared.state != Delivery.State.QUEUED or shared.attempts > 0)
        key = f"run {run.pk} template {cluster.pk}" if begun else f"run {run.pk}"
        made.append(_queue(target, key, Delivery.Cause.RUN, run=run, user=user))
    return made


def queue_by_hand(target: DeliveryTarget, user: User | None) -> Delivery:
    """Queue a delivery because a person asks for it, or return the one that is waiting."""
    waiting = target.deliveries.filter(state=Delivery.State.QUEUED, cause=Delivery.Cause.HAND, attempts=0).first()
    if waiting is not None:
        return waiting
    with transaction.atomic():
        audit.record(AuditKind.DELIVERY_QUEUED, target, text="by hand")
        return _queue(target, f"hand {timezone.now().isoformat()}", Delivery.Cause.HAND, user=user)


def queue_start(target: DeliveryTarget, user: User | None, now: datetime) -> Delivery:
    """Queue what notes the records that are there, in the caller's transaction. It goes before all later deliveries of the target."""
    return _queue(target, f"start {now.isoformat()}", Delivery.Cause.START, user=user)


def queue_due(now: datetime) -> int:
    """Queue the scheduled deliveries that are due. Return how many. Times that were missed are made up for once."""
    queued = 0
    for target in DeliveryTarget.objects.filter(enabled=True, next_due_at__isnull=False):
        due, repetition = target.next_due_at or now, target.repetition
        if repetition and due > times.list_next(repetition, after=now, number=2)[-1]:
            _move(target, find_due_after(target, now))  # the clock was ahead when the time was set
        elif due <= now:
            with transaction.atomic():
                if _move(target, find_next_due(target, due=due, now=now)):
                    _queue(target, f"schedule {due.isoformat()}", Delivery.Cause.SCHEDULE)
                    queued += 1
    return queued


def send_due(now: datetime) -> int:
    """Return lost deliveries to the queue, and hand those that are due to workers. Return how many."""
    return_lost(now)
    due = list(_find_ready(now).order_by("pk").values_list("pk", flat=True))
    for delivery_id in due:
        _message(delivery_id)
    return len(due)


def send_lost(now: datetime) -> None:
    """Return lost deliveries to the queue and send them at once."""
    if return_lost(now):
        send_due(now)


def claim_delivery(delivery_id: int, now: datetime) -> Delivery | None:
    """Claim a delivery by compare-and-set. Return None if it is not due, another worker has it, or an earlier one of its target waits."""
    try:
        with transaction.atomic():
            mine = _find_ready(now).filter(pk=delivery_id)
            claimed = Delivery.objects.filter(pk__in=list(mine.values_list("pk", flat=True)), state=Delivery.State.QUEUED).update(
                state=Delivery.State.SENDING, claimed_by=name_worker(), alive_at=now, attempts=F("attempts") + 1
            )
    except IntegrityError:
        return None  # another delivery of the target has been claimed at this moment
    return Delivery.objects.select_related("target__record_type", "run").get(pk=delivery_id) if claimed else None


def keep_alive(delivery: Delivery) -> None:
    """Say that the worker is alive. Raises TakenOver."""
    if not _held(delivery).update(alive_at=timezone.now()):
        raise TakenOver


def lock_claim(delivery: Delivery) -> None:
    """Make sure that the delivery is still this worker's until the transaction ends. Raises TakenOver."""
    if not list(_held(delivery).select_for_update().values_list("pk")):
        raise TakenOver


def finish_delivery(delivery: Delivery, *, outcome: str, lines: int, size_bytes: int) -> None:
    """Note that a delivery is done. Raises TakenOver."""
    changed = _held(delivery).update(
        state=Delivery.State.DONE,
        finished_at=timezone.now(),
        outcome=outcome[:500],
        error="",
        lines=lines,
        size_bytes=size_bytes,
        batch="",
        batch_entries=[],
    )
    if not changed:
        raise TakenOver
    _send_next(delivery.target_id)


def put_back(delivery: Delivery, error: str, *, again: bool, wait_s: float, now: datetime) -> None:
    """Note why a delivery failed, and when it is tried again, if at all."""
    failures = delivery.failures + 1
    held = _held(delivery)
    if again and failures <= len(WAITS):
        wait = max(WAITS[failures - 1], min(timedelta(seconds=wait_s), LONGEST_WAIT))
        held.update(state=Delivery.State.QUEUED, claimed_by="", next_at=now + wait, failures=failures, error=error[:500])
        return
    # The batch goes, too: the next delivery compares again with what the receiver has.
    held.update(state=Delivery.State.FAILED, finished_at=now, failures=failures, error=error[:500], batch="", batch_entries=[])
    _send_next(delivery.target_id)


def retry_delivery(delivery: Delivery, now: datetime) -> bool:
    """Queue a delivery again that failed, or send one that waits at once. Return False if it is neither."""
    with transaction.atomic():
        found = Delivery.objects.filter(pk=delivery.pk, state__in=(Delivery.State.FAILED, Delivery.State.QUEUED))
        changed = found.update(state=Delivery.State.QUEUED, next_at=now, attempts=0, failures=0, finished_at=None, error="", claimed_by="")
        if changed:
            audit.record(AuditKind.DELIVERY_QUEUED, delivery.target, text=f"delivery {delivery.pk} again")
            _send(delivery.pk)
    return bool(changed)


def return_lost(now: datetime) -> int:
    """Return the deliveries of workers that are dead to the queue. Return how many."""
    lost = [each for each in Delivery.objects.filter(state=Delivery.State.SENDING) if _has_lost_worker(each, now)]
    for each in lost:
        if each.attempts >= MAX_ATTEMPTS:
            error = f"Its worker died {each.attempts} times, so it is not tried again."
            _held(each).update(state=Delivery.State.FAILED, finished_at=now, error=error)
        else:
            _held(each).update(state=Delivery.State.QUEUED, claimed_by="", next_at=now)
    return len(lost)


def return_own(now: datetime) -> None:
    """Return what this process holds and does not work on. Call it in a worker before its next delivery: it does one at a time."""
    held = Delivery.objects.filter(state=Delivery.State.SENDING, claimed_by=name_worker())
    held.update(state=Delivery.State.QUEUED, claimed_by="", next_at=now)


def _queue(target: DeliveryTarget, key: str, cause: str, *, run: Run | None = None, user: User | None = None) -> Delivery:
    now = timezone.now()
    defaults = {"cause": cause, "run": run, "created_at": now, "next_at": now, "created_by": user}
    delivery, new = Delivery.objects.get_or_create(target=target, key=key, defaults=defaults)
    if new:
        _send(delivery.pk)
    return delivery


def _find_ready(now: datetime) -> QuerySet[Delivery]:
    """Return the deliveries that are due and the first of their target. A time further away than any wait was set by a wrong clock."""
    earlier = Delivery.objects.filter(
        target=OuterRef("target"), pk__lt=OuterRef("pk"), state__in=(Delivery.State.QUEUED, Delivery.State.SENDING)
    )
    due = Q(next_at__lte=now) | Q(next_at__gt=now + LONGEST_WAIT)
    return Delivery.objects.filter(due, ~Exists(earlier), state=Delivery.State.QUEUED)


def _held(delivery: Delivery) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.SENDING, claimed_by=delivery.claimed_by, attempts=delivery.attempts)


def _has_lost_worker(delivery: Delivery, now: datetime) -> bool:
    alive = is_alive(delivery.claimed_by)
    if alive is not None:
        return not alive
    return delivery.alive_at is None or abs(now - delivery.alive_at) > STALE_AFTER


def _move(target: DeliveryTarget, due: datetime | None) -> bool:
    return bool(DeliveryTarget.objects.filter(pk=target.pk, enabled=True, next_due_at=target.next_due_at).update(next_due_at=due))


def _send_next(target_id: int) -> None:
    following = Delivery.objects.filter(target=target_id, state=Delivery.State.QUEUED).order_by("pk").values_list("pk", flat=True).first()
    if following is not None:
        _send(following)


def _send(delivery_id: int) -> None:
    # If the broker is away, the tick sends the message later.
    transaction.on_commit(lambda: _message(delivery_id), robust=True)


def _message(delivery_id: int) -> None:
    current_app.send_task("extraction.tasks.deliver_records", args=[delivery_id])
