"""An operator's morning: what happened on twelve sites over three days, and how the operator decides all of it from the home page."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.conftest import ROOT, Dashboard, started_dashboard, unheard
from tests.e2e.test_journey import see
from tests.fixtures import twelve_sites
from tests.fixtures.twelve_sites import DRIFT, DRIFTING, REBUILT, SILENT, TwelveSites

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CHECK = """
import time
from extraction.models import Run, Site
from extraction.services.monitoring import monitors
for site in Site.objects.filter(name__in={names!r}):
    monitors.start_check(site)
while Run.objects.unfinished().filter(kind=Run.Kind.CHECK).exists():
    time.sleep(0.2)
"""


@contextmanager
def prepared(folder: Path) -> Iterator[Dashboard]:
    """Run a dashboard with twelve sites whose rules are live, on the morning of the last day, after the checks of the night."""
    with twelve_sites.served() as sites, started_dashboard(folder) as dashboard:
        named = [f"{shop.name}={shop.address}" for shop in sites.shops]
        subprocess.run([sys.executable, "-m", "tests.e2e.twelve_rules", *named], cwd=ROOT, env=unheard(folder), check=True)
        for day in DRIFT:
            _pass_night(dashboard, sites, day)
        yield dashboard


def _pass_night(dashboard: Dashboard, sites: TwelveSites, day: int) -> None:
    """Let a day come, and check the sites on which it may differ from the day before."""
    sites.day = day
    names = twelve_sites.NAMES if day in (min(DRIFT), max(DRIFT)) else (DRIFTING,)
    dashboard.manage("shell", "--no-imports", "-c", CHECK.format(names=tuple(names)))


@dataclass
class Morning:
    """What the operator did. seconds: from the home page until no decision waits, with all that the screens make one wait."""

    page: "Page"
    clicks: int = 0
    seconds: float = 0.0

    def click(self, what: "Locator") -> None:
        what.click()
        self.clicks += 1


def decide_all(page: "Page") -> Morning:
    """Decide what waits on the home page, in its order; the operator is signed in."""
    made, started = Morning(page), time.monotonic()
    waiting = page.locator("#waiting")
    page.goto("/")
    waiting.get_by_role("heading", name="4 things to do").wait_for()
    see(page, "70-morning")
    _repair(made, waiting)
    made.click(page.get_by_role("link", name="Back to the home page"))
    _acknowledge(made, waiting)
    _accept_drift(made, waiting)
    _acknowledge_losses(made, waiting)
    waiting.get_by_role("heading", name="Nothing").wait_for()
    made.seconds = time.monotonic() - started
    see(page, "76-all-decided")
    return made


def _repair(made: Morning, waiting: "Locator") -> None:
    """Accept both repairs. The second one is not whole: what it lost is named before."""
    page = made.page
    made.click(waiting.get_by_role("link", name=REBUILT))
    page.get_by_text("agrees with the old values").first.wait_for()
    see(page, "71-whole-repair")
    made.click(page.get_by_role("button", name="Accept"))
    made.click(page.get_by_role("link", name="Next breakage"))
    page.get_by_text("maker was not found again").wait_for()
    see(page, "72-part-of-a-repair")
    made.click(page.get_by_role("button", name="Accept 3 of 4"))


def _acknowledge(made: Morning, waiting: "Locator") -> None:
    row = waiting.locator("[data-item]", has_text=SILENT)
    see(made.page, "73-one-does-not-answer")
    made.click(row.get_by_role("button", name="Acknowledge"))
    row.wait_for(state="detached")


def _accept_drift(made: Morning, waiting: "Locator") -> None:
    """Look at the pages that lost their price: the shop asks for a quote there, so there is nothing to repair."""
    page = made.page
    made.click(waiting.get_by_role("link", name=DRIFTING))
    page.get_by_text("These pages have no value now").wait_for()
    see(page, "74-fewer-values")
    made.click(page.get_by_role("button", name="Accept as it is"))


def _acknowledge_losses(made: Morning, waiting: "Locator") -> None:
    """The rebuilt shop no longer tells the maker, so nobody can mark it."""
    row = waiting.locator("[data-item]", has_text="The records have no value for maker since the repair.")
    see(made.page, "75-left-out")
    made.click(row.get_by_role("button", name="Acknowledge"))
    row.wait_for(state="detached")
