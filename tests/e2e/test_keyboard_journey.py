"""The journeys of an editor, of somebody who takes records and of an operator by the keyboard alone. Whatever has the focus can be seen."""

import csv
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.utils.text import slugify

from extraction.demo import site as demo_site
from extraction.demo.server import DemoServer
from tests.demo.zipped import write_zip
from tests.e2e.conftest import PASSWORD, ROOT, Dashboard, environment
from tests.e2e.marking import learned

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

MOST_TABS = 80
"""Whoever needs more to reach something is lost."""

_FOCUS = """
() => {
  const at = document.activeElement;
  const name = at.getAttribute("aria-label") || at.labels?.[0]?.innerText || at.innerText || at.value || "";
  const look = getComputedStyle(at);
  const seen = look.outlineStyle !== "none" || look.boxShadow !== "none";
  return [name.trim().split("\\n")[0], seen, at.tagName];
}
"""


def go_to(page: "Page", name: str, *, back: bool = False) -> None:
    """Press Tab until something of this name has the focus."""
    passed = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        found, seen, tag = page.evaluate(_FOCUS)
        if tag not in ("BODY", "IFRAME"):
            passed.append(found)
            assert seen, f"the focus on “{found}” ({tag}) cannot be seen"
        if found.startswith(name):
            return
    pytest.fail(f"{name} is not reached, only {passed}")


def press(page: "Page", name: str) -> None:
    """Go to a link or a button and press it."""
    go_to(page, name)
    page.keyboard.press("Enter")


def enter(page: "Page", name: str, text: str) -> None:
    """Go to a field and fill it in."""
    go_to(page, name)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def take(page: "Page", text: str) -> None:
    """Mark the first place of the page that has this text as the value of the present attribute."""
    with page.expect_response(lambda response: response.url.endswith("/label/")):
        page.keyboard.press("/")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    learned(page)
    page.keyboard.press("Escape")


