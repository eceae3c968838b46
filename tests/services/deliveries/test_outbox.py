"""Deliveries that are lost, disabled, tried too often or have nothing to bring: what becomes of them and what is said."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from extraction.models import Delivery, DeliveryTarget, RunRelease, TrackedRecord
from extraction.models.delivery import Selection
from extraction.services.core.repeating import find_next_due
from extraction.services.core.worker_names import name_worker
from extraction.services.deliveries import deliver, ledger, outbox, previews
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import make_target
from tests.services.records.bookshop import Bookshop

WorkOff = Callable[..., list[Delivery]]

DEAD = f"{name_worker().partition(' ')[0]} 1@0"
"""A process of this machine that has ended."""


def hold(delivery: Delivery, worker: str, *, minutes: float = 0, attempts: int = 1) -> None:
    """Let a worker hold a delivery that gave its last sign of life some minutes ago."""
    alive_at = timezone.now() - timedelta(minutes=minutes)
    Delivery.objects.filter(pk=delivery.pk).update(state="sending", claimed_by=worker, alive_at=alive_at, attempts=attempts)


@pytest.mark.parametrize(
    ("worker", "minutes", "lost"),
    [(name_worker(), 60, False), (DEAD, 0, True), ("elsewhere 1@1", 2.9, False), ("elsewhere 1@1", 3.1, True)],
    ids=["alive here", "dead here", "silent elsewhere", "too long silent elsewhere"],
)
def test_a_worker_here_is_looked_for_and_one_elsewhere_is_waited_for(
    shop: Bookshop, root: Path, sent: list[int], worker: str, minutes: float, lost: bool
) -> None:
    delivery = queue_hand(make_target(shop.kind, "folder"))
    hold(delivery, worker, minutes=minutes)
    sent.clear()
    outbox.send_lost(timezone.now())
    delivery.refresh_from_db()
    assert delivery.state == ("queued" if lost else "sending") and sent == ([delivery.pk] if lost else [])


@pytest.mark.parametrize(("attempts", "state"), [(outbox.MAX_ATTEMPTS - 1, "queued"), (outbox.MAX_ATTEMPTS, "failed")])
def test_a_delivery_whose_workers_die_again_and_again_ends(shop: Bookshop, root: Path, attempts: int, state: str) -> None:
    delivery = queue_hand(make_target(shop.kind, "folder"))
    hold(delivery, DEAD, attempts=attempts)
    assert outbox.return_lost(timezone.now()) == 1
    delivery.refresh_from_db()
    assert delivery.state == state
    if state == "failed":
        assert delivery.error == f"Its worker died {attempts} times, so it is not tried again."


def test_a_schedule_that_another_tick_has_taken_queues_nothing(shop: Bookshop, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    target = make_target(shop.kind, "folder", mode="interval", every_hours=6, next_due_at=now)

    def find_late(*args: Any, **named: Any) -> Any:
        DeliveryTarget.objects.filter(pk=target.pk).update(enabled=False)
        return find_next_due(*args, **named)

    monkeypatch.setattr("extraction.services.deliveries.outbox.find_next_due", find_late)
    assert outbox.queue_due(now) == 0 and not target.deliveries.exists()


def test_a_delivery_that_is_done_or_under_way_is_not_sent_again(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", described=False)
    queue_hand(target)
    (done,) = work_off(target)
    assert not outbox.retry_delivery(done, timezone.now())
    other = queue_hand(target)
    hold(other, name_worker())
    assert not outbox.retry_delivery(other, timezone.now())
    Delivery.objects.filter(pk=other.pk).update(state="failed", finished_at=timezone.now(), error="x", failures=3)
    assert outbox.retry_delivery(other, timezone.now())
    other.refresh_from_db()
    assert (other.state, other.error, other.failures, other.attempts) == ("queued", "", 0, 0)


def test_a_target_that_was_disabled_gets_only_what_a_person_sends(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", described=False, enabled=False)
    now = timezone.now()
    target.deliveries.create(key="schedule 1", cause="schedule", created_at=now, next_at=now)
    (refused,) = work_off(target)
    assert (refused.state, refused.error) == ("failed", "The target is disabled.") and not list(root.iterdir())
    queue_hand(target)
    assert work_off(target)[-1].outcome == "6 lines"


@pytest.mark.parametrize("of", ["folder", "webhook"])
def test_where_nothing_was_released_nothing_is_delivered_and_the_preview_says_so(
    shop: Bookshop, root: Path, work_off: WorkOff, of: str
) -> None:
    RunRelease.objects.all().delete()
    target = make_target(shop.kind, of, described=False)
    assert previews.preview_target(target).problem == "No records of Book have been released yet."
    queue_hand(target)
    (failed,) = work_off(target)
    assert failed.state == "failed" and "No records of Book have been released yet" in failed.error


def test_an_outage_is_tried_again_and_a_fault_of_vertex_is_raised(shop: Bookshop, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = make_target(shop.kind, "folder", described=False)
    delivery = queue_hand(target)

    def fail_with(error: Exception) -> None:
        def fail(*_: Any) -> None:
            raise error

        monkeypatch.setattr(deliver, "_deliver_file", fail)

    fail_with(OperationalError("database is locked"))
    assert not deliver.deliver(delivery.pk, timezone.now())
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error, delivery.failures) == ("queued", "The database is locked", 1)
    fail_with(ZeroDivisionError("sesame"))
    with pytest.raises(ZeroDivisionError):
        deliver.deliver(delivery.pk, timezone.now() + timedelta(hours=1))
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("failed", "Internal error: ZeroDivisionError")


def test_a_preview_of_a_whole_file_shows_the_first_lines_and_counts_up_to_a_bound(
    shop: Bookshop, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = make_target(shop.kind, "folder", described=False, columns=("isbn",))
    monkeypatch.setattr(previews, "EXAMPLES", 2)
    whole = previews.preview_target(target)
    assert (whole.changes, whole.complete, whole.lines, len(whole.rows)) == (False, True, 6, 2)
    assert "isbn" in [column.name for column in whole.columns]
    monkeypatch.setattr(previews, "MOST", 4)
    part = previews.preview_target(target)
    assert (part.complete, part.lines) == (False, 4)


def test_records_that_were_removed_are_in_a_file_of_changes_and_counted_in_its_preview(
    shop: Bookshop, root: Path, work_off: WorkOff
) -> None:
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, described=False, format="csv", mode="hand")
    queue_hand(target)
    work_off(target)
    (gone, *_) = TrackedRecord.objects.order_by("pk")
    number = gone.pk
    gone.delete()
    shown = previews.preview_target(target)
    assert (dict(shown.kinds), list(shown.rows)) == ({"removed": 1}, [])
    queue_hand(target)
    assert work_off(target)[-1].outcome == "1 line"
    newest = max(root.glob("*.csv"), key=lambda each: int(each.stem.rpartition("-")[2]))
    head, line = newest.read_text().splitlines()
    cells = dict(zip(head.lstrip("\ufeff").split(","), line.split(","), strict=True))
    assert cells["change"] == "removed" and cells.get("record_id", str(number)) == str(number)


def test_records_that_came_and_went_between_two_deliveries_are_not_told(
    shop: Bookshop, root: Path, work_off: WorkOff, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.services.records.test_history import visit

    monkeypatch.setattr(ledger, "CHUNK", 2)
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, described=False, format="jsonl", mode="hand")
    queue_hand(target)
    assert work_off(target)[-1].outcome == "6 lines"
    short = shop.add_book()
    visit(shop)
    short.on_sale = False
    visit(shop)
    visit(shop)  # the second miss
    queue_hand(target)
    assert work_off(target)[-1].outcome == "Nothing new: nothing changed since the last delivery."
