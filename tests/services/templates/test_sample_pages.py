"""Sample pages show most of a template, and they stay the same while people annotate them."""

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from extraction.models import Cluster, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.templates import sample_pages
from tests.services.importing import bring, cluster_all, detail, listing, site_files, zip_at
from tests.services.templates.clustered_site import make_label

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def forbid(snapshot: Snapshot) -> None:
    raise AssertionError(f"{snapshot} was read")


def test_of_pages_with_the_same_content_only_one_is_a_sample(site: Site, tmp_path: Path) -> None:
    files = {f"book/{n}.html": detail(n) for n in range(4)} | {f"copy/{n}.html": detail(n) for n in range(4)}
    bring(site, zip_at(tmp_path / "a.zip", files))
    cluster_all(site)
    chosen = sample_pages.choose_samples(site.clusters.get())
    assert sorted(row.snapshot.page.url for row in chosen) == [f"book/{n}.html" for n in range(4)]
    with CaptureQueriesContext(connection) as queries:
        sample_pages.choose_samples(site.clusters.get())
    assert not any("INSERT" in query["sql"] for query in queries), "what was chosen is kept"


def test_sample_pages_are_chosen_once_in_greedy_order(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    rows = sample_pages.choose_samples(book, count=5)
    assert [row.position for row in rows] == list(range(5))
    assert all(a.covered_fraction <= b.covered_fraction <= 1 for a, b in itertools.pairwise(rows))
    assert [row.pk for row in sample_pages.choose_samples(book, count=5)] == [row.pk for row in rows]
    assert len(sample_pages.choose_samples(book)) == 10


def test_the_page_with_the_most_content_is_the_first_sample(site: Site, tmp_path: Path) -> None:
    files = {f"{n}.html": detail(n) for n in range(8)} | {
        "rich.html": detail(8, extra="<p>One<b>two</b></p>"),
        "also.html": detail(9, extra="<p>Two<b>x</b>"),
    }
    bring(site, zip_at(tmp_path / "a.zip", files))
    cluster = Cluster.objects.create(site=site, number=1)
    Snapshot.objects.update(cluster=cluster)
    assert sample_pages.choose_samples(cluster, count=2)[0].snapshot.page.url in {"rich.html", "also.html"}


def test_samples_are_chosen_again_when_pages_change_unless_one_is_labelled(clustered: Site, tmp_path: Path) -> None:
    one, two = clustered.clusters.order_by("number")
    kept = [row.snapshot_id for row in sample_pages.choose_samples(one)]
    make_label(one, one.samples.get(position=3).snapshot)
    first = {row.pk for row in sample_pages.choose_samples(two)}
    files = {f"book/n{n}.html": detail(n) for n in range(5)} | {f"list/n{n}.html": listing(n) for n in range(5)}
    bring(clustered, zip_at(tmp_path / "b.zip", files))
    cluster_all(clustered)
    assert [row.snapshot_id for row in sample_pages.choose_samples(one)] == kept
    assert not first & {row.pk for row in sample_pages.choose_samples(two)}


def test_a_labelled_sample_stays_and_samples_that_left_the_template_are_replaced(clustered: Site, tmp_path: Path) -> None:
    book = clustered.clusters.get(number=1)
    rows = sample_pages.choose_samples(book)
    labelled, left = rows[4].snapshot, rows[7].snapshot
    make_label(book, labelled)
    bring(clustered, zip_at(tmp_path / "b.zip", {labelled.page.url: detail(500), left.page.url: detail(501)}))
    cluster_all(clustered)
    after = [row.snapshot for row in sample_pages.choose_samples(book)]
    assert labelled in after
    assert left not in after
    assert len(after) == 10


def test_a_labelled_page_is_a_sample_even_if_it_was_never_chosen(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    chosen = {row.snapshot_id for row in sample_pages.choose_samples(book)}
    other = book.snapshots.current().kept().exclude(pk__in=chosen)[0]
    make_label(book, other)
    rows = sample_pages.choose_samples(book)
    assert other.pk in {row.snapshot_id for row in rows}
    assert [row.covered_fraction for row in rows] == sorted(row.covered_fraction for row in rows)


def test_a_page_that_is_labelled_later_is_added_without_reading_pages(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    book = clustered.clusters.get(number=1)
    before = sample_pages.choose_samples(book, count=3)
    shares = [row.covered_fraction for row in before]
    chosen = {row.snapshot_id for row in before}
    other = book.snapshots.exclude(pk__in=chosen).order_by("pk").last()
    assert other is not None
    make_label(book, other)
    monkeypatch.setattr(sample_pages, "read_paths", forbid)
    rows = sample_pages.choose_samples(book, count=3)
    assert [row.snapshot_id for row in rows] == [*(row.snapshot_id for row in before), other.pk]
    assert [row.covered_fraction for row in rows] == [*shares, shares[-1]]


@pytest.mark.django_db(transaction=True)
def test_requests_that_need_the_samples_at_the_same_time_read_the_pages_once(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    book = clustered.clusters.get(number=1)
    book.samples.all().delete()
    read: list[int] = []
    real = sample_pages.read_paths

    def read_slowly(snapshot: Snapshot) -> object:
        read.append(snapshot.pk)
        time.sleep(0.01)
        return real(snapshot)

    def choose(_: int) -> list[int]:
        try:
            return [row.snapshot_id for row in sample_pages.choose_samples(Cluster.objects.get(pk=book.pk))]
        finally:
            connection.close()

    monkeypatch.setattr(sample_pages, "read_paths", read_slowly)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(choose, range(4)))
    assert all(each == found[0] for each in found)
    assert len(found[0]) == 10
    assert len(read) == len(set(read))


def test_paths_are_cached_and_the_cache_of_another_release_is_replaced(clustered: Site) -> None:
    snapshot = clustered.clusters.get(number=1).snapshots.current().kept()[0]
    fresh = sample_pages.read_paths(snapshot)

    stored_bytes.keep_file(f"paths/{snapshot.sha256[:2]}/{snapshot.sha256[2:]}", b"paths/0\nold")
    assert sample_pages.read_paths(snapshot).to_bytes() == fresh.to_bytes()


def test_samples_of_a_large_cluster_come_from_pages_spread_evenly(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sample_pages, "POOL_PAGES", 10)
    bring(site, zip_at(tmp_path / "a.zip", site_files(50, 0)))
    cluster_all(site)
    pool = sample_pages._pool(site.clusters.get())
    order = list(site.clusters.get().snapshots.current().kept().order_by("pk").values_list("pk", flat=True))
    assert [order.index(page.pk) // 5 for page in pool] == list(range(10))
    assert pool == sample_pages._pool(site.clusters.get())


def test_enough_samples_are_taken_as_they_are_without_counting_the_pages(clustered: Site) -> None:
    cluster = clustered.clusters.get(number=1)
    chosen = sample_pages.choose_samples(cluster, count=2)
    with CaptureQueriesContext(connection) as queries:
        assert sample_pages.choose_samples(cluster, count=2) == chosen
    assert not [each for each in queries if "sha256" in each["sql"] and "DISTINCT" in each["sql"]]
