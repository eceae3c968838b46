"""From a site's address to its templates in a browser, while a person watches, pauses and resumes."""

import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from extraction.demo.server import DemoServer
from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.test_journey import see

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e


class Shop(DemoServer):
    """The demo's shop, which answers only its first requests until it is released, so that a person has time to pause the crawl."""

    first = 60

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def answer(self, target: str) -> Any:
        self.first -= 1
        if self.first < 0:
            self.go_on.wait()
        return super().answer(target)


@pytest.fixture
def shop() -> Iterator[Shop]:
    """Served by this process."""
    with Shop() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.go_on.set()
        server.shutdown()
        thread.join()


def test_an_editor_enters_an_address_and_sees_the_templates_appear(page: "Page", dashboard: Dashboard, shop: Shop) -> None:
    sign_in(page, "editor")
    page.goto("/sites/new/")
    see(page, "20-new-site")
    page.get_by_label("Address", exact=True).fill(shop.address)
    page.get_by_text("More options").click()
    page.get_by_label("Name").fill("Shop by address")
    page.get_by_label("Every page, up to the limit").check()
    page.get_by_label("Seconds between requests").fill("0.05")
    see(page, "21-more-options")
    page.get_by_role("button", name="Fetch pages").click()

    page.wait_for_url("**/sites/shop-by-address/")
    now = page.locator("#now")
    now.get_by_text(re.compile(r"[1-9]\d* fetched")).wait_for()
    see(page, "22-fetching")
    now.get_by_role("button", name="Pause").click()
    now.get_by_role("button", name="Resume").wait_for()
    assert "Paused" in now.inner_text()
    see(page, "23-paused")
    shop.go_on.set()
    now.get_by_role("button", name="Resume").click()

    page.locator(".template-card").first.wait_for()
    assert page.locator(".template-card").count() >= 4
    assert page.locator("#now").inner_text() == ""
    see(page, "24-templates")

    page.get_by_role("link", name="Runs").click()
    page.get_by_role("link", name="Fetch pages").click()
    see(page, "25-outcomes")
    page.get_by_role("link", name="Refused by robots.txt").click()
    assert page.locator("tbody td a").first.inner_text().startswith("/search")
    see(page, "26-refused")
    page.goto("/sites/shop-by-address/settings/")
    assert page.get_by_label("Start addresses").input_value() == f"{shop.address}/"
    see(page, "27-settings")
