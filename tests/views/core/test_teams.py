"""Nobody sees, finds or changes what belongs to a team that they are not in."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.urls.resolvers import URLPattern, URLResolver

from extraction import urls
from extraction.models import Membership, Role, Run, Site, Team
from extraction.services.core import api_tokens
from extraction.services.sites import sites
from extraction.views.subjects import OF_NO_TEAM, SUBJECTS
from tests.views.core.test_access import ACT, LOOK, PARTS
from tests.views.world import World

OWN = {"help_page", "api_token_revoke", "session_end", "person_edit", "person_entered", "factor_reset"}
"""Addresses whose arguments name something that belongs to no team. Their own tests say who gets it."""

EVERYWHERE = {"sessions", "person_edit", "person_entered", "team_new", "team_delete", "factor_reset"}
"""What only administrators of the installation may do."""


@pytest.fixture
def world(db: None, kept_world: World) -> World:
    """The site that all tests of this module share. What a test changes is rolled back."""
    return kept_world


@pytest.fixture
def other(db: None) -> Team:
    return Team.objects.create(name="Films", slug="films")


def sign_in(team: Team, role: Role, name: str = "stranger") -> Client:
    """A browser in which a member of this team only is signed in."""
    user, _ = User.objects.get_or_create(username=name)
    Membership.objects.update_or_create(user=user, team=team, defaults={"role": role})
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, name: str, world: World) -> Any:
    address = reverse(name, args=world.address(name))
    headers = {"HX-Request": "true"} if name in PARTS else {}
    return client.post(address) if name in ACT else client.get(address, headers=headers)


def list_routes(patterns: list[URLPattern | URLResolver], before: str = "") -> list[str]:
    found: list[str] = []
    for each in patterns:
        route = before + str(each.pattern)
        found += list_routes(each.url_patterns, route) if isinstance(each, URLResolver) else [route]
    return found


def test_every_address_with_arguments_says_whose_it_is() -> None:
    routes = [each.removeprefix("api/v1/") for each in list_routes(urls.urlpatterns) if "<" in each]
    assert len(routes) > 200
    begun = tuple(SUBJECTS)
    assert [each for each in routes if not each.startswith(begun) and not each.startswith(OF_NO_TEAM)] == []


@pytest.mark.parametrize("name", [name for name in [*LOOK, *ACT] if name not in OWN])
def test_an_administrator_of_another_team_finds_nothing_here(world: World, other: Team, name: str) -> None:
    arguments = world.address(name)
    if not arguments:
        pytest.skip("its address names nothing")
    answer = ask(sign_in(other, Role.ADMIN), name, world)
    assert answer.status_code == 404
    for secret in (world.site.name, world.record_type.name, world.alert.channel.name, "Book 0"):
        assert secret not in answer.content.decode()


@pytest.mark.parametrize("name", [name for name in LOOK if name not in OWN])
def test_lists_show_an_administrator_of_another_team_nothing_of_this_one(world: World, other: Team, name: str) -> None:
    if world.address(name):
        pytest.skip("its address names something")
    answer: Any = sign_in(other, Role.ADMIN).get(reverse(name))
    if name in EVERYWHERE:
        assert answer.status_code == 403
        return
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode()
    things = (world.site, world.record_type, world.run, world.breakage, world.site.team, world.delivery.target)
    places = [each.get_absolute_url() for each in things] + [reverse("alert_channel", args=[world.alert.channel_id])]
    assert [each for each in (*places, "Main team", "hooks.example.org") if each in text] == []


@pytest.mark.parametrize("name", ["cluster_picture", "frame", "latest_file", "latest_feed", "latest_schema"])
def test_files_of_another_team_are_not_found(world: World, other: Team, name: str) -> None:
    arguments: Any = {
        "cluster_picture": [world.site.slug, world.cluster.number, "0" * 64],
        "frame": [world.page.current_id],
        "latest_file": [world.record_type.slug, "csv"],
        "latest_feed": [world.record_type.slug],
        "latest_schema": [world.record_type.slug],
    }[name]
    assert sign_in(other, Role.ADMIN).get(reverse(name, args=arguments)).status_code == 404


@pytest.mark.parametrize("name", [name for name, role in {**LOOK, **ACT}.items() if role > Role.VIEWER and name not in OWN])
def test_a_role_in_one_team_is_no_role_in_another(world: World, other: Team, name: str) -> None:
    if not world.address(name):
        pytest.skip("its address names nothing")
    needed = {**LOOK, **ACT}[name]
    sign_in(other, Role.ADMIN)
    client = sign_in(world.site.team, Role(needed - 1))
    assert ask(client, name, world).status_code == 403


@pytest.mark.parametrize("name", sorted(EVERYWHERE))
def test_administrators_of_a_team_do_not_administer_the_installation(world: World, other: Team, name: str) -> None:
    assert ask(sign_in(world.site.team, Role.ADMIN), name, world).status_code == 403


def test_a_member_of_two_teams_sees_the_sites_of_both(world: World, other: Team) -> None:
    sites.create_site("Cinema", team=other)
    sign_in(other, Role.VIEWER)
    client = sign_in(world.site.team, Role.VIEWER)
    text = client.get(reverse("sites")).content.decode()
    assert "Cinema" in text
    assert world.site.name in text
    assert "Films" in text, "the list says to which team each belongs"


def test_a_single_team_is_not_mentioned(world: World, signed_in: Any) -> None:
    for name in ("home", "sites", "record_types", "site_new", "record_type_new", "alert_channel_new", "people"):
        assert "Main team" not in signed_in("admin").get(reverse(name)).content.decode(), name


def test_what_is_new_goes_to_the_team_that_was_chosen(world: World, other: Team, signed_in: Any) -> None:
    client = signed_in("admin")
    fields = {"name": "Film", "attribute-TOTAL_FORMS": "1", "attribute-INITIAL_FORMS": "0", "attribute-0-name": "title", "team": "films"}
    client.post(reverse("record_type_new"), fields)
    assert [each.name for each in other.record_types.all()] == ["Film"]


def test_a_person_cannot_add_to_a_team_in_which_they_only_look(world: World, other: Team) -> None:
    sign_in(other, Role.VIEWER)
    client = sign_in(world.site.team, Role.EDITOR)
    fields = {"name": "Film", "attribute-TOTAL_FORMS": "1", "attribute-INITIAL_FORMS": "0", "attribute-0-name": "title", "team": "films"}
    assert client.post(reverse("record_type_new"), fields).status_code == 400
    assert not other.record_types.exists()


def test_metrics_are_for_people_who_are_in_every_team(world: World, other: Team, person: Any) -> None:
    def ask_with_token(user: User) -> int:
        token = api_tokens.create_token(user, "watch", ["read"])
        return Client().get(reverse("metrics"), headers={"Authorization": f"Bearer {token}"}).status_code

    sign_in(other, Role.ADMIN)
    assert ask_with_token(User.objects.get(username="stranger")) == 403
    assert ask_with_token(person("admin")) == 200


def test_two_teams_may_have_sites_of_the_same_name(world: World, other: Team) -> None:
    made = sites.create_site(world.site.name, team=other)
    assert made.slug != world.site.slug
    assert Site.objects.filter(name=world.site.name).count() == 2


def test_a_template_cannot_get_a_record_type_of_another_team(world: World, other: Team, signed_in: Any) -> None:
    from extraction.services.core.runs import JobError
    from extraction.services.schema.record_types import create_record_type
    from extraction.services.templates.clusters import set_record_type

    film = create_record_type("Film", "", [], team=other)
    assert (
        signed_in("admin").post(reverse("cluster_type", args=world.address("cluster_type")), {"record_type": film.slug}).status_code == 404
    )
    world.cluster.labels.all().delete()
    with pytest.raises(JobError, match="another team"):
        set_record_type(world.cluster, film)


def test_runs_of_other_teams_do_not_count_on_the_home_page(world: World, other: Team) -> None:
    assert Run.objects.filter(state=Run.State.FAILED).exists()
    home = sign_in(other, Role.OPERATOR).get(reverse("home")).context["home"]
    assert (home.count, home.running, home.sites) == (0, [], [])
