"""Clustering: templates are found, and what people gave to them survives finding them again."""

import itertools
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import OuterRef, Subquery
from django.test.utils import CaptureQueriesContext

from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.sketches import shingles
from extraction.models import Attribute, Cluster, Label, Page, Record, RecordType, Rule, Run, SamplePage, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.runs import JobError, Progress
from extraction.services.intake import import_pages
from extraction.services.templates import cluster_pages, clusters, sample_pages
from tests.services import factory
from tests.services.importing import bring, cluster_all, detail, done, listing, site_files, tables, zip_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def site() -> Site:
    return Site.objects.create(name="Books", slug="books")


@pytest.fixture
def clustered(site: Site, tmp_path: Path) -> Site:
    """Twelve books in template 1, six lists in template 2, one page in none."""
    bring(site, zip_at(tmp_path / "a.zip", site_files() | {"about.html": b"<html><body><p>About us", "empty.html": b""}))
    assert [run.state for run in cluster_all(site)] == [Run.State.DONE]
    return site


def again(site: Site, threshold: int | None = None) -> Run:
    run = done(cluster_pages.start_clustering(site, threshold=threshold))
    assert run.state == Run.State.DONE, run.error
    return run


def sizes(site: Site) -> dict[int, int]:
    return {row.cluster.number: row.pages for row in clusters.list_templates(site).rows}


def make_rule(cluster: Cluster, version: int = 1, state: str = Rule.State.DRAFT) -> Rule:
    return factory.rule(cluster, version=version, state=state)


def make_label(cluster: Cluster, snapshot: Snapshot, name: str = "title") -> Label:
    kind, _ = RecordType.objects.get_or_create(name="Book", slug="book")
    attribute, _ = Attribute.objects.get_or_create(record_type=kind, name=name)
    return Label.objects.create(cluster=cluster, snapshot=snapshot, attribute=attribute, location=None)


def test_a_site_of_two_templates_gives_two_clusters(clustered: Site) -> None:
    run = Run.objects.get(kind=Run.Kind.CLUSTER)
    assert run.summary == {"clusters": 2, "clustered": 18, "small": 0, "unclustered": 1, "threshold": 2, "last_number": 2}
    assert (run.done, run.total) == (19, 19)
    assert sizes(clustered) == {1: 12, 2: 6}
    first = clustered.clusters.get(number=1)
    assert {snapshot.page.url[:4] for snapshot in first.snapshots.current().kept().select_related("page")} == {"book"}
    assert len(first.masks) == 1
    alone = Snapshot.objects.of_site(clustered).current().filter(cluster=None)
    assert list(alone.order_by("error").values_list("page__url", "error")) == [("about.html", ""), ("empty.html", "the page is empty")]


def test_clustering_again_changes_nothing(clustered: Site) -> None:
    before = tables(clustered)
    samples = list(SamplePage.objects.values_list())
    again(clustered)
    assert tables(clustered) == before
    assert list(SamplePage.objects.values_list()) == samples


@pytest.mark.parametrize(("pages", "threshold"), [(0, 2), (10, 2), (120, 2), (121, 3), (150, 3), (300, 5), (10_000, 5)])
def test_small_sites_need_small_thresholds(pages: int, threshold: int) -> None:
    assert default_threshold(pages) == threshold


def test_names_types_labels_and_rules_stay_while_pages_come_and_go(clustered: Site, tmp_path: Path) -> None:
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
    assert sizes(clustered)[1] >= 51
    assert clustered.clusters.get(number=2).ignored
    assert list(book.rules.all()) == [rule]
    assert list(book.labels.all()) == [label]


def test_a_number_is_never_used_again(clustered: Site, tmp_path: Path) -> None:
    again(clustered, 19)
    assert list(clustered.clusters.all()) == []
    again(clustered)
    assert sizes(clustered) == {3: 12, 4: 6}
    clusters.merge_templates(clustered.clusters.get(number=3), [clustered.clusters.get(number=4)])
    bring(clustered, zip_at(tmp_path / "b.zip", {f"z{n}.html": b"<html><body><dl>" + b"<dt>a<dd>b" * 9 for n in range(4)}))
    cluster_all(clustered)
    assert sizes(clustered) == {3: 18, 5: 4}


