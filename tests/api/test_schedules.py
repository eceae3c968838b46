"""Schedules of refreshes and checks, by a program."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from extraction.models import Monitor, RefreshSchedule
from tests.views.world import World

Make = Callable[..., Client]


def put(client: Client, world: World, body: Any, query: str = "") -> Any:
    return client.put(f"/api/v1/sites/{world.site.slug}/schedule{query}", body, "application/json")


def test_a_schedule_is_set_paused_resumed_skipped_and_removed(world: World, program: Make) -> None:
    client, address = program("operator"), f"/api/v1/sites/{world.site.slug}/schedule"
    none = client.get(address).json()
    assert (none["set"], none["words"]) == (False, "")
    assert client.post(f"{address}/pause").status_code == 409
    made = put(client, world, {"mode": "times", "times": ["06:30", "Mon-Fri 18:00"], "zone": "Europe/Berlin", "max_pages": 50}).json()
    assert (made["set"], made["mode"], made["zone"], made["max_pages"]) == (True, "times", "Europe/Berlin", 50)
    assert made["next_due_at"]
    skipped = client.post(f"{address}/skip").json()
    assert skipped["next_due_at"] > made["next_due_at"]
    listed = client.get(f"/api/v1/sites/{world.site.slug}/refreshes").json()["items"]
    assert [(each["state"], each["cause"], each["due_at"]) for each in listed] == [("skipped", "person", made["next_due_at"])]
    assert client.post(f"{address}/pause").json()["next_due_at"] is None
    assert client.post(f"{address}/skip").status_code == 409
    assert client.post(f"{address}/resume").json()["next_due_at"]
    changed = put(client, world, {"mode": "interval", "every_hours": 3}).json()
    assert (changed["every_hours"], changed["max_pages"], changed["times"]) == (3, None, made["times"])
    assert client.delete(address).status_code == 204
    assert client.delete(address).status_code == 409
    assert not RefreshSchedule.objects.exists()


def test_a_template_has_a_schedule_of_its_own(world: World, program: Make) -> None:
    client, address = program("operator"), f"/api/v1/sites/{world.site.slug}/schedule"
    assert put(client, world, {"mode": "checks"}, "?template=1").json()["template"] == 1
    assert client.get(address).json()["set"] is False
    assert client.get(f"{address}?template=1").json()["words"] == "after each check of the rules"
    assert client.get(f"{address}?template=9").status_code == 404


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"mode": "often"}, "not valid"),
        ({"mode": "interval", "every_hours": 0}, "at least 1"),
        ({"mode": "times", "times": ["25:00"]}, "25:00"),
        ({"mode": "cron", "cron": "daily"}, "five fields"),
        ({"mode": "times", "times": ["06:00"], "zone": "Mars/Base"}, "Mars/Base"),
        ({"mode": "checks", "max_pages": 0}, "not valid"),
    ],
)
def test_a_schedule_that_means_no_time_is_refused(world: World, program: Make, body: Any, words: str) -> None:
    answer = put(program("operator"), world, body)
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.content
    assert not RefreshSchedule.objects.exists()


def test_checks_are_set_in_parts(world: World, program: Make) -> None:
    client, address = program("operator"), f"/api/v1/sites/{world.site.slug}/monitor"
    assert client.get(address).json()["every_hours"] == 24
    assert not Monitor.objects.filter(site=world.site).exists()
    changed = client.patch(address, {"every_hours": 3}, "application/json").json()
    assert (changed["every_hours"], changed["enabled"], changed["auto_repair"]) == (3, True, False)
    assert client.patch(address, {"auto_repair": True, "enabled": False}, "application/json").json()["every_hours"] == 3
    monitor = Monitor.objects.get(site=world.site)
    assert (monitor.every_hours, monitor.enabled, monitor.auto_repair) == (3, False, True)
    assert client.patch(address, {"every_hours": 0}, "application/json").status_code == 422
