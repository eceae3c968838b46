"""Finding templates: pages are grouped, and what people gave to a template survives the next search."""

import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.sketches import shingles
from extraction.models import Cluster, Page, RecordType, Run, SamplePage, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.runs import Progress
from extraction.services.intake import import_pages
from extraction.services.sites import page_store
from extraction.services.templates import cluster_pages, clusters, sample_pages
from tests.services import factory
from tests.services.importing import bring, cluster_all, detail, listing, site_files, tables, zip_at
from tests.services.templates.clustered_site import cluster_again, count_pages, make_label, make_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def test_a_site_with_two_templates_gets_two_clusters(clustered: Site) -> None:
    run = Run.objects.get(kind=Run.Kind.CLUSTER)
    assert run.summary == {"clusters": 2, "clustered": 18, "small": 0, "unclustered": 1, "threshold": 2, "last_number": 2}
    assert (run.done, run.total) == (19, 19)
    assert count_pages(clustered) == {1: 12, 2: 6}
    first = clustered.clusters.get(number=1)
    assert {snapshot.page.url[:4] for snapshot in first.snapshots.current().kept().select_related("page")} == {"book"}
    assert len(first.masks) == 1
    alone = Snapshot.objects.of_site(clustered).current().filter(cluster=None)
    assert list(alone.order_by("error").values_list("page__url", "error")) == [("about.html", ""), ("empty.html", "the page is empty")]


def test_clustering_again_changes_nothing(clustered: Site) -> None:
    before = tables(clustered)
    samples = list(SamplePage.objects.values_list())
    cluster_again(clustered)
    assert tables(clustered) == before
    assert list(SamplePage.objects.values_list()) == samples


@pytest.mark.parametrize(("pages", "threshold"), [(0, 2), (10, 2), (120, 2), (121, 3), (150, 3), (300, 5), (10_000, 5)])
def test_small_sites_get_a_small_threshold(pages: int, threshold: int) -> None:
    assert default_threshold(pages) == threshold


def test_names_record_types_labels_and_rules_stay_while_pages_come_and_go(clustered: Site, tmp_path: Path) -> None:
    book = clustered.clusters.get(number=1)
    clusters.rename_template(book, "  The  book ")
    clusters.set_record_type(book, RecordType.objects.create(name="Book", slug="book"))
    rule = make_rule(book)
    label = make_label(book, book.snapshots.current().kept()[0])
    clusters.ignore_template(clustered.clusters.get(number=2), True)
    more = {f"book/new{n}.html": detail(n) for n in range(40)} | {"book/0001.html": detail(1, extra="<p>now with a preface")}
    bring(clustered, zip_at(tmp_path / "b.zip", more))
    cluster_all(clustered)
    book.refresh_from_db()
    assert (book.name, book.record_type and book.record_type.name) == ("The book", "Book")
    assert count_pages(clustered)[1] >= 51
    assert clustered.clusters.get(number=2).ignored
    assert list(book.rules.all()) == [rule]
    assert list(book.labels.all()) == [label]


def test_a_number_is_never_used_again(clustered: Site, tmp_path: Path) -> None:
    cluster_again(clustered, 19)
    assert list(clustered.clusters.all()) == []
    cluster_again(clustered)
    assert count_pages(clustered) == {3: 12, 4: 6}
    clusters.merge_templates(clustered.clusters.get(number=3), [clustered.clusters.get(number=4)])
    bring(clustered, zip_at(tmp_path / "b.zip", {f"z{n}.html": b"<html><body><dl>" + b"<dt>a<dd>b" * 9 for n in range(4)}))
    cluster_all(clustered)
    assert count_pages(clustered) == {3: 18, 5: 4}


def test_a_cluster_without_pages_is_kept_if_a_person_changed_it(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one)
    cluster_again(clustered, 19)
    assert [cluster.pk for cluster in clustered.clusters.all()] == [one.pk]
    assert count_pages(clustered) == {1: 0}
    cluster_again(clustered)
    assert count_pages(clustered) == {1: 12, 3: 6}, "known again by its mask"
    assert not Cluster.objects.filter(pk=two.pk).exists()


