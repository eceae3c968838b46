"""Pages moved, templates merged and other clusterings compared, by a program."""

from collections.abc import Callable

from django.test import Client

from extraction import pipeline
from extraction.models import Clustering, MergeProposal
from tests.views.world import World

Make = Callable[..., Client]


def test_pages_are_moved_to_a_new_template_and_back_out(world: World, program: Make) -> None:
    client, root = program("editor"), f"/api/v1/sites/{world.site.slug}"
    moved = client.post(f"{root}/pages/move", {"pages": [world.page.pk], "into": "new"}, "application/json").json()
    assert (moved["pages"], moved["records"]) == (1, 1)
    assert client.get(f"{root}/pages/{world.page.pk}").json()["template"] == moved["into"]
    out = client.post(f"{root}/pages/move", {"pages": [world.page.pk], "into": None}, "application/json").json()
    assert (out["into"], client.get(f"{root}/pages/{world.page.pk}").json()["template"]) == (None, None)
    own = world.page.pk
    for body in ({"pages": [], "into": 1}, {"pages": [own]}, {"pages": [99999999], "into": 1}, {"pages": [own], "into": 77}):
        answer = client.post(f"{root}/pages/move", body, "application/json")
        assert (answer.status_code, bool(answer.json()["detail"])) == (422, True), body


def test_a_merge_proposal_is_refused_or_accepted(world: World, program: Make) -> None:
    client, root = program("editor"), f"/api/v1/sites/{world.site.slug}/merge-proposals"
    proposal = world.merge_proposal()
    assert [(each["into"], each["other"]) for each in client.get(root).json()["items"]] == [(1, 99)]
    assert client.post(f"{root}/{proposal.pk}/refuse").json()["state"] == "refused"
    assert client.get(root).json()["items"] == []
    assert len(client.get(f"{root}?state=refused").json()["items"]) == 1
    MergeProposal.objects.filter(pk=proposal.pk).update(state="open")
    assert client.post(f"{root}/{proposal.pk}/accept").json()["number"] == 1
    assert not world.site.clusters.filter(number=99).exists()


def test_methods_are_compared_and_one_is_adopted(world: World, program: Make, sent: list[int]) -> None:
    root = f"/api/v1/sites/{world.site.slug}/lab"
    client = program("operator")
    assert "no method tarot" in client.post(f"{root}/comparisons", {"methods": ["tarot"]}, "application/json").json()["detail"]
    started = client.post(f"{root}/comparisons", {"methods": ["lsh"]}, "application/json")
    assert (started.status_code, started.json()["kind"]) == (202, "lab")
    pipeline.execute_run(started.json()["id"])
    found = client.get(f"{root}/clusterings?run={started.json()['id']}").json()["items"]
    assert {each["method"] for each in found} == {"", "lsh"}
    lsh = next(each for each in found if each["method"] == "lsh")
    shown = client.get(f"{root}/clusterings/{lsh['id']}").json()
    assert [len(each) for each in shown["members"]] == shown["sizes"] == lsh["sizes"]
    assert client.post(f"{root}/clusterings/{world.clustering.pk}/adopt").status_code in (202, 409)
    assert Clustering.objects.filter(site=world.site).count() >= 4
