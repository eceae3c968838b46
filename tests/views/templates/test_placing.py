"""Screens and forms for equal templates, pages in the wrong template, and small templates."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Cluster, Label, MergeProposal, Page, Placement, Run
from extraction.services.templates import placing
from extraction.views.sites import site_pages
from tests.reading import words
from tests.services import factory
from tests.views.world import World


@pytest.fixture
def world(shared_world: World) -> World:
    return shared_world


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
    assert "the same template? Their structure alone cannot tell" in words(answer)
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


def test_a_page_is_said_to_be_compared_with_only_some_pages_of_a_large_template(signed_in: Any, world: World, monkeypatch: Any) -> None:
    address = reverse("page_apart", args=[world.site.slug, world.page.pk])
    assert b"were compared with it" not in signed_in("editor").get(address).content
    monkeypatch.setattr(placing, "LOOKED_AT", 1)
    assert b"Only 1 pages of the template were compared with it" in signed_in("editor").get(address).content


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
    monkeypatch.setattr("extraction.views.sites.site_pages.SHORT_LOOKED", 2)
    monkeypatch.setattr("extraction.views.templates.placing.MAX_MOVED", 1)
    assert "finds 2 pages" in post(client, world, **{**wanted, "q": "k/"}), "those that the list shows for so short a text"
    monkeypatch.undo()
    answer = client.post(reverse("site_place", args=[world.site.slug]), wanted)
    assert answer.headers["Location"] == f"{reverse('site_pages', args=[world.site.slug])}?q=book%2F&part=1"
    assert set(Page.objects.filter(url__contains="book/").values_list("current__cluster__number", flat=True)) == {2}


def marked(world: World) -> set[tuple[int, str, str, int]]:
    """The marked values: (page version, attribute, value, template)."""
    return set(Label.objects.values_list("snapshot", "attribute__name", "value", "cluster__number"))


def templates_of_pages(world: World) -> dict[int, int | None]:
    return dict(Page.objects.filter(site=world.site).values_list("pk", "current__cluster__number"))


def test_a_move_is_undone_with_its_marked_values_and_no_trace_in_what_people_said(signed_in: Any, world: World) -> None:
    client, two = signed_in("editor"), list(Page.objects.filter(site=world.site).order_by("pk")[:2])
    labels, before, said = marked(world), templates_of_pages(world), set(Placement.objects.values_list("page", "cluster", "belongs"))
    assert "Undo the move" not in words(client.get(reverse("site_pages", args=[world.site.slug])))
    post(client, world, pages=[page.pk for page in two], into="new", **{"from": "list"})
    assert marked(world) != labels
    shown = words(client.get(reverse("site_pages", args=[world.site.slug])))
    assert "2 pages are now in Template 2." in shown and "Undo the move" in shown
    answer = words(client.post(reverse("site_place_undo", args=[world.site.slug]), follow=True))
    assert "2 pages are back. 2 marked values are back, too." in answer and "Undo the move" not in answer
    assert (marked(world), templates_of_pages(world)) == (labels, before)
    assert set(Placement.objects.values_list("page", "cluster", "belongs")) == said
    assert [each.number for each in world.site.clusters.all()] == [1]
    assert "there is no move to undo" in words(client.post(reverse("site_place_undo", args=[world.site.slug]), follow=True))


def test_pages_that_have_moved_again_are_left_out_of_the_undoing(signed_in: Any, world: World) -> None:
    client, two = signed_in("editor"), list(Page.objects.filter(site=world.site).order_by("pk")[:2])
    third = factory.cluster(world.site, number=3)
    post(client, world, pages=[page.pk for page in two], into="")
    placing.move_pages(world.site, [two[1]], third)
    answer = words(client.post(reverse("site_place_undo", args=[world.site.slug]), follow=True))
    assert "1 page is back." in answer and "1 stayed, because they have moved again" in answer
    assert (templates_of_pages(world)[two[0].pk], templates_of_pages(world)[two[1].pk]) == (1, 3)


def test_records_of_pages_that_come_to_a_rule_are_made_again(signed_in: Any, world: World) -> None:
    client, page = signed_in("editor"), Page.objects.filter(site=world.site).order_by("pk").first()
    assert page
    Run.objects.filter(kind=Run.Kind.EXTRACT).delete()
    post(client, world, pages=[page.pk], into="")
    assert not Run.objects.filter(kind=Run.Kind.EXTRACT).exists()  # no rule reads it now
    client.post(reverse("site_place_undo", args=[world.site.slug]))
    assert Run.objects.filter(kind=Run.Kind.EXTRACT).get().read_parameters().stale_only


def test_all_pairs_for_which_a_rule_speaks_are_merged_at_once_and_their_records_made_again(signed_in: Any, world: World) -> None:
    for number, kind in ((2, "same"), (3, "reads"), (4, "alike")):
        other = factory.cluster(world.site, number=number, kind=world.record_type)
        factory.snapshot(world.site, f"https://shop.example/other/{number}", factory.book_html("Other"), cluster=other)
        MergeProposal.objects.create(into=world.cluster, other=other, kind=kind, evidence={"pages": 7, "same": 20, "answers": 21})
    Run.objects.filter(kind=Run.Kind.EXTRACT).delete()
    client = signed_in("editor")
    assert "Merge all 2 and run" in words(client.get(world.site.get_absolute_url()))
    answer = client.post(reverse("cluster_same_all", args=[world.site.slug]))
    run = Run.objects.get(kind=Run.Kind.EXTRACT)
    assert answer.headers["Location"] == run.get_absolute_url()
    assert [each.number for each in world.site.clusters.order_by("number")] == [1, 4]
    assert "Merge all" not in words(client.get(world.site.get_absolute_url()))


def test_a_pattern_with_stars_finds_addresses_and_a_search_without_them_titles_too(world: World) -> None:
    for path in ("de/book/7", "de/book/7/reviews", "de/book/8?ref=a", "de/books.html"):
        factory.snapshot(world.site, f"https://shop.example/{path}", factory.book_html("Title 9*"), cluster=world.cluster)

    def found(query: str) -> list[str]:
        return [page.url.removeprefix("https://shop.example/") for page in site_pages.search_pages(world.site, query=query)]

    assert found("/de/book/*") == ["de/book/7", "de/book/8?ref=a"]
    assert found("/de/book/**") == ["de/book/7", "de/book/7/reviews", "de/book/8?ref=a"]
    assert found("https://shop.example/de/*.html") == found("shop.example/de/*.HTML") == ["de/books.html"]
    assert found("/*/book/*?ref=*") == ["de/book/8?ref=a"]
    assert found("/(*") == []
    assert len(found("de/book")) == 4


def test_odd_pages_are_shown_on_the_template_and_moved_in_one_step(signed_in: Any, world: World) -> None:
    client, address = signed_in("editor"), reverse("cluster_odd", args=[world.site.slug, world.cluster.number])
    for n in range(8):
        factory.snapshot(world.site, f"https://shop.example/book/more{n}", factory.book_html(f"More {n}"), cluster=world.cluster)
    assert client.get(address, headers={"HX-Request": "true"}).content.strip() == b""
    strange = [factory.snapshot(world.site, f"https://shop.example/f{n}", FILM, cluster=world.cluster) for n in range(3)]
    answer = client.get(address, headers={"HX-Request": "true"})
    shown = words(answer)
    assert "<b>3 pages</b> lack" in shown and "Move these 3 pages to" in shown
    assert answer.content.count(b"<iframe") == 4, "three odd pages and one for comparison"
    without_type = factory.cluster(world.site, number=7)
    for name, number in (("cluster_suggest", world.cluster.number), ("workbench", without_type.number)):
        where = [world.site.slug, number]
        assert f"{reverse('cluster_odd', args=where)}?note=1" in client.get(reverse(name, args=where)).text
    note = client.get(address, {"note": "1"}, headers={"HX-Request": "true"})
    assert "3 of" in words(note) and "Move them first" in words(note) and f"{world.cluster.get_absolute_url()}#odd" in note.text
    back = {"from": "template", "part": str(world.cluster.number)}
    went = client.post(reverse("site_place", args=[world.site.slug]), {"pages": [each.page_id for each in strange], "into": "new", **back})
    assert went.headers["Location"] == world.cluster.get_absolute_url()
    assert "Undo the move" in words(client.get(went.headers["Location"]))
    assert client.get(address, headers={"HX-Request": "true"}).content.strip() == b""


def test_odd_pages_that_belong_where_they_are_stay_and_nothing_else_changes(signed_in: Any, world: World) -> None:
    labels, before = marked(world), templates_of_pages(world)
    two = [page.pk for page in Page.objects.filter(site=world.site).order_by("pk")[:2]]
    number = str(world.cluster.number)
    text = post(signed_in("editor"), world, pages=two, into=number, part=number, **{"from": "template"})
    assert "2 pages stay in Template 1." in text and "Undo the move" not in text
    assert (marked(world), templates_of_pages(world)) == (labels, before)
    assert Placement.objects.filter(page__in=two, cluster=world.cluster, belongs=True).count() == 2
