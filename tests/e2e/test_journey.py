"""The whole main job in a browser: from a site's pages in a zip to a CSV that equals the truth."""

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extraction.demo import site as demo_site
from tests.demo.zipped import write_zip
from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.marking import learned, mark, mark_absent, shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.e2e, pytest.mark.journey]

ATTRIBUTES = {
    # name: (type, several values, mandatory)
    "title": ("Text", False, True),
    "authors": ("Text", True, True),
    "price": ("Price with currency", False, False),
    "subjects": ("Text", True, False),
    "published": ("Number", False, True),
}

WHERE = {"title": "h1", "authors": ".byline", "price": ".price", "subjects": ".tags", "published": ".spec-published"}
"""Where on a page of the demo's first design a person sees each; titles and subjects stand in the breadcrumb, too."""


def see(page: "Page", name: str) -> None:
    """Store a screenshot for people to look at, if VERTEX_SCREENSHOTS names a folder."""
    folder = os.environ.get("VERTEX_SCREENSHOTS")
    if folder:
        page.wait_for_load_state("networkidle")
        page.screenshot(path=Path(folder) / f"{name}.png")


def test_an_editor_turns_a_zip_into_a_csv_that_equals_the_truth(page: "Page", dashboard: Dashboard, tmp_path: Path) -> None:
    archive = tmp_path / "inkhorn-lane.zip"
    write_zip(archive)
    truth = demo_site.truth()["book"]

    sign_in(page, "editor")
    see(page, "01-home")
    page.goto("/sites/new/upload/")
    page.get_by_label("Name").fill("Inkhorn Lane")
    see(page, "02-new-site")
    page.locator("input[type=file]").set_input_files(archive)
    see(page, "03-upload")
    page.get_by_role("button", name="Upload and import").click()

    page.wait_for_url("**/runs/*/")
    see(page, "04-run")
    page.get_by_role("link", name="View the templates").click()
    see(page, "05-templates")
    largest = page.locator(".template-card").first
    largest.get_by_role("link", name="Annotate").click()

    page.get_by_role("link", name="New record type").click()
    define_book(page)
    page.wait_for_url("**/annotate/")
    for number in range(2):
        open_sample(page, number)
        annotate(page, truth)
        see(page, f"07-workbench-{number + 1}")
    correct_the_first_that_is_wrong(page, truth)
    see(page, "07-workbench-3")

    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/rules/1/")
    see(page, "08-rule")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Run on all pages").click()
    page.get_by_role("link", name="View the records").click()
    see(page, "09-records")
    page.get_by_role("button", name="Export").click()
    see(page, "10-export")
    page.get_by_label("as they appear on the page").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    compare(Path(download.value.path()), truth)

    page.keyboard.press("Escape")
    page.locator("td a").first.click()
    see(page, "11-page-of-a-value")
    assert "/pages/" in page.url


def define_book(page: "Page") -> None:
    page.get_by_label("Name").first.fill("Book")
    rows = page.locator("tbody [data-row]")
    for number, (name, (kind, several, mandatory)) in enumerate(ATTRIBUTES.items()):
        if rows.count() <= number:
            page.get_by_role("button", name="Add attribute").click()
        row = rows.nth(number)
        row.get_by_label("Name").fill(name)
        row.get_by_label("Type").select_option(label=kind)
        row.get_by_label("Several values").set_checked(several)
        row.get_by_label("Mandatory").set_checked(mandatory)
    see(page, "06-record-type")
    page.get_by_role("button", name="Create record type").click()


def open_sample(page: "Page", number: int) -> None:
    page.locator(".wb-sample").nth(number).click()
    page.wait_for_selector("#workbench:not([data-loading])")
    learned(page)


def correct_the_first_that_is_wrong(page: "Page", truth: dict[str, dict[str, list[str]]]) -> None:
    """Do what an editor does after marking two pages: look at the values on the others, and mark a page on which they are wrong."""
    for number in range(2, page.locator(".wb-sample").count()):
        open_sample(page, number)
        url = page.locator("#page-url").get_attribute("title") or ""
        if any(proposed(page, attribute) != truth[url][attribute] for attribute in ATTRIBUTES):
            annotate(page, truth)
            return


def proposed(page: "Page", attribute: str) -> list[str]:
    """The values of an attribute on the open page."""
    row = shown(page, attribute)
    row.locator(".wb-name").click()
    return [text.strip() for text in row.locator(".wb-value").all_inner_texts()]


def annotate(page: "Page", truth: dict[str, dict[str, list[str]]]) -> None:
    """Confirm proposals that are right. Click a missing value to add it, and a wrong one to remove it."""
    url = page.locator("#page-url").get_attribute("title") or ""
    for attribute in ATTRIBUTES:
        values = truth[url][attribute]
        given = proposed(page, attribute)
        if given == values:
            with page.expect_response(lambda response: response.url.endswith("/label/")):
                page.keyboard.press("Enter")
            learned(page)
        elif not values:
            mark_absent(page, attribute)
        else:
            mark(page, attribute, [value for value in values if value not in given], within=WHERE[attribute])
            if ATTRIBUTES[attribute][1]:  # for an attribute with a single value, the marked one replaces the proposed one
                mark(page, attribute, [value for value in given if value not in values])


def compare(path: Path, truth: dict[str, dict[str, list[str]]]) -> None:
    """Check that every record of the file has the true values of its page, and that at least 85 of 89 books have a record."""
    with path.open(encoding="utf-8", newline="") as file:
        records = {row["source_url"]: row for row in csv.DictReader(file)}
    wrong = {
        (url, attribute): (row[attribute], "; ".join(truth[url][attribute]))
        for url, row in records.items()
        for attribute in ATTRIBUTES
        if row[attribute] != "; ".join(truth[url][attribute])
    }
    assert wrong == {}
    assert len(records) >= 85