def test_a_cluster_that_lost_its_pages_stays_if_a_person_gave_it_something(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one)
    again(clustered, 19)
    assert [cluster.pk for cluster in clustered.clusters.all()] == [one.pk]
    assert sizes(clustered) == {1: 0}
    again(clustered)
    assert sizes(clustered) == {1: 12, 3: 6}, "known again by its mask"
    assert not Cluster.objects.filter(pk=two.pk).exists()


def test_pages_of_one_content_are_no_two_samples(site: Site, tmp_path: Path) -> None:
    files = {f"book/{n}.html": detail(n) for n in range(4)} | {f"copy/{n}.html": detail(n) for n in range(4)}
    bring(site, zip_at(tmp_path / "a.zip", files))
    cluster_all(site)
    chosen = sample_pages.choose_samples(site.clusters.get())
    assert sorted(row.snapshot.page.url for row in chosen) == [f"book/{n}.html" for n in range(4)]
    with CaptureQueriesContext(connection) as queries:
        sample_pages.choose_samples(site.clusters.get())
    assert not any("INSERT" in query["sql"] for query in queries), "what was chosen is kept"


def test_a_merge_survives_clustering_again(clustered: Site, tmp_path: Path) -> None:
    one, two = clustered.clusters.order_by("number")
    merged = clusters.merge_templates(one, [two])
    assert len(merged.masks) == 2
    assert sizes(clustered) == {1: 18}
    again(clustered)
    assert sizes(clustered) == {1: 18}
    again(clustered, 8)
    assert sizes(clustered) == {1: 18}, "six lists are under the threshold now, and were said to belong here"
    bring(clustered, zip_at(tmp_path / "b.zip", {f"list/x{n}.html": listing(n) for n in range(9)}))
    cluster_all(clustered)
    assert sizes(clustered) == {1: 27}


def test_merging_moves_all_that_hangs_on_a_cluster(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one, 1, Rule.State.LIVE)
    rule = make_rule(two, 1, Rule.State.LIVE)
    snapshot = two.snapshots.current().kept()[0]
    label = make_label(two, snapshot)
    make_label(one, one.snapshots.current().kept()[0])
    record = Record.objects.create(snapshot=snapshot, cluster=two, rule=rule, state="complete", extracted_at=snapshot.fetched_at)
    clusters.rename_template(two, "Lists")
    merged = clusters.merge_templates(one, [one, two])
    assert (merged.number, merged.name) == (1, "Lists")
    assert list(merged.rules.order_by("version").values_list("version", "state")) == [(1, "live"), (2, "retired")]
    label.refresh_from_db()
    record.refresh_from_db()
    assert label.cluster == record.cluster == merged
    assert not Cluster.objects.filter(pk=two.pk).exists()


