"""Fixtures of the tests of deliveries."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from extraction.models import Delivery, DeliveryTarget, Run
from extraction.services.deliveries import deliver, outbox
from tests.services.deliveries import receivers
from tests.services.records.bookshop import Bookshop, open_shop
from tests.services.records.test_history import visit


@pytest.fixture(scope="module")
def visited_shop(keep_rows: Callable[[], AbstractContextManager[None]]) -> Iterator[Bookshop]:
    """A bookshop that was visited once, made once for a module."""
    with keep_rows():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(current_app, "send_task", lambda *_, **__: None)
            shop = open_shop(7, count=6)
            visit(shop)
        yield shop


@pytest.fixture
def shop(db: None, sent: list[int], visited_shop: Bookshop) -> Bookshop:
    """A bookshop that was visited once. What a test changes is rolled back."""
    return deepcopy(visited_shop)


@pytest.fixture
def hook(settings: Any) -> Iterator[receivers.Hook]:
    """A webhook's receiver that may be reached."""
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]
    with receivers.web_server() as made:
        yield made


@pytest.fixture
def root(settings: Any, tmp_path: Path) -> Path:
    """The one folder below which targets may be."""
    folder = tmp_path / "allowed"
    folder.mkdir()
    settings.VERTEX_DELIVERY_DIRS = [str(folder)]
    return folder


@pytest.fixture
def work_off() -> Callable[..., list[Delivery]]:
    """Does everything that is due, as workers do: work_off(later=minutes)."""

    def do(target: DeliveryTarget, *, later: int = 0) -> list[Delivery]:
        now = timezone.now() + timedelta(minutes=later)
        for _ in range(20):
            ready = list(outbox._find_ready(now).filter(target=target).values_list("pk", flat=True))
            if not ready:
                break
            for pk in ready:
                deliver.deliver(pk, now)
        return list(target.deliveries.order_by("pk"))

    return do


def queue_hand(target: DeliveryTarget) -> Delivery:
    return outbox.queue_by_hand(target, None)


def last_run(shop: Bookshop) -> Run:
    return Run.objects.filter(kind=Run.Kind.EXTRACT, state=Run.State.DONE).latest("pk")
