"""A worker may be killed at any moment of a delivery: nothing is lost, nothing comes twice, one outcome is recorded."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from extraction.models import Delivery, DeliveryTarget, RecordChange, Run, TrackedRecord
from extraction.models.delivery import Selection
from extraction.services.core import signals
from extraction.services.deliveries import contents, deliver, ledger, outbox
from extraction.services.deliveries.senders import webhook
from extraction.services.deliveries.senders.folder import FolderSender
from extraction.services.deliveries.senders.sql_table import SqlSender
from tests.services import factory
from tests.services.deliveries.conftest import last_run, queue_hand
from tests.services.deliveries.receivers import Hook, make_hook_target, make_target
from tests.services.records.bookshop import Bookshop

STEPS: tuple[tuple[Any, str], ...] = (
    (outbox, "keep_alive"),
    (outbox, "lock_claim"),
    (outbox, "finish_delivery"),
    (ledger, "note_delivered"),
    (webhook, "send_batch"),
    (FolderSender, "put_file"),
    (contents, "write_files"),
    (SqlSender, "prepare_table"),
    (SqlSender, "write_differences"),
)


class Killed(BaseException):
    """The worker is killed: nothing in the code catches this."""


class Killer:
    """Kills the worker before or after one of the steps of a delivery."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at, self.steps = 0, 0
        for owner, name in STEPS:
            monkeypatch.setattr(owner, name, self._watch(getattr(owner, name)))

    def _watch(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **named: Any) -> Any:
            self._pass()
            result = step(*args, **named)
            self._pass()
            return result

        return watched

    def _pass(self) -> None:
        self.steps += 1
        if self.steps == self.at:
            raise Killed


def kill_at_every_step(target: DeliveryTarget, killer: Killer, start: Callable[[], Delivery]) -> int:
    """Do a delivery again and again, and kill the worker at the first step, the second, and so on. Return the number of steps."""
    for at in range(1, 200):
        killer.at, killer.steps = at, 0
        delivery = start()
        try:
            deliver.deliver(delivery.pk, timezone.now())
        except Killed:
            Delivery.objects.filter(state="sending").update(claimed_by="elsewhere 1@1", alive_at=timezone.now() - 2 * outbox.STALE_AFTER)
            killer.at = 0
            if outbox.return_lost(timezone.now()):
                assert deliver.deliver(delivery.pk, timezone.now())
            delivery.refresh_from_db()
            assert delivery.state == "done"
            continue
        return at - 1
    raise AssertionError("the delivery never came to its end")


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    return Killer(monkeypatch)


def change_something(shop: Bookshop, n: int) -> None:
    """Give four books a new price, as a run stores it."""
    now, run = timezone.now(), factory.released_run(shop.cluster)
    text = f"{(10_000 + n) / 100:.2f}"
    price = [{"raw": f"£{text}", "value": f"{text} GBP", "problem": ""}]
    for record in TrackedRecord.objects.order_by("pk")[:4]:
        change = {"price": {"from": record.values["price"], "to": price, "cause": "page"}}
        record.values, record.number = record.values | {"price": price}, record.number + 1
        record.save()
        kind = RecordChange.Kind.CHANGED
        RecordChange.objects.create(cluster=shop.cluster, record=record, number=record.number, kind=kind, run=run, at=now, values=change)


def test_a_webhook_gets_each_change_once(shop: Bookshop, hook: Hook, killer: Killer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "BATCH_CHANGES", 4)
    target = make_hook_target(shop.kind, hook, mode="hand")
    rounds = 0

    def start() -> Delivery:
        nonlocal rounds
        rounds += 1
        change_something(shop, rounds)
        return queue_hand(target)

    assert kill_at_every_step(target, killer, start) >= 10
    ids = [change["id"] for change in hook.changes()]
    assert len(ids) == len(set(ids)) == 6 + 4 * (rounds - 1)
    prices = [change["record"]["price"] for change in hook.changes() if change["kind"] == "changed"]
    assert sorted(set(prices)) == [f"{(10_000 + n) / 100:.2f} GBP" for n in range(2, rounds + 1)]


