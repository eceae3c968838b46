"""The lists of the API: the number of queries does not grow with the rows."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from extraction.models import Run
from tests.services import factory
from tests.views.core.test_number_of_queries import many
from tests.views.world import World

LISTS = (
    "sites",
    "runs",
    "record-types",
    "breakages",
    "sites/{site}/pages",
    "sites/{site}/templates",
    "sites/{site}/checks",
    "sites/{site}/templates/{number}/comments",
    "sites/{site}/templates/{number}/records",
    "sites/{site}/templates/{number}/rules",
    "sites/{site}/templates/{number}/labels",
    "sites/{site}/templates/{number}/changes",
)


def add_finished_runs(world: World) -> None:
    """Add searches and crawls that have ended: other runs may have followed them."""
    for kind in (Run.Kind.CRAWL, Run.Kind.CLUSTER) * 5:
        factory.run(world.site, kind, Run.State.DONE)


def test_the_queries_of_lists_do_not_grow_with_their_rows(program: Callable[..., Client], world: World) -> None:
    client = program("admin")
    addresses = [f"/api/v1/{each.format(site=world.site.slug, number=world.cluster.number)}?limit=1000" for each in LISTS]

    def look(address: str) -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address)
        assert answer.status_code == 200, (address, answer.content)
        return len(queries), len(answer.json()["items"])

    add_finished_runs(world)
    few = {each: look(each) for each in addresses}
    few = {each: look(each) for each in addresses}  # the first look may note that the token is used
    many(world)
    add_finished_runs(world)
    grown = 0
    for address in addresses:
        queries, rows = look(address)
        assert queries <= few[address][0], address
        grown += rows > few[address][1]
    assert grown >= 5, "most lists have more rows than before"


def test_a_run_names_the_run_that_followed_it(program: Callable[..., Client], world: World) -> None:
    crawl = factory.run(world.site, Run.Kind.CRAWL, Run.State.DONE)
    search = factory.run(world.site, Run.Kind.CLUSTER, Run.State.QUEUED)
    items = program("viewer").get("/api/v1/runs").json()["items"]
    following = {each["id"]: each["following"] for each in items}
    assert following[crawl.pk] == search.pk
    assert following[search.pk] is None


def test_comments_and_assignments_are_read_and_written(world: World, program: Callable[..., Client], person: Any) -> None:
    person("viewer")
    client = program("editor")
    template = f"/api/v1/sites/{world.site.slug}/templates/{world.cluster.number}"
    breakage = f"/api/v1/breakages/{world.breakage.pk}"
    made = client.post(f"{template}/comments", {"text": "See @viewer and @nobody"}, "application/json")
    assert (made.status_code, made.json()["told"], made.json()["unknown"], made.json()["by"]) == (201, ["viewer"], ["nobody"], "editor")
    client.post(f"{breakage}/comments", {"text": "Broken since Monday"}, "application/json")
    assert [each["breakage"] for each in client.get(f"{template}/comments").json()["items"]] == [None, world.breakage.pk]
    assert [each["text"] for each in client.get(f"{breakage}/comments").json()["items"]] == ["Broken since Monday"]
    changed = client.patch(template, {"assignee": "editor"}, "application/json").json()
    assert (changed["assignee"], changed["comments"]) == ("editor", 2)
    assert client.patch(breakage, {"assignee": "editor"}, "application/json").json()["assignee"] == "editor"
    assert client.patch(breakage, {"assignee": ""}, "application/json").json()["assignee"] is None
    for wrong, said in (("x", "There is no person x."), ("viewer", "viewer is no editor, so this cannot be assigned to them.")):
        answer = client.patch(breakage, {"assignee": wrong}, "application/json")
        assert (answer.status_code, answer.json()["detail"]) == (422, said)
    assert client.post(f"{breakage}/comments", {"text": ""}, "application/json").status_code == 422
