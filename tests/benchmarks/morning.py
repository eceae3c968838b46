"""python -m tests.benchmarks.morning: an operator's morning in minutes and clicks.

Twelve sites are served on this machine and learned by a dashboard that is started for it. Then two of them are rebuilt, one stops answering
and one gives fewer values from day to day. Printed: how long it takes in a browser until everything on the home page is decided, with all
waiting for screens but without reading, and the clicks. Ends with 1 if it takes more than five minutes.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.e2e import browser, morning
from tests.e2e.conftest import sign_in

MOST_S = 300


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, morning.prepared(Path(folder)) as dashboard, sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        page = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=dashboard.url).new_page()
        sign_in(page, "operator")
        made = morning.decide_all(page)
        chromium.close()
    print(f"12 sites, 4 decisions: {made.seconds / 60:.1f} minutes, {made.clicks} clicks")
    return int(made.seconds > MOST_S)


if __name__ == "__main__":
    sys.exit(main())
