"""A shop loses its decimal points: the run is held back, an operator looks at the records that fail and decides."""

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import ROOT, Dashboard, sign_in, unheard
from tests.e2e.test_journey import see

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

DELIVERED = """
from extraction.models import Cluster
from extraction.services.quality import releases
from extraction.services.records import history
cluster = Cluster.objects.get(site__slug="novels")
run = releases.find_released_runs([cluster]).get(cluster.pk)
print(max(float(values["price"][0]["value"].split()[0]) for values in history.rebuild_records(cluster, after=run).values()))
"""


def dearest_delivered(dashboard: Dashboard) -> float:
    """The highest price of the records that are delivered."""
    return float(dashboard.manage("shell", "--no-imports", "-c", DELIVERED).splitlines()[-1])


def test_a_run_is_held_back_by_a_suggested_rule_and_released_by_an_operator(page: "Page", dashboard: Dashboard) -> None:
    subprocess.run([sys.executable, "-m", "tests.e2e.novels"], cwd=ROOT, env=unheard(dashboard.folder), check=True)

    sign_in(page, "editor")
    page.goto("/record-types/novel/quality/")
    page.get_by_role("link", name="Suggest rules").first.click()
    page.get_by_label(re.compile("^Weight of price is from")).select_option("block")
    see(page, "50-suggested-rules")
    page.get_by_role("button", name="Add the chosen rules").click()
    page.get_by_role("link", name="Edit").first.wait_for()
    page.goto("/sites/novels/templates/1/")
    page.get_by_role("button", name="Run again").or_(page.get_by_role("button", name="Run on all pages")).click()
    page.get_by_text("are held back").wait_for()
    assert dearest_delivered(dashboard) <= 50

    page.context.clear_cookies()
    sign_in(page, "operator")
    see(page, "51-home-with-a-held-run")
    page.get_by_role("link", name=re.compile("Held back Novels")).click()
    page.get_by_role("link", name=re.compile("^price is from")).click()
    see(page, "52-held-run")
    page.get_by_role("table").last.get_by_role("link", name=re.compile("GBP")).first.click()
    page.wait_for_url("**/pages/**")
    page.go_back()
    page.get_by_label("Why").fill("the shop sells first editions")
    page.get_by_role("button", name="Release").click()
    page.get_by_text("It is delivered from now on").wait_for()
    page.get_by_text("was released by operator").wait_for()
    assert dearest_delivered(dashboard) > 50
    page.goto("/")
    assert not page.get_by_role("link", name=re.compile("Held back Novels")).count()
