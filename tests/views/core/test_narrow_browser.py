"""No screen is wider than the browser, from a phone to a wide screen, however long names are. What is wide scrolls within its box."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from extraction.models import Cluster, Page, RecordType, Site, Snapshot
from tests.e2e import browser
from tests.views import world as worlds
from tests.views.addresses import address
from tests.views.core.test_access import SHOWN

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

api = pytest.importorskip("playwright.sync_api")

LONG = "Annual catalogue of second-hand, rare and antiquarian books"
WIDTHS = (360, 390, 768, 1920)
"""A small and a usual phone, a tablet, a wide screen."""


@pytest.fixture
def page(live_server: Any, person: Any) -> Iterator[Any]:
    """A page of Chromium, signed in as an administrator."""
    client = Client()
    client.force_login(person("admin"))
    with api.sync_playwright() as playwright:
        launched = browser.launch(playwright)
        context = launched.new_context(base_url=live_server.url, viewport={"width": WIDTHS[0], "height": 844})
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
        yield context.new_page()
        launched.close()


def measure(page: Any, path: str) -> dict[int, int] | None:
    """{width of the browser: width of a screen}, None for a part of one or a download."""
    answer = page.context.request.get(path)
    if not answer.ok or 'class="shell"' not in answer.text():
        return None
    page.goto(path, wait_until="load")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        found[width] = int(page.evaluate("document.documentElement.scrollWidth"))
    return found


def test_no_screen_is_wider_than_the_browser(page: Any, sent: list[int]) -> None:
    world = worlds.make()
    Site.objects.filter(pk=world.site.pk).update(name=LONG)
    Cluster.objects.filter(pk=world.cluster.pk).update(name=LONG)
    RecordType.objects.filter(pk=world.record_type.pk).update(name=LONG)
    Page.objects.filter(pk=world.page.pk).update(
        url=f"https://www.shop.example/{'catalogue-of-antiquarian-books/' * 5}index.html?edition=2"
    )
    Snapshot.objects.filter(page=world.page).update(title=LONG)
    widths = {name: width for name in SHOWN if (width := measure(page, address(world, name))) is not None}
    assert len(widths) > 50
    assert {name: found for name, found in widths.items() if any(shown > width for width, shown in found.items())} == {}


def test_a_phone_shows_the_actions_of_a_page_and_of_a_card_whole(page: Any, sent: list[int]) -> None:
    world = worlds.make()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address(world, "page"))
    inside = """() => { const header = document.querySelector(".header").getBoundingClientRect();
      return [...document.querySelectorAll(".header .actions > *")].every(each => {
        const box = each.getBoundingClientRect(); return box.top >= header.top && box.bottom <= header.bottom; }) }"""
    assert page.locator(".header .actions > *").count() == 3
    assert page.evaluate(inside)
    page.goto(address(world, "site"))
    middles = "foot => [...foot.children].map(each => Math.round(each.getBoundingClientRect().top + each.offsetHeight / 2))"
    assert len(set(page.locator(".template-foot").first.evaluate(middles))) == 1
