"""The product as a user runs it: web, worker and beat as processes with a folder of their own, and a real Chromium."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extraction.management import processes
from tests import migrated
from tests.e2e import browser
from tests.ports import find_port

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page

ROOT = Path(__file__).resolve().parent.parent.parent
PASSWORD = "a-long-enough-password"
LOG = "processes.log"
PATIENCE_MS = 120_000  # how long a test waits for what it expects on a screen: runs may be slow, and beat ticks once a minute

PEOPLE = f"""
from django.contrib.auth.models import User
from extraction.models import Role
from extraction.services.core.people import save_person
for role in (Role.VIEWER, Role.EDITOR, Role.OPERATOR):
    save_person(User(username=role.group), password={PASSWORD!r}, role=role)
"""


@dataclass(frozen=True)
class Dashboard:
    """A running dashboard. folder: its VERTEX_VAR_DIR."""

    url: str
    folder: Path

    def manage(self, *arguments: str, typed: str = "") -> str:
        """What `manage.py` prints; fails the test when it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment(self.folder),
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def failures(self) -> str:
        """What its processes wrote since the first error, for the one who reads why a test failed."""
        written = (self.folder / LOG).read_text(errors="replace")
        return written[max(written.find(" ERROR ") - 200, 0) :][:20_000]


def environment(folder: Path) -> dict[str, str]:
    """The variables of a product of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VERTEX_") and name != "DJANGO_SETTINGS_MODULE"}
    own = {"VERTEX_VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_CRAWL_PRIVATE_HOSTS": "127.0.0.1"}
    own["VERTEX_CONFIRM_AFTER_S"] = "1"
    own["VERTEX_DELIVERY_PRIVATE_HOSTS"] = "127.0.0.1"
    return clean | own


def unheard(folder: Path) -> dict[str, str]:
    """The variables of a script that executes its own runs: no worker hears of them, so none can be first."""
    return environment(folder) | {"VERTEX_BROKER_URL": "memory://"}


@contextmanager
def started_dashboard(folder: Path) -> Iterator[Dashboard]:
    """Run a dashboard in an empty folder while the block runs. It has an editor, an operator and a viewer, each with PASSWORD."""
    port = find_port()
    made = Dashboard(f"http://127.0.0.1:{port}", folder)
    migrated.copy_database(folder)
    made.manage("shell", "--no-imports", "-c", PEOPLE)
    with processes.started(["web", "worker", "beat"], port=port, log=folder / LOG, environment=environment(folder)) as process:
        processes.wait_for_port(process, port)
        yield made


@contextmanager
def _dashboard_for_now(folder: Path) -> Iterator[Dashboard]:
    with started_dashboard(folder) as made:
        yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def shared_dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The dashboard of most journeys."""
    with _dashboard_for_now(tmp_path_factory.mktemp("var")) as made:
        yield made


@pytest.fixture
def dashboard(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The shared dashboard, or a new one when a journey is tried once more: the first try has left its sites in the shared one."""
    if getattr(request.node, "execution_count", 1) == 1:
        yield request.getfixturevalue("shared_dashboard")
        return
    with _dashboard_for_now(tmp_path_factory.mktemp("var")) as made:
        yield made


def is_problem(said: "ConsoleMessage") -> bool:
    """Whether a message of the browser's console is an error. A request that ends because the page is left is none."""
    return said.type == "error" and not said.text.startswith(("htmx:sendAbort", "htmx:afterRequest"))


@pytest.fixture
def page(dashboard: Dashboard) -> Iterator["Page"]:
    """A browser page of 1280 × 800; the test fails on any error that a script or the policy reports."""
    from playwright.sync_api import sync_playwright

    problems: list[str] = []
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=dashboard.url, accept_downloads=True)
        context.set_default_timeout(PATIENCE_MS)
        opened = context.new_page()
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("console", lambda said: problems.append(f"{said.text} {said.location['url']}") if is_problem(said) else None)
        yield opened
        chromium.close()
    assert not problems, dashboard.failures()


def sign_in(page: "Page", name: str) -> None:
    """Signs in as one of the dashboard's people."""
    page.goto("/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
