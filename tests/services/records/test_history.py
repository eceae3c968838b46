"""The history of records: it says what the site says of itself, and nothing is lost or doubled."""

import os
import signal
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from extraction import pipeline
from extraction.models import Page, Record, RecordChange, RecordSource, Run, TrackedRecord
from extraction.services.core import lost_runs
from extraction.services.records import extract_records, finish_tracking, history, rekeying, states
from extraction.services.templates import clusters
from tests.services import factory
from tests.services.records.bookshop import Book, Bookshop, Event, open_shop, publish, raw, set_key
from tests.services.records.test_extract_records import url_of_test_database

pytestmark = pytest.mark.django_db


def extract(shop: Bookshop) -> Run:
    run = extract_records.start_extraction(shop.cluster)
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    return run


def visit(shop: Bookshop) -> Run:
    shop.visit()
    return extract(shop)


def feed(run: Run) -> list[Event]:
    def describe(name: str, change: dict[str, Any]) -> tuple[str, str, str]:
        before, after = change["from"], change["to"]
        return name, before[0]["raw"] if before else "", after[0]["raw"] if after else ""

    changes = run.changes.select_related("record")
    return [(each.kind, each.record.key[0], tuple(describe(*one) for one in sorted(each.values.items()))) for each in changes]


def thing(isbn: str) -> TrackedRecord:
    return TrackedRecord.objects.get(key=[isbn])


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [0, 2])
def test_the_feed_of_a_month_equals_the_log_of_the_shop_and_every_day_can_be_rebuilt(seed: int, sent: list[int]) -> None:
    shop = open_shop(seed)
    shop.kind.gone_after = 1 + seed % 3
    shop.kind.save()
    days: list[tuple[Run, dict[str, dict[str, str]]]] = []
    kinds: set[str] = set()
    for day in range(30):
        if day:
            shop.live_a_day()
        if day == 18:
            shop.design = "h2"
            publish(shop)
        if 10 <= day < 13:  # an outage: nothing can be fetched
            assert day != 11 or set(feed(extract(shop))) == shop.log_outage(gone_after=1 + seed % 3)
            continue
        run = visit(shop)
        log = shop.log_visit(gone_after=1 + seed % 3)
        found = feed(run)
        assert len(found) == len(set(found))
        assert set(found) == log, day
        assert {change.cause for change in run.changes.exclude(values={})} <= {"page"}, "the redesign changed no value"
        kinds |= {kind for kind, _, _ in found}
        days.append((run, {isbn: dict(values) for isbn, values in shop.present().items()}))
    assert kinds == {"added", "changed", "gone", "back", "moved"}
    for run, present in days:
        rebuilt = history.rebuild_records(shop.cluster, after=run)
        keys = dict(TrackedRecord.objects.values_list("pk", "key"))
        assert {keys[pk][0]: raw(values) for pk, values in rebuilt.items()} == present


def test_a_thing_under_two_addresses_is_one_record_with_two_sources(sent: list[int]) -> None:
    shop = open_shop(1)
    book = next(iter(shop.books.values()))
    book.addresses.append(shop.new_address())
    visit(shop)
    assert Record.objects.count() == 13
    assert TrackedRecord.objects.count() == 12
    assert {source.page.url for source in thing(book.isbn).sources.all()} == set(book.addresses)
    assert not TrackedRecord.objects.with_conflicts().exists()


def test_a_source_with_other_values_is_a_conflict_and_does_not_change_the_record(sent: list[int]) -> None:
    shop = open_shop(1)
    first, second, *_ = shop.books.values()
    second.isbn, second.title, second.pence = first.isbn, first.title, first.pence + 1
    second.stock = first.stock
    visit(shop)
    found = thing(first.isbn)
    assert raw(found.values) == first.values()
    assert [source.problem for source in found.sources.order_by("pk")] == ["", "price differs"]
    assert list(TrackedRecord.objects.with_conflicts()) == [found]
    second.pence = first.pence
    assert feed(visit(shop)) == []
    assert not TrackedRecord.objects.with_conflicts().exists()


