"""Pages are moved between templates in a real Chromium: odd ones in one step, those that a search finds, and back again."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Cluster, Page
from tests.services import factory
from tests.views.conftest import Opened

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sent")]

FILM = "<html><body><main><video></video><h2>Film {}</h2><dl class=cast><dt>A<dd>B</dl><form><input></form></main></body></html>"


@pytest.fixture
def books() -> Cluster:
    """A template of sixty books, more than one page of the list shows, and three films."""
    cluster = factory.cluster(factory.site())
    for n in range(60):
        factory.snapshot(cluster.site, f"https://shop.example/book/{n:02}", factory.book_html(f"Book {n}"), cluster=cluster)
    for n in range(3):
        factory.snapshot(cluster.site, f"https://shop.example/film/{n}", FILM.format(n).encode(), cluster=cluster)
    return cluster


def homes(kind: str) -> set[int | None]:
    """The numbers of the templates that pages of a kind are in."""
    return set(Page.objects.filter(url__contains=f"/{kind}/").values_list("current__cluster__number", flat=True))


def test_odd_pages_are_shown_with_pictures_moved_in_one_step_and_moved_back(opened: Opened, books: Cluster, wrong: list[str]) -> None:
    page = opened(books.get_absolute_url(), "editor")
    odd = page.get_by_role("region", name="Odd pages")
    odd.get_by_text("3 pages lack").wait_for()
    assert odd.locator("iframe").count() == 4
    odd.locator("iframe").first.content_frame.get_by_text("Film 0").wait_for()
    odd.get_by_role("button", name="Move", exact=True).click()
    page.get_by_text("3 pages are now in Template 2.").wait_for()
    assert (homes("film"), homes("book")) == ({2}, {1})
    page.wait_for_load_state("networkidle")
    assert page.get_by_role("region", name="Odd pages").count() == 0
    page.get_by_role("button", name="Undo the move").click()
    page.get_by_text("3 pages are back.").wait_for()
    assert homes("film") == {1}
    assert wrong == []


def test_odd_pages_that_belong_are_not_shown_again(opened: Opened, books: Cluster) -> None:
    page = opened(books.get_absolute_url(), "editor")
    page.get_by_role("button", name="They belong here").click()
    page.get_by_text("3 pages stay in Template 1.").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.get_by_role("region", name="Odd pages").count() == 0
    assert homes("film") == {1}


def test_moving_all_that_match_says_how_many_and_waits_for_the_search(opened: Opened, books: Cluster) -> None:
    page = opened(reverse("site_pages", args=[books.site.slug]), "editor")
    release: list[Any] = []
    page.route("**/pages/?*", lambda route: release.append(route))
    page.get_by_label("Select https://shop.example/book/03").check()
    move, whole = page.get_by_role("button", name="Move 1 page", exact=True), page.get_by_label("or all 63 pages")
    assert move.is_enabled() and whole.is_visible()
    page.locator("[data-search]").fill("/book/*")
    assert move.is_disabled(), "the list is still the old one"
    page.wait_for_timeout(600)
    assert move.is_disabled(), "the answer has not come"
    release[0].continue_()
    page.get_by_text("60 pages", exact=True).wait_for()
    page.get_by_label("Select https://shop.example/book/03").check()
    assert page.get_by_role("button", name="Move 1 page", exact=True).is_enabled()
    page.get_by_label("or all 60 pages found").check()
    page.get_by_role("button", name="Move 60 pages", exact=True).click()
    page.get_by_text("60 pages are now in Template 2.").wait_for()
    assert (homes("book"), homes("film")) == ({2}, {1})


def test_a_move_of_chosen_pages_is_undone_from_the_list(opened: Opened, books: Cluster) -> None:
    page = opened(reverse("site_pages", args=[books.site.slug]) + "?q=film", "editor")
    page.get_by_label("Select all pages shown").check()
    page.get_by_label("Where to move them").select_option("")
    page.get_by_role("button", name="Move 3 pages", exact=True).click()
    page.get_by_text("3 pages are now without a template.").wait_for()
    assert (homes("film"), "q=film" in page.url) == ({None}, True)
    page.get_by_role("button", name="Undo the move").click()
    page.get_by_text("3 pages are back.").wait_for()
    assert homes("film") == {1}
