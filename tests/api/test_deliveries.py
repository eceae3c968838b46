"""Targets and deliveries by a program."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from extraction.models import Delivery, DeliveryTarget
from extraction.services.deliveries import deliver
from tests.views.world import World

Make = Callable[..., Client]
TARGETS = "/api/v1/delivery-targets"
KEY = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ="


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """A folder that the administrator allows."""
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    return tmp_path


def post(client: Client, address: str, body: Any) -> Any:
    return client.post(address, body, "application/json")


def make_folder_target(client: Client, folder: Path, **more: Any) -> Any:
    body = {"name": "Files", "record_type": "book", "kind": "folder", "place": {"folder": str(folder)}}
    answer = post(client, TARGETS, body | more)
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_records_are_delivered_to_a_folder_from_the_preview_to_the_file(world: World, program: Make, folder: Path, person: Any) -> None:
    client = program("operator")
    made = make_folder_target(client, folder, content={"format": "jsonl", "columns": ["title"], "about": ["site"]})
    address = f"{TARGETS}/{made['id']}"
    assert (made["content"]["format"], made["content"]["columns"], made["mode"]) == ("jsonl", ["title"], "runs")
    preview = client.get(f"{address}/preview").json()
    assert (preview["problem"], preview["lines"], preview["complete"], preview["columns"][0]) == ("", 6, True, "title")
    assert preview["rows"][0][0].startswith("Book")
    assert client.post(f"{address}/test").json() == {"reached": True, "error": ""}
    queued = post(client, f"{address}/deliver", {})
    assert (queued.status_code, queued.json()["state"], queued.json()["created_by"]) == (202, "queued", person("operator").username)
    assert post(client, f"{address}/deliver", {}).json()["id"] == queued.json()["id"]
    assert deliver.deliver(queued.json()["id"], timezone.now())
    done = client.get(f"/api/v1/deliveries/{queued.json()['id']}").json()
    assert (done["state"], done["lines"], done["outcome"]) == ("done", 6, "6 lines")
    assert [each["id"] for each in client.get(f"/api/v1/deliveries?target={made['id']}&state=done").json()["items"]] == [done["id"]]
    assert next(folder.rglob("*.jsonl")).read_text().count("\n") == 6
    assert client.post(f"/api/v1/deliveries/{done['id']}/retry").status_code == 409


def test_a_target_is_changed_in_parts_and_deleted_by_its_name(world: World, program: Make, folder: Path) -> None:
    client = program("operator")
    made = make_folder_target(client, folder, content={"format": "jsonl", "columns": ["title"]})
    address = f"{TARGETS}/{made['id']}"
    schedule = {"mode": "times", "times": ["06:30", "Mon-Fri 18:00"], "zone": "Europe/Berlin"}
    changed = client.patch(address, {"schedule": schedule, "content": {"described": False}}, "application/json").json()
    assert (changed["mode"], changed["zone"], changed["moved"]) == ("times", "Europe/Berlin", False)
    assert changed["next_due_at"]
    assert changed["content"] == made["content"] | {"described": False}
    assert client.patch(address, {"enabled": False}, "application/json").json()["enabled"] is False
    assert client.patch(address, {"name": "Other"}, "application/json").json()["enabled"] is False
    moved = client.patch(address, {"place": {"folder": str(folder / "sub")}}, "application/json").json()
    assert moved["moved"] is True
    assert client.delete(f"{address}?confirm=Files").status_code == 422
    assert client.delete(f"{address}?confirm=Other").status_code == 204
    assert client.get(address).status_code == 404


def test_secrets_are_taken_and_never_given_back(world: World, program: Make) -> None:
    client = program("operator")
    body = {"name": "Hook", "record_type": "book", "kind": "webhook", "from_now": True}
    body["secrets"] = {"address": "https://hooks.example.org/secret-path", "key": KEY}
    made = post(client, TARGETS, body)
    assert (made.status_code, made.json()["leads_to"], made.json()["noted"]) == (201, "hooks.example.org/••••", True)
    for address in (TARGETS, f"{TARGETS}/{made.json()['id']}"):
        answer = client.get(address).content.decode()
        assert "secret-path" not in answer
        assert KEY not in answer
    row = DeliveryTarget.objects.get(pk=made.json()["id"])
    assert "secret-path" not in row.secret
    assert [each.cause for each in row.deliveries.all()] == ["start"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "pigeon"}, "not valid"),
        ({"record_type": "film"}, "no record type film"),
        ({"list_name": "offers"}, "no list offers"),
        ({"place": {"bucket": "b"}}, "no place bucket"),
        ({"secrets": {"password": "x"}}, "no secret password"),
        ({"place": {"folder": "/etc"}}, "/etc"),
        ({"content": {"format": "doc"}}, "doc is not one of the available choices"),
        ({"content": {"columns": ["colour"]}}, "colour is not one of the available choices"),
        ({"schedule": {"mode": "times", "times": ["25:99"]}}, "25:99"),
        ({"schedule": {"mode": "cron", "cron": "never"}}, "five fields"),
        ({"name": "Shop"}, "already a target with this name"),
    ],
)
def test_a_target_that_cannot_be_is_refused_with_the_reason(world: World, program: Make, folder: Path, change: Any, words: str) -> None:
    body = {"name": "Files", "record_type": "book", "kind": "folder", "place": {"folder": str(folder)}}
    answer = post(program("operator"), TARGETS, body | change)
    assert answer.status_code == 422, answer.content
    assert words in answer.json()["detail"]
    assert DeliveryTarget.objects.count() == 1


def test_a_delivery_that_failed_is_sent_again_and_one_that_is_sent_is_not(world: World, program: Make) -> None:
    client = program("operator")
    address = f"/api/v1/deliveries/{world.delivery.pk}"
    assert client.get(address).json()["error"] == "500"
    assert client.post(f"{address}/retry").json()["state"] == "queued"
    Delivery.objects.filter(pk=world.delivery.pk).update(state="sending", claimed_by="host 1@2", alive_at=timezone.now())
    assert client.post(f"{address}/retry").status_code == 409


def test_a_target_that_is_not_reached_says_why_without_its_secrets(world: World, program: Make) -> None:
    client = program("operator")
    secrets = {"address": "http://127.0.0.1:8999/secret-path", "key": KEY}
    made = post(client, TARGETS, {"name": "Near", "record_type": "book", "kind": "webhook", "secrets": secrets}).json()
    said = client.post(f"{TARGETS}/{made['id']}/test").json()
    assert said["reached"] is False
    assert "not allowed" in said["error"]
    assert "secret-path" not in said["error"]