def test_a_failed_page_and_an_outage_are_no_miss(sent: list[int]) -> None:
    shop = open_shop(2)
    visit(shop)
    book = next(iter(shop.books.values()))
    shop._store(book.addresses[0], b"<html><body>Maintenance</body></html>")
    for _ in range(4):
        assert feed(extract(shop)) == []
    assert (thing(book.isbn).state, thing(book.isbn).misses) == ("present", 0)


def test_a_value_that_only_the_rule_changed_is_told_apart(sent: list[int]) -> None:
    shop = open_shop(3)
    visit(shop)
    publish(shop, stock="//p[@class='old']/text()")
    first, second, *_ = shop.books.values()
    first.pence += 100
    run = visit(shop)
    causes = {
        change.record.key[0]: {name: each["cause"] for name, each in change.values.items()} | {"": change.cause}
        for change in run.changes.all()
    }
    assert causes[second.isbn] == {"stock": "rule", "": "rule"}
    assert causes[first.isbn] == {"stock": "both", "price": "page", "": "mixed"}
    assert len(causes) == 12
    assert {change.rule.version for change in run.changes.select_related("rule") if change.rule} == {2}


def test_without_the_earlier_page_the_cause_is_unknown(sent: list[int]) -> None:
    shop = open_shop(3)
    visit(shop)
    publish(shop, stock="//p[@class='old']/text()")
    for book in shop.books.values():
        book.pence += 100
    shop.visit()
    TrackedRecord.objects.update(snapshot=None)
    assert {each["cause"] for change in extract(shop).changes.all() for each in change.values.values()} == {"unknown"}


def test_a_missing_key_attribute_leaves_the_page_its_record(sent: list[int]) -> None:
    shop = open_shop(4)
    visit(shop)
    book = next(iter(shop.books.values()))
    known = thing(book.isbn)
    shop._store(book.addresses[0], shop.html(book).replace(f'<p class="isbn">{book.isbn}</p>'.encode(), b""))
    (change,) = extract(shop).changes.all()
    assert (change.record, change.kind, list(change.values)) == (known, "changed", ["isbn"])
    assert [source.problem for source in known.sources.all()] == ["isbn is missing, so the address tells it apart"]


def test_a_record_known_by_its_address_keeps_its_history_when_its_key_appears(sent: list[int]) -> None:
    shop = open_shop(4)
    book = next(iter(shop.books.values()))
    shop.visit()
    shop._store(book.addresses[0], shop.html(book).replace(f'<p class="isbn">{book.isbn}</p>'.encode(), b""))
    extract(shop)
    known = TrackedRecord.objects.get(by_address=True)
    (change,) = visit(shop).changes.all()
    assert (change.record, change.kind, list(change.values)) == (known, "changed", ["isbn"])
    known.refresh_from_db()
    assert (known.key, known.by_address) == ([book.isbn], False)


def test_new_keys_keep_the_histories_and_join_what_is_the_same(sent: list[int]) -> None:
    shop = open_shop(5, key=())
    book = next(iter(shop.books.values()))
    book.addresses.append(shop.new_address())
    visit(shop)
    assert TrackedRecord.objects.filter(by_address=True).count() == 13
    book.pence += 100
    visit(shop)
    set_key(shop.kind, ["isbn"])
    assert rekeying.apply_keys([shop.cluster.pk]) == rekeying.Rekeyed(things=13, joined=1)
    assert rekeying.apply_keys([shop.cluster.pk]) == rekeying.Rekeyed()
    assert feed(visit(shop)) == []
    known = TrackedRecord.objects.present().get(key=[book.isbn])
    assert [change.kind for change in known.changes.all()] == ["added", "changed"]
    assert {source.page.url for source in known.sources.all()} == set(book.addresses)
    (joined,) = TrackedRecord.objects.filter(state="joined")
    assert (joined.joined, [change.kind for change in joined.changes.all()]) == (known, ["added", "changed", "joined"])


