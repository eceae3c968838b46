"""People who take records: the new books every Monday as Excel, and the rows of listings with the pages that they lead to."""

import csv
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import openpyxl
import pytest

from tests.e2e.conftest import ROOT, Dashboard, environment, sign_in
from tests.e2e.test_journey import see

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e


def prepare(dashboard: Dashboard, module: str, *arguments: str) -> str:
    """What a module of this folder prints."""
    command = [sys.executable, "-m", f"tests.e2e.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment(dashboard.folder), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_new_books_of_the_week_arrive_every_monday_as_excel(page: "Page", dashboard: Dashboard) -> None:
    prepare(dashboard, "weekly_shop", "1", "5")
    sign_in(page, "operator")
    page.get_by_role("link", name="Deliveries").first.click()
    page.get_by_role("link", name=re.compile("New target|Add the first target")).first.click()
    page.get_by_label("Records of").select_option("weekly-book")
    see(page, "60-new-target")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Folder", exact=True).fill("for-me")
    page.get_by_label("Format").select_option(label="Excel")
    page.get_by_text("only records that are new since the last delivery").click()
    page.get_by_text("only what comes after you save").click()
    page.get_by_label("At times of day").check()
    page.get_by_role("textbox", name="Times of day").fill("Monday 8:00")
    see(page, "61-only-new-on-mondays")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("on Mon 08:00").wait_for()
    page.get_by_text("5 records were there already").wait_for()
    see(page, "62-target")

    prepare(dashboard, "weekly_shop", "6", "7")
    assert prepare(dashboard, "weekly_shop", "monday") == "1"
    page.reload()
    page.get_by_text("2 lines").wait_for()
    see(page, "63-delivered-on-monday")
    (file,) = (dashboard.folder / "deliveries" / "for-me").glob("*.xlsx")
    head, *rows = openpyxl.load_workbook(file).worksheets[0].iter_rows(values_only=True)
    assert sorted(dict(zip(head, row, strict=True))["isbn"] for row in rows) == ["009780006", "009780007"]


def test_a_key_and_a_schedule_are_set_and_the_changes_are_looked_at(page: "Page", dashboard: Dashboard) -> None:
    prepare(dashboard, "weekly_shop", "11", "14")
    sign_in(page, "operator")
    page.goto("/record-types/weekly-book/")
    page.get_by_role("link", name="Key", exact=True).click()
    see(page, "68-key")
    page.get_by_role("button", name="Use it").click()
    page.get_by_text("This is the key.").wait_for()
    page.goto("/sites/weekly-shop/refresh/")
    page.get_by_label("At times of day").check()
    page.get_by_role("textbox", name="Times of day").fill("Mon-Fri 06:30, Sunday 12:00")
    page.get_by_role("button", name="Set this schedule").click()
    page.get_by_text("(UTC)").first.wait_for()
    assert page.get_by_role("textbox", name="Times of day").input_value() == "Mon-Fri 06:30, Sun 12:00"
    see(page, "69-schedule-with-weekdays")
    prepare(dashboard, "weekly_shop", "8", "9")
    page.goto("/sites/weekly-shop/templates/1/changes/")
    page.get_by_text("009780008").first.wait_for()
    see(page, "70-what-changed")


def test_rows_of_a_listing_and_the_pages_that_they_lead_to_become_one_record(page: "Page", dashboard: Dashboard) -> None:
    slug = prepare(dashboard, "listed_shop")
    sign_in(page, "editor")
    page.goto(f"/sites/{slug}/joins/")
    see(page, "64-joins")
    page.get_by_role("link", name="New join").first.click()
    with page.expect_response("**/joins/fields/**"):
        page.get_by_label("Pages", exact=True).select_option(label="Template 2")
    with page.expect_response("**/joins/fields/**"):
        page.get_by_label("List", exact=True).first.select_option(index=1)
    page.get_by_text("without a page").first.wait_for()
    see(page, "65-new-join")
    page.get_by_role("button", name="Save and join").click()
    page.get_by_text("Tea 1").first.wait_for()  # the page shows the records by itself when they are made
    see(page, "66-joined")
    with page.expect_response("**/figures/**"):  # the dialog says at once how large the file will be
        page.get_by_role("button", name="Export…").click()
    see(page, "67-export-of-a-join")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(each["title"], each["text"], each["price_listing"], each["join_state"]) for each in rows][:2] == [
        ("Tea 1", "Leaves from a hill.", "1.20 GBP", "joined"),
        ("Jam 2", "Sweet and red.", "2.50 GBP", "joined"),
    ]
    assert {each["join_state"] for each in rows} == {"joined", "row without a page", "page without a row"}