def test_clusters_of_two_sites_or_two_record_types_are_not_merged(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    stranger = Cluster.objects.create(site=Site.objects.create(name="Other", slug="other"), number=1)
    with pytest.raises(JobError, match="another site"):
        clusters.merge_templates(one, [stranger])
    for cluster, name in ((one, "Book"), (two, "List")):
        clusters.set_record_type(cluster, RecordType.objects.create(name=name, slug=name.lower()))
    make_rule(two)
    with pytest.raises(JobError, match="different record type"):
        clusters.merge_templates(one, [two])
    assert clustered.clusters.count() == 2


def test_a_record_type_with_labels_is_not_exchanged(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    make_label(book, book.snapshots.current().kept()[0])
    clusters.set_record_type(book, RecordType.objects.get(name="Book"))
    with pytest.raises(JobError, match="marked values of its current record type"):
        clusters.set_record_type(book, RecordType.objects.create(name="Film", slug="film"))


def test_pages_that_come_in_while_it_thinks_are_clustered_too(clustered: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = cluster_pages._find
    calls: list[int] = []

    def slow(run: Run, progress: Progress) -> Any:
        found = find(run, progress)
        calls.append(len(found.vectors))
        if len(calls) == 1:
            bring(run.site, zip_at(tmp_path / "b.zip", {f"book/new{n}.html": detail(n) for n in range(5)}))
        return found

    monkeypatch.setattr(cluster_pages, "_find", slow)
    again(clustered)
    assert calls == [19, 24]
    assert sizes(clustered) == {1: 17, 2: 6}


def test_the_clustering_of_an_import_is_not_taken_for_one_that_already_works(clustered: Site, tmp_path: Path) -> None:
    working = cluster_pages.start_clustering(clustered)
    assert cluster_pages.start_clustering(clustered) == working
    bring(clustered, zip_at(tmp_path / "b.zip", {"x.html": detail(99)}))
    assert Run.objects.filter(kind=Run.Kind.CLUSTER, state=Run.State.QUEUED).count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_clusterings_at_once_give_what_one_gives(site: Site, tmp_path: Path) -> None:
    bring(site, zip_at(tmp_path / "a.zip", site_files(60, 30)))
    errors: list[BaseException] = []

    def work(threshold: int) -> None:
        try:
            again(site, threshold)
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
    assert sorted(sizes(site).items()) == [(1, 60), (2, 30)]


def test_vectors_of_an_older_scheme_are_made_anew(clustered: Site) -> None:
    before = tables(clustered)
    Snapshot.objects.of_site(clustered).current().filter(error="").update(vector="00" * 8, scheme="older/0")
    again(clustered)
    assert tables(clustered) == before
    assert set(Snapshot.objects.of_site(clustered).current().filter(error="").values_list("scheme", flat=True)) == {shingles.SCHEME}


def test_a_site_without_pages_has_no_clusters(site: Site) -> None:
    assert again(site).summary["clusters"] == 0
    assert clusters.list_templates(site) == clusters.Overview((), 0, 0, 0)


def test_the_overview_counts_what_a_person_asks_for(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one, 1, Rule.State.LIVE)
    rule = make_rule(one, 2)
    pages = list(one.snapshots.current().kept()[:3])
    for snapshot, state in zip(pages, ("complete", "failed", "incomplete"), strict=True):
        reason = "" if state == "complete" else "title is missing"
        Record.objects.create(snapshot=snapshot, cluster=one, rule=rule, state=state, reason=reason, extracted_at=snapshot.fetched_at)
    for name in ("title", "author"):
        make_label(one, pages[0], name)
    clusters.ignore_template(one, True)
    overview = clusters.list_templates(clustered)
    assert (overview.pages, overview.unclustered, overview.unreadable) == (20, 1, 1)
    lists, books = overview.rows
    assert (lists.cluster, books.cluster) == (two, one), "ignored ones come last"
    assert (books.pages, books.share_fraction, books.records.given, books.records.failed) == (12, 0.6, 2, 1)
    assert (books.labelled_pages, books.rules, books.live_version, books.draft_version) == (1, 2, 1, 2)
    assert (books.rule_state, books.breakage, lists.rule_state) == ("live", None, "")
    assert books.preview is not None
    sample = one.samples.get(position=0).snapshot
    assert books.preview == sample
    fresh = Snapshot.objects.create(page=sample.page, sha256="f" * 64, size_bytes=1, fetched_at=sample.fetched_at, cluster=one)
    Page.objects.filter(pk=sample.page_id).update(current=fresh)
    assert {row.cluster: row.preview for row in clusters.list_templates(clustered).rows}[one] == fresh, "as the page is now"


def test_the_overview_asks_as_much_of_ten_thousand_pages(clustered: Site) -> None:
    with CaptureQueriesContext(
        connection,
    ) as few:
        clusters.list_templates(clustered)
    pages = Page.objects.bulk_create([Page(site=clustered, url=f"http://e.com/{n}") for n in range(10_000)])
    extra = [Cluster.objects.create(site=clustered, number=n) for n in range(10, 40)]
    Snapshot.objects.bulk_create(
        [Snapshot(page=p, sha256=f"{p.pk:064x}", size_bytes=1, fetched_at=p.created_at, cluster=extra[p.pk % 30]) for p in pages]
    )
    newest = Snapshot.objects.filter(page=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    Page.objects.filter(current=None).update(current=Subquery(newest))
    with CaptureQueriesContext(connection) as many:
        overview = clusters.list_templates(clustered)
    assert len(few) == len(many) <= 11
    assert len(overview.rows) == 32
    assert overview.pages == 10_020


def test_sample_pages_are_chosen_once_in_greedy_order(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    rows = sample_pages.choose_samples(book, count=5)
    assert [row.position for row in rows] == list(range(5))
    assert all(a.covered_fraction <= b.covered_fraction <= 1 for a, b in itertools.pairwise(rows))
    assert [row.pk for row in sample_pages.choose_samples(book, count=5)] == [row.pk for row in rows]
    assert len(sample_pages.choose_samples(book)) == 10


def test_the_page_with_the_most_comes_first(site: Site, tmp_path: Path) -> None:
    files = {f"{n}.html": detail(n) for n in range(8)} | {
        "rich.html": detail(8, extra="<p>One<b>two</b></p>"),
        "also.html": detail(9, extra="<p>Two<b>x</b>"),
    }
    bring(site, zip_at(tmp_path / "a.zip", files))
    cluster = Cluster.objects.create(site=site, number=1)
    Snapshot.objects.update(cluster=cluster)
    assert sample_pages.choose_samples(cluster, count=2)[0].snapshot.page.url in {"rich.html", "also.html"}


def test_samples_are_chosen_anew_when_pages_change_unless_somebody_labelled(clustered: Site, tmp_path: Path) -> None:
    one, two = clustered.clusters.order_by("number")
    kept = [row.snapshot_id for row in sample_pages.choose_samples(one)]
    make_label(one, one.samples.get(position=3).snapshot)
    first = {row.pk for row in sample_pages.choose_samples(two)}
    files = {f"book/n{n}.html": detail(n) for n in range(5)} | {f"list/n{n}.html": listing(n) for n in range(5)}
    bring(clustered, zip_at(tmp_path / "b.zip", files))
    cluster_all(clustered)
    assert [row.snapshot_id for row in sample_pages.choose_samples(one)] == kept
    assert not first & {row.pk for row in sample_pages.choose_samples(two)}


def test_a_labelled_page_stays_a_sample_and_others_that_left_are_replaced(clustered: Site, tmp_path: Path) -> None:
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


def test_paths_are_cached_and_a_cache_of_another_release_is_made_anew(clustered: Site) -> None:
    snapshot = clustered.clusters.get(number=1).snapshots.current().kept()[0]
    fresh = sample_pages.read_paths(snapshot)
    from extraction.services.core import stored_bytes

    stored_bytes.keep_file(f"paths/{snapshot.sha256[:2]}/{snapshot.sha256[2:]}", b"paths/0\nold")
    assert sample_pages.read_paths(snapshot).to_bytes() == fresh.to_bytes()


def test_of_a_large_cluster_an_even_share_is_looked_at(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sample_pages, "POOL_PAGES", 10)
    bring(site, zip_at(tmp_path / "a.zip", site_files(50, 0)))
    cluster_all(site)
    pool = sample_pages._pool(site.clusters.get())
    order = list(site.clusters.get().snapshots.current().kept().order_by("pk").values_list("pk", flat=True))
    assert [order.index(page.pk) // 5 for page in pool] == list(range(10))
    assert pool == sample_pages._pool(site.clusters.get())


def test_an_unclustered_progress_shows_each_step(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    write = Progress._write

    def note(self: Progress) -> None:
        said.append(self.run.message)
        write(self)

    monkeypatch.setattr(Progress, "_write", note)
    again(clustered)
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
    assert sizes(site) == {1: 40, 2: 8}
    assert len(site.clusters.get(number=1).masks) > 1
    assert not site.clusters.get(number=1).merged
    before = tables(site)
    again(site)
    assert tables(site) == before


def test_the_structure_of_a_page_is_read_once(clustered: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    get = stored_bytes.get_bytes

    def noted(sha256: str) -> bytes:
        read.append(sha256)
        return get(sha256)

    monkeypatch.setattr(stored_bytes, "get_bytes", noted)
    again(clustered)
    assert read == []