def test_pages_that_arrive_during_a_clustering_are_clustered_too(clustered: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = cluster_pages._find
    calls: list[int] = []

    def slow(run: Run, progress: Progress) -> Any:
        found = find(run, progress)
        calls.append(len(found.vectors))
        if len(calls) == 1:
            bring(run.site, zip_at(tmp_path / "b.zip", {f"book/new{n}.html": detail(n) for n in range(5)}))
        return found

    monkeypatch.setattr(cluster_pages, "_find", slow)
    cluster_again(clustered)
    assert calls == [19, 24]
    assert count_pages(clustered) == {1: 17, 2: 6}


def test_an_import_starts_a_clustering_even_if_another_is_queued(clustered: Site, tmp_path: Path) -> None:
    working = cluster_pages.start_clustering(clustered)
    assert cluster_pages.start_clustering(clustered) == working
    bring(clustered, zip_at(tmp_path / "b.zip", {"x.html": detail(99)}))
    assert Run.objects.filter(kind=Run.Kind.CLUSTER, state=Run.State.QUEUED).count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_clusterings_at_once_give_the_same_as_one(site: Site, tmp_path: Path) -> None:
    bring(site, zip_at(tmp_path / "a.zip", site_files(60, 30)))
    errors: list[BaseException] = []

    def work(threshold: int) -> None:
        try:
            cluster_again(site, threshold)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)
        finally:
            connection.close()

    workers = [threading.Thread(target=work, args=(threshold,)) for threshold in (2, 3, 4, 5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == []
    assert sorted(count_pages(site).items()) == [(1, 60), (2, 30)]


def test_vectors_of_an_older_scheme_are_computed_again(clustered: Site) -> None:
    before = tables(clustered)
    Snapshot.objects.of_site(clustered).current().filter(error="").update(vector="00" * 8, scheme="older/0")
    cluster_again(clustered)
    assert tables(clustered) == before
    assert set(Snapshot.objects.of_site(clustered).current().filter(error="").values_list("scheme", flat=True)) == {shingles.SCHEME}


def test_a_site_without_pages_has_no_clusters(site: Site) -> None:
    assert cluster_again(site).summary["clusters"] == 0
    assert clusters.list_templates(site) == clusters.Overview((), 0, 0, 0)


def test_the_progress_of_a_clustering_shows_each_step(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    write = Progress._write

    def note(self: Progress) -> None:
        said.append(self.run.message)
        write(self)

    monkeypatch.setattr(Progress, "_write", note)
    cluster_again(clustered)
    steps = ["Reading the pages", "Comparing the pages", "Writing the templates", "Finding address patterns and choosing sample pages"]
    assert list(dict.fromkeys(said))[:4] == steps
    assert import_pages.get_limits().pages == 1_000_000


def varied(n: int) -> bytes:
    """A page of one template whose tags are different on most: sections that come and go, tables of all lengths."""
    rows = "<tr><th>a</th><td><b>b</b></td></tr>" * (1 + n * 7 % 11)
    extra = ["", "<aside><h3>Also</h3><ol><li><i>x</i></li></ol></aside>", "<form><p><input></p><p><select><option>1</select></p></form>"]
    sections = "".join(f"<section class=s{part}><h2>S</h2>{extra[part]}</section>" for part in range(3) if n >> part & 1)
    return detail(n, extra=f"<table class=facts>{rows}</table>{sections * (1 + n % 3)}")


def test_pages_too_different_for_one_mask_become_one_template(site: Site, tmp_path: Path) -> None:
    files = {f"v/{n:03}.html": varied(n) for n in range(40)} | {f"list/{n}.html": listing(n) for n in range(8)}
    bring(site, zip_at(tmp_path / "a.zip", files))
    assert [run.state for run in cluster_all(site)] == [Run.State.DONE]
    assert count_pages(site) == {1: 40, 2: 8}
    assert len(site.clusters.get(number=1).masks) > 1
    assert not site.clusters.get(number=1).merged
    before = tables(site)
    cluster_again(site)
    assert tables(site) == before


def test_the_structure_of_a_page_is_read_once(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    get = stored_bytes.get_bytes

    def noted(sha256: str) -> bytes:
        read.append(sha256)
        return get(sha256)

    monkeypatch.setattr(stored_bytes, "get_bytes", noted)
    cluster_again(clustered)
    assert read == []


def redesigned(number: int) -> bytes:
    rows = "".join(f"<tr><th>{name}</th><td><b>{name} of {number}</b></td></tr>" for name in ("Title", "Price", "Maker", "Weight"))
    return f"<html><body><main><article><table>{rows}</table></article><aside><em>New shop</em></aside></main></body></html>".encode()


def test_pages_that_are_gone_do_not_become_a_template_of_the_old_design(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    make_rule(book)
    urls = sorted(book.snapshots.current().kept().values_list("page__url", flat=True))
    gone = urls[:3]
    Page.objects.filter(site=clustered, url__in=gone).update(gone_at=timezone.now())
    for number, url in enumerate(urls[3:]):
        new = factory.snapshot(clustered, url, redesigned(number))
        page_store.add_vectors([new], [redesigned(number)])
        new.cluster = book
        new.save()
    cluster_again(clustered)
    assert count_pages(clustered) == {1: 12, 2: 6}
    assert set(book.snapshots.current().filter(page__url__in=gone).values_list("page__url", flat=True)) == set(gone)
    assert not {page.url for page in sampled(book)} & set(gone)


def sampled(cluster: Cluster) -> list[Page]:
    SamplePage.objects.filter(cluster=cluster).delete()
    return [row.snapshot.page for row in sample_pages.choose_samples(cluster)]


def test_a_template_whose_pages_are_all_gone_stays_with_them(clustered: Site) -> None:
    before = count_pages(clustered)
    Page.objects.filter(site=clustered).update(gone_at=timezone.now())
    cluster_again(clustered)
    assert count_pages(clustered) == before
    Page.objects.filter(site=clustered).update(gone_at=None)
    cluster_again(clustered)
    assert count_pages(clustered) == before