def test_a_canonical_address_joins_equal_pages_only(sent: list[int]) -> None:
    shop = open_shop(6, key=(), count=4)
    first, second, third, _ = shop.books.values()
    link = f'<html><head><link rel="canonical" href="{first.addresses[0]}"></head>'.encode()
    shop.visit()
    shop._store(second.addresses[0], shop.html(first).replace(b"<html>", link))  # a copy that says so
    shop._store(third.addresses[0], shop.html(third).replace(b"<html>", link))  # a wrong canonical address
    extract(shop)
    assert TrackedRecord.objects.count() == 3
    known = TrackedRecord.objects.get(key=first.addresses)
    assert {source.page.url for source in known.sources.all()} == {*first.addresses, *second.addresses}
    (conflict,) = TrackedRecord.objects.with_conflicts()
    assert conflict.key == third.addresses
    assert feed(extract(shop)) == []


def test_running_again_and_finishing_twice_changes_nothing(sent: list[int]) -> None:
    shop = open_shop(7)
    visit(shop)
    next(iter(shop.books.values())).on_sale = False
    run = visit(shop)
    finish_tracking.finish_tracking(run, [shop.cluster.pk], lambda *_: None)
    assert list(TrackedRecord.objects.filter(misses__gt=0).values_list("misses", flat=True)) == [1]
    assert run.changes.count() == 0
    second = extract(shop)
    assert [kind for kind, _, _ in feed(second)] == ["gone"]
    finish_tracking.finish_tracking(second, [shop.cluster.pk], lambda *_: None)
    assert second.changes.count() == 1


def test_two_workers_cannot_store_the_same_change(sent: list[int]) -> None:
    shop = open_shop(7)
    visit(shop)
    change = RecordChange.objects.earliest("pk")
    change.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        change.save(force_insert=True)


def test_old_changes_are_dropped_by_count_and_the_rest_still_fits(sent: list[int], settings: Any) -> None:
    shop = open_shop(8)
    visit(shop)
    assert history.find_oldest(shop.cluster) is None
    shop.live_a_day()
    middle = visit(shop)
    present = {isbn: book.values() for isbn, book in shop.books.items() if book.on_sale}
    shop.live_a_day()
    last = visit(shop)
    settings.VERTEX_CHANGES_MAX_COUNT = last.changes.count() + 1
    assert finish_tracking.prune_changes(shop.cluster.pk, timezone.now()) > 0
    assert RecordChange.objects.count() == last.changes.count() + 1
    assert history.find_oldest(shop.cluster) == RecordChange.objects.earliest("pk").at
    keys = dict(TrackedRecord.objects.values_list("pk", "key"))
    rebuilt = {keys[pk][0]: raw(values) for pk, values in history.rebuild_records(shop.cluster, after=middle).items()}
    assert present.items() <= rebuilt.items()


def test_renaming_an_attribute_is_no_change(sent: list[int]) -> None:
    from extraction.services.schema.record_types import AttributeDraft, update_record_type

    shop = open_shop(9)
    visit(shop)
    shop.live_a_day()
    first = visit(shop)
    kind = shop.kind
    drafts = [AttributeDraft(each.pk, {"price": "cost"}.get(each.name, each.name), each.type) for each in kind.attributes.all()]
    update_record_type(kind, kind.name, "", drafts)
    assert feed(extract(shop)) == [] or {kind for kind, _, _ in feed(Run.objects.latest("pk"))} == {"gone"}
    assert not any("price" in change.values for change in first.changes.all())
    assert all("cost" in each.values for each in TrackedRecord.objects.all())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("where", "nth"), [("tracking._write_batch", 3), ("finish_tracking._miss_things", 1), ("finish_tracking.prune_changes", 1)]
)
def test_a_worker_killed_at_any_moment_loses_and_doubles_no_change(where: str, nth: int, sent: list[int]) -> None:
    shop = open_shop(10, count=20)
    shop.kind.gone_after = 1
    shop.kind.save()
    shop.visit()
    extract(shop)
    shop.log_visit(gone_after=1)
    for _ in range(3):
        shop.live_a_day()
    shop.visit()
    log = shop.log_visit(gone_after=1)
    run = extract_records.start_extraction(shop.cluster)
    code = (
        "import django; django.setup()\n"
        "from extraction import pipeline\n"
        "from extraction.services.records import extract_records\n"
        "from tests.services import killed\n"
        "extract_records.BATCH = 4\n"
        f"killed.die('extraction.services.records.{where}', '{nth}')\n"
        f"pipeline.execute_run({run.pk})\n"
    )
    name = str(connection.settings_dict["NAME"])
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_DATABASE_URL": url_of_test_database(name)}
    died = subprocess.run([sys.executable, "-c", code], env=environment, cwd=django_settings.BASE_DIR, check=False)
    assert died.returncode == -signal.SIGKILL
    assert lost_runs.sweep_runs() == 1
    assert pipeline.execute_run(run.pk)
    assert len(feed(run)) == len(log)
    assert set(feed(run)) == log
    assert RecordSource.objects.filter(record__cluster=shop.cluster).count() == Page.objects.count()


