"""A page that is met under a second address gives no second record, whatever the crawl could read of the first."""

from typing import Any

import pytest

from extraction.models import CrawlAddress, Page, Run, Site, Source
from extraction.services.intake import crawl_site
from tests.services.importing import detail, done
from tests.services.intake.conftest import Net

pytestmark = pytest.mark.django_db(transaction=True)

HOME = "https://shop.example/"
BOOK, OTHER = f"{HOME}book/1", f"{HOME}book/1?ref=tile"


@pytest.fixture
def site(db: None, sent: list[int]) -> Site:
    made = Site.objects.create(name="Shop", slug="shop", address=HOME)
    Source.objects.create(site=made, addresses=[HOME], whole=True)
    return made


def crawl(site: Site) -> Run:
    return done(crawl_site.start_crawl(site))


def page(number: int = 1, **others: Any) -> dict[str, Any]:
    return {"html": detail(number).decode(), **others}


def home(*urls: str) -> dict[str, Any]:
    return {"html": "<html><title>Shop</title><p>Welcome</p></html>", "links": list(urls)}


def same(url: str = BOOK) -> dict[str, Any]:
    """What the crawling process says of a page that it has read under another address, with its bytes."""
    return page(outcome="duplicate", same_as=url, message="it shows the same")


def standing() -> list[str]:
    return sorted(Page.objects.filter(gone_at=None, left_at=None).exclude(url=HOME).values_list("url", flat=True))


@pytest.mark.parametrize("answer", [{"headers": {"etag": '"1"'}}, {"outcome": "server_error", "status": 500}])
def test_a_page_is_known_under_another_address_although_it_was_not_read(site: Site, net: Net, answer: dict[str, Any]) -> None:
    """The server says that the page has not changed, or it does not answer for it."""
    net({HOME: home(BOOK), BOOK: page(headers={"etag": '"1"'})})
    crawl(site)
    net({HOME: home(BOOK, OTHER), BOOK: page() | answer, OTHER: page()})
    run = crawl(site)
    assert standing() == [BOOK]
    address = CrawlAddress.objects.get(run=run, url=OTHER)
    assert (address.outcome, address.final_url) == ("duplicate", BOOK)
    assert run.summary.get("new", 0) == 0


def test_a_page_whose_bytes_differ_but_not_its_words_is_known_under_another_address(site: Site, net: Net) -> None:
    net({HOME: home(BOOK), BOOK: page(headers={"etag": '"1"'})})
    crawl(site)
    net({HOME: home(OTHER), BOOK: page(headers={"etag": '"1"'}), OTHER: {"html": detail(1).decode().replace("<body", "<body data-a=1")}})
    crawl(site)
    assert standing() == [BOOK]


def test_another_page_at_an_address_with_a_query_is_a_page(site: Site, net: Net) -> None:
    net({HOME: home(BOOK), BOOK: page(headers={"etag": '"1"'})})
    crawl(site)
    net({HOME: home(OTHER), BOOK: page(headers={"etag": '"1"'}), OTHER: page(2)})
    assert crawl(site).summary["new"] == 1
    assert standing() == [BOOK, OTHER]


def test_a_page_that_moved_is_no_repetition_of_the_one_that_is_gone(site: Site, net: Net) -> None:
    moved = f"{HOME}books/one"
    net({HOME: home(BOOK), BOOK: page()})
    crawl(site)
    net({HOME: home(moved), moved: page()})
    crawl(site)
    assert standing() == [moved]


def make_twice(site: Site, net: Net) -> None:
    """Store a page under two addresses, as a crawl does when the first did not answer and the content is new."""
    net({HOME: home(BOOK), BOOK: page()})
    crawl(site)
    net({HOME: home(BOOK, OTHER), BOOK: page(outcome="server_error", status=500), OTHER: page(2)})
    crawl(site)
    assert standing() == [BOOK, OTHER]


@pytest.mark.parametrize("order", [(BOOK, OTHER), (OTHER, BOOK)])
@pytest.mark.parametrize("number", [2, 3])
def test_a_page_that_was_stored_twice_stays_under_its_first_address(site: Site, net: Net, order: tuple[str, str], number: int) -> None:
    """Whichever answers first, and whether it has changed since or not."""
    make_twice(site, net)
    first, second = order
    net({HOME: home(BOOK, OTHER), first: page(number), second: same(first) | {"html": detail(number).decode()}})
    run = crawl(site)
    if number == 3 and first == BOOK:
        assert standing() == [BOOK, OTHER], "nothing stored says yet that they are the same"
        run = crawl(site)
    assert standing() == [BOOK]
    assert run.summary["repeated"] == 1
    assert Page.objects.get(url=OTHER).same_as == Page.objects.get(url=BOOK)
    again = crawl(site)
    assert standing() == [BOOK] and not again.summary.get("repeated")


def test_pages_that_a_server_calls_unchanged_are_compared_by_what_is_stored(site: Site, net: Net) -> None:
    make_twice(site, net)
    tagged = page(2, headers={"etag": '"2"'})
    Page.objects.get(url=OTHER).snapshots.update(headers={"etag": '"2"'})
    net({HOME: home(BOOK, OTHER), BOOK: tagged, OTHER: tagged})
    assert crawl(site).summary["repeated"] == 1
    assert standing() == [BOOK]


def test_a_repetition_that_is_found_before_it_answers_is_counted_once(site: Site, net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 1)
    make_twice(site, net)
    net({HOME: home(BOOK, OTHER), BOOK: page(2), OTHER: page(2)})
    assert crawl(site).summary["repeated"] == 1
    assert standing() == [BOOK]


def test_a_repetition_that_shows_something_else_is_a_page_again(site: Site, net: Net) -> None:
    make_twice(site, net)
    net({HOME: home(BOOK, OTHER), BOOK: page(2), OTHER: same()})
    crawl(site)
    assert standing() == [BOOK]
    net({HOME: home(BOOK, OTHER), BOOK: page(2), OTHER: page(7)})
    crawl(site)
    assert standing() == [BOOK, OTHER]
    assert Page.objects.get(url=OTHER).same_as is None


def test_pages_that_all_get_the_same_answer_today_stay(site: Site, net: Net) -> None:
    """A wall: what is stored of the pages shows that they are different ones."""
    urls = [f"{HOME}book?id={number}" for number in range(7)]
    net({HOME: home(*urls)} | {url: page(number) for number, url in enumerate(urls)})
    crawl(site)
    wall = {"html": "<html><title>Hello</title><p>Please wait until we know you</p></html>"}
    net({HOME: home(*urls), urls[0]: wall} | {url: wall | {"outcome": "duplicate", "same_as": urls[0]} for url in urls[1:]})
    for _ in range(3):
        run = crawl(site)
        assert standing() == urls
        assert not run.summary.get("repeated")
