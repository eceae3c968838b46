"""Makes the pictures of the guides from the running demo: `make screenshots` while `make demo` runs.

It signs in as `demo`, changes nothing, and writes PNG files with a small palette to docs/pictures/. The picture of a breakage needs an open
one: let the shop change its design and check the site first (docs/start.md). A picture that cannot be made is named, and the old one stays.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import Error, sync_playwright

from tests.e2e import browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
LARGEST_BYTES = 150_000
SETTLING_MS = 5_000
"""A page within the page may still be drawn when everything is loaded."""
COLOURS = 128
SITE = "/sites/inkhorn-lane/"
BOOK = f"{SITE}templates/1/"


def show_templates(page: "Page") -> None:
    """Show the cards of the templates."""
    page.goto(SITE)
    page.wait_for_selector(".template-card")


def show_workbench(page: "Page") -> None:
    """Show the second sample page with its values."""
    page.goto(f"{BOOK}annotate/")
    page.wait_for_selector("#workbench:not([data-loading])")
    page.locator(".wb-sample").nth(1).click()
    page.wait_for_selector("#workbench:not([data-loading])")
    page.wait_for_selector(".wb-value")


def show_rule(page: "Page") -> None:
    """Show the live rule."""
    page.goto(f"{BOOK}rules/1/")


def show_records(page: "Page") -> None:
    """Show the table of records."""
    page.goto(f"{BOOK}records/")


def show_export(page: "Page") -> None:
    """Show the dialog for exporting."""
    page.goto(f"{BOOK}records/")
    page.get_by_role("button", name="Export").click()


def show_breakage(page: "Page") -> None:
    """Show the newest open breakage."""
    page.goto("/breakages/")
    page.locator("tbody a, .list-item").first.click(timeout=5_000)
    page.wait_for_url("**/breakages/*/")


PICTURES: Mapping[str, Callable[["Page"], None]] = {
    "templates": show_templates,
    "workbench": show_workbench,
    "rule": show_rule,
    "records": show_records,
    "export": show_export,
    "breakage": show_breakage,
}
"""Each picture and the function that brings the screen there."""


def sign_in(page: "Page", password: str) -> None:
    """Sign in as the user of the demo."""
    page.goto("/sign-in/")
    page.get_by_label("Name").fill("demo")
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_selector("nav.nav")


def save_picture(png: bytes, path: Path) -> int:
    """Write a picture with few colours, or with fewer until it is small enough. Return its size in bytes."""
    image = Image.open(BytesIO(png)).convert("RGB")
    for colours in (COLOURS, COLOURS // 2, COLOURS // 4):
        out = BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if out.tell() <= LARGEST_BYTES:
            break
    path.write_bytes(out.getvalue())
    return out.tell()


def main() -> int:
    """Make the pictures. Return 1 if one could not be made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the dashboard that `make demo` prints")
    parser.add_argument("--password", required=True, help="the password that `make demo` prints")
    parser.add_argument("pictures", nargs="*", help=f"some of {', '.join(PICTURES)} (default: all)")
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    failed = 0
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        page = chromium.new_page(base_url=asked.url, viewport={"width": 1280, "height": 760}, color_scheme="light")
        page.set_default_timeout(60_000)
        sign_in(page, asked.password)
        for name in asked.pictures or PICTURES:
            try:
                PICTURES[name](page)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(SETTLING_MS)
                size = save_picture(page.screenshot(), FOLDER / f"{name}.png")
                print(f"docs/pictures/{name}.png: {size / 1000:.0f} kB")
            except Error as error:
                failed = 1
                print(f"docs/pictures/{name}.png was not made: {str(error).splitlines()[0]}", file=sys.stderr)
        chromium.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
