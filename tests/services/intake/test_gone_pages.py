"""A page that the site has deleted leaves the records, although no link leads to it and its bytes were not kept."""

from collections.abc import Callable
from typing import Any

import pytest

from extraction.models import Cluster, Page, Record, Run, Site, Source
from extraction.services.intake import crawl_site, rest
from tests.services import factory
from tests.services.importing import done
from tests.services.intake.conftest import Net
from tests.views import world as worlds

pytestmark = pytest.mark.django_db(transaction=True)

HOME = "https://shop.example/"
GONE = f"{HOME}book/17"
ALIAS = f"{GONE}?ref=tile"


def books(*missing: int) -> dict[str, dict[str, Any]]:
    pages = {f"{HOME}book/{n}": {"html": factory.book_html(f"Book {n}", price=f"£{n}.50").decode()} for n in range(20) if n not in missing}
    links = [*pages, *(f"{HOME}book/{n}?ref=tile" for n in missing)]
    return pages | {HOME: {"html": "<html><p>Home</p></html>", "links": links}}


@pytest.fixture
def site(sent: list[int], net: Net) -> Site:
    """A site all of whose pages have records. Most of the pages came with a crawl of the whole site, so they are not kept."""
    world = worlds.make()
    Cluster.objects.update(masks=["**.**.**.**.**.**.**.**"])
    net(books())
    done(crawl_site.start_extracting_crawl(world.site))
    page = Page.objects.get(url=GONE)
    assert not page.kept and Record.objects.filter(snapshot__page=page).exists()
    return world.site


START = {
    "whole": crawl_site.start_extracting_crawl,
    "again": crawl_site.start_crawl,
}


@pytest.mark.parametrize("ways", [("whole", "whole"), ("again", "again"), ("again", "whole")])
def test_a_deleted_page_leaves_with_the_second_crawl_that_finds_it_missing(
    site: Site, net: Net, asked: Callable[[], list[str]], ways: tuple[str, str]
) -> None:
    net(books(17))
    first = done(START[ways[0]](site))
    page = Page.objects.get(url=GONE)
    assert page.gone_at and not page.left_at
    assert first.summary["gone"] == 1
    assert {GONE, ALIAS} <= set(asked()), "its own address is asked for, too"
    done(START[ways[1]](site))
    page.refresh_from_db()
    assert page.left_at
    assert not Record.objects.now().filter(snapshot__page=page).exists()


def test_a_fetch_asks_for_pages_that_are_not_kept_only_if_its_limit_has_room_for_all(
    site: Site, net: Net, asked: Callable[[], list[str]]
) -> None:
    Source.objects.filter(site=site).update(page_limit=10, whole=False)
    net(books(17))
    before = len(asked())
    run = done(crawl_site.start_crawl(site))
    assert GONE not in asked()[before:]
    assert Page.objects.get(url=GONE).gone_at is None
    assert run.addresses.queued().exists()


def test_a_fetch_asks_for_a_page_whose_other_address_the_last_one_found_without_a_page(site: Site, net: Net) -> None:
    Source.objects.filter(site=site).update(page_limit=10, whole=False)
    pages = books(17)
    pages[HOME]["links"] = [ALIAS]
    net(pages)
    page = Page.objects.get(url=GONE)
    for gone, left in ((False, False), (True, False), (True, True)):
        done(crawl_site.start_crawl(site))
        page.refresh_from_db()
        assert (page.gone_at is not None, page.left_at is not None) == (gone, left)


def test_addresses_whose_pages_are_stored_are_not_counted_as_left_out(site: Site, net: Net) -> None:
    Source.objects.filter(site=site).update(page_limit=10, whole=False)
    more = {f"{HOME}book/new": {"html": factory.book_html("New").decode()}}
    found = books() | more
    found[HOME]["links"] = [*found[HOME]["links"], *more]
    net(found)
    run = done(crawl_site.start_crawl(site))
    assert run.addresses.queued().count() > 1
    assert rest.count_left_out(site) == 1


def test_a_fetch_with_room_for_all_pages_keeps_them(site: Site, net: Net) -> None:
    net(books())
    run: Run = done(crawl_site.start_crawl(site))
    assert not run.addresses.queued().exists()
    assert Page.objects.get(url=GONE).kept
