"""What the database keeps is what a count of the rows gives, whatever is done to the rows."""

import random
import threading
from collections.abc import Callable
from itertools import permutations
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, Q
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from extraction.fetching.items import PageItem
from extraction.models import (
    ChangeCount,
    Cluster,
    CrawlAddress,
    Page,
    PageCount,
    Record,
    RecordChange,
    RecordCount,
    RecordFigures,
    RecordPart,
    Rule,
    Run,
    RunProblem,
    Site,
    Snapshot,
    TrackedRecord,
)
from extraction.models.kept import checking, installing, locking, searching
from extraction.services.sites import page_store
from tests.services import factory

HERE = Q(snapshot__page__current__cluster=F("cluster"))
FRESH = Q(snapshot__page__current=F("snapshot"))
LEFT = Q(snapshot__page__left_at__isnull=False)
CURRENT = "snapshot__page__current"
UNSORTED = Q(**{f"{CURRENT}__cluster": None, f"{CURRENT}__unsorted": True})
FRESH_HERE = FRESH & (Q(snapshot__cluster=F("cluster")) | Q(UNSORTED, snapshot__cluster=None))
"""What the kept columns mean, written as conditions on the rows from which they follow."""


def find_last() -> Q:
    """The last record of a page that has new content without a record."""
    newer = Record.objects.filter(snapshot__page=OuterRef("snapshot__page"), extracted_at__gt=OuterRef("extracted_at"))
    here = Q(HERE, ~Exists(newer.filter(cluster=OuterRef("cluster"))))
    return ~FRESH & Q(**{f"{CURRENT}__record": None}) & (here | Q(UNSORTED, ~Exists(newer)))


NUMBERS = st.integers(0, 5)
STATES = ("complete", "incomplete", "failed")


