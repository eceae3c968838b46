"""A person moves pages to the right template, and later clusterings respect that."""

from pathlib import Path

import pytest

from extraction.models import Cluster, Label, Page, Placement, Record, Run, SamplePage, Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.intake import previews
from extraction.services.templates import cluster_pages, clusters, moving_back, placing
from extraction.services.templates.page_matching import Matcher, PageRow
from tests.services import factory
from tests.services.importing import bring, cluster_all, detail, done, listing, zip_at
from tests.services.templates.clustered_site import make_label, make_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def film(n: int) -> bytes:
    """A film's page: a book's page with a player and a cast, which the tests put into the books' cluster."""
    return detail(n, extra="<video></video><dl class=cast><dt>A<dd>B</dl>")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Template 1 of twelve books and four films, template 2 of six lists."""
    site = Site.objects.create(name="Shop", slug="shop")
    files = {f"book/{n:02}.html": detail(n) for n in range(12)} | {f"film/{n:02}.html": film(n) for n in range(4)}
    bring(site, zip_at(tmp_path / "a.zip", files | {f"list/{n:02}.html": listing(n) for n in range(6)}))
    cluster_all(site)
    return site


def homes(site: Site) -> dict[str, dict[int | None, int]]:
    """{kind of page: {number of its template: pages}}."""
    found: dict[str, dict[int | None, int]] = {}
    for url, number in Snapshot.objects.of_site(site).current().values_list("page__url", "cluster__number"):
        kind = found.setdefault(url[:4], {})
        kind[number] = kind.get(number, 0) + 1
    return found


def one(site: Site) -> Cluster:
    """Put all books and films into one template, whatever the clustering found."""
    books, *others = [
        cluster for cluster in site.clusters.order_by("number") if not cluster.snapshots.current().kept()[0].page.url.startswith("list")
    ]
    return clusters.merge_templates(books, others)


def pages(site: Site, kind: str) -> list[Page]:
    return list(Page.objects.filter(site=site, url__startswith=kind).order_by("url"))


def again(site: Site) -> None:
    run = done(cluster_pages.start_clustering(site))
    assert run.state == Run.State.DONE, run.error


def test_pages_like_one_in_the_wrong_template_are_found(site: Site) -> None:
    one(site)
    first = Snapshot.objects.of_site(site).current().get(page__url="film/00.html")
    assert [each.snapshot.page.url for each in placing.find_alike(first)] == ["film/01.html", "film/02.html", "film/03.html"]
    assert all(each.likeness > 0.9 for each in placing.find_alike(first))


def test_a_new_template_is_kept_by_clustering_again_and_takes_in_later_pages_like_it(site: Site, tmp_path: Path) -> None:
    books = one(site)
    moved = placing.move_to_new_template(site, pages(site, "film"))
    assert moved.into is not None
    films = moved.into.number
    assert (moved.pages, films > 2) == (4, True)
    again(site)
    found = homes(site)
    assert (found["film"], found["book"]) == ({films: 4}, {books.number: 12})
    bring(site, zip_at(tmp_path / "b.zip", {f"film/x{n}.html": film(n + 50) for n in range(3)}))
    cluster_all(site)
    found = homes(site)
    assert (found["film"], found["book"]) == ({films: 7}, {books.number: 12})


def test_a_template_of_chosen_pages_has_their_addresses_and_gets_a_picture(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "can_draw", lambda: True)
    Run.objects.filter(kind=Run.Kind.PREVIEW).delete()  # that of the clustering, which is still waiting here
    books = one(site)
    moved = placing.move_to_new_template(site, pages(site, "film"))
    assert moved.into is not None
    assert len(moved.into.url_patterns) == 1 and "film" in moved.into.url_patterns[0]
    books.refresh_from_db()
    assert books.url_patterns and not any("film" in pattern for pattern in books.url_patterns)
    assert Run.objects.filter(kind=Run.Kind.PREVIEW, site=site).exists()


def test_removed_pages_stay_out_and_so_do_later_pages_like_them(site: Site, tmp_path: Path) -> None:
    books = one(site)
    assert placing.move_pages(site, pages(site, "film"), None).pages == 4
    again(site)
    assert homes(site)["film"] == {None: 4}
    bring(site, zip_at(tmp_path / "b.zip", {"film/x.html": film(99), "book/x.html": detail(99)}))
    cluster_all(site)
    assert (homes(site)["film"], homes(site)["book"]) == ({None: 5}, {books.number: 13})


def test_pages_can_be_moved_to_another_template_and_back(site: Site) -> None:
    books, lists = one(site), Cluster.objects.get(snapshots__page__url="list/00.html")
    placing.move_pages(site, pages(site, "film")[:1], lists)
    assert homes(site)["film"] == {books.number: 3, lists.number: 1}
    again(site)
    assert homes(site)["film"] == {books.number: 3, lists.number: 1}
    placing.move_pages(site, pages(site, "film")[:1], books)
    again(site)
    assert homes(site)["film"] == {books.number: 4}
    assert Placement.objects.filter(belongs=True).count() == 1


def test_labels_move_with_a_page_if_they_fit_and_are_deleted_otherwise(site: Site) -> None:
    books, lists = one(site), Cluster.objects.get(snapshots__page__url="list/00.html")
    first, second = (Snapshot.objects.of_site(site).current().get(page__url=f"film/0{n}.html") for n in range(2))
    make_label(books, first)
    label = make_label(books, second)
    rule = make_rule(books)
    Record.objects.create(snapshot=first, cluster=books, rule=rule, state="complete", extracted_at=first.fetched_at)
    SamplePage.objects.filter(cluster=books).delete()
    SamplePage.objects.create(cluster=books, snapshot=first, position=0, covered_fraction=1)
    moved = placing.move_pages(site, [first.page], lists)
    assert (moved.labels, moved.records) == (1, 1)
    assert not SamplePage.objects.filter(snapshot=first).exists()
    lists.record_type = label.attribute.record_type
    lists.save()
    moved = placing.move_pages(site, [second.page], lists)
    assert (moved.labels, Label.objects.get().cluster_id) == (0, lists.pk)


def test_an_empty_selection_and_templates_of_other_sites_are_refused(site: Site) -> None:
    elsewhere = Cluster.objects.create(site=Site.objects.create(name="B", slug="b"), number=1)
    with pytest.raises(JobError, match="no page was selected"):
        placing.move_pages(site, [], None)
    with pytest.raises(JobError, match="no page was selected"):
        placing.move_to_new_template(site, [])
    with pytest.raises(JobError, match="belongs to another site"):
        placing.move_pages(site, pages(site, "film"), elsewhere)


def test_similar_pages_below_the_threshold_are_offered_as_small_templates(tmp_path: Path) -> None:
    site = Site.objects.create(name="Small", slug="small")
    files = {f"book/{n:02}.html": detail(n) for n in range(12)} | {f"list/{n:02}.html": listing(n) for n in range(3)}
    bring(site, zip_at(tmp_path / "a.zip", files | {"about.html": b"<html><body><p>About us"}))
    run = done(cluster_pages.start_clustering(site, threshold=4))
    assert (run.summary["clusters"], run.summary["small"], run.summary["clustered"], run.summary["unclustered"]) == (1, 1, 12, 1)
    small = site.clusters.get(small=True)
    assert small.snapshots.current().kept().count() == 3
    clusters.ignore_template(small, False)
    clusters.rename_template(small, "Lists")
    again_with = done(cluster_pages.start_clustering(site, threshold=5))
    small.refresh_from_db()
    assert (again_with.summary["clusters"], again_with.summary["small"], small.small) == (2, 0, False)


def test_a_small_template_that_grows_becomes_an_ordinary_one(tmp_path: Path) -> None:
    site = Site.objects.create(name="Small", slug="small")
    files = {f"list/{n:02}.html": listing(n) for n in range(3)}
    bring(site, zip_at(tmp_path / "a.zip", files | {"about.html": b"<html><body><p>About us"}))
    done(cluster_pages.start_clustering(site, threshold=4))
    assert [cluster.small for cluster in site.clusters.all()] == [True]
    bring(site, zip_at(tmp_path / "b.zip", {f"list/x{n:02}.html": listing(n + 9) for n in range(3)}))
    done(cluster_pages.start_clustering(site, threshold=4))
    assert [(cluster.small, cluster.snapshots.current().kept().count()) for cluster in site.clusters.all()] == [(False, 6)]


def test_a_later_page_without_a_covering_mask_is_matched_by_its_core_if_it_is_similar(site: Site) -> None:
    Cluster.objects.filter(site=site).update(masks=[])
    matcher = Matcher(site)

    def row(name: str, content: bytes) -> PageRow:
        page = factory.snapshot(site, name, content)
        return PageRow(page.pk, page.sha256, "", "", page.vector, page.scheme, None, name)

    assert matcher.cluster_of(row("list/77.html", listing(77))) == Cluster.objects.get(snapshots__page__url="list/00.html").pk
    assert matcher.cluster_of(row("list/odd.html", b"<html><body><form><input><select><option>x</select></form><footer>y")) is None
    assert matcher.cluster_of(row("list/empty.html", b" ")) is None


def test_a_move_of_another_site_or_of_pages_that_moved_again_is_not_undone(site: Site) -> None:
    books = one(site)
    films = pages(site, "film")
    moved = placing.move_pages(site, films, None)
    memory = moving_back.remember_move(site, moved, made=False)
    with pytest.raises(JobError, match="the move was on another site"):
        moving_back.undo_move(factory.site("Other"), memory)
    placing.move_pages(site, films, factory.cluster(site, number=9))
    with pytest.raises(JobError, match="the pages have moved again since, or their templates are gone"):
        moving_back.undo_move(site, memory)
    assert homes(site)["film"] == {9: 4} and books.pk


def test_marked_values_whose_attribute_is_gone_do_not_come_back(site: Site) -> None:
    books = one(site)
    kind = factory.record_type({"title": "text", "year": "text"})
    clusters.set_record_type(books, kind)
    page = pages(site, "book")[0]
    assert page.current
    for name in ("title", "year"):
        make_label(books, page.current, name)
    moved = placing.move_pages(site, [page], None)
    assert not Label.objects.exists()
    kind.attributes.get(name="year").delete()
    back = moving_back.undo_move(site, moving_back.remember_move(site, moved, made=False))
    assert (back.pages, back.left, back.labels) == (1, 0, 1)
    assert [label.attribute.name for label in Label.objects.all()] == ["title"]
