"""A client of the API with a token."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from extraction.models import ApiScope, Site
from extraction.services.core import api_tokens
from tests.views import world as worlds
from tests.views.world import World

ALL = tuple(ApiScope)


@pytest.fixture(autouse=True)
def fresh_limits() -> None:
    """No test uses up the requests of another."""
    caches["api_limits"].clear()


@pytest.fixture
def world(db: None, sent: list[int]) -> World:
    return worlds.make()


@pytest.fixture
def program(person: Callable[[str], Any]) -> Callable[..., Client]:
    """Makes a program with a token: program("editor", scopes=["read"], sites=[site])."""

    def make(role: str, *, scopes: Iterable[str] = ALL, sites: Iterable[Site] | None = None, **options: Any) -> Client:
        token = api_tokens.create_token(person(role), "test", list(scopes), sites=sites, **options)
        return Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)

    return make
