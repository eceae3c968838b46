"""One refresh: what it asks for, and what it leaves alone."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings

from extraction.fetching.crawl.messages import Outcome
from extraction.models import Breakage, Record, RecordChange, Refresh, Run, Source, TrackedRecord
from extraction.services.refresh import start_refreshes
from tests.services.refresh import open_shop
from tests.services.refresh.test_month import begin, set_schedule

pytestmark = pytest.mark.django_db

START = datetime(2026, 5, 1, tzinfo=UTC)


def refresh(net: open_shop.OnlineShop) -> tuple[Refresh, list[Run]]:
    net.clock.at += timedelta(days=1)
    net.asked.clear()
    started = start_refreshes.start_refresh(net.shop.cluster.site, now=net.clock())
    done = open_shop.work()
    started.refresh_from_db()
    return started, done


@pytest.mark.parametrize("tags", [True, False])
def test_unchanged_pages_are_asked_for_once_and_not_read_again(tags: bool, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    net = begin(1, monkeypatch, at=START)
    net.tags = tags
    refresh(net)
    _, done = refresh(net)
    assert sorted(net.asked) == sorted((url, Outcome.NOT_MODIFIED) for url in net.pages())
    assert [run.kind for run in done if run.kind != Run.Kind.PLACE] == ["crawl", "extract"]
    assert done[-1].read_summary().settled == 12
    assert RecordChange.objects.exclude(kind="added").count() == 0


def test_a_refresh_over_a_broken_rule_leaves_the_records_of_its_template_as_they_are(
    sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.VERTEX_CONFIRM_AFTER_S = 0
    net = begin(2, monkeypatch, at=START)
    refresh(net)
    before = list(TrackedRecord.objects.order_by("pk").values_list("values", "seen_at"))
    net.shop.design = "h2"
    started, done = refresh(net)
    assert Breakage.objects.open().count() == 1
    assert Run.Kind.EXTRACT not in [run.kind for run in done]
    assert started.note == f"Not extracted, because its rule does not work: {net.shop.cluster.label} (broken)."
    assert list(TrackedRecord.objects.order_by("pk").values_list("values", "seen_at")) == before


def test_new_addresses_over_the_budget_come_next_time_although_no_page_names_them_again(
    sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = begin(3, monkeypatch, at=START, count=6)
    refresh(net)
    set_schedule(net, every_hours=24, max_pages=9)
    for _ in range(4):
        net.shop.add_book()
    _, done = refresh(net)
    assert (len(net.asked), done[0].read_summary().left) == (9, 2)
    for _ in range(2):
        refresh(net)
        assert len(net.asked) <= 9
    assert Record.objects.count() == 10
    assert {url for url, _ in net.asked} <= set(net.pages())


def test_a_new_address_that_did_not_answer_is_asked_for_again(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    net = begin(4, monkeypatch, at=START, count=4)
    refresh(net)
    book = net.shop.add_book()
    real = net.answer

    def answer(address, spool, pages):
        net.down = address.url in book.addresses
        return real(address, spool, pages)

    monkeypatch.setattr(net, "answer", answer)
    refresh(net)
    assert Record.objects.count() == 4
    monkeypatch.setattr(net, "answer", real)
    net.down = False
    refresh(net)
    assert Record.objects.count() == 5


def test_a_sample_stays_a_sample_but_gets_what_is_new(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    net = begin(5, monkeypatch, at=START, count=12, whole=False, page_limit=9)
    assert Record.objects.count() == 0
    refresh(net)
    assert Record.objects.count() == 8, "the start page is the ninth"
    Source.objects.update(page_limit=20)
    net.shop.add_book()
    refresh(net)
    assert Record.objects.count() == 9
    assert len(net.asked) == 10
