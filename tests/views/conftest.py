"""Fixtures of the tests of the screens."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from django.db import transaction

from tests.views import world as worlds


@pytest.fixture
def world(db: None, sent: list[int]) -> worlds.World:
    """A site with something of everything."""
    return worlds.make()


@pytest.fixture(scope="module")
def keep_rows(django_db_setup: None, django_db_blocker: Any) -> Callable[[], AbstractContextManager[None]]:
    """A context whose rows stay for all tests of a module and go at its end. It cannot be used beside tests that commit."""

    @contextmanager
    def keep() -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield
            transaction.set_rollback(True)

    return keep


@pytest.fixture(scope="module")
def kept_world(keep_rows: Callable[[], AbstractContextManager[None]]) -> Iterator[worlds.World]:
    """A site with something of everything, made once for a module whose tests all use it."""
    with keep_rows():
        yield worlds.make()


@pytest.fixture
def count_queries(django_assert_max_num_queries: Any) -> Any:
    """How many queries a page takes: count_queries(client, address)."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def count(client: Any, address: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    return count
