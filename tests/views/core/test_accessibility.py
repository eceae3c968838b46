"""axe finds nothing serious on any screen, in the light and the dark scheme (WCAG 2.2, levels A and AA)."""

from typing import Any

import pytest
from django.urls import reverse

from tests.views.conftest import Opened
from tests.views.core.test_browser import SCREENS
from tests.views.world import World

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}
GRAVE = {"serious", "critical"}


def find_faults(page: Any) -> list[str]:
    """Return a line for each element that axe calls serious or critical."""
    found = axe.Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found if each["impact"] in GRAVE for node in each["nodes"]]


def test_no_screen_has_a_grave_fault(opened: Opened, world: World) -> None:
    page = opened("/", "admin", reduced_motion="reduce")
    faults = {}
    for name in SCREENS:
        page.goto(reverse(name, args=world.address(name)))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            if found := find_faults(page):
                faults[name, scheme] = found
    for place, found in faults.items():
        print(*place, *found, sep="\n  ")
    assert not faults
