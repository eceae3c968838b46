"""Teams: roles in them, members, and moving sites between them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction.models import (
    AlertChannel,
    AuditEntry,
    Cluster,
    Invitation,
    Membership,
    RecordType,
    Role,
    Site,
    StoredFile,
    Team,
    reach_of,
)
from extraction.services.core import audit_search, comments, invitations, people, teams
from extraction.services.core.access import list_members, visible_to
from extraction.services.core.audit_search import AuditSearch
from extraction.services.sites import moving, sites
from tests.services import factory


@pytest.fixture
def films(db: None) -> Team:
    return Team.objects.create(name="Films", slug="films")


@pytest.fixture
def shop(db: None) -> Cluster:
    """A template of books."""
    return factory.cluster(factory.site(), kind=factory.record_type({"title": "text"}))


@pytest.fixture
def join() -> Callable[[str, Team, Role], User]:
    """Make somebody a member of a team."""

    def make(name: str, team: Team, role: Role) -> User:
        user, _ = User.objects.get_or_create(username=name)
        Membership.objects.update_or_create(user=user, team=team, defaults={"role": role})
        return User.objects.get(pk=user.pk)

    return make


def test_a_person_reaches_the_teams_that_they_are_in(films: Team, shop: Cluster, join: Any) -> None:
    ann = join("ann", films, Role.OPERATOR)
    assert (reach_of(ann).find_role(films.pk), reach_of(ann).find_role(shop.site.team_id)) == (Role.OPERATOR, None)
    assert not visible_to(Site.objects.all(), ann).exists()
    ann = join("ann", shop.site.team, Role.VIEWER)
    assert list(visible_to(Site.objects.all(), ann)) == [shop.site]
    assert not visible_to(Site.objects.all(), ann, least=Role.EDITOR).exists()
    assert reach_of(ann).find_role(None) is None, "what belongs to no team belongs to administrators of the installation"


def test_somebody_who_is_signed_out_reaches_nothing(shop: Cluster) -> None:
    from django.contrib.auth.models import AnonymousUser

    assert not visible_to(Site.objects.all(), AnonymousUser()).exists()


def test_an_administrator_of_the_installation_reaches_every_team(films: Team, shop: Cluster, person: Any) -> None:
    admin = person("admin")
    assert reach_of(admin).find_role(films.pk) == Role.ADMIN
    assert list(list_members(films.pk)) == [admin]


def test_members_of_another_team_can_be_neither_mentioned_nor_assigned(films: Team, shop: Cluster, join: Any) -> None:
    ann, bo = join("ann", films, Role.EDITOR), join("bo", shop.site.team, Role.EDITOR)
    added = comments.add_comment(shop, "@ann and @nobody, look", bo)
    assert (added.told, added.unknown) == ((), ("ann", "nobody"))
    with pytest.raises(comments.CommentError):
        comments.assign(shop, ann)
    assert comments.list_assignable(shop) == [bo]


def test_somebody_who_leaves_a_team_loses_what_they_had_of_it(films: Team, shop: Cluster, join: Any, person: Any) -> None:
    bo = join("bo", shop.site.team, Role.EDITOR)
    comments.assign(shop, bo)
    comments.add_comment(shop, "@bo look", person("editor"))
    file = StoredFile.objects.create(
        owner=bo, place="", etag="1", path="x", name="x", content_type="x", size_bytes=1, created_at=shop.site.created_at
    )
    assert comments.list_notices(bo).count() == 1
    teams.change_member(shop.site.team, bo, None, by=person("admin"))
    shop.refresh_from_db()
    file.refresh_from_db()
    assert (shop.assignee, file.owner) == (None, None)
    assert comments.list_notices(bo).count() == 0


def test_a_viewer_keeps_no_work(shop: Cluster, join: Any, person: Any) -> None:
    bo = join("bo", shop.site.team, Role.EDITOR)
    comments.assign(shop, bo)
    teams.change_member(shop.site.team, bo, Role.VIEWER, by=person("admin"))
    shop.refresh_from_db()
    assert shop.assignee is None


def test_nobody_changes_their_own_membership(shop: Cluster, join: Any) -> None:
    ann = join("ann", shop.site.team, Role.ADMIN)
    with pytest.raises(teams.TeamError, match="Another administrator"):
        teams.change_member(shop.site.team, ann, Role.VIEWER, by=ann)


def test_a_team_with_sites_and_the_last_team_are_not_deleted(films: Team, shop: Cluster) -> None:
    with pytest.raises(teams.TeamError, match="1 site, 1 record type"):
        teams.delete_team(shop.site.team)
    teams.delete_team(films)
    shop.site.delete()
    RecordType.objects.all().delete()
    with pytest.raises(teams.TeamError, match="only team"):
        teams.delete_team(Team.objects.get())


def test_a_site_takes_its_record_types_along(films: Team, shop: Cluster) -> None:
    before = shop.site.team
    moving.move_site(shop.site, films)
    assert Site.objects.get().team == films
    assert RecordType.objects.get().team == films
    entries = AuditEntry.objects.filter(kind="team.site_moved")
    assert {each.team for each in entries} == {before, films}
    assert {each.text for each in entries} == {"team: Main team → Films"}


def test_sites_that_share_a_record_type_move_together_or_not_at_all(films: Team, shop: Cluster) -> None:
    second = factory.cluster(Site.objects.create(name="Second", slug="second"), kind=shop.record_type)
    third = factory.cluster(Site.objects.create(name="Third", slug="third"), kind=factory.record_type({"x": "text"}, name="Film"))
    with pytest.raises(teams.TeamError, match="together with Second"):
        moving.move_site(shop.site, films)
    assert not Site.objects.filter(team=films).exists()
    moved = moving.move_site(shop.site, films, together=True)
    assert {each.pk for each in moved.sites} == {shop.site_id, second.site_id}
    assert set(Site.objects.filter(team=films).values_list("pk", flat=True)) == {shop.site_id, second.site_id}
    assert Site.objects.get(pk=third.site_id).team != films


def test_a_site_does_not_move_to_a_team_with_a_site_or_a_record_type_of_that_name(films: Team, shop: Cluster) -> None:
    twin = sites.create_site(shop.site.name.upper(), team=films)
    with pytest.raises(teams.TeamError, match="already has a site"):
        moving.move_site(shop.site, films)
    twin.delete()
    assert shop.record_type
    RecordType.objects.create(name=shop.record_type.name, slug="another", team=films)
    with pytest.raises(teams.TeamError, match="already has a record type"):
        moving.move_site(shop.site, films)


def test_alert_channels_of_the_old_team_no_longer_report_a_site_that_moved(films: Team, shop: Cluster) -> None:
    second = Site.objects.create(name="Second", slug="second")
    alone = AlertChannel.objects.create(name="Alone", url="json://example.org/")
    alone.sites.set([shop.site])
    both = AlertChannel.objects.create(name="Both", url="json://example.org/")
    both.sites.set([shop.site, second])
    moving.move_site(shop.site, films)
    assert [list(each.sites.all()) for each in (alone, both)] == [[], [second]]
    assert AlertChannel.objects.get(pk=both.pk).enabled
    assert not AlertChannel.objects.get(pk=alone.pk).enabled, "a channel without sites would report all of its team"


def test_work_of_people_who_are_not_in_the_new_team_is_nobodys(films: Team, shop: Cluster, join: Any) -> None:
    comments.assign(shop, join("bo", shop.site.team, Role.EDITOR))
    moving.move_site(shop.site, films)
    shop.refresh_from_db()
    assert shop.assignee is None


def test_an_invitation_leads_into_its_team(films: Team, person: Any) -> None:
    text = invitations.invite(person("admin"), "Bo", Role.OPERATOR, days=1, team=films)
    bo = invitations.accept_invitation(text, invitations.Newcomer("bo", "", "a-long-enough-password"))
    assert {each.team: each.role for each in bo.memberships.all()} == {films: Role.OPERATOR}
    assert not bo.is_superuser


def test_only_an_invitation_without_a_team_makes_an_administrator_of_the_installation(films: Team, person: Any) -> None:
    inside = invitations.invite(person("admin"), "Bo", Role.ADMIN, days=1, team=films)
    whole = invitations.invite(person("admin"), "Cy", Role.ADMIN, days=1)
    bo = invitations.accept_invitation(inside, invitations.Newcomer("bo", "", "a-long-enough-password"))
    cy = invitations.accept_invitation(whole, invitations.Newcomer("cy", "", "a-long-enough-password"))
    assert (reach_of(bo).everywhere, reach_of(cy).everywhere) == (False, True)
    assert [each.team for each in Invitation.objects.order_by("pk")] == [films, None]


def test_administrators_of_a_team_read_its_part_of_the_log_only(films: Team, shop: Cluster, join: Any, person: Any) -> None:
    sites.rename_site(shop.site, "Renamed", "")
    cinema = sites.create_site("Cinema", team=films)
    people.change_person(join("bo", films, Role.VIEWER), role=None, active=False, by=person("admin"))
    ann = join("ann", films, Role.ADMIN)
    assert [each.site for each in audit_search.find_entries(AuditSearch(), ann)] == [cinema]
    assert "Renamed" not in "".join(audit_search.export_entries(AuditSearch(), ann))
    assert not audit_search.find_entries(AuditSearch(), join("vi", films, Role.OPERATOR)).exists()
    assert audit_search.find_entries(AuditSearch(), person("admin")).count() >= 4


def test_an_administrator_can_become_a_member_again(films: Team, join: Any, person: Any) -> None:
    bo = join("bo", films, Role.VIEWER)
    people.change_person(bo, role=Role.ADMIN, active=True, by=person("admin"))
    assert reach_of(bo).everywhere
    people.change_person(bo, role=None, active=True, by=person("admin"))
    assert reach_of(User.objects.get(pk=bo.pk)).roles == {films.pk: Role.VIEWER}


def test_a_change_of_a_team_that_changes_nothing_is_not_in_the_log(films: Team, join: Any, person: Any) -> None:
    ada = join("ada", films, Role.EDITOR)
    before = AuditEntry.objects.count()
    teams.rename_team(films, films.name)
    teams.require_second_factor(films, films.second_factor)
    teams.change_member(films, ada, Role.EDITOR, by=person("admin"))
    assert AuditEntry.objects.count() == before
    teams.require_second_factor(films, True)
    assert AuditEntry.objects.count() == before + 1 and Team.objects.get(pk=films.pk).second_factor
