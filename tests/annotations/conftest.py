"""What the tests of the workbench share: a shop to annotate, and a browser with the workbench open."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from extraction.models import Cluster
from extraction.services.learning import workspaces
from tests.annotations.bench import Bench
from tests.e2e import browser as chromium
from tests.services import factory

playwright_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture
def shop() -> Cluster:
    workspaces.forget_workspaces()
    return factory.shop(8)


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def bench(chrome: Any, live_server: Any, client: Any, person: Callable[[str], Any]) -> Iterator[Bench]:
    workspaces.forget_workspaces()
    client.force_login(person("editor"))
    context = chrome.new_context(viewport={"width": 1280, "height": 800})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    tab = Bench(context.new_page(), live_server.url)
    yield tab
    assert tab.errors == []
    context.close()
