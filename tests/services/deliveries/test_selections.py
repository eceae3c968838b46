"""Targets that get only what is new, changed or gone, and when they get it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.utils import timezone

from extraction.algorithms.refresh.times import ScheduleError
from extraction.models import Delivery, DeliveryTarget
from extraction.models.delivery import Selection, TargetContent, TargetPlace
from extraction.services.deliveries import outbox, previews, targets
from extraction.services.deliveries.ledger import SELECTED
from extraction.services.deliveries.targets import TargetDraft
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import Hook, make_hook_target, make_target
from tests.services.records.bookshop import Bookshop
from tests.services.records.test_history import visit

WorkOff = Callable[..., list[Delivery]]

SATURDAY = datetime(2026, 11, 28, 12, tzinfo=UTC)

FIRST = {
    Selection.NEW: "6 lines",
    Selection.NEW_CHANGED: "6 lines",
    Selection.CHANGES: "6 lines",
    Selection.GONE: "Nothing new: no record is gone since the last delivery.",
}


def draft(**changes: Any) -> TargetDraft:
    schedule = {"mode": "times", "every_hours": 24, "times": ["Mon 08:00"], "cron": "", "zone": "UTC"} | changes.pop("schedule", {})
    content = TargetContent(selection=Selection.NEW, format="xlsx", described=False)
    given: dict[str, Any] = {
        "name": "Mondays",
        "place": TargetPlace(folder="weekly"),
        "content": content,
        "secrets": {},
        "enabled": True,
        "from_now": True,
    }
    return TargetDraft(schedule=schedule, **given | changes)


def read_changes(root: Path) -> list[tuple[str, str]]:
    """What the newest file of changes holds: (change, ISBN)."""
    newest = max(root.glob("*.jsonl"), key=lambda each: int(each.stem.rpartition("-")[2]))
    lines = [json.loads(line) for line in newest.read_text().splitlines()]
    return sorted((each["change"], each["isbn"]) for each in lines)


@pytest.mark.parametrize("selection", [each for each in Selection if each != Selection.ALL])
def test_a_file_holds_what_its_target_wants_and_the_next_one_does_not_bring_the_rest(
    shop: Bookshop, root: Path, work_off: WorkOff, selection: Selection
) -> None:
    target = make_target(shop.kind, "folder", selection=selection, described=False, format="jsonl", mode="hand")
    queue_hand(target)
    assert work_off(target)[-1].outcome == FIRST[selection]
    changed, gone, *_ = list(shop.books.values())
    changed.pence, gone.on_sale = 4321, False
    new = shop.add_book()
    visit(shop)
    visit(shop)  # the second miss
    expected = {("added", new.isbn), ("changed", changed.isbn), ("gone", gone.isbn)}
    expected = {each for each in expected if selection == Selection.CHANGES or each[0] in SELECTED[selection]}
    assert dict(previews.preview_target(target).kinds) == {kind: 1 for kind, _ in expected}
    queue_hand(target)
    assert work_off(target)[-1].outcome == f"{len(expected)} line{'s' if len(expected) > 1 else ''}"
    assert read_changes(root) == sorted(expected)
    gone.on_sale = True
    visit(shop)
    queue_hand(target)
    brought = selection in (Selection.CHANGES, Selection.NEW_CHANGED)  # it was new once already
    assert work_off(target)[-1].outcome.startswith("1 line" if brought else "Nothing new")


def test_a_webhook_gets_only_what_it_wants(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook, selection=Selection.GONE, mode="hand")
    queue_hand(target)
    assert work_off(target)[-1].outcome == "Nothing new: no record is gone since the last delivery."
    changed, gone, *_ = list(shop.books.values())
    changed.pence, gone.on_sale = 4321, False
    visit(shop)
    visit(shop)
    queue_hand(target)
    assert work_off(target)[-1].outcome == "1 change"
    ((_, body),) = hook.accepted
    assert [(each["kind"], each["record"]["isbn"]) for each in json.loads(body)["changes"]] == [("gone", gone.isbn)]


def test_new_books_arrive_every_monday_as_excel_and_none_of_those_that_were_there_before(
    shop: Bookshop, root: Path, work_off: WorkOff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: SATURDAY)
    target = DeliveryTarget(record_type=shop.kind, kind="folder")
    assert targets.save_target(target, draft()).noted
    assert target.next_due_at == datetime(2026, 11, 30, 8, tzinfo=UTC)
    monkeypatch.undo()
    (start,) = work_off(target)
    assert (start.cause, start.state) == ("start", "done")
    assert start.outcome == "Nothing was sent. 6 records were there already, so deliveries bring what comes after."
    assert not list(root.rglob("*.xlsx"))

    first = shop.add_book()
    visit(shop)
    assert len(target.deliveries.all()) == 1, "a run delivers nothing to a target that has a schedule"
    mondays = [datetime(2026, 11, 30, 8, tzinfo=UTC) + timedelta(weeks=week) for week in range(3)]
    assert outbox.queue_due(mondays[0] - timedelta(minutes=1)) == 0
    assert (outbox.queue_due(mondays[0]), outbox.queue_due(mondays[0])) == (1, 0)
    assert work_off(target)[-1].outcome == "1 line"
    (file,) = root.rglob("*.xlsx")
    assert file.name.startswith("book-new-")
    head, *rows = openpyxl.load_workbook(file).worksheets[0].iter_rows(values_only=True)
    assert [dict(zip(head, row, strict=True))["isbn"] for row in rows] == [first.isbn]

    assert outbox.queue_due(mondays[1]) == 1
    assert work_off(target)[-1].outcome == "Nothing new: no record is new since the last delivery."
    assert len(list(root.rglob("*.xlsx"))) == 1
    target.refresh_from_db()
    assert target.next_due_at == mondays[2]


def test_a_target_begins_with_what_is_there_unless_it_is_asked_not_to(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = DeliveryTarget(record_type=shop.kind, kind="folder")
    assert not targets.save_target(target, draft(from_now=False)).noted
    queue_hand(target)
    assert [each.outcome for each in work_off(target)] == ["6 lines"]


def test_a_target_that_already_knows_what_its_receiver_has_does_not_begin_again(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, folder="weekly", mode="hand")
    queue_hand(target)
    work_off(target)
    book = shop.add_book()
    visit(shop)
    assert not targets.save_target(target, draft()).noted
    queue_hand(target)
    assert work_off(target)[-1].outcome == "1 line"
    assert book.isbn in {each for row in openpyxl.load_workbook(next(root.rglob("*-new-*.xlsx"))).worksheets[0].values for each in row}


def test_a_schedule_that_means_no_time_is_refused(shop: Bookshop) -> None:
    with pytest.raises(ScheduleError):
        targets.save_target(DeliveryTarget(record_type=shop.kind, kind="folder"), draft(schedule={"mode": "cron", "cron": "0 0 30 2 *"}))
    assert not DeliveryTarget.objects.exists()


def test_a_target_that_was_disabled_does_not_make_up_for_times_before_it_was_enabled(shop: Bookshop, root: Path) -> None:
    target = DeliveryTarget(record_type=shop.kind, kind="folder")
    targets.save_target(target, draft(enabled=False))
    DeliveryTarget.objects.update(next_due_at=SATURDAY - timedelta(days=300))
    target.refresh_from_db()
    targets.save_target(target, draft())
    assert target.next_due_at
    assert outbox.queue_due(target.next_due_at - timedelta(minutes=1)) == 0


def test_a_dry_run_of_changes_compares_the_first_records_and_says_so(shop: Bookshop, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, described=False, format="jsonl", mode="hand")
    whole = previews.preview_target(target)
    assert (whole.complete, whole.lines, whole.changes) == (True, 6, True)
    monkeypatch.setattr(previews, "MOST", 4)
    first = previews.preview_target(target)
    assert (first.complete, first.lines, dict(first.kinds)) == (False, 4, {"added": 4})