def test_templates_that_are_merged_keep_both_time_lines_of_what_both_know(sent: list[int]) -> None:
    shop = open_shop(1, count=2)
    twin = Bookshop(Random(2), factory.cluster(shop.cluster.site, number=2, kind=shop.kind))
    publish(twin)
    shop.visit()
    book = next(iter(shop.books.values()))
    double = Book(book.isbn, book.title, book.pence, book.stock, ["https://shop.example/twin/1"])
    for pence in (book.pence, book.pence + 1):
        double.pence = pence
        twin._store(double.addresses[0], twin.html(double))
        extract(shop)
        extract(twin)
    kept, other = (TrackedRecord.objects.get(cluster=each, key=[book.isbn]) for each in (shop.cluster, twin.cluster))
    clusters.merge_templates(shop.cluster, [twin.cluster])
    kept.refresh_from_db()
    other.refresh_from_db()
    assert (kept.state, other.state, other.joined_id, other.cluster_id) == ("present", "joined", kept.pk, shop.cluster.pk)
    lines = {thing: [each.kind for each in thing.changes.order_by("number")] for thing in (kept, other)}
    assert lines == {kept: ["added"], other: ["added", "changed", "joined"]}
    assert set(RecordChange.objects.values_list("cluster", flat=True)) == {shop.cluster.pk}
    assert list(kept.sources.order_by("pk").values_list("page__url", "problem")) == [
        (book.addresses[0], ""),
        ("https://shop.example/twin/1", "price differs"),
    ]


def test_a_merge_goes_on_with_the_record_that_is_still_there(sent: list[int]) -> None:
    shop = open_shop(1, count=1)
    twin = Bookshop(Random(2), factory.cluster(shop.cluster.site, number=2, kind=shop.kind))
    publish(twin)
    book = next(iter(shop.books.values()))
    shop.visit()
    twin._store("https://shop.example/twin/1", twin.html(book))
    extract(shop)
    extract(twin)
    gone, there = (TrackedRecord.objects.get(cluster=each) for each in (shop.cluster, twin.cluster))
    TrackedRecord.objects.filter(pk=gone.pk).update(state="gone")
    clusters.merge_templates(shop.cluster, [twin.cluster])
    found = {each.pk: (each.state, each.joined_id, each.cluster_id) for each in TrackedRecord.objects.all()}
    assert found == {gone.pk: ("joined", there.pk, shop.cluster.pk), there.pk: ("present", None, shop.cluster.pk)}
    assert not RecordChange.objects.filter(kind="joined").exists()
    assert there.sources.count() == 2


def test_records_over_time_are_read_in_pieces_and_no_query_reads_more(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    shop = open_shop(1)
    visit(shop)
    everything = list(states.read_states(shop.cluster, after=None))
    monkeypatch.setattr(states, "CHUNK", 2)
    with CaptureQueriesContext(connection) as queries:
        assert list(states.read_states(shop.cluster, after=None)) == everything
    read = [each["sql"] for each in queries if each["sql"].startswith("SELECT") and 'FROM "extraction_trackedrecord"' in each["sql"]]
    assert len(read) > 1 and all("LIMIT 2" in sql for sql in read)