class Shop:
    """Two sites with two templates each, and what a sequence of steps makes of them."""

    def __init__(self) -> None:
        self.sites = [Site.objects.create(name=name, slug=name) for name in ("one", "two")]
        self.clusters = [factory.cluster(site, number=number) for site in self.sites for number in (1, 2)]
        self.rules = {cluster.pk: factory.rule(cluster) for cluster in self.clusters}
        self.run = factory.run(self.sites[0], Run.Kind.EXTRACT)

    def page(self, n: int) -> Any:
        return _nth(Page.objects.order_by("pk"), n)

    def snapshot(self, n: int) -> Any:
        return _nth(Snapshot.objects.order_by("pk"), n)

    def cluster(self, n: int) -> Cluster | None:
        return _nth(Cluster.objects.order_by("pk"), n) if n else None

    def add_pages(self, n: int, m: int) -> None:
        site = self.sites[n % 2]
        Page.objects.bulk_create([Page(site=site, url=f"/page/{each}") for each in range(m)], ignore_conflicts=True)

    def add_snapshot(self, n: int, m: int) -> None:
        page = self.page(n)
        if page:
            error, notice = ("bad", "") if m == 1 else ("", "cut" if m == 2 else "")
            Snapshot.objects.create(
                page=page,
                sha256=f"{Snapshot.objects.count()}-{timezone.now()}"[:64],
                size_bytes=1,
                title=("Title", 'Old "one"', "TITLÉ 2")[m % 3],
                fetched_at=timezone.now(),
                error=error,
                notice=notice,
                cluster=self.cluster(m),
                kept=m != 3,
            )

    def choose_current(self, n: int, m: int) -> None:
        page = self.page(n)
        if page:
            page.current = _nth(page.snapshots.order_by("pk"), m) if m else None
            page.cluster, page.reading = None, "whole"  # the database knows better
            page.save()

    def choose_many(self, n: int, m: int) -> None:
        pages = [page for page in Page.objects.order_by("pk")[n:] if page.snapshots.exists()]
        for page in pages:
            page.current = _nth(page.snapshots.order_by("pk"), m)
        Page.objects.bulk_update(pages, ["current"])

    def move_snapshots(self, n: int, m: int) -> None:
        Snapshot.objects.filter(pk__in=[each.pk for each in Snapshot.objects.order_by("pk")[n : n + 3]]).update(cluster=self.cluster(m))

    def read_again(self, n: int, m: int) -> None:
        snapshot = self.snapshot(n)
        if snapshot:
            snapshot.error, snapshot.notice, snapshot.kept = ("bad" if m == 1 else ""), ("cut" if m == 2 else ""), m != 3
            snapshot.save()

    def leave(self, n: int, m: int) -> None:
        Page.objects.filter(pk__in=[each.pk for each in Page.objects.order_by("pk")[n:]]).update(left_at=timezone.now() if m % 2 else None)

    def unsort(self, n: int, m: int) -> None:
        Snapshot.objects.filter(pk__in=[each.pk for each in Snapshot.objects.order_by("pk")[n:]]).update(unsorted=m % 2)
        if m > 2:
            Snapshot.objects.filter(pk__in=[each.pk for each in Snapshot.objects.order_by("pk")[n:]]).update(cluster=None)

    def retire(self, n: int, m: int) -> None:
        state = Rule.State.RETIRED if m % 2 else Rule.State.DRAFT
        Rule.objects.filter(cluster=self.cluster(n)).update(state=state, published_at=timezone.now() if m % 2 else None)

    def hold(self, n: int, m: int) -> None:
        Record.objects.filter(pk__in=[each.pk for each in Record.objects.order_by("pk")[n:]]).update(held_back={"a": "b"} if m % 2 else {})

    def move_record(self, n: int, m: int) -> None:
        record, free = _nth(Record.objects.order_by("pk"), n), _nth(Snapshot.objects.filter(record=None).order_by("pk"), m)
        if record and free:
            record.snapshot, record.extracted_at = free, timezone.now()
            record.save()

    def set_gone(self, n: int, m: int) -> None:
        Page.objects.filter(pk__in=[each.pk for each in Page.objects.order_by("pk")[n:]]).update(gone_at=timezone.now() if m % 2 else None)

    def add_records(self, n: int, m: int) -> None:
        cluster = self.cluster(m) or _nth(Cluster.objects.order_by("pk"), 0)
        if cluster is None:
            return
        records = [
            Record(
                snapshot=snapshot,
                cluster=cluster,
                rule=self.rules[cluster.pk],
                state=(state := STATES[(n + m) % 3]),
                reason="none" if state == "failed" else "",
                extracted_at=timezone.now(),
                text=f"old {n}" if m % 2 else "",
            )
            for snapshot in Snapshot.objects.order_by("pk")[n:]
        ]
        fields = ["cluster", "rule", "state", "reason", "text", "extracted_at"]
        Record.objects.bulk_create(records, update_conflicts=True, unique_fields=["snapshot"], update_fields=fields)

    def save_record(self, n: int, m: int) -> None:
        record = _nth(Record.objects.order_by("pk"), n)
        if record:
            record.part, record.standing, record.state, record.reason = "now", True, STATES[m % 3], "none"
            record.save()

    def delete_record(self, n: int, m: int) -> None:
        Record.objects.filter(pk__in=[each.pk for each in Record.objects.order_by("pk")[n : n + m]]).delete()

    def delete_snapshot(self, n: int, _: int) -> None:
        snapshot = self.snapshot(n)
        if snapshot:
            snapshot.delete()

    def delete_page(self, n: int, _: int) -> None:
        page = self.page(n)
        if page:
            page.delete()

    def delete_cluster(self, n: int, m: int) -> None:
        if m == 5 and (cluster := self.cluster(n)):
            cluster.delete()

    def track(self, n: int, m: int) -> None:
        cluster, now = self.cluster(n), timezone.now()
        if cluster:
            thing, _ = TrackedRecord.objects.get_or_create(
                cluster=cluster, list_name="offers" if m % 2 else "", digest=str(m), defaults={"first_seen_at": now, "seen_at": now}
            )
            thing.number += 1
            thing.state = TrackedRecord.State.GONE if m == 2 else TrackedRecord.State.PRESENT
            thing.save()
            kind = RecordChange.Kind.GONE if m == 2 else RecordChange.Kind.CHANGED
            RecordChange.objects.create(
                cluster=cluster, record=thing, number=thing.number, kind=kind, at=now, cause="page" if n % 2 else ""
            )

    def crawl(self, n: int, m: int) -> None:
        RunProblem.objects.create(run=self.run, name="a", reason="b")
        CrawlAddress.objects.bulk_create([CrawlAddress(run=self.run, url=f"/{each}") for each in range(n, n + m)], ignore_conflicts=True)
        CrawlAddress.objects.filter(run=self.run, url=f"/{n}").update(state="done", outcome="ok" if m % 2 else "gone")


STEPS: dict[str, Callable[[Shop, int, int], None]] = {name: each for name, each in vars(Shop).items() if name[0] != "_"}
for _name in ("page", "snapshot", "cluster"):
    del STEPS[_name]


def _nth(rows: Any, n: int) -> Any:
    return next(iter(rows[n : n + 1]), None)


