"""Corrections by a program: seen, made, kept and ended as in the dashboard."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from extraction.models import Cluster, Correction, Record
from tests.services.corrections import test_corrections as offers
from tests.services.corrections.test_corrections import shop  # noqa: F401 - a fixture
from tests.views import world as worlds
from tests.views.world import World

Make = Callable[..., Client]


def root(world: World) -> str:
    return f"/api/v1/sites/{world.site.slug}/templates/{world.cluster.number}"


def list_places(client: Client, world: World) -> dict[str, Any]:
    found = client.get(f"{root(world)}/pages/{world.page.pk}/values").json()["items"]
    return {each["attribute"]: each for each in found}


def correct(client: Client, world: World, **body: Any) -> Any:
    return client.post(f"{root(world)}/pages/{world.page.pk}/corrections", {"attribute": "title"} | body, "application/json")


def test_a_value_is_corrected_and_both_texts_stay_visible(world: World, program: Make, person: Any) -> None:
    client = program("editor")
    before = list_places(client, world)["title"]
    assert (before["page"], before["correction"], before["given"]) == (["Book 0"], None, None)
    made = correct(client, world, values=["Emma"], seen=before["page"])
    assert made.status_code == 201, made.content
    said = made.json()
    assert (said["kind"], said["values"], said["basis"], said["by"]) == ("corrected", ["Emma"], ["Book 0"], person("editor").username)
    assert "title is corrected" in said["outcome"]
    after = list_places(client, world)["title"]
    assert [each["value"] for each in after["values"]] == ["Emma"]
    assert (after["page"], after["given"][0]["raw"], after["correction"]) == (["Book 0"], "Book 0", said["id"])
    record = client.get(f"{root(world)}/records?q=emma").json()["items"]
    assert [each["values"]["title"][0]["value"] for each in record] == ["Emma"]
    listed = client.get(f"{root(world)}/corrections").json()["items"]
    assert [each["id"] for each in listed] == [said["id"]]


def test_ending_a_correction_gives_the_value_of_the_page_again(world: World, program: Make) -> None:
    client = program("editor")
    made = correct(client, world, values=["Emma"]).json()["id"]
    ended = client.post(f"{root(world)}/corrections/{made}/end")
    assert (ended.status_code, ended.json()["state"]) == (200, "ended")
    assert list_places(client, world)["title"]["values"][0]["value"] == "Book 0"
    assert client.post(f"{root(world)}/corrections/{made}/end").status_code == 409
    assert client.get(f"{root(world)}/corrections").json()["items"] == []
    assert [each["id"] for each in client.get(f"{root(world)}/corrections?state=ended").json()["items"]] == [made]


def test_a_correction_whose_page_says_something_else_now_is_kept_or_replaced(world: World, program: Make) -> None:
    client = program("editor")
    made = correct(client, world, values=["Emma"]).json()["id"]
    assert client.post(f"{root(world)}/corrections/{made}/keep").status_code == 409  # it is in use
    Correction.objects.filter(pk=made).update(state="review", basis=["Book zero"], found=["Book 0"])
    assert [each["found"] for each in client.get(f"{root(world)}/corrections?state=review").json()["items"]] == [["Book 0"]]
    kept = client.post(f"{root(world)}/corrections/{made}/keep").json()
    assert (kept["state"], kept["basis"], kept["found"]) == ("active", ["Book 0"], None)
    other = correct(client, world, values=["Persuasion"], replaces=made)
    assert other.status_code == 201
    assert Correction.objects.get(pk=made).state == "ended"
    assert correct(client, world, values=["Sanditon"], replaces=made).status_code == 422


def test_values_can_be_rejected_and_filled_in_but_not_by_mistake(world: World, program: Make) -> None:
    client = program("editor")
    assert correct(client, world, values=[" "]).status_code == 422
    assert correct(client, world, values=["Emma"], seen=["Something else"]).status_code == 409
    assert correct(client, world, attribute="colour", values=["red"]).status_code == 422
    assert correct(client, world, attribute="title", list_name="offers", row=1, values=["red"]).status_code == 422
    assert correct(client, world, values=["A", "B"]).json()["detail"] == "title has one value. You wrote 2 lines."
    assert correct(client, world, attribute="price", values=["cheap"]).status_code == 422
    assert not Correction.objects.exists()
    assert correct(client, world, values=[]).json()["kind"] == "rejected"
    assert list_places(client, world)["title"]["values"] == []


def test_a_page_without_a_record_of_the_template_has_no_values(world: World, program: Make) -> None:
    Record.objects.filter(snapshot__page=world.page).delete()
    client = program("editor")
    assert client.get(f"{root(world)}/pages/{world.page.pk}/values").status_code == 404
    assert correct(client, world, values=["Emma"]).status_code == 404
    assert client.get(f"{root(world)}/pages/99999999999999999999/values").status_code == 404


@pytest.mark.django_db
def test_rows_of_a_list_come_in_pages_and_one_of_them_is_corrected(shop: Cluster, program: Make) -> None:  # noqa: F811
    offers.show(shop, ("Ann", "1"), ("Ben", "2"), ("Cid", "3"))
    worlds.extract(shop)
    page = f"/api/v1/sites/{shop.site.slug}/templates/{shop.number}/pages/{offers.record().snapshot.page_id}"
    client = program("editor")
    found: list[Any] = []
    after: str | None = ""
    while after is not None:
        part = client.get(f"{page}/values?list_name=offers&limit=4&after={after}").json()
        found, after = found + part["items"], part["next"]
    assert [(each["row"], each["attribute"]) for each in found] == [(n, name) for n in (1, 2, 3) for name in ("seller", "cost")]
    given = {"attribute": "cost", "list_name": "offers", "row": 2, "values": ["5"], "seen": ["2"]}
    assert client.post(f"{page}/corrections", given, "application/json").json()["row"] == 2
    assert offers.costs() == ["1", "5", "3"]
    assert client.post(f"{page}/corrections", given | {"row": 4}, "application/json").status_code == 422
    assert client.get(f"{page}/values", {"list_name": "reviews"}).status_code == 422
