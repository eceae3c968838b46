"""A shop in two languages: what is marked on pages of one is found on those of the other, too."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.marking import learned, mark, shown
from tests.e2e.test_journey import see
from tests.fixtures import two_language_shop as shop

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

PREPARE = """
from extraction.models import Site
from extraction.services.schema.record_types import AttributeDraft, create_record_type
from extraction.services.templates import clusters
kind = create_record_type("Product", "", [AttributeDraft(None, "name", "text", mandatory=True), AttributeDraft(None, "delivery", "text")])
pages = clusters.list_templates(Site.objects.get(slug="lumen")).rows[0].cluster
clusters.set_record_type(pages, kind)
print(pages.number)
"""


def find_product(page: "Page") -> shop.Product:
    """Return the product of the page that is open in the workbench."""
    url = page.locator("#page-url").get_attribute("title") or ""
    return next(each for language in shop.LANGUAGES for each in shop.list_products(language) if url.endswith(each.path))


def opened(page: "Page") -> None:
    """Wait until the workbench shows a page."""
    page.wait_for_selector(".wb-sample")
    page.wait_for_selector("#workbench:not([data-loading])")


def annotate(page: "Page") -> None:
    product = find_product(page)
    mark(page, "name", [product.name], within="h1")
    mark(page, "delivery", [product.delivery], within=".facts")


def test_what_an_editor_marks_in_one_language_is_found_in_both(page: "Page", dashboard: Dashboard, tmp_path: Path) -> None:
    shop.write_zip(tmp_path / "shop.zip")
    dashboard.manage("import_pages", "Lumen", str(tmp_path / "shop.zip"), "--wait")
    number = dashboard.manage("shell", "--no-imports", "-c", PREPARE).splitlines()[-1]
    template = f"/sites/lumen/templates/{number}/"

    sign_in(page, "editor")
    page.goto(f"{template}annotate/")
    page.wait_for_selector(".wb-sample")
    for sample in range(2):
        page.locator(".wb-sample").nth(sample).click()
        page.wait_for_selector("#workbench:not([data-loading])")
        learned(page)
        annotate(page)
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/rules/1/")
    page.get_by_role("button", name="Publish").wait_for()
    see(page, "60-draft")
    assert not page.locator("#doubts").count()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Run on all pages").click()
    page.get_by_role("link", name="View the records").click()
    assert_all_deliveries_are_right(page)

    page.locator("[data-search]").press_sequentially("aurora leuchte")
    page.get_by_text("2 records", exact=True).wait_for()
    assert page.locator("[data-search]").evaluate("field => field === document.activeElement")
    page.goto(f"{template}values/?attribute=delivery")
    see(page, "63-values-of-a-column")
    page.get_by_role("link", name=re.compile("Aurora")).first.click()
    opened(page)
    assert "Aurora" in find_product(page).name
    assert shown(page, "delivery").get_attribute("aria-current") == "true"


def assert_all_deliveries_are_right(page: "Page") -> None:
    """Check the table of records against the shop."""
    page.locator("tbody tr").first.wait_for()
    truth = {each.name: each.delivery for language in shop.LANGUAGES for each in shop.list_products(language)}
    read = "rows => rows.map(row => [...row.querySelectorAll('td.cell')].map(cell => cell.innerText.trim()))"
    found = dict(page.locator("tbody tr").evaluate_all(read))
    page.get_by_role("link", name="Next").click()
    page.locator("tbody tr", has_text=next(name for name in truth if name not in found)).wait_for()
    found |= dict(page.locator("tbody tr").evaluate_all(read))
    assert found == truth
