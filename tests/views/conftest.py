"""Fixtures of the tests of the screens."""

from typing import Any

import pytest

from tests.views import world as worlds


@pytest.fixture
def world(db: None, sent: list[int]) -> worlds.World:
    """A site with something of everything."""
    return worlds.make()


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
