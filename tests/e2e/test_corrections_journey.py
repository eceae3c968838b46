"""An editor cleans up a column, corrects a value, and finds it kept after the next run and offered for review when the page changes."""

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import ROOT, Dashboard, environment, sign_in
from tests.e2e.corrected_shop import SLUG
from tests.e2e.test_journey import see

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

TEMPLATE = f"/sites/{SLUG}/templates/1/"


def prepare(dashboard: Dashboard, *arguments: str) -> None:
    command = [sys.executable, "-m", "tests.e2e.corrected_shop", *arguments]
    settings = environment(dashboard.folder) | {"DJANGO_SETTINGS_MODULE": "vertex.settings"}
    subprocess.run(command, cwd=ROOT, env=settings, check=True)


def test_a_value_is_cleaned_up_corrected_kept_and_reviewed(page: "Page", dashboard: Dashboard) -> None:
    prepare(dashboard)
    dashboard.manage("extract", SLUG, "--here")
    sign_in(page, "editor")

    page.goto(f"{TEMPLATE}rules/1/clean-up/?attribute=price")
    page.get_by_role("button", name="Default unit").click()
    page.get_by_label("Unit, such as EUR").fill("EUR")
    page.locator("#cleanup-preview").get_by_text("1.50 EUR").first.wait_for()
    assert "4 changed" in page.locator("#cleanup-preview").inner_text()
    assert page.locator("#cleanup-preview tbody tr").first.inner_text().startswith("on request")
    see(page, "50-clean-up")
    page.get_by_role("button", name="Save as a new draft").click()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Publish anyway").click()  # a third of the prices cannot be read
    page.get_by_role("button", name="Run on all pages").click()
    page.get_by_text("6 records").first.wait_for()

    page.goto(f"{TEMPLATE}records/?sort=url")
    page.locator("tbody").get_by_role("link", name="Record values").first.click()
    page.get_by_label("Correct price").click()
    page.get_by_label("The right value").fill("9.75")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("It is marked where it stands on the page").wait_for()
    page.get_by_text("corrected by editor").wait_for()
    assert "on the page: 1.50" in page.locator("main").inner_text()
    see(page, "51-corrected")

    dashboard.manage("extract", SLUG, "--here")
    page.reload()
    page.get_by_text("corrected by editor").wait_for()

    prepare(dashboard, "2.25")
    dashboard.manage("extract", SLUG, "--here")
    page.goto(f"{TEMPLATE}records/")
    page.get_by_role("link", name="1 correction to review").click()
    assert all(text in page.locator("main").inner_text() for text in ("1.50", "9.75", "2.25"))
    see(page, "52-review")
    page.get_by_role("button", name="Keep").click()
    page.get_by_text("1 in use").wait_for()
    page.get_by_role("link", name="/1", exact=True).click()
    page.get_by_text("corrected by editor").wait_for()
