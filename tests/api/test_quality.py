"""Quality rules, suggestions and the decision about a held run, by a program."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from extraction.models import QualityRule, RunRelease, Site
from tests.views import world as worlds
from tests.views.world import World

Make = Callable[..., Client]
TYPE = "/api/v1/record-types/book/quality-rules"
PRICE = {"kind": "range", "attribute": "price", "limits": {"low": "50", "high": "90", "currency": "gbp"}, "allowed_fraction": 0.01}


def post(client: Client, address: str, body: Any) -> Any:
    return client.post(address, body, "application/json")


def test_a_rule_is_created_tried_changed_switched_off_and_deleted(world: World, program: Make) -> None:
    client = program("editor")
    tried = post(client, f"{TYPE}/try", PRICE).json()
    assert (tried["site"], tried["template"], tried["checked"], tried["broken"]) == (world.site.slug, 1, 5, True)
    assert tried["failing"] == len(tried["faults"]) == 5
    assert tried["faults"][0]["page"] and tried["faults"][0]["record"]
    assert not QualityRule.objects.exists()
    made = post(client, TYPE, PRICE)
    assert made.status_code == 201, made.content
    rule = made.json()
    assert (rule["limits"], rule["weight"], rule["site"]) == ({"low": "50", "high": "90", "currency": "GBP"}, "warn", None)
    assert rule["text"] == "price is from 50 to 90 GBP (at least 99 % of the records)"
    address = f"/api/v1/quality-rules/{rule['id']}"
    changed = client.patch(address, {"limits": {"high": "20"}, "weight": "block"}, "application/json").json()
    assert (changed["limits"], changed["weight"], changed["allowed_fraction"]) == ({"high": "20"}, "block", 0.01)
    assert client.patch(address, {"enabled": False}, "application/json").json()["enabled"] is False
    assert client.patch(address, {"weight": "note"}, "application/json").json()["enabled"] is False, "other changes leave it off"
    assert client.get(f"/api/v1/sites/{world.site.slug}/templates/1/quality-rules").json() == []
    assert [each["id"] for each in client.get(TYPE).json()["items"]] == [rule["id"]]
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_a_rule_for_all_templates_is_changed_for_one_only(world: World, program: Make) -> None:
    client = program("editor")
    rule = post(client, TYPE, PRICE).json()["id"]
    own = client.patch(f"/api/v1/quality-rules/{rule}?site={world.site.slug}&template=1", {"weight": "block"}, "application/json").json()
    assert (own["overrides"], own["site"], own["template"], own["weight"]) == (rule, world.site.slug, 1, "block")
    assert client.get(f"/api/v1/quality-rules/{rule}").json()["weight"] == "warn"
    judged = client.get(f"/api/v1/sites/{world.site.slug}/templates/1/quality-rules").json()
    assert [each["id"] for each in judged] == [own["id"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "colour"}, "colour is not one of the available choices"),
        ({"attribute": "colour"}, "no attribute colour"),
        ({"attribute": ""}, "rule about an attribute"),
        ({"list_name": "offers"}, "no attribute price in the list offers"),
        ({"limits": {}}, "at least one of the two limits"),
        ({"limits": {"low": "cheap"}}, "is not a number"),
        ({"limits": {"low": "9", "high": "1"}}, "less than the other limit"),
        ({"limits": {"low": "1", "pattern": "x"}}, "no limit pattern"),
        ({"other": "price"}, "not compared with another"),
        ({"kind": "pattern", "attribute": "title", "limits": {"pattern": "("}}, "missing"),
        ({"kind": "unique", "attribute": "title"}, "no limit currency"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_the_reason(world: World, program: Make, change: Any, words: str) -> None:
    answer = post(program("editor"), TYPE, PRICE | change)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert not QualityRule.objects.exists()


def test_the_same_rule_is_not_stored_twice(world: World, program: Make) -> None:
    client = program("editor")
    assert post(client, TYPE, PRICE).status_code == 201
    assert "already a rule" in post(client, TYPE, PRICE).json()["detail"]


def test_a_token_limited_to_sites_changes_rules_of_their_templates_only(world: World, program: Make) -> None:
    everywhere = post(program("editor"), TYPE, PRICE).json()["id"]
    client = program("editor", sites=[world.site])
    for answer in (
        post(client, TYPE, PRICE),
        client.patch(f"/api/v1/quality-rules/{everywhere}", {"weight": "note"}, "application/json"),
        client.delete(f"/api/v1/quality-rules/{everywhere}"),
        client.get(f"{TYPE}/suggestions"),
    ):
        assert (answer.status_code, "limited to some sites" in answer.json()["detail"]) == (403, True)
    here = f"?site={world.site.slug}&template=1"
    assert client.patch(f"/api/v1/quality-rules/{everywhere}{here}", {"weight": "note"}, "application/json").status_code == 200
    assert post(client, f"{TYPE}/try", PRICE).json()["site"] == world.site.slug
    nowhere = program("editor", sites=[Site.objects.create(name="Else", slug="else")])
    assert [each["id"] for each in nowhere.get(TYPE).json()["items"]] == [everywhere]
    assert post(nowhere, f"{TYPE}/try", PRICE).status_code == 409


def test_suggestions_are_taken_over_by_their_names(sent: list[int], program: Make, db: None) -> None:
    worlds.make(60)
    client = program("editor")
    found = client.get(f"{TYPE}/suggestions").json()
    assert (found["records"], found["complete"]) == (60, True)
    first = found["suggestions"][0]
    assert first["basis"]["records"] == 60
    assert post(client, f"{TYPE}/suggestions", {"names": ["nothing"]}).status_code == 409
    taken = post(client, f"{TYPE}/suggestions", {"names": [first["name"]], "weight": "note"})
    assert taken.status_code == 201, taken.content
    (rule,) = taken.json()
    assert (rule["text"], rule["weight"], rule["basis"]) == (first["text"], "note", first["basis"])
    again = client.get(f"{TYPE}/suggestions").json()
    assert first["name"] not in [each["name"] for each in again["suggestions"]]
    assert again["known"] == found["known"] + 1


def hold_run(world: World, client: Client) -> int:
    """Block a run with a rule, and return the id of its verdict."""
    assert post(client, TYPE, PRICE | {"weight": "block"}).status_code == 201
    run = worlds.extract(world.cluster)
    return RunRelease.objects.get(run=run).pk


def test_a_held_run_is_found_looked_at_and_released(world: World, program: Make, person: Any) -> None:
    client = program("operator")
    held = hold_run(world, program("editor"))
    (item,) = client.get("/api/v1/releases?state=held").json()["items"]
    assert (item["id"], item["site"], item["template"]) == (held, world.site.slug, 1)
    shown = client.get(f"/api/v1/releases/{held}").json()
    assert (shown["results"][0]["broken"], shown["results"][0]["failing"]) == (True, 5)
    failures = client.get(f"/api/v1/releases/{held}/failures").json()["items"]
    assert (len(failures), failures[0]["url"].startswith("https://")) == (5, True)
    done = post(client, f"/api/v1/releases/{held}/release", {"note": "The prices are right."}).json()
    assert (done["state"], done["decided_by"], done["note"]) == ("released", person("operator").username, "The prices are right.")
    late = post(client, f"/api/v1/releases/{held}/reject", {})
    assert (late.status_code, "already decided" in late.json()["detail"]) == (409, True)
    assert client.get("/api/v1/releases?state=held").json()["items"] == []


def test_a_held_run_is_rejected_and_the_one_before_stays(world: World, program: Make) -> None:
    held = hold_run(world, program("editor"))
    assert post(program("operator"), f"/api/v1/releases/{held}/reject", {}).json()["state"] == "rejected"
    states = program("viewer").get(f"/api/v1/releases?site={world.site.slug}&template=1").json()["items"]
    assert [each["state"] for each in states] == ["rejected", "released"]
    assert program("viewer").get("/api/v1/releases?state=judged").status_code == 422


def test_a_verdict_is_not_seen_before_its_run_is_done(world: World, program: Make) -> None:
    release = world.release()
    RunRelease.objects.filter(pk=release.pk).update(state="judged", decided_at=None)
    assert program("viewer").get(f"/api/v1/releases/{release.pk}").status_code == 404