def test_a_table_has_what_the_shop_has(shop: Bookshop, root: Path, killer: Killer) -> None:
    import sqlite3
    from contextlib import closing

    target = make_target(shop.kind, "sql", url="sqlite:///x.sqlite", table="books", mode="hand")
    rounds = 0

    def start() -> Delivery:
        nonlocal rounds
        rounds += 1
        change_something(shop, rounds)
        return queue_hand(target)

    assert kill_at_every_step(target, killer, start) >= 8
    with closing(sqlite3.connect(root / "x.sqlite")) as database:
        rows = database.execute("SELECT isbn, price FROM books").fetchall()
    assert dict(rows) == {each.key[0]: each.values["price"][0]["value"] for each in TrackedRecord.objects.all()}
    assert len(rows) == 6


def test_files_of_changes_have_each_change_in_one_file(shop: Bookshop, root: Path, killer: Killer) -> None:
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, described=False, format="jsonl", mode="hand")
    rounds = 0

    def start() -> Delivery:
        nonlocal rounds
        rounds += 1
        change_something(shop, rounds)
        return queue_hand(target)

    assert kill_at_every_step(target, killer, start) >= 8
    lines = [json.loads(line) for each in root.iterdir() for line in each.read_text().splitlines()]
    told = [(each["isbn"], each["price"], each["change"]) for each in lines]
    assert len(told) == len(set(told)) == 6 + 4 * (rounds - 1)
    assert len(list(root.iterdir())) == rounds


def test_a_run_and_a_target_have_one_outcome_however_often_the_release_is_said(
    shop: Bookshop, hook: Hook, work_off: Callable[..., list[Delivery]]
) -> None:
    target = make_hook_target(shop.kind, hook)
    run = last_run(shop)
    for _ in range(3):
        signals.records_released.send(sender=Run, run=run, cluster=shop.cluster, user=None)
    (delivery,) = work_off(target)
    assert (delivery.cause, delivery.run, delivery.state) == ("run", run, "done")
    signals.records_released.send(sender=Run, run=run, cluster=shop.cluster, user=None)
    assert {each.outcome for each in work_off(target)[1:]} <= {"Nothing new: nothing changed since the last delivery."}
    assert len(hook.accepted) == 1


def test_only_one_worker_has_a_delivery_and_the_first_of_a_target_goes_first(shop: Bookshop, hook: Hook) -> None:
    target = make_hook_target(shop.kind, hook)
    first = queue_hand(target)
    second = target.deliveries.create(key="x", cause="hand", created_at=timezone.now(), next_at=timezone.now())
    now = timezone.now()
    assert outbox.claim_delivery(second.pk, now) is None
    assert outbox.claim_delivery(first.pk, now)
    assert outbox.claim_delivery(first.pk, now) is None
    assert outbox.claim_delivery(second.pk, now) is None


def test_a_worker_that_was_taken_for_dead_changes_nothing_any_more(shop: Bookshop, hook: Hook) -> None:
    target = make_hook_target(shop.kind, hook)
    delivery = queue_hand(target)
    mine = outbox.claim_delivery(delivery.pk, timezone.now())
    assert mine
    Delivery.objects.update(claimed_by="elsewhere 1@1", attempts=2)
    for act in (outbox.keep_alive, outbox.lock_claim):
        with pytest.raises(outbox.TakenOver):
            act(mine)
    with pytest.raises(outbox.TakenOver):
        outbox.finish_delivery(mine, outcome="x", lines=1, size_bytes=1)


def test_a_schedule_starts_what_is_due_once_and_makes_up_for_missed_times_once(shop: Bookshop, root: Path) -> None:
    now = timezone.now()
    hours = timedelta(hours=1)
    target = make_target(shop.kind, "folder", mode="interval", every_hours=6, next_due_at=now - 20 * hours)
    assert (outbox.queue_due(now), outbox.queue_due(now), outbox.queue_due(now + 5 * hours)) == (1, 0, 1)
    assert outbox.queue_due(now + 7 * hours) == 0  # the next is due 30 hours after the first
    assert [each.cause for each in target.deliveries.all()] == ["schedule"] * 2
    DeliveryTarget.objects.update(next_due_at=now + 1000 * hours)  # a clock was ahead
    assert outbox.queue_due(now) == 0
    target.refresh_from_db()
    assert target.next_due_at == now + 6 * hours
