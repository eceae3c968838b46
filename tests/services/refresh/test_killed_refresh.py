"""A worker that dies at any moment of a refresh: no change is lost, doubled or dated wrongly, and no visit is counted twice.

The death is an error that nothing handles. Like a kill, it rolls back the transaction that is open and leaves what was written before.
The run still says that it is running, until the sweep puts it back. `test_killed_worker` and `test_history` kill processes.
"""

import importlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings

from extraction.models import PageVisits, RecordChange, Refresh, RefreshSchedule, Run, TrackedRecord
from extraction.services.core import lost_runs
from extraction.services.refresh import start_refreshes
from tests.services.refresh import open_shop
from tests.services.refresh.test_month import begin, set_schedule

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.simulation]

MOMENTS = [
    ("refresh.start_refreshes.find_crawl_under_way", 1),
    ("core.runs.start_run", 1),
    ("refresh.plan_refresh.plan_refresh", 1),
    ("intake.crawl_frontier.note_gone", 1),
    ("intake.crawl_frontier.close_addresses", 1),
    ("sites.page_visits._note_change", 2),
    ("monitoring.imported_pages.start_import_check", 1),
    ("monitoring.check_template.settle_check", 1),
    ("refresh.place_pages._write", 1),
    ("refresh.extract_refreshed.start_extraction", 1),
    ("records.settled.vouch_for", 1),
    ("records.tracking._write_batch", 1),
    ("records.finish_tracking._miss_things", 1),
    ("records.finish_tracking.prune_changes", 1),
]


class Killed(BaseException):
    """The worker is dead."""


def kill_at(where: str, nth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker die when this function is called for the nth time. It dies once."""
    module_name, name = where.rsplit(".", 1)
    module = importlib.import_module(f"extraction.services.{module_name}")
    living = getattr(module, name)
    calls: list[None] = []

    def dying(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        if len(calls) == nth:
            raise Killed
        return living(*args, **kwargs)

    monkeypatch.setattr(module, name, dying)


def refresh(net: open_shop.OnlineShop) -> int:
    """Let ticks come and workers work until all is done, however often one dies. Return how often one died."""
    deaths = 0
    for _ in range(20):
        try:
            start_refreshes.start_due_refreshes(net.clock())
            open_shop.work()
            return deaths
        except Killed:
            deaths += 1
            Run.objects.running().update(claimed_by="elsewhere 1@1.0", heartbeat_at=net.clock() - timedelta(hours=1))
            lost_runs.sweep_runs()
            net.clock.at += timedelta(seconds=30)
    raise AssertionError("it never ends")


def read_state(run_from: int) -> dict[str, Any]:
    changes = RecordChange.objects.select_related("record", "run").order_by("record__key", "number")
    visits = PageVisits.objects.order_by("page__url").values_list("page__url", "quiet", "changes", "snapshot__sha256")
    return {
        "changes": [(each.record.key, each.kind, each.number, each.values) for each in changes],
        "dated": all(each.run and each.run.created_at <= each.at <= (each.run.finished_at or each.at) for each in changes),
        "present": sorted(map(str, TrackedRecord.objects.present())),
        "misses": list(TrackedRecord.objects.order_by("key").values_list("misses", flat=True)),
        "refreshes": list(Refresh.objects.order_by("pk").values_list("state", "missed", "known", "due", "left_out", "note")),
        "runs": sorted(Run.objects.filter(pk__gt=run_from).values_list("kind", "state")),
        "visits": [(url, quiet, len(changed), digest) for url, quiet, changed, digest in visits],
    }


@pytest.fixture
def calm(sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Any:
    """Makes a shop with a refresh that is due and much to notice: changed, new and gone books."""
    settings.VERTEX_CONFIRM_AFTER_S = 0

    def make() -> open_shop.OnlineShop:
        net = begin(11, monkeypatch, at=datetime(2026, 6, 1, tzinfo=UTC), count=12)
        set_schedule(net, every_hours=24)
        refresh(net)
        net.clock.at += timedelta(days=1)
        for _ in range(2):
            net.shop.live_a_day()
        next(book for book in net.shop.books.values() if book.on_sale).on_sale = False
        net.shop.add_book()
        return net

    return make


@pytest.mark.parametrize(("where", "nth"), MOMENTS, ids=[where for where, _ in MOMENTS])
def test_a_refresh_whose_worker_died_ends_like_an_undisturbed_one(
    where: str, nth: int, calm: Any, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    from django.core.management import call_command

    net = calm()
    last = Run.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    assert refresh(net) == 0
    undisturbed = read_state(last)
    assert undisturbed["dated"]
    assert {kind for _, kind, _, _ in undisturbed["changes"]} >= {"added", "changed"}
    call_command("flush", verbosity=0, interactive=False)

    net = calm()
    last = Run.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    with monkeypatch.context() as patched:
        kill_at(where, nth, patched)
        assert refresh(net) == 1, "it died there"
    assert read_state(last) == undisturbed
    due = RefreshSchedule.objects.get().next_due_at
    assert due
    assert due.replace(microsecond=0) == datetime(2026, 6, 3, tzinfo=UTC)
