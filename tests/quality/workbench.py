"""`python -m tests.quality.workbench SITE… [--annotated N]`: sites taken from their pages to a CSV in a real browser, as an editor would.

SITE is a folder laid out like those of `extraction/`: pages/, truth.json, annotations.json, urls.json. The product runs as
processes of its own with a folder of its own. The editor marks the first N pages that annotations.json says where to click on,
confirms what is proposed where it is right, and clicks where it is not. Printed: clicks, keys and seconds an attribute on each page,
and the F1 of the downloaded CSV on the pages that were not annotated.
"""

import argparse
import csv
import json
import tempfile
import time
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from extraction.algorithms.dom.nodes import clean
from extraction.management import processes
from tests.e2e import browser
from tests.e2e.conftest import PASSWORD, Dashboard, environment, sign_in
from tests.e2e.marking import choose, click_text, learned, shown
from tests.quality import scores

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEPARATOR = " ¦ "


@dataclass
class Site:
    """A site of the evaluation pages, and what its editor knows."""

    folder: Path
    truth: dict[str, dict[str, list[str]]] = field(init=False)
    marks: dict[str, dict[str, list[dict[str, Any]]]] = field(init=False)
    urls: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.truth, self.marks, self.urls = (
            json.loads((self.folder / name).read_text()) for name in ("truth.json", "annotations.json", "urls.json")
        )

    def archive(self, path: Path) -> Path:
        """The pages as a zip with a manifest."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            rows = ["file,url"]
            for file in sorted((self.folder / "pages").iterdir()):
                archive.write(file, file.name)
                if file.stem in self.urls:
                    rows.append(f'{file.name},"{self.urls[file.stem]}"')
            archive.writestr("manifest.csv", "\n".join(rows))
        return path

    def annotated(self, count: int) -> list[str]:
        """The first pages on which every attribute that has a value there has a place to click."""
        return sorted({page for pages in self.marks.values() for page in pages})[:count]

    def multiple(self, attribute: str) -> bool:
        return any(len(set(values)) > 1 for values in self.truth[attribute].values())


@dataclass
class Effort:
    """The effort for one attribute on one page."""

    clicks: int = 0
    keys: int = 0
    seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path, nargs="+")
    parser.add_argument("--annotated", type=int, default=2)
    options = parser.parse_args()
    for folder in options.sites:
        print(folder.name, flush=True)
        measure(Site(folder), options.annotated)


def measure(site: Site, annotated: int) -> None:
    """One site, with a dashboard of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = processes.free_port(8200)
        dashboard = Dashboard(f"http://127.0.0.1:{port}", folder)
        dashboard.manage("migrate", "--verbosity", "0")
        dashboard.manage("create_user", "editor", "--role", "editor", typed=f"{PASSWORD}\n")
        with processes.started(["web", "worker", "beat"], port=port, log=folder / "log", environment=environment(folder)) as process:
            processes.wait_for_port(process, port)
            with sync_playwright() as playwright:
                chromium = browser.launch(playwright)
                page = chromium.new_context(base_url=dashboard.url, viewport={"width": 1440, "height": 900}).new_page()
                page.set_default_timeout(120_000)
                take_through(page, site, folder, annotated)
                chromium.close()


def take_through(page: "Page", site: Site, folder: Path, count: int) -> None:
    """Take a site from its pages to the CSV, and print the effort."""
    sign_in(page, "editor")
    upload(page, site, folder)
    page.goto("/record-types/new/")
    define(page, site)
    page.goto(f"/sites/{site.folder.name}/")
    merge_all(page)
    page.locator(".template-card").first.get_by_role("link", name="Annotate").click()
    page.get_by_label("Record type").select_option(label="Record")
    page.get_by_role("button", name="Use it and annotate").click()
    for number, name in enumerate(site.annotated(count), 1):
        page.locator(f'.wb-sample[title*="{site.urls[name]}"]').click()
        page.wait_for_selector(f'.wb-sample[aria-current="page"][title*="{site.urls[name]}"]')
        page.wait_for_selector("#workbench:not([data-loading])")
        learned(page)
        efforts = {attribute: say(page, site, attribute, name) for attribute in site.truth}
        report(number, name, efforts)
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/rules/1/")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Run on all pages").click()
    page.get_by_role("link", name="View the records").click()
    score(download(page), site, set(site.annotated(count)))


