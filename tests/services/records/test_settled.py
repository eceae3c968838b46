"""A run that reads only stale pages notices what a run over all pages notices."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from extraction import pipeline
from extraction.models import Record, RecordSource, Run, TrackedRecord
from extraction.services.core import stored_pages
from extraction.services.records import extract_records
from tests.services.records.bookshop import Bookshop, open_shop, publish, raw, set_key
from tests.services.records.test_history import feed, visit

pytestmark = pytest.mark.django_db


def extract_stale(shop: Bookshop) -> Run:
    run = extract_records.start_extraction(shop.cluster)
    Run.objects.filter(pk=run.pk).update(parameters=replace(run.read_parameters(), stale_only=True).as_json())
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    return run


def test_a_month_of_runs_over_stale_pages_gives_the_log_of_the_shop(sent: list[int]) -> None:
    shop, dice = open_shop(1), Random(1)
    for day in range(14):
        if day:
            shop.live_a_day()
        if day == 8:
            shop.design = "h2"
            publish(shop)
        shop.visit()
        run = extract_stale(shop)
        assert set(feed(run)) == shop.log_visit(gone_after=shop.kind.gone_after), day
        if dice.random() < 0.3:  # a run in which nothing is new
            assert set(feed(extract_stale(shop))) == shop.log_outage(gone_after=shop.kind.gone_after)
    assert run.read_summary().settled
    present = {each.key[0]: raw(each.values) for each in TrackedRecord.objects.present()}
    assert present == shop.present()


def test_settled_pages_are_not_read_and_their_records_and_things_count_as_seen(sent: list[int], monkeypatch: Any) -> None:
    shop = open_shop(1)
    visit(shop)
    book = next(iter(shop.books.values()))
    shop._store(book.addresses[0], shop.html(book).replace(b"left", b"left now"))
    read: list[str] = []
    real = stored_pages.read_root

    def note_and_read(page: Any) -> Any:
        read.append(page.url)
        return real(page)

    monkeypatch.setattr(stored_pages, "read_root", note_and_read)
    run = extract_stale(shop)
    assert read == book.addresses
    assert (run.read_summary().settled, run.read_summary().records) == (11, 12)
    assert not Record.objects.exclude(run=run).exists()
    assert not TrackedRecord.objects.filter(seen_at__lt=run.created_at).exists()
    assert not RecordSource.objects.filter(seen_at__lt=run.created_at).exists()


def test_a_new_rule_other_keys_and_failed_pages_are_read_again(sent: list[int]) -> None:
    shop = open_shop(2)
    visit(shop)
    publish(shop, stock="//p[@class='old']/text()")
    assert extract_stale(shop).read_summary().settled == 0
    set_key(shop.kind, ["isbn", "title"])
    assert extract_stale(shop).read_summary().settled == 0
    book = next(iter(shop.books.values()))
    shop._store(book.addresses[0], b"<html><body>Maintenance</body></html>")
    first, second = extract_stale(shop), extract_stale(shop)
    assert [each.read_summary().settled for each in (first, second)] == [11, 11]
    assert second.read_summary().failed == 1
