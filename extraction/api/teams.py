"""Teams: who sees which sites, with which role."""

from typing import Any, Literal

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from ninja import Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.teams import TeamForm
from extraction.models import Membership, Role, Site, Team, reach_of
from extraction.services.core import teams as service
from extraction.services.core.access import list_teams as list_own_teams
from extraction.services.core.access import visible_to
from extraction.services.core.person_names import COMMAND_LINE
from extraction.services.core.teams import TeamError
from extraction.services.sites import moving
from extraction.views import teams as views
from extraction.views.sites import sites

operations = Operations("Teams")

ALL_SITES = "The members of a team have a role in all its sites."

RoleName = Literal["viewer", "editor", "operator", "admin"]


class TeamOut(Schema):
    """A team. role: yours in it."""

    slug: str
    name: str
    role: RoleName


class TeamIn(RequestBody):
    """The name of a team."""

    name: str


class MemberOut(Schema):
    """Somebody in a team."""

    name: str
    role: RoleName


class MemberIn(RequestBody):
    """A role in a team."""

    role: RoleName


class MoveIn(RequestBody):
    """A site that comes to a team. together: also the sites that share record types with it."""

    site: str
    together: bool = False


class MovedOut(Schema):
    """The slugs of what moved."""

    sites: list[str]
    record_types: list[str]


@operations.get("/teams", like=sites.list_sites, response=Paged[TeamOut])
def list_teams(request: ApiRequest, paging: Asked) -> dict[str, Any]:
    """List the teams that you are in."""
    reach = reach_of(request.access.user)

    def describe(team: Team) -> TeamOut:
        return TeamOut(slug=team.slug, name=team.name, role=_name(reach.find_role(team.pk)))

    return take_page(list_own_teams(request.access.user), paging, describe)


@operations.post("/teams", like=views.create, response=TeamOut, status=201)
def create_team(request: ApiRequest, body: TeamIn) -> Status[TeamOut]:
    """Create a team. This needs an administrator of the installation."""
    request.access.refuse_site_limits(ALL_SITES)
    form = TeamForm({"name": body.name})
    if not form.is_valid():
        raise refuse_form(form)
    return Status(201, _describe(request, service.create_team(form.cleaned_data["name"])))


@operations.change("PATCH", "/teams/{slug:slug}", like=views.rename, response=TeamOut)
def rename_team(request: ApiRequest, slug: str, body: TeamIn) -> TeamOut:
    """Change a team's name. Its slug stays."""
    request.access.refuse_site_limits(ALL_SITES)
    team = _find(slug)
    form = TeamForm({"name": body.name}, instance=_find(slug))
    if not form.is_valid():
        raise refuse_form(form)
    service.rename_team(team, form.cleaned_data["name"])
    return _describe(request, team)


@operations.change("DELETE", "/teams/{slug:slug}", like=views.delete)
def delete_team(request: ApiRequest, slug: str) -> Status[None]:
    """Delete a team that has nothing left. This needs an administrator of the installation."""
    request.access.refuse_site_limits(ALL_SITES)
    try:
        service.delete_team(_find(slug))
    except TeamError as error:
        raise ProblemError(409, str(error)) from error
    return Status(204, None)


@operations.get("/teams/{slug:slug}/members", like=views.show, response=Paged[MemberOut])
def list_members(request: ApiRequest, slug: str, paging: Asked) -> dict[str, Any]:
    """List the members of a team. Administrators of the installation see the team without being members."""
    request.access.refuse_site_limits(ALL_SITES)
    found = Membership.objects.filter(team=_find(slug)).select_related("user")
    return take_page(found, paging, lambda each: MemberOut(name=each.user.get_username(), role=_name(Role(each.role))))


@operations.change("PUT", "/teams/{slug:slug}/members/{str:name}", like=views.save_member, response=MemberOut)
def change_member(request: ApiRequest, slug: str, name: str, body: MemberIn) -> MemberOut:
    """Add somebody to a team, or change their role in it. `name` is the name with which they sign in."""
    person = get_object_or_404(User.objects.exclude(username=COMMAND_LINE), username=name)
    _change(request, slug, person, Role[body.role.upper()])
    return MemberOut(name=person.get_username(), role=body.role)


@operations.change("DELETE", "/teams/{slug:slug}/members/{str:name}", like=views.remove_member)
def remove_member(request: ApiRequest, slug: str, name: str) -> Status[None]:
    """Take somebody out of a team."""
    _change(request, slug, get_object_or_404(User, username=name, memberships__team__slug=slug), None)
    return Status(204, None)


@operations.post("/teams/{slug:slug}/sites", like=views.move_site, response=MovedOut)
def move_site(request: ApiRequest, slug: str, body: MoveIn) -> MovedOut:
    """Move a site with its record types to a team. You must be an administrator of both teams."""
    mine = visible_to(request.access.list_sites(), request.access.user, least=Role.ADMIN)
    site: Site | None = mine.select_related("team").filter(slug=body.site).first()
    if site is None:
        raise ProblemError(422, f"There is no site {body.site} in a team that you administer.")
    try:
        moved = moving.move_site(site, _find(slug), together=body.together)
    except TeamError as error:
        raise ProblemError(409, str(error)) from error
    return MovedOut(sites=[each.slug for each in moved.sites], record_types=[each.slug for each in moved.record_types])


def _change(request: ApiRequest, slug: str, person: User, role: Role | None) -> None:
    request.access.refuse_site_limits(ALL_SITES)
    try:
        service.change_member(_find(slug), person, role, by=request.access.user)
    except TeamError as error:
        raise ProblemError(409, str(error)) from error


def _find(slug: str) -> Team:
    return get_object_or_404(Team, slug=slug)


def _describe(request: ApiRequest, team: Team) -> TeamOut:
    return TeamOut(slug=team.slug, name=team.name, role=_name(reach_of(request.access.user).find_role(team.pk)))


def _name(role: Role | None) -> RoleName:
    return (role or Role.VIEWER).group  # type: ignore[return-value]
