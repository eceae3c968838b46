"""The first steps on the home page tick themselves from what is there."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.models import Cluster, Label, Record, Rule, Site
from tests.services import factory
from tests.views.world import World


def read_steps(client: Any) -> dict[str, bool]:
    """Each step and whether it is done."""
    return {step.name: step.done for step in client.get(reverse("home")).context["steps"]}


def find_current(client: Any) -> tuple[str, str]:
    """The step to do now, and where its button leads."""
    return next((step.name, step.url) for step in client.get(reverse("home")).context["steps"] if step.now)


def test_an_empty_installation_begins_with_a_site(signed_in: Any, db: None) -> None:
    client = signed_in("editor")
    assert not any(read_steps(client).values())
    assert find_current(client) == ("site", reverse("site_new"))


def test_the_demo_site_is_named_where_it_is_served(signed_in: Any, db: None, settings: Any) -> None:
    settings.VERTEX_DEMO_SITE = "http://127.0.0.1:8100/"
    assert b"<code>http://127.0.0.1:8100/</code>" in signed_in("editor").get(reverse("home")).content


def test_a_site_without_pages_is_not_enough(signed_in: Any, db: None) -> None:
    site = factory.site()
    client = signed_in("editor")
    assert find_current(client) == ("site", site.get_absolute_url())
    assert b"Its pages are on their way" in client.get(reverse("home")).content


def test_each_step_is_ticked_by_what_it_makes(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    assert [name for name, done in read_steps(client).items() if not done] == ["export"]
    Record.objects.all().delete()
    assert find_current(client) == ("run", world.cluster.get_absolute_url())
    Rule.objects.update(state=Rule.State.DRAFT, published_at=None)
    assert find_current(client)[0] == "publish"
    Rule.objects.all().delete()
    assert find_current(client)[0] == "learn"
    Label.objects.all().delete()
    assert find_current(client)[0] == "mark"
    Cluster.objects.update(ignored=True)
    assert find_current(client) == ("templates", world.site.get_absolute_url())


def test_the_list_ends_when_records_were_exported(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    name, url = find_current(client)
    assert (name, url) == ("export", reverse("records", args=[world.site.slug, world.cluster.number]))
    answer = client.get(reverse("records_csv", args=[world.site.slug, world.cluster.number]))
    assert answer.status_code == 200
    assert read_steps(client) == {}


def test_the_list_can_be_closed_for_good(signed_in: Any, db: None) -> None:
    client = signed_in("editor")
    answer = client.post(reverse("first_steps_close"))
    assert answer.headers["Location"] == reverse("home")
    text = client.get(reverse("home")).content.decode()
    assert "First steps" not in text
    assert "Add the first site" in text


def test_an_installation_that_is_not_new_has_no_list(signed_in: Any, world: World) -> None:
    Site.objects.update(created_at=timezone.now() - timedelta(days=15))
    assert read_steps(signed_in("editor")) == {}


@pytest.mark.parametrize("role", ["viewer"])
def test_somebody_who_cannot_do_the_steps_does_not_see_them(signed_in: Any, db: None, role: str) -> None:
    assert read_steps(signed_in(role)) == {}


def test_the_list_follows_the_site_that_is_furthest_and_not_one_whose_pages_could_not_be_fetched(signed_in: Any, world: World) -> None:
    failed = factory.site("Failed")
    Site.objects.filter(pk=failed.pk).update(created_at=world.site.created_at - timedelta(hours=1))
    client = signed_in("editor")
    assert [name for name, done in read_steps(client).items() if not done] == ["export"]
    assert find_current(client)[1] == reverse("records", args=[world.site.slug, world.cluster.number])


@pytest.mark.parametrize(("role", "published", "folded"), [("editor", False, False), ("editor", True, True), ("operator", False, True)])
def test_the_list_is_folded_for_whoever_knows_the_way(signed_in: Any, world: World, role: str, published: bool, folded: bool) -> None:
    if not published:
        Rule.objects.update(state=Rule.State.DRAFT, published_at=None)
    text = signed_in(role).get(reverse("home")).content.decode()
    assert ("<details open>" in text) is not folded
    assert "of 7 done" in text
