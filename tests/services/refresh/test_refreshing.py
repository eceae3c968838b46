"""One refresh: what it asks for, and what it leaves alone."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings

from extraction import pipeline
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Breakage, Record, RecordChange, Refresh, Run, Source, TrackedRecord
from extraction.services.intake import crawl_site
from extraction.services.records.exports.scopes import find_template_scope
from extraction.services.refresh import start_refreshes
from tests.services.records.bookshop import set_key
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


def test_a_refresh_over_a_rule_that_is_broken_for_one_attribute_makes_records_with_the_others(
    sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.VERTEX_CONFIRM_AFTER_S = 0
    net = begin(2, monkeypatch, at=START)
    refresh(net)
    titles = {each.key[0]: each.values["title"] for each in TrackedRecord.objects.all()}
    books, net.shop.design = list(net.shop.books.values()), "h2"
    books[0].pence += 100  # a new price
    books[1].addresses[0] = net.shop.new_address()  # a new page of a known thing
    books[2].addresses[0], books[3].addresses[0] = books[3].addresses[0], books[2].addresses[0]  # pages that show another thing
    added = net.shop.add_book()
    started, _ = refresh(net)
    assert Breakage.objects.open().get().attributes == ["title"]
    assert started.note == f"Held back, because a part of the rule is broken: {net.shop.cluster.label} (title)."
    things = {each.key[0]: each.values for each in TrackedRecord.objects.present()}
    assert {isbn: values.get("title") for isbn, values in things.items()} == titles | {added.isbn: None}
    assert things[books[0].isbn]["price"][0]["raw"] == books[0].values()["price"]
    changed = RecordChange.objects.filter(kind="changed").values_list("record__key", "values")
    assert [(key[0], list(values)) for key, values in changed] == [(books[0].isbn, ["price"])]
    records = list(Record.objects.now().filter(cluster=net.shop.cluster))
    assert {why.split(";")[0] for each in records for why in each.held_back.values()} == {
        "held back since 2026-05-03, because this part of the rule is broken"
    }
    scope = find_template_scope(net.shop.cluster)
    assert "13 records with values that are held back, because a part of the rule is broken" in scope.notices


def test_what_was_held_back_is_read_as_soon_as_the_values_are_back_and_the_breakage_closes(
    sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.VERTEX_CONFIRM_AFTER_S = 0
    net = begin(2, monkeypatch, at=START)
    refresh(net)
    net.shop.design = "h2"
    refresh(net)
    assert Record.objects.now().exclude(held_back={}).count() == 12
    net.shop.design = "h1"  # the pages are as they were, so nothing has changed for those that were known
    refresh(net)
    assert Breakage.objects.get(attributes=["title"]).state == Breakage.State.RECOVERED
    assert Record.objects.now().filter(held_back={}).count() == 12
    assert set(RecordChange.objects.values_list("kind", flat=True)) == {"added"}


def test_a_refresh_over_a_rule_whose_key_is_broken_leaves_the_records_as_they_are(
    sent: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.VERTEX_CONFIRM_AFTER_S = 0
    net = begin(2, monkeypatch, at=START)
    set_key(net.shop.kind, ["title"])
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


def test_fetching_a_site_again_renews_its_records_and_none_vanishes_meanwhile(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    net = begin(1, monkeypatch, at=START)
    refresh(net)
    for book in net.shop.books.values():
        book.pence += 100
    net.clock.at += timedelta(days=1)
    crawl_site.start_crawl(net.shop.cluster.site)
    records, seen = Record.objects.filter(cluster=net.shop.cluster), []
    while run := Run.objects.queued().exclude(kind__in=(Run.Kind.ASSETS, Run.Kind.PREVIEW)).order_by("pk").first():
        assert pipeline.execute_run(run.pk)
        seen.append((run.kind, records.now().count(), records.now().outdated().count()))
    assert {present for _, present, _ in seen} == {12}
    assert [(kind, outdated) for kind, _, outdated in seen if kind in (Run.Kind.CRAWL, Run.Kind.EXTRACT)] == [("crawl", 12), ("extract", 0)]
    assert RecordChange.objects.filter(kind="changed").count() == 12


def test_the_records_of_a_page_leave_when_two_fetches_find_it_missing(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    net = begin(1, monkeypatch, at=START)
    refresh(net)
    sold = next(iter(net.shop.books.values()))
    records = Record.objects.filter(cluster=net.shop.cluster, snapshot__page__url=sold.addresses[0])
    sold.on_sale, counts = False, []
    for _ in range(2):
        refresh(net)
        counts.append((records.now().count(), records.in_part("gone").count()))
    assert counts == [(1, 0), (0, 1)]
    sold.on_sale = True
    refresh(net)
    assert (records.now().count(), records.in_part("gone").count()) == (1, 0)
