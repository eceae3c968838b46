"""Rules on their screens: XPaths are tried and edited, versions are published and retired."""

from typing import Any

from django.urls import reverse

from extraction.models import Rule, Run
from tests.services import factory
from tests.views import world as worlds
from tests.views.addresses import address
from tests.views.world import World


def test_an_xpath_is_tried_without_being_saved(signed_in: Any, world: World) -> None:
    answer = signed_in("editor").post(address(world, "rule_preview"), {"attribute": "title", "xpath": "//title/text()"})
    assert b"Book 0 | Shop" in answer.content
    assert Rule.objects.count() == 1
    for xpath in ("//h1[", "", "count(//p)"):
        answer = signed_in("editor").post(address(world, "rule_preview"), {"attribute": "title", "xpath": xpath})
        assert (answer.status_code, b"note-broken" in answer.content) == (200, True), xpath


def test_a_changed_xpath_makes_a_new_draft_and_a_bad_one_is_refused_with_the_reason(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = client.post(address(world, "rule_edit"), {"attribute": "title", "xpath": "//h1["})
    assert (answer.status_code, Rule.objects.count()) == (400, 1)
    assert b"//h1[</textarea>" in answer.content
    box = answer.content.decode().partition('id="effect-1"')[2].partition("</div>")[0]
    assert 'role="alert"' in box, "the error stands where the next trial's result takes its place"
    assert client.get(address(world, "rule_edit")).headers["Location"] == world.rule.get_absolute_url()
    client.post(address(world, "rule_edit"), {"attribute": "title", "xpath": "//title/text()"})
    draft = Rule.objects.get(version=2)
    assert (draft.state, draft.origin) == (Rule.State.DRAFT, Rule.Origin.EDITED)


def test_a_rule_can_be_published_retired_and_published_again(signed_in: Any, world: World) -> None:
    draft = worlds.draft(world.cluster)
    publish = reverse("rule_publish", args=[world.site.slug, world.cluster.number, draft.version])
    client = signed_in("editor")
    client.post(publish)
    states = dict(Rule.objects.values_list("version", "state"))
    assert states == {1: Rule.State.RETIRED, 2: Rule.State.LIVE}
    client.post(address(world, "rule_publish"))
    assert Rule.objects.get(version=1).state == Rule.State.LIVE, "who may publish may also take that back"
    client.post(publish)
    client = signed_in("operator")
    client.post(reverse("rule_retire", args=[world.site.slug, world.cluster.number, 2]))
    assert not Rule.objects.filter(state=Rule.State.LIVE).exists()
    client.post(address(world, "rule_publish"))
    assert Rule.objects.get(version=1).state == Rule.State.LIVE


def test_learning_and_running_start_runs(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    for name, kind in (("rule_learn", Run.Kind.LEARN), ("extract_start", Run.Kind.EXTRACT)):
        answer = client.post(address(world, name))
        assert answer.headers["Location"] == Run.objects.filter(kind=kind)[0].get_absolute_url()


def test_a_run_that_cannot_start_says_why(signed_in: Any, db: None, sent: list[int]) -> None:
    cluster = factory.shop(2)
    for name in ("rule_learn", "extract_start"):
        answer = signed_in("editor").post(reverse(name, args=[cluster.site.slug, cluster.number]), follow=True)
        assert b"toast-error" in answer.content, name
