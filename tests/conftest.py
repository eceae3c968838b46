"""Fixtures that every test of the dashboard may use."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone, translation
from hypothesis import HealthCheck, settings

from tests import migrated

# Deadlines would depend on what else the machine does. The examples are the same every time, so that a failed run fails again.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test that drives a browser try once more when it waited in vain: a busy machine can be late. A wrong result is final."""
    for item in items:
        if item.get_closest_marker("e2e"):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError"]))


def pytest_unconfigure() -> None:
    """Delete the folder that `tests.settings` made for the test run. Without these settings, the variable names a person's own folder."""
    folder = Path(os.environ.get("VERTEX_VAR_DIR", ""))
    if folder.name.startswith("vertex-tests-"):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Go back to English and UTC after a test whose requests were in another language: Django leaves the last one in the thread."""
    yield
    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(scope="module", autouse=True)
def forget_pages() -> Iterator[None]:
    """Forget the pages of the workbench and of breakages after a module: its rows go, and those of the next one have the same ids."""
    yield
    if breakages := sys.modules.get("extraction.views.monitoring.breakage_view"):
        breakages._evaluated.cache_clear()
    if workspaces := sys.modules.get("extraction.services.learning.workspaces"):
        workspaces.forget_workspaces()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """Return whether the database of the tests is there already: on SQLite, it is a copy of a migrated one."""
    from django.db import connection
    from django.test import TransactionTestCase

    if connection.vendor != "sqlite":
        return False
    migrated.copy_file(Path(connection.settings_dict["TEST"]["NAME"]))
    # Django empties each table after a test that commits, and then makes permissions and content types again.
    TransactionTestCase._fixture_teardown = lambda self: migrated.restore(connection)  # type: ignore[attr-defined]
    return True


@pytest.fixture(scope="module")
def keep_rows(django_db_setup: None, django_db_blocker: Any) -> Callable[[], AbstractContextManager[None]]:
    """A context whose rows stay for all tests of a module and go at its end. It cannot be used beside tests that commit."""

    from django.db import transaction

    @contextmanager
    def keep() -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield
            transaction.set_rollback(True)

    return keep


@pytest.fixture
def person(db: None) -> Callable[[str], Any]:
    """Makes a user of a role: person("editor")."""
    from django.contrib.auth.models import User

    from extraction.models import Role
    from extraction.services.core.people import give_role

    def make(role: str) -> User:
        user, _ = User.objects.get_or_create(username=role)
        give_role(user, Role[role.upper()])
        return user

    return make


@pytest.fixture
def signed_in(client: Any, person: Callable[[str], Any]) -> Callable[[str], Any]:
    """A client that is signed in with a role: signed_in("viewer").get(...)."""

    def sign_in(role: str) -> Any:
        client.force_login(person(role))
        return client

    return sign_in


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The ids of the runs whose messages were sent, instead of sending them."""
    from celery import current_app

    ids: list[int] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args=(), **_: ids.append(args[0]))
    yield ids
