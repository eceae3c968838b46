"""axe finds nothing serious on any screen, in the light and the dark scheme (WCAG 2.2, levels A and AA)."""

from typing import Any

import pytest
from django.urls import reverse

from tests.views.conftest import Opened
from tests.views.core.test_browser import SCREENS
from tests.views.world import World

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CONTRAST = ["color-contrast"]
GRAVE = {"serious", "critical"}


def find_faults(page: Any, rules: list[str]) -> list[str]:
    """Return a line for each element that axe calls serious or critical. Frames are left out: they show the pages of strangers."""
    found = axe.Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"], "iframes": False}).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]}: {node['failureSummary']}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


def find_lasting_faults(page: Any, rules: list[str]) -> list[str]:
    """Return the faults that are still there when the screen has come to rest: what is being loaded may be dimmed for a moment."""
    if not find_faults(page, rules):
        return []
    page.wait_for_load_state("networkidle")
    return find_faults(page, rules)


def test_no_screen_has_a_grave_fault(opened: Opened, world: World) -> None:
    page = opened("/", "admin", reduced_motion="reduce")
    faults = {}
    for name in SCREENS:
        page.goto(reverse(name, args=world.address(name)))
        for scheme, rules in (("light", RULES), ("dark", CONTRAST)):  # only colours differ between the schemes
            page.emulate_media(color_scheme=scheme)
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            if found := find_lasting_faults(page, rules):
                faults[name, scheme] = found
    for place, found in faults.items():
        print(*place, *found, sep="\n  ")
    assert not faults
