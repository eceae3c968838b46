"""Fixtures of the tests of the screens."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from tests.e2e import browser
from tests.views import world as worlds

Opened = Callable[..., Any]


@pytest.fixture
def world(db: None, sent: list[int]) -> worlds.World:
    """A site with something of everything."""
    return worlds.make()


@pytest.fixture(scope="module")
def kept_world(keep_rows: Callable[[], AbstractContextManager[None]]) -> Iterator[worlds.World]:
    """A site with something of everything, made once for a module whose tests all use it."""
    with keep_rows():
        yield worlds.make()


@pytest.fixture
def shared_world(db: None, kept_world: worlds.World) -> worlds.World:
    """The kept world for one test, whose changes are rolled back. A module without tests that commit makes it its `world`."""
    return deepcopy(kept_world)


@pytest.fixture
def count_queries(django_assert_max_num_queries: Any) -> Any:
    """How many queries the second look at a page takes: count_queries(client, address). The first one may note the session."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def count(client: Any, address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    return count


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser."""
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        launched = browser.launch(playwright)
        yield launched
        launched.close()


@pytest.fixture
def wrong() -> list[str]:
    """The errors that the browser reported."""
    return []


@pytest.fixture
def opened(chromium: Any, live_server: Any, person: Any, wrong: list[str]) -> Iterator[Opened]:
    """Open a page with a role: opened("/sites/", "operator")."""
    contexts = []

    def go(path: str, role: str = "operator", **options: Any) -> Any:
        client = Client()
        client.force_login(person(role))
        context = chromium.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900}, **options)
        contexts.append(context)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"{path}: {message.text}") if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(f"{path}: {error}"))
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.close()