def check_search() -> None:
    """The search finds what a reading of all rows finds, by the index and row by row."""
    assert searching.find_faults(connection) == []
    for common in (0, searching.COMMON):
        with patch.object(searching, "COMMON", common), patch.object(searching, "FEW_KEYS", common):
            check_words()


def check_words() -> None:
    for word in ("/1", "page/1", "old", "title 2", "titlé", '"', "/2\ntitle"):
        pages = {
            page.pk
            for page in Page.objects.select_related("current")
            if page.current and (word.lower() in f"{page.url}\n{page.current.title}".lower())
        }
        assert set(Page.objects.filter(searching.match_pages(word)).values_list("pk", flat=True)) == pages
        records = {
            record.pk for record in Record.objects.select_related("snapshot") if word in record.text or record.snapshot.page_id in pages
        }
        assert set(Record.objects.filter(searching.match_records(word)).values_list("pk", flat=True)) == records
        changes = {change.pk for change in RecordChange.objects.select_related("record") if word in change.record.text}
        found = set[int]()
        for cluster in Cluster.objects.all():
            found |= set(RecordChange.objects.filter(searching.match_changes(word, cluster), cluster=cluster).values_list("pk", flat=True))
        assert found == changes


def check_figures() -> None:
    """The figures of templates, and the counts of each part, are those of the records."""
    kept = RecordCount.objects.figures()
    for cluster in Cluster.objects.all():
        now, counts = Record.objects.filter(cluster=cluster).now(), kept.get(cluster.pk, RecordFigures())
        states = [now.filter(state=state).count() for state in STATES]
        assert [counts.complete, counts.incomplete, counts.failed] == states
        assert counts.sorting == now.filter(UNSORTED).count()
        assert counts.held == now.given().exclude(held_back={}).count()
        assert counts.outdated == now.outdated().given().count()
        for part in RecordPart.values:
            found = Record.objects.filter(cluster=cluster).in_part(part)
            assert RecordCount.objects.filter(cluster=cluster).in_part(part).total() == found.count()
            assert part not in ("gone", "elsewhere") or getattr(counts, part) == found.given().count()


def check_kept() -> None:
    """Compare with the queries that say what the kept columns mean."""
    assert checking.find_drift(connection) == []
    records, last = Record.objects, find_last()
    assert set(records.filter(part__in=("now", "earlier"))) == set(records.filter(FRESH_HERE | last).exclude(LEFT))
    assert set(records.filter(part="gone")) == set(records.filter(FRESH_HERE | last).filter(LEFT))
    assert set(records.filter(part="earlier")) == set(records.filter(last).exclude(LEFT).exclude(FRESH_HERE))
    assert set(records.filter(shown=True)) == set(records.filter(FRESH | last).exclude(LEFT))
    assert set(records.filter(standing=True)) == set(records.filter(FRESH))
    check_figures()
    for page in Page.objects.select_related("current"):
        assert page.cluster_id == (page.current.cluster_id if page.current else None)
    sites = dict(Page.objects.values_list("site").order_by().annotate(n=Count("pk")))
    assert {site: each.pages for site, each in PageCount.objects.figures().items() if each.pages} == sites
    gone = Page.objects.filter(site=Site.objects.order_by("pk")[0], gone_at__isnull=False).count()
    assert PageCount.objects.filter(site=Site.objects.order_by("pk")[0], gone=True).total() == gone
    assert RecordCount.objects.total() == Record.objects.count()
    kinds = dict(RecordChange.objects.values_list("kind").order_by().annotate(n=Count("pk")))
    assert ChangeCount.objects.totals("kind") == kinds


class TestKept(TestCase):
    @settings(max_examples=15)
    @given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), NUMBERS, NUMBERS), min_size=4, max_size=25))
    def test_after_any_steps_what_is_kept_is_what_a_count_gives(self, steps: list[tuple[str, int, int]]) -> None:
        shop = Shop()
        shop.add_pages(0, 3)
        for n in range(3):
            shop.add_snapshot(n, 1 + n)
        shop.choose_many(0, 0)
        for name, n, m in steps:
            STEPS[name](shop, n, m)
        check_kept()
        check_search()


@pytest.mark.django_db
def test_a_site_takes_its_counts_with_it() -> None:
    cluster = factory.shop(4)
    rule = factory.rule(cluster, state=Rule.State.LIVE)
    for snapshot in Snapshot.objects.all():
        Record.objects.create(snapshot=snapshot, cluster=cluster, rule=rule, state="complete", extracted_at=timezone.now())
    assert PageCount.objects.total() == RecordCount.objects.total() == 4
    from extraction.services.sites import sites

    sites.delete_site(cluster.site)
    assert PageCount.objects.total() == RecordCount.objects.total() == 0
    check_nothing_left = checking.merge_slots(connection)
    assert check_nothing_left >= 0
    assert not PageCount.objects.exists()
    assert not RecordCount.objects.exists()


