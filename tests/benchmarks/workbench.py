"""`python -m tests.benchmarks.workbench [--pages 300] [--bytes 1000000]`: from a click to the updated panel, in a real Chromium.

A site of large pages of one template is imported into a product of its own; an editor's clicks on the first pages are timed from the
mouse button to the moment when the panel shows the value here, on the other samples, and a hit rate. Printed: each click, the median,
and the median as a share of the time that lxml needs to parse one such page, which tells machines apart.
"""

import argparse
import random
import statistics
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from extraction.algorithms.dom.parse import parse
from extraction.management import processes
from tests.e2e import browser
from tests.e2e.conftest import PASSWORD, Dashboard, environment, sign_in
from tests.e2e.marking import choose, point_of, shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIELDS = ("Brand", "Model", "Weight", "Colour", "Origin", "Material", "Warranty", "Year")
WORDS = (
    "amber",
    "basalt",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "garnet",
    "harbour",
    "indigo",
    "juniper",
    "kelp",
    "lagoon",
    "maple",
    "nectar",
)


def product_page(number: int, size_bytes: int) -> str:
    """A product's page: title, price, a table of eight fields, and enough reviews to reach the size."""
    dice = random.Random(number)

    def phrase(words: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(words))

    rows = "".join(f"<tr><th>{name}</th><td>{phrase(1)} {number}-{place}</td></tr>" for place, name in enumerate(FIELDS))
    head = (
        f"<html><head><title>{phrase(2)} {number}</title></head><body><div id='main'><h1 class='title'>{phrase(3)} no. {number}</h1>"
        f"<p class='price'>Price: <b>{dice.randint(5, 900)}.{number % 90 + 10} EUR</b></p><table class='specs'>{rows}</table>"
    )
    reviews, length = [], len(head)
    while length < size_bytes:
        reviews.append(
            f"<div class='review'><h3>{phrase(4)}</h3><p class='by'>by <a href='/u/{dice.randint(1, 9999)}'>{phrase(2)}</a></p>"
            f"<p>{phrase(40)}</p></div>"
        )
        length += len(reviews[-1])
    return f"{head}<div id='reviews'>{''.join(reviews)}</div></div></body></html>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = processes.free_port(8300)
        dashboard = Dashboard(f"http://127.0.0.1:{port}", folder)
        prepare(dashboard, options.pages, options.bytes)
        with processes.started(["web", "worker", "beat"], port=port, log=folder / "log", environment=environment(folder)) as process:
            processes.wait_for_port(process, port)
            with sync_playwright() as playwright:
                chromium = browser.launch(playwright)
                page = chromium.new_context(base_url=dashboard.url, viewport={"width": 1440, "height": 900}).new_page()
                page.set_default_timeout(180_000)
                times = clicks(page)
                chromium.close()
        parse_s = parse_time(product_page(0, options.bytes).encode())
    middle = statistics.median(times)
    print(f"median of {len(times)} clicks {middle:.2f} s, longest {max(times):.2f} s; {middle / parse_s:.1f} parses of one page")


def prepare(dashboard: Dashboard, pages: int, size_bytes: int) -> None:
    """Imports and clusters the pages without a worker, and makes the record type's attributes."""
    archive = dashboard.folder / "site.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for number in range(pages):
            file.writestr(f"product-{number}.html", product_page(number, size_bytes))
    dashboard.manage("migrate", "--verbosity", "0")
    dashboard.manage("create_user", "editor", "--role", "editor", typed=f"{PASSWORD}\n")
    dashboard.manage("import_pages", "Large", str(archive), "--here")
    dashboard.manage("cluster_site", "Large", "--here")
    code = (
        "from extraction.models import *; kind = RecordType.objects.create(name='Product', slug='product');"
        f"[Attribute.objects.create(record_type=kind, name=n, position=p) for p, n in enumerate({('title', 'price', *FIELDS)!r})];"
        "c = max(Cluster.objects.all(), key=lambda each: each.snapshots.count()); c.record_type = kind; c.save(); print(c.number)"
    )
    dashboard.manage("shell", "--no-imports", "-c", code)


def clicks(page: "Page") -> list[float]:
    """Seconds from each click to the updated panel, on the first two sample pages; the first click of all is not counted."""
    sign_in(page, "editor")
    page.goto("/sites/large/")
    page.locator(".template-card").first.get_by_role("link", name="Annotate").click()
    page.wait_for_selector("#workbench:not([data-loading])")
    expect(page.locator("#warming")).to_be_empty(timeout=180_000)
    times: list[float] = []
    for number in range(2):
        page.locator(".wb-sample").nth(number).click()
        page.wait_for_selector("#workbench:not([data-loading])")
        for place, name in enumerate(FIELDS):
            value = page.frames[-1].evaluate(f"document.querySelectorAll('.specs td')[{place}].textContent")
            choose(page, name)
            point = point_of(page, value)
            begin = time.monotonic()
            with page.expect_response(lambda response: response.url.endswith("/label/")):
                page.mouse.click(*point)
            expect(shown(page, name).locator(".wb-values")).to_contain_text(value)
            shown(page, name).locator(".wb-rate", has_text="%").wait_for()
            times.append(time.monotonic() - begin)
            print(f"  page {number + 1} {name:10} {times[-1]:.2f} s", flush=True)
    return times[1:]


def parse_time(content: bytes) -> float:
    """Seconds that one parse of such a page takes, the best of five."""
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        parse(content)
        best = min(best, time.perf_counter() - begin)
    return best


if __name__ == "__main__":
    main()
