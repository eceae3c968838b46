"""Somebody who has only read the README takes a shop in two languages from its address, or from an archive, to two right CSV files: one of
the products, and one of the rows of its listings."""

import csv
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.marking import choose, click_text, learned, mark, mark_absent
from tests.e2e.test_journey import open_sample, proposed, see
from tests.e2e.test_shop_journey import find_product, opened
from tests.fixtures import two_language_shop as shop

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

ATTRIBUTES = {"name": "Text", "price": "Price with currency", "brand": "Text", "material": "Text", "weight": "Text", "delivery": "Text"}
WHERE = {"name": "h1", "price": ".price"}
"""Within which element a value is clicked; `.facts` for the others."""

MOST_PAGES, MOST_S = 3, 600


@dataclass
class Stranger:
    """What the stranger did. marked: the addresses of the pages on which something was marked, products and listings apart."""

    page: "Page"
    folder: Path
    started: float = field(default_factory=time.monotonic)
    marked: dict[str, set[str]] = field(default_factory=lambda: {"products": set(), "listings": set()})

    def note(self, kind: str) -> None:
        self.marked[kind].add(self.page.locator("#page-url").get_attribute("title") or "")


@pytest.fixture
def address() -> Iterator[str]:
    with shop.serve(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def bring_by_address(page: "Page", name: str, address: str, _: Path) -> None:
    page.goto("/")
    page.get_by_role("link", name="New site").first.click()
    page.get_by_label("Address", exact=True).fill(address)
    page.get_by_text("More options").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Fetch pages").click()
    page.locator(".template-card").first.wait_for()


def bring_by_zip(page: "Page", name: str, _: str, folder: Path) -> None:
    shop.write_zip(folder / "shop.zip")
    page.goto("/")
    page.get_by_role("link", name="New site").first.click()
    page.get_by_role("link", name="Upload").first.click()
    page.get_by_label("Name").fill(name)
    page.locator("input[type=file]").set_input_files(folder / "shop.zip")
    page.get_by_role("button", name="Upload and import").click()
    page.get_by_role("link", name="View the templates").click()
    page.locator(".template-card").first.wait_for()


@pytest.mark.parametrize("bring", [bring_by_zip, bring_by_address])
def test_a_stranger_gets_the_right_products_and_the_right_rows(
    page: "Page", dashboard: Dashboard, tmp_path: Path, address: str, bring: Any, record_property: Any
) -> None:
    name = f"Lumen {bring.__name__.rpartition('_')[2]}"
    sign_in(page, "editor")
    stranger = Stranger(page, tmp_path)
    bring(page, name, address, tmp_path)
    site = page.url
    found = take_products(stranger, f"Product of {name}")
    assert found == {each.name: values_of(each) for language in shop.LANGUAGES for each in shop.list_products(language)}
    products_s = time.monotonic() - stranger.started
    page.goto(site)
    assert take_listings(stranger, f"Listing of {name}") == all_offers()
    listings_s = time.monotonic() - stranger.started
    pages = {kind: len(urls) for kind, urls in stranger.marked.items()}
    record_property("stranger", f"{name}: products after {products_s:.0f} s, rows after {listings_s:.0f} s, pages marked {pages}")
    print(f"{name}: products after {products_s:.0f} s, rows after {listings_s:.0f} s, pages marked {pages}")
    assert listings_s <= MOST_S
    assert max(pages.values()) <= MOST_PAGES


def values_of(each: shop.Product) -> dict[str, str]:
    return {name: getattr(each, name) for name in ATTRIBUTES}


def all_offers() -> Counter[tuple[str, str]]:
    """Every row of every page of a listing."""
    listings = [(language, kind, page) for language in shop.LANGUAGES for kind in shop.KINDS for page in (1, 2)]
    return Counter(row for listing in listings for row in shop.list_offers(*listing))


def take_products(stranger: Stranger, record_type: str) -> dict[str, dict[str, str]]:
    """Go from the site's page to the CSV file of the products, and return what it has by name."""
    page = stranger.page
    page.locator(".template-card").first.get_by_role("link", name="Annotate").click()
    page.get_by_role("link", name="New record type").click()
    page.get_by_label("Name").first.fill(record_type)
    rows = page.locator("tbody [data-row]")
    for number, (name, kind) in enumerate(ATTRIBUTES.items()):
        if rows.count() <= number:
            page.get_by_role("button", name="Add attribute").click()
        rows.nth(number).get_by_label("Name").fill(name)
        rows.nth(number).get_by_label("Type").select_option(label=kind)
    page.get_by_role("button", name="Create record type").click()
    opened(page)
    mark_until_right(stranger)
    see(page, "80-products-marked")
    lines = publish_and_download(stranger, "products")
    return {line["name"]: {name: line[name] for name in ATTRIBUTES} for line in lines}


def mark_until_right(stranger: Stranger) -> None:
    """Mark the first sample page, then look through the others and mark those on which a value is wrong."""
    page = stranger.page
    for number in range(page.locator(".wb-sample").count()):
        open_sample(page, number)
        product = find_product(page)
        if number and all(proposed(page, name) == ([value] if value else []) for name, value in values_of(product).items()):
            continue
        stranger.note("products")
        for name, value in values_of(product).items():
            mark_value(page, name, value)


def mark_value(page: "Page", name: str, value: str) -> None:
    """Confirm what is proposed if it is right, else click the value or say that the page has none."""
    given = proposed(page, name)
    if not value:
        mark_absent(page, name)
    elif given == [value]:
        with page.expect_response(lambda response: response.url.endswith("/label/")):
            page.keyboard.press("Enter")
        learned(page)
    else:
        mark(page, name, [value], within=WHERE.get(name, ".facts"))


def take_listings(stranger: Stranger, record_type: str) -> Counter[tuple[str, str]]:
    """Go from the site's page to the CSV file of the rows of the listings."""
    page = stranger.page
    page.locator(".template-card").nth(1).get_by_role("link", name="Annotate").click()
    page.get_by_role("link", name="New record type").click()
    page.get_by_label("Name").first.fill(record_type)
    page.get_by_role("button", name="Add a list").click()
    page.get_by_label("Name of the list").fill("offers")
    rows = page.locator("[data-list-row] ~ [data-row]")
    for number, (name, kind) in enumerate({"name": "Text", "price": "Price with currency"}.items()):
        if rows.count() <= number:
            page.get_by_role("button", name="Add column").click()
        rows.nth(number).get_by_label("Name").fill(name)
        rows.nth(number).get_by_label("Type").select_option(label=kind)
    see(page, "81-a-list")
    page.get_by_role("button", name="Create record type").click()
    opened(page)
    mark_two_rows(stranger)
    see(page, "82-rows-marked")
    lines = publish_and_download(stranger, "listings")
    return Counter((line["name"], line["price"]) for line in lines)


def mark_two_rows(stranger: Stranger) -> None:
    """Mark the first two rows of the first sample page. `r` goes to the next row."""
    page = stranger.page
    stranger.note("listings")
    for row in range(2):
        for number, name in enumerate(("name", "price")):
            choose(page, name)
            with page.expect_response(lambda response: response.url.endswith("/label/")):
                click_text(page, find_offers(page)[row][number], within=".tiles")
            learned(page)
        page.keyboard.press("r")
    page.locator(".wb-found-head b").first.wait_for()


def find_offers(page: "Page") -> list[tuple[str, str]]:
    """Return the rows of the listing that is open in the workbench."""
    url = page.locator("#page-url").get_attribute("title") or ""
    path, _, query = url.partition("?")
    language, kind = path.rstrip("/").split("/")[-2:]
    return shop.list_offers(language, kind, int(query.partition("=")[2] or 1))


def publish_and_download(stranger: Stranger, kind: str) -> list[dict[str, str]]:
    """Learn, look at what is in doubt, publish, run, and download the records as they appear on the pages."""
    page = stranger.page
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/rules/1/")
    see(page, f"83-rule-of-{kind}")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Run on all pages").click()
    page.get_by_role("link", name="View the records").click()
    see(page, f"84-records-of-{kind}")
    page.get_by_role("button", name="Export").click()
    page.get_by_label("as they appear on the page").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