@pytest.mark.django_db
def test_a_repair_finds_what_was_written_past_the_triggers_and_mends_it() -> None:
    cluster = factory.shop(3)
    rule = factory.rule(cluster, state=Rule.State.LIVE)
    Record.objects.create(
        snapshot=Snapshot.objects.earliest("pk"), cluster=cluster, rule=rule, state="complete", extracted_at=timezone.now()
    )
    installing.remove_triggers(connection)
    try:
        Page.objects.update(cluster=None, reading="")
        Record.objects.update(part="earlier", standing=False)
        Page.objects.filter(pk=Page.objects.latest("pk").pk).update(current=None)
        PageCount.objects.update(n=7)
    finally:
        installing.create_triggers(connection)
    assert {each.table for each in checking.find_drift(connection)} >= {"extraction_page", "extraction_record", "extraction_pagecount"}
    assert checking.repair_all(connection)
    check_kept()
    assert checking.repair_all(connection) == []


@pytest.mark.django_db(transaction=True)
def test_emptying_the_tables_leaves_no_counts() -> None:
    factory.shop(2)
    call_command("flush", interactive=False, verbosity=0)
    assert PageCount.objects.total() == 0
    assert checking.find_drift(connection) == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL empties all tables at once")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", list(permutations(("page", "snapshot", "record"))))
def test_tables_may_be_emptied_in_any_order(order: tuple[str, ...]) -> None:
    cluster = factory.shop(2)
    rule = factory.rule(cluster, state=Rule.State.LIVE)
    for page in Page.objects.all():  # a second record of each page: a deletion changes the other one
        Snapshot.objects.create(page=page, sha256=f"{page.pk:064x}", size_bytes=1, fetched_at=timezone.now(), cluster=cluster)
    for snapshot in Snapshot.objects.all():
        Record.objects.create(snapshot=snapshot, cluster=cluster, rule=rule, state="complete", extracted_at=timezone.now())
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for table in order:
            cursor.execute(f"DELETE FROM extraction_{table}")
    assert not Page.objects.exists() and not Snapshot.objects.exists() and not Record.objects.exists()
    assert PageCount.objects.total() == RecordCount.objects.total() == 0


@pytest.mark.django_db(transaction=True)
def test_imports_clustering_and_extraction_at_once_keep_the_counts(sent: list[int]) -> None:
    site = factory.site()
    clusters = [factory.cluster(site, number=number) for number in (1, 2)]
    ruled = {cluster.pk: factory.rule(cluster, state=Rule.State.LIVE) for cluster in clusters}
    urls = [f"https://shop.example/{n}" for n in range(30)]
    chance = random.Random(3)

    def store(worker: int) -> None:
        run = factory.run(site, Run.Kind.IMPORT, parameters={"sha256": f"{worker}"}, target=str(worker))
        for turn in range(3):
            some = [PageItem(name="", url=url, content=factory.book_html(f"{worker} {turn}"), content_type="text/html") for url in urls]
            chance.shuffle(some)
            page_store.store_pages(run, some)

    def cluster_all(worker: int) -> None:
        for turn in range(4):
            cluster = clusters[(turn + worker) % 2]
            with transaction.atomic():
                ids = list(Snapshot.objects.filter(page__site=site).values_list("pk", flat=True))
                locking.lock_pages(ids)
                Snapshot.objects.filter(pk__in=ids).update(cluster=cluster)

    def extract(worker: int) -> None:
        for turn in range(4):
            cluster = clusters[(turn + worker) % 2]
            ids = list(Snapshot.objects.filter(page__site=site).order_by("?").values_list("pk", flat=True)[:40])
            made = {"cluster": cluster, "rule": ruled[cluster.pk], "state": "complete", "extracted_at": timezone.now()}
            with transaction.atomic():
                locking.lock_pages(ids)
                Record.objects.bulk_create(
                    [Record(snapshot_id=pk, **made) for pk in ids],
                    update_conflicts=True,
                    unique_fields=["snapshot"],
                    update_fields=list(made),
                )

    errors: list[Exception] = []

    def work(what: Callable[[int], None], worker: int) -> None:
        try:
            what(worker)
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)
        finally:
            connection.close()

    store(0)
    threads = [threading.Thread(target=work, args=each) for each in ((store, 1), (store, 2), (cluster_all, 0), (extract, 0), (extract, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    check_kept()
    checking.merge_slots(connection)
    check_kept()
