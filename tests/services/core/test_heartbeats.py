"""What operators are told when beat or the workers are gone."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from extraction import tasks
from extraction.models import Heartbeat, Run
from extraction.services.core import heartbeats
from tests.services import factory

pytestmark = pytest.mark.django_db


def make_silent(minutes: int) -> None:
    Heartbeat.objects.update_or_create(name=heartbeats.TICK, defaults={"at": timezone.now() - timedelta(minutes=minutes)})


def test_a_tick_is_recorded_and_nothing_is_said_for_some_minutes() -> None:
    tasks.tick()
    assert heartbeats.describe_silence() == ""
    make_silent(4)
    assert heartbeats.describe_silence() == ""


def test_after_five_minutes_the_silence_is_named_with_its_likely_cause() -> None:
    make_silent(12)
    assert heartbeats.describe_silence().startswith("No worker or no beat runs: nothing was scheduled for 12 minutes.")
    run = factory.run(factory.site(), Run.Kind.CLUSTER)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING, heartbeat_at=timezone.now())
    assert heartbeats.describe_silence().startswith("All workers are busy, or beat does not run")


@pytest.mark.parametrize("ticks", ["none", "in the future"])
def test_without_a_tick_that_can_be_believed_the_start_of_the_dashboard_counts(ticks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if ticks == "in the future":
        make_silent(-24 * 60)
    monkeypatch.setattr(heartbeats, "_STARTED_S", time.monotonic() - 2 * 60)
    assert heartbeats.describe_silence() == ""
    monkeypatch.setattr(heartbeats, "_STARTED_S", time.monotonic() - 6 * 60)
    assert "since the dashboard was started" in heartbeats.describe_silence()


def test_only_operators_see_it(signed_in: Any) -> None:
    make_silent(12)
    for role, seen in (("viewer", False), ("editor", False), ("operator", True), ("admin", True)):
        assert (b"nothing was scheduled" in signed_in(role).get("/").content) == seen
