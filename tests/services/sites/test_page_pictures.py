"""Pictures beside snapshots: kept once for each content, counted with it, and deleted with it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from extraction.fetching.items import PageItem, RecordedAnswer
from extraction.models import LeftBytes, Page, PagePicture, Run, Site, SiteFetching
from extraction.services.core import left_bytes, stored_bytes
from extraction.services.core.runs import JobError
from extraction.services.monitoring import tidy_checks
from extraction.services.sites import page_pictures, page_store, quotas, sites
from tests.services import factory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

URL = "https://books.example/1"
JPEG = b"\xff\xd8\xff\xe0 the first picture"
LATER = b"\xff\xd8\xff\xe0 a later picture"


@pytest.fixture
def run() -> Run:
    quotas._stored.clear()
    return factory.run(factory.site("Books"), Run.Kind.CRAWL, Run.State.RUNNING)


def item(words: str, *, picture: bytes | None = None, note: str = "") -> PageItem:
    answer = RecordedAnswer(200, {}, b"<p>as received", picture=picture, picture_note=note)
    return PageItem(URL, URL, f"<html><body><p>{words}</p></body></html>".encode(), "text/html", timezone.now(), answer)


def only() -> PagePicture:
    return PagePicture.objects.get()


def test_a_picture_is_kept_beside_the_content_that_it_shows(run: Run) -> None:
    page_store.store_pages(run, [item("old", picture=JPEG)])
    page_store.store_pages(run, [item("new", picture=LATER, note="the page is long")])
    old, new = Page.objects.get().snapshots.order_by("pk")
    assert page_pictures.read_picture(old) == JPEG and page_pictures.read_picture(new) == LATER
    assert (new.picture.size_bytes, new.picture.note) == (len(LATER), "the page is long")


def test_a_content_keeps_its_first_picture(run: Run) -> None:
    unused = b"\xff\xd8\xff\xe0 never stored"
    page_store.store_pages(run, [item("same", picture=JPEG)])
    page_store.store_pages(run, [item("same", picture=unused)])
    page_store.store_pages(run, [item("same", note="the browser could not take a picture")])
    assert stored_bytes.get_bytes(only().sha256) == JPEG
    with pytest.raises(FileNotFoundError):
        stored_bytes.get_bytes(stored_bytes.digest_bytes(unused))


def test_a_page_without_a_picture_says_why_until_it_has_one(run: Run) -> None:
    page_store.store_pages(run, [item("same", note="the page was read without a browser")])
    assert (only().sha256, only().note) == ("", "the page was read without a browser")
    with pytest.raises(FileNotFoundError):
        page_pictures.read_picture(only().snapshot)
    page_store.store_pages(run, [item("same", picture=JPEG)])
    assert (only().sha256, only().note) == (stored_bytes.digest_bytes(JPEG), "")


def test_nothing_is_said_of_a_page_that_was_fetched_without_asking(run: Run) -> None:
    page_store.store_pages(run, [item("same")])
    assert not PagePicture.objects.exists()


def test_a_crawl_that_keeps_no_pages_keeps_no_pictures(run: Run) -> None:
    page_store.store_pages(run, [item("same", picture=JPEG)], keep_new=False)
    assert not PagePicture.objects.exists()


def test_pictures_count_towards_the_bytes_that_a_site_may_hold(run: Run, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_BYTES = 1000
    page_store.store_pages(run, [item("small", picture=b"\xff\xd8" + b"x" * 600)])
    quotas._stored.clear()
    with pytest.raises(JobError, match="bytes of stored pages"):
        page_store.store_pages(run, [item("another", picture=b"\xff\xd8" + b"y" * 600)])


@pytest.mark.parametrize("whole", [True, False])
def test_pictures_are_deleted_with_their_pages(run: Run, whole: bool) -> None:
    page_store.store_pages(run, [item("same", picture=JPEG)])
    sha256 = only().sha256
    assert left_bytes.find_wanted([sha256]) == {sha256}
    Run.objects.update(state=Run.State.DONE, finished_at=timezone.now())
    sites.delete_site(Site.objects.get()) if whole else sites.delete_page(Page.objects.get())
    assert not PagePicture.objects.exists()
    assert LeftBytes.objects.filter(pk=sha256).exists() and not left_bytes.find_wanted([sha256])
    left_bytes.collect_left()
    assert sha256 not in {digest for found in stored_bytes.list_stored(before=timezone.now() + timedelta(days=1)) for digest in found}


def test_pictures_of_versions_that_are_thinned_go_with_them(run: Run) -> None:
    page_store.store_pages(run, [item("old", picture=JPEG)])
    page_store.store_pages(run, [item("new")])
    old = Page.objects.get().snapshots.order_by("pk")[0]
    long_ago = timezone.now() - timedelta(days=400)
    type(old).objects.filter(pk=old.pk).update(checked=True, fetched_at=long_ago)
    sha256 = only().sha256
    assert tidy_checks.tidy_checks(timezone.now())[0] == 1
    assert not PagePicture.objects.exists() and not left_bytes.find_wanted([sha256])
    assert sha256 in stored_bytes.find_thrown_away(timezone.now() + timedelta(days=1))


def test_the_screen_shows_the_picture_or_says_why_there_is_none(run: Run, signed_in: Any) -> None:
    page_store.store_pages(run, [item("old", note="the page was read without a browser")])
    viewer, page = signed_in("viewer"), Page.objects.get()
    address = f"{run.site.get_absolute_url()}pages/{page.pk}/"
    assert "none: the page was read without a browser" in " ".join(viewer.get(address).content.decode().split())
    page_store.store_pages(run, [item("new", picture=JPEG)])
    assert f"picture/{page.snapshots.order_by('pk')[1].pk}/" in viewer.get(address).content.decode()
    PagePicture.objects.all().delete()
    SiteFetching.objects.create(site=run.site, pictures=True)
    assert "none: no picture was asked for when this version was stored" in viewer.get(address).content.decode()