def sign_in(page: "Page", person: str = "editor") -> None:
    page.goto("/")
    enter(page, "Name", person)
    enter(page, "Password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
    page.keyboard.press("Tab")
    assert page.evaluate(_FOCUS)[0] == "Skip to content"
    page.keyboard.press("Enter")


def upload(page: "Page", archive: Path) -> None:
    press(page, "New site")
    page.wait_for_url("**/sites/new/")
    press(page, "Upload pages")
    page.wait_for_url("**/upload/")
    enter(page, "Name", "Keyboard Lane")
    with page.expect_file_chooser() as chooser:
        press(page, "Drop an archive here")
    chooser.value.set_files(archive)
    press(page, "Upload and import")


def define_type(page: "Page") -> None:
    page.get_by_role("link", name="View the templates").wait_for()
    press(page, "View the templates")
    page.locator(".template-card").first.wait_for()
    press(page, "Annotate")
    page.wait_for_url("**/annotate/")
    press(page, "New record type")
    page.wait_for_url("**/record-types/new/**")
    enter(page, "Name", "Book by keyboard")
    for name in ("title", "price"):
        enter(page, "Name", name)
    press(page, "Create record type")
    page.wait_for_url("**/annotate/")


def mark_two_pages(page: "Page", truth: dict[str, dict[str, list[str]]]) -> None:
    url = ""
    for number in range(2):
        if number:
            page.keyboard.press("]")
        page.wait_for_function("old => ![null, '', old].includes(document.getElementById('page-url').title)", arg=url)
        page.wait_for_selector("#workbench:not([data-loading])")
        learned(page)
        url = page.locator("#page-url").get_attribute("title") or ""
        right = truth[url]
        for attribute, value in (("1", right["title"][0]), ("2", right["price"][0])):
            page.keyboard.press(attribute)
            take(page, value)


def test_an_editor_needs_no_mouse(page: "Page", dashboard: Dashboard, tmp_path: Path) -> None:
    write_zip(tmp_path / "keys.zip")
    truth = demo_site.truth()["book"]
    sign_in(page)
    upload(page, tmp_path / "keys.zip")
    define_type(page)
    mark_two_pages(page, truth)
    press(page, "Learn")
    page.wait_for_url("**/rules/1/")
    press(page, "Publish")
    page.get_by_role("button", name="Run on all pages").wait_for()
    press(page, "Run on all pages")
    page.get_by_role("link", name="View the records").wait_for()
    press(page, "View the records")
    page.wait_for_url("**/records/")
    press(page, "Export")
    with page.expect_download() as download:
        press(page, "Download")
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        titles = sorted(row["title"] for row in csv.DictReader(file))
    assert titles == sorted(values["title"][0] for values in truth.values())


@contextmanager
def opened_shop(dashboard: Dashboard, name: str) -> Iterator[DemoServer]:
    """The demo's shop under a name of its own, with a live rule for its books, and their records."""
    with DemoServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        dashboard.manage("crawl_site", name, server.address, "--whole", "--delay", "0", "--here")
        command = [sys.executable, "-m", "tests.e2e.live_rule", slugify(name), server.address]
        subprocess.run(command, cwd=ROOT, env=environment(dashboard.folder), check=True)
        dashboard.manage("extract", slugify(name), "--here")
        yield server
        server.shutdown()
        thread.join()


def get_focused(page: "Page") -> str:
    """The name of what has the focus; it must be seen."""
    name, seen, tag = page.evaluate(_FOCUS)
    assert seen, f"the focus on “{name}” ({tag}) cannot be seen"
    return str(name)


def assert_trapped_and_given_back(page: "Page", opener: str) -> None:
    """An open dialog keeps the focus, Escape closes it, and what opened it has the focus again."""
    for key in ("Tab", "Shift+Tab"):
        for _ in range(MOST_TABS):
            page.keyboard.press(key)
            inside = page.evaluate("() => document.activeElement === document.body || !!document.activeElement.closest('dialog[open]')")
            assert inside, f"“{page.evaluate(_FOCUS)[0]}” behind the dialog has the focus"
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert get_focused(page).startswith(opener)


def read_titles(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return sorted(row["title"] for row in csv.DictReader(file))


def take_records(page: "Page", site: str) -> None:
    """From the home page to a file with the records of one author; the viewer is signed in."""
    wanted = "austen"
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/sites/")
    press(page, site)
    page.locator(".template-card").first.wait_for()
    press(page, "Records")
    page.wait_for_url("**/records/**")
    page.keyboard.press("/")
    page.keyboard.type(wanted)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**q={wanted}**")
    press(page, "Export")
    assert_trapped_and_given_back(page, "Export")
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        press(page, "Download")
    right = [values["title"][0] for values in demo_site.truth()["book"].values() if wanted in str(values).lower()]
    assert right and read_titles(Path(download.value.path())) == sorted(right)


def decide_repair(page: "Page", site: str) -> None:
    """From the home page to an accepted repair; the operator is signed in."""
    page.goto("/")
    page.locator("#waiting [data-item]", has_text=site).first.wait_for()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("() => /breakages.[0-9]/.test(document.activeElement.getAttribute('href') || '')"):
            break
    assert page.evaluate("() => document.activeElement.innerText").count(site)
    page.keyboard.press("Enter")
    page.wait_for_url("**/breakages/*/**")
    page.get_by_text("pages it was not learned from").first.wait_for()
    press(page, "Accept")
    page.get_by_text("Its records are being extracted again").wait_for()
    page.get_by_role("link", name="View the records").wait_for()
    press(page, "View the records")
    page.wait_for_url("**/records/**")


def test_whoever_takes_records_needs_no_mouse(page: "Page", dashboard: Dashboard) -> None:
    with opened_shop(dashboard, "Keyboard shop"):
        sign_in(page, "viewer")
        take_records(page, "Keyboard shop")


def test_an_operator_needs_no_mouse(page: "Page", dashboard: Dashboard) -> None:
    with opened_shop(dashboard, "Rebuilt keyboard shop") as shop:
        dashboard.manage("check_site", "rebuilt-keyboard-shop", "--here")
        shop.switch(design=2)
        dashboard.manage("check_site", "rebuilt-keyboard-shop", "--here")
        sign_in(page, "operator")
        decide_repair(page, "Rebuilt keyboard shop")
