"""Two beats, two clicks or two messages at the same time have their effect once, on SQLite and on PostgreSQL."""

import itertools
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, connection

from extraction.fetching.crawl.messages import Outcome
from extraction.fetching.items import PageItem
from extraction.models import Alert, AlertChannel, Breakage, Check, Cluster, Monitor, Page, Run, Site, Snapshot, Source
from extraction.models.run_values import RunParameters
from extraction.services.core import runs, stored_bytes
from extraction.services.intake import crawl_site
from extraction.services.monitoring import alerts, check_site, monitors
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.sites import page_store, sites
from tests.services import factory, watched

NOW = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)

WORKERS = 4


def at_once(work: Callable[[], Any]) -> list[Any]:
    """Return the results of several threads that do the same at the same moment, each with its own connection."""
    barrier, given = threading.Barrier(WORKERS), list[Any]()

    def one() -> None:
        barrier.wait()
        try:
            given.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == WORKERS, "one of them raised"
    return given


@pytest.fixture
def cluster(transactional_db: None, sent: list[int]) -> Cluster:
    found = watched.cluster()
    Source.objects.create(site=found.site, addresses=["https://shop.example/"])
    AlertChannel.objects.create(name="Data team", url="json://localhost/", events=["break", "digest"])
    AlertChannel.objects.update(created_at=NOW - timedelta(days=9))
    return found


def test_beats_at_once_start_one_check_and_write_one_digest(cluster: Cluster) -> None:
    Monitor.objects.create(site=cluster.site, next_due_at=NOW)
    assert sum(at_once(lambda: monitors.start_due_checks(NOW))) == 1
    at_once(lambda: alerts.send_due_alerts(NOW))
    assert (Run.objects.filter(kind=Run.Kind.CHECK).count(), Alert.objects.filter(event="digest").count()) == (1, 1)


def test_a_message_delivered_several_times_at_once_checks_and_alerts_once(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    def fetch(urls: list[str]) -> dict[str, PageAnswer]:
        asked.append(len(urls))
        pages = {page.url: page.current.sha256 for page in cluster.site.pages.select_related("current") if page.current}
        return {url: PageAnswer(Outcome.OK, stored_bytes.get_bytes(pages[url]).replace(b"h1", b"h2")) for url in urls}

    monkeypatch.setattr("extraction.services.monitoring.fetch_pages.make_fetcher", lambda site, spool: fetch)
    monkeypatch.setattr("django.conf.settings.VERTEX_CONFIRM_AFTER_S", 0)
    run = monitors.start_check(cluster.site)
    assert sorted(at_once(lambda: runs.execute_run(run.pk, {Run.Kind.CHECK: check_site.run_check}))) == [False, False, False, True]
    assert asked == [4, 4], "one look and the one that confirms it"
    assert (Check.objects.count(), Breakage.objects.count(), Alert.objects.count()) == (1, 1, 1)


@pytest.fixture
def site(transactional_db: None, sent: list[int]) -> Site:
    found = factory.site()
    Source.objects.create(site=found, addresses=["https://shop.example/"])
    return found


@pytest.mark.parametrize("of_cluster", [False, True])
def test_the_same_run_started_several_times_at_once_exists_once(site: Site, sent: list[int], of_cluster: bool) -> None:
    of = factory.cluster(site) if of_cluster else None
    started = at_once(lambda: runs.start_run(Run.Kind.EXTRACT, site, cluster=of, parameters=RunParameters(rules=(2, 1))))
    run = Run.objects.get()
    assert {each.pk for each in started} == {run.pk}
    assert sent == [run.pk]


def test_a_site_is_crawled_once_however_many_requests_come_at_once(site: Site, sent: list[int]) -> None:
    factory.rule(factory.cluster(site), state="live")
    ways = iter([crawl_site.start_crawl, crawl_site.start_renewal, crawl_site.start_extracting_crawl, crawl_site.start_renewal])
    started = at_once(lambda: next(ways)(site))
    run = Run.objects.get()
    assert {each.pk for each in started} == {run.pk}
    assert sent == [run.pk]
    assert run.parameters["then"] == "extract", "the renewal is written down whichever crawl there is"


def test_resuming_a_run_while_another_starts_leaves_one_unfinished_run(site: Site) -> None:
    old = runs.start_run(Run.Kind.CRAWL, site)
    assert runs.cancel_run(old)
    ways = iter([lambda: runs.resume_run(old), lambda: crawl_site.start_crawl(site)] * 2)
    at_once(lambda: next(ways)())
    assert Run.objects.unfinished().count() == 1


def test_a_site_is_deleted_while_a_worker_stores_its_pages(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    run, begun, ends = factory.run(cluster.site, Run.Kind.CRAWL, Run.State.RUNNING), threading.Event(), list[BaseException | None]()
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.2)

    def store() -> None:
        try:
            progress = runs.Progress(run)
            for number in itertools.count():
                page_store.store_pages(run, [PageItem(f"{number}", f"https://shop.example/new/{number}", b"<p>%d" % number)])
                begun.set()
                progress(number)
        except (runs.Cancelled, DatabaseError, ObjectDoesNotExist) as error:
            ends.append(error)
        finally:
            connection.close()

    worker = threading.Thread(target=store)
    worker.start()
    assert begun.wait(60)
    sites.delete_site(cluster.site)
    worker.join(60)
    assert len(ends) == 1, "the worker stopped"
    assert not Site.objects.filter(pk=cluster.site_id).exists()
    assert not Page.objects.exists() and not Snapshot.objects.exists() and not Run.objects.exists()
