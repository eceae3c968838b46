"""A simulated month: the schedule drives everything by a clock of the test, and the feed of changes equals the shop's own log."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import LazySettings

from extraction import tasks
from extraction.models import Breakage, Cluster, Monitor, RecordChange, Refresh, RefreshSchedule, Run, TrackedRecord
from extraction.services.monitoring import breakages
from extraction.services.refresh import schedules
from tests.services import factory
from tests.services.records.bookshop import ATTRIBUTES, Bookshop, Event, publish, raw, set_key
from tests.services.refresh import open_shop

pytestmark = [pytest.mark.django_db, pytest.mark.simulation]

BERLIN = ZoneInfo("Europe/Berlin")


def begin(seed: int, monkeypatch: pytest.MonkeyPatch, *, at: datetime, count: int = 12, **source: Any) -> open_shop.OnlineShop:
    """A shop with a live rule whose pages were fetched once, and no records yet."""
    kind = factory.record_type(ATTRIBUTES, mandatory=("title",), multiple=())
    set_key(kind, ["isbn"])
    shop = Bookshop(Random(seed), factory.cluster(factory.site(), kind=kind))
    for _ in range(count):
        shop.add_book()
    net = open_shop.OnlineShop(shop, open_shop.Clock(at))
    open_shop.connect(net, monkeypatch)
    shop.cluster = open_shop.find_templates(net, **source)
    Cluster.objects.filter(pk=shop.cluster.pk).update(record_type=kind)
    shop.cluster.refresh_from_db()
    publish(shop)
    open_shop.work()
    return net


def set_schedule(net: open_shop.OnlineShop, **values: Any) -> RefreshSchedule:
    schedule = schedules.find_schedule(net.shop.cluster.site)
    for name, value in values.items():
        setattr(schedule, name, value)
    schedules.change_schedule(schedule, now=net.clock())
    return schedule


def list_changes(after: int) -> list[Event]:
    def describe(name: str, change: dict[str, Any]) -> tuple[str, str, str]:
        before, now = change["from"], change["to"]
        return name, before[0]["raw"] if before else "", now[0]["raw"] if now else ""

    changes = RecordChange.objects.filter(pk__gt=after).select_related("record")
    return [(each.kind, each.record.key[0], tuple(describe(*one) for one in sorted(each.values.items()))) for each in changes]


def beat(net: open_shop.OnlineShop) -> list[Run]:
    """Let two hours pass: a tick, and everything that it starts."""
    net.clock.at += timedelta(hours=2)
    tasks.tick()
    return open_shop.work()


def test_the_feed_of_a_month_on_schedule_equals_the_log_of_the_shop(
    sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.VERTEX_CONFIRM_AFTER_S = 0
    net = begin(5, monkeypatch, at=datetime(2026, 10, 9, 22, 0, tzinfo=UTC), count=14)
    shop, gone_after = net.shop, net.shop.kind.gone_after
    set_schedule(net, mode="times", times=["02:30", "14:30"], zone="Europe/Berlin")
    Monitor.objects.update_or_create(site=shop.cluster.site, defaults={"every_hours": 24, "next_due_at": net.clock()})
    kinds: set[str] = set()
    broken, last, day = False, 0, 0
    untitled: set[str] = set()
    for beats in range(30 * 12):
        if net.clock.at.hour == 22 and beats:
            day += 1
            shop.live_a_day()
            shop.design = "h2" if day >= 15 else "h1"
            net.down = 10 <= day < 12
        if day == 17 and broken:  # a person accepts the repair
            breakages.accept_repair(Breakage.objects.open().get(), now=net.clock(), doubtful=True)
            broken = False
            done = open_shop.work()
        else:
            done = beat(net)
        broken = broken or Breakage.objects.open().exists()
        extracted = [run for run in done if run.kind == Run.Kind.EXTRACT]
        assert not (extracted and net.down), "nothing comes out of an outage"
        log: set[Event] = set()
        for _ in extracted:
            seen = shop.log_visit(gone_after=gone_after)
            if broken:  # titles are held back, so new books have none
                untitled |= {isbn for kind, isbn, _ in seen if kind == "added"}
            else:
                seen = _add_titles(shop, seen, untitled)
            log |= seen
        found = list_changes(last)
        assert len(found) == len(set(found))
        assert set(found) == log, (day, net.clock.at)
        kinds |= {kind for kind, _, _ in found}
        last = RecordChange.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    assert kinds == {"added", "changed", "gone", "back", "moved"}
    assert {each.key[0]: raw(each.values) for each in TrackedRecord.objects.present()} == shop.present()
    assert Breakage.objects.count() == 1
    due = [f"{each.due_at.astimezone(BERLIN):%d %H:%M}" for each in Refresh.objects.order_by("pk")]
    assert len(set(due)) == len(due) == 2 * 30, "also on the day on which 02:30 came twice"
    assert {each[3:] for each in due} == {"02:30", "14:30"}
    assert Refresh.objects.filter(run__state=Run.State.FAILED).count() == 4, "the outage"
    assert Refresh.objects.exclude(note="").count() >= 2, "the broken days say what was held back"


def _add_titles(shop: Bookshop, seen: set[Event], untitled: set[str]) -> set[Event]:
    """Return what is noticed when the titles of books that came while titles were held back are read for the first time."""
    told = {isbn: (kind, changes) for kind, isbn, changes in seen}
    for isbn in sorted(untitled):
        kind, changes = told.get(isbn, ("changed", ()))
        if kind != "gone" and (shop.books[isbn].on_sale or isbn in told):
            untitled.discard(isbn)
            told[isbn] = "back" if kind == "back" else "changed", (*changes, ("title", "", shop.books[isbn].title))
    return {(kind, isbn, changes) for isbn, (kind, changes) in told.items()}
