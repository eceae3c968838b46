"""Every screen with the longest names."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Attribute, Cluster, Page, RecordType, Run, RunProblem
from tests.views import world as worlds
from tests.views.core.test_access import SHOWN, asking
from tests.views.world import World


@pytest.fixture(scope="module")
def long_names(keep_rows: Callable[[], AbstractContextManager[None]]) -> Iterator[World]:
    """A site whose rows all have the longest names."""
    with keep_rows():
        world = worlds.make(2, name="N" * 120)
        Cluster.objects.update(name="T" * 120, url_patterns=["p" * 200] * 6, masks=["3f.a2.**.10.**.**.77.01"] * 6)
        for number, page in enumerate(Page.objects.all()):
            Page.objects.filter(pk=page.pk).update(url=f"https://shop.example/{number}/" + "u" * 1900)
        RecordType.objects.update(name="R" * 80, description="d" * 300)
        Attribute.objects.filter(name="title").update(name="a" * 60)
        Run.objects.update(message="m" * 300)
        RunProblem.objects.create(run=world.run, name="f" * 2000, reason="r" * 500)
        yield world


@pytest.mark.parametrize("name", SHOWN)
def test_the_screens_work_with_the_longest_names(signed_in: Any, db: None, long_names: World, name: str) -> None:
    assert asking(signed_in("admin"), name).get(reverse(name, args=long_names.address(name))).status_code == 200
