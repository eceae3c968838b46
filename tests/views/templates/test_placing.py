"""Screens and forms for equal templates, pages in the wrong template, and small templates."""

from typing import Any

from django.urls import reverse

from extraction.models import Cluster, MergeProposal, Page
from tests.reading import words
from tests.services import factory
from tests.views.world import World


def post(client: Any, world: World, **data: Any) -> str:
    return str(client.post(reverse("site_place", args=[world.site.slug]), data, follow=True).content.decode())


def test_a_proposal_is_shown_to_who_may_answer_and_merges(signed_in: Any, world: World) -> None:
    other = factory.cluster(world.site, number=2, kind=world.record_type)
    factory.snapshot(world.site, "https://shop.example/other", factory.book_html("Other"), cluster=other)
    row = MergeProposal.objects.create(into=world.cluster, other=other, kind="same", evidence={"pages": 7, "same": 20, "answers": 21})
    text = words(signed_in("editor").get(world.site.get_absolute_url()))
    assert "20 of 21 values equal on 7 pages" in text
    assert "values equal" not in words(signed_in("viewer").get(world.site.get_absolute_url()))
    address = reverse("cluster_same", args=[world.site.slug])
    assert signed_in("editor").post(address, {"proposal": "77", "answer": "merge"}).status_code == 404
    signed_in("editor").post(address, {"proposal": row.pk, "answer": "merge"})
    assert [cluster.number for cluster in world.site.clusters.all()] == [1]
    assert world.cluster.snapshots.current().kept().count() == 7


def test_a_proposal_that_bits_cannot_decide_shows_both_templates_side_by_side(signed_in: Any, world: World) -> None:
    other = factory.cluster(world.site, number=2)
    factory.snapshot(world.site, "https://shop.example/other", factory.book_html("Other"), cluster=other)
    MergeProposal.objects.create(into=world.cluster, other=other, kind="alike", evidence={"pages": 1, "alike_percent": 91})
    answer = signed_in("editor").get(world.site.get_absolute_url())
    assert "the same template? Their structure does not decide" in words(answer)
    assert "91 % alike" in words(answer)
    [pair] = answer.context["proposals"]
    assert [row.cluster.number for row in pair.rows] == [1, 2]
    assert answer.content.count(b"<figure>") == 2


def test_a_refusal_takes_the_notice_away(signed_in: Any, world: World) -> None:
    other = factory.cluster(world.site, number=2)
    row = MergeProposal.objects.create(into=world.cluster, other=other, kind="reads", evidence={"pages": 7, "complete": 7})
    client = signed_in("editor")
    assert "complete records on 7 of 7 pages" in words(client.get(world.site.get_absolute_url()))
    answer = client.post(reverse("cluster_same", args=[world.site.slug]), {"proposal": row.pk, "answer": "refuse"}, follow=True)
    assert b"stay apart. This is not proposed again" in answer.content
    assert "complete records on" not in words(answer)
    assert Cluster.objects.count() == 2


def test_chosen_pages_become_a_template_go_into_one_and_out(signed_in: Any, world: World) -> None:
    client, two = signed_in("editor"), list(Page.objects.filter(site=world.site).order_by("pk")[:2])
    assert "2 pages are now in Template 2. Removed with that: 2 marked values and 2 records." in post(
        client, world, pages=[page.pk for page in two], into="new"
    )
    assert "1 page is now in Template 1." in post(client, world, pages=[two[0].pk], into="1")
    assert "1 page is now without a template." in post(client, world, pages=[two[1].pk], into="")
    assert Page.objects.get(pk=two[1].pk).current.cluster is None  # type: ignore[union-attr]
    for wrong in ({}, {"pages": [two[0].pk], "into": "99"}, {"pages": [10**9], "into": "1"}, {"pages": [two[0].pk], "into": "oops"}):
        assert "Nothing was moved." in post(client, world, **wrong), wrong


def test_a_page_that_does_not_belong_shows_those_like_it(signed_in: Any, world: World) -> None:
    strange = [factory.snapshot(world.site, f"https://shop.example/f{n}", FILM, cluster=world.cluster) for n in range(3)]
    answer = signed_in("editor").get(reverse("page_apart", args=[world.site.slug, strange[0].page_id]))
    assert {each.snapshot.pk for each in answer.context["alike"]} == {strange[1].pk, strange[2].pk}
    assert "2 more pages differ from the rest in the same way. They move with this page" in words(answer)
    broken = factory.snapshot(world.site, "https://shop.example/empty", b"", cluster=world.cluster)
    answer = signed_in("editor").get(reverse("page_apart", args=[world.site.slug, broken.page_id]))
    assert b"This page cannot be compared: " in answer.content


def test_a_small_template_is_offered_apart_from_the_others_until_it_is_used(signed_in: Any, world: World) -> None:
    small = factory.cluster(world.site, number=2)
    Cluster.objects.filter(pk=small.pk).update(small=True)
    factory.snapshot(world.site, "https://shop.example/other", factory.book_html("Other"), cluster=small)
    client = signed_in("editor")
    answer = client.get(world.site.get_absolute_url())
    assert b"1 small template" in answer.content
    assert [row.cluster.number for row in answer.context["rows"]] == [1]
    client.post(reverse("cluster_ignore", args=[world.site.slug, 2]), {"ignored": "0"})
    assert [row.cluster.number for row in client.get(world.site.get_absolute_url()).context["rows"]] == [1, 2]


FILM = b"<html><body><main><video></video><dl class=cast><dt>A<dd>B</dl><form><input></form></main></body></html>"


def test_all_pages_that_a_search_finds_move_and_the_person_stays_on_the_list(signed_in: Any, world: World, monkeypatch: Any) -> None:
    client, wanted = signed_in("editor"), {"whole": "1", "q": "book/", "part": "1", "into": "new", "from": "list"}
    monkeypatch.setattr("extraction.views.templates.placing.MAX_MOVED", 2)
    assert "at most 2 are moved at once" in post(client, world, **wanted)
    monkeypatch.undo()
    answer = client.post(reverse("site_place", args=[world.site.slug]), wanted)
    assert answer.headers["Location"] == f"{reverse('site_pages', args=[world.site.slug])}?q=book%2F&part=1"
    assert {page.current.cluster.number for page in Page.objects.filter(url__contains="book/")} == {2}