def upload(page: "Page", site: Site, folder: Path) -> None:
    page.goto("/sites/new/upload/")
    page.get_by_label("Name").fill(site.folder.name)
    page.get_by_role("button", name="Create and add pages").click()
    page.locator("input[type=file]").set_input_files(site.archive(folder / "site.zip"))
    page.get_by_role("button", name="Upload and import").click()
    page.get_by_role("link", name="View the templates").click()


def define(page: "Page", site: Site) -> None:
    page.get_by_label("Name").first.fill("Record")
    rows = page.locator("tbody [data-row]")
    for number, attribute in enumerate(site.truth):
        if rows.count() <= number:
            page.get_by_role("button", name="Add attribute").click()
        rows.nth(number).get_by_label("Name").fill(attribute)
        rows.nth(number).get_by_label("Several values").set_checked(site.multiple(attribute))
    page.get_by_role("button", name="Create record type").click()


def merge_all(page: "Page") -> None:
    """Merge the templates as an editor would, because all pages of such a folder belong to one."""
    picks = page.locator("[data-pick]")
    print(f"templates found: {picks.count()}")
    if picks.count() > 1:
        for number in range(picks.count()):
            picks.nth(number).check()
        page.get_by_role("button", name="Merge").first.click()
        page.wait_for_load_state()


def say(page: "Page", site: Site, attribute: str, name: str) -> Effort:
    """Confirms, corrects or marks one attribute on the open page."""
    effort, begin = Effort(), time.monotonic()
    row = shown(page, attribute)
    if row.get_attribute("aria-current") != "true":
        choose(page, attribute)
        effort.keys += 1
    marks = site.marks[attribute].get(name, [])
    wanted = [clean(mark["value"]) for mark in marks]
    given = [clean(text) for text in row.locator(".wb-value").all_inner_texts()]
    if not marks:
        effort.keys += 1
        _saved(page, lambda: page.keyboard.press("x"))
    elif given == wanted:
        effort.keys += 1
        _saved(page, lambda: page.keyboard.press("Enter"))
    else:
        for mark in marks:
            if mark["value"] not in given:
                effort.clicks += 1
                _saved(page, lambda mark=mark: click_text(page, clean(mark["value"]), nth=mark["nth"]))
    effort.seconds = time.monotonic() - begin
    return effort


def _saved(page: "Page", act: Any) -> None:
    with page.expect_response(lambda response: response.url.endswith("/label/")):
        act()
    learned(page)


def report(number: int, name: str, efforts: dict[str, Effort]) -> None:
    print(f"page {number} ({name})")
    for attribute, effort in efforts.items():
        print(f"  {attribute:20} {effort.clicks} clicks {effort.keys} keys {effort.seconds:5.2f} s")
    clicks, keys = (sum(getattr(effort, kind) for effort in efforts.values()) for kind in ("clicks", "keys"))
    seconds = sum(effort.seconds for effort in efforts.values())
    mean = f"{clicks / len(efforts):.1f} clicks, {keys / len(efforts):.1f} keys, {seconds / len(efforts):.1f} s"
    print(f"  an attribute         {mean}", flush=True)


def download(page: "Page") -> Path:
    page.get_by_role("button", name="Export").click()
    page.get_by_label("as they appear on the page").check()
    page.get_by_label("Separator").fill(SEPARATOR)
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    return Path(found.value.path())


def score(path: Path, site: Site, annotated: set[str]) -> None:
    """F1 an attribute of the CSV against the truth, without and with the annotated pages."""
    page_of = {url: page for page, url in site.urls.items()}
    values: dict[str, dict[str, list[str]]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for attribute in site.truth:
            values[attribute][page_of[row["source_url"]]] = row[attribute].split(SEPARATOR) if row[attribute] else []
    print(f"CSV: {len(rows)} records of {len(site.urls)} pages")
    for attribute, truth in site.truth.items():
        others, everything = scores.f1(truth, values[attribute], skip=annotated), scores.f1(truth, values[attribute])
        print(f"  {attribute:20} F1 {others:.3f} on the others, {everything:.3f} on all")


if __name__ == "__main__":
    main()
