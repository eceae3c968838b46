"""An operator's morning: twelve sites, of which two broke, one does not answer and one gives fewer values every day."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import morning
from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.test_journey import see
from tests.fixtures.twelve_sites import REBUILT, SILENT, THINNER

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

MOST_CLICKS, MOST_S = 10, 300

RECORDS = """
import json, time
from extraction.models import Record, Run
while Run.objects.unfinished().exclude(kind__in=(Run.Kind.PREVIEW, Run.Kind.ASSETS)).exists():
    time.sleep(0.2)
found = Record.objects.given().filter(cluster__site__name__in={names!r}, snapshot__page__gone_at=None)
print(json.dumps([[each.cluster.site.name, each.rule.version, sorted(each.values)] for each in found]))
"""


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    """A dashboard of its own for each try: on another one, the sites of other journeys would wait, too, or less after a first try."""
    with morning.prepared(tmp_path) as made:
        yield made


def test_an_operator_decides_all_of_it_from_the_home_page(page: "Page", dashboard: Dashboard) -> None:
    sign_in(page, "operator")
    made = morning.decide_all(page)
    print(f"all decided after {made.seconds:.0f} s with {made.clicks} clicks")
    assert made.clicks <= MOST_CLICKS
    assert made.seconds <= MOST_S

    printed = dashboard.manage("shell", "--no-imports", "-c", RECORDS.format(names=(REBUILT, THINNER)))
    records = json.loads(printed.splitlines()[-1])
    assert len([name for name, version, values in records if (name, version, len(values)) == (REBUILT, 2, 4)]) == 30
    assert len([name for name, version, values in records if (name, version, values) == (THINNER, 2, ["name", "price", "weight"])]) == 30

    page.goto(f"/sites/{SILENT.lower().replace(' ', '-')}/monitoring/")
    page.get_by_text("the home page leaves the site out until it answers").wait_for()
    see(page, "77-acknowledged")
    page.get_by_role("button", name="List it on the home page again").click()
    page.goto("/")
    page.locator("#waiting [data-item]", has_text=SILENT).wait_for()
