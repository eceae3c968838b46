"""Teams: the list, and one team with its members and sites. For administrators of a team; new teams are for those of the installation."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.teams import MemberForm, MoveSiteForm, TeamForm
from extraction.models import Role, Site, Team
from extraction.services.core import teams as service
from extraction.services.core.access import list_teams, visible_to
from extraction.services.core.person_names import COMMAND_LINE
from extraction.services.sites import moving
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_safe
@requires(Role.ADMIN)
def list_all(request: SignedInHttpRequest) -> HttpResponse:
    """Show the teams that one administers."""
    return _show_list(request, TeamForm())


@require_POST
@requires(Role.ADMIN, everywhere=True)
def create(request: SignedInHttpRequest) -> HttpResponse:
    """Create a team."""
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _show_list(request, form)
    return redirect(service.create_team(form.cleaned_data["name"]))


@require_safe
@requires(Role.ADMIN)
def show(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Show the members and the sites of a team."""
    team = get_object_or_404(Team, slug=slug)
    context = {
        "team": team,
        "members": team.memberships.select_related("user").order_by("user__username"),
        "roles": list(Role),
        "sites": team.sites.all(),
        "record_types": team.record_types.all(),
        "others": _list_movable(request, team),
    }
    return render(request, "extraction/people/team.html", context)


@require_POST
@requires(Role.ADMIN)
def rename(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Change a team's name."""
    team = get_object_or_404(Team, slug=slug)
    form = TeamForm(request.POST, instance=Team.objects.get(pk=team.pk))
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect(team)
    return _try(request, team, lambda: service.rename_team(team, form.cleaned_data["name"]), gettext("Saved."))


@require_POST
@requires(Role.ADMIN)
def require_factor(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Say whether the members of a team must have a second factor."""
    team, required = get_object_or_404(Team, slug=slug), bool(request.POST.get("required"))
    done = (
        gettext("Members of %(team)s must set up a second factor.") % {"team": team}
        if required
        else gettext("Members of %(team)s need no second factor.") % {"team": team}
    )
    return _try(request, team, lambda: service.require_second_factor(team, required), done)


@require_POST
@requires(Role.ADMIN, everywhere=True)
def delete(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Delete a team that has nothing left."""
    team = get_object_or_404(Team, slug=slug)
    try:
        service.delete_team(team)
    except service.TeamError as error:
        messages.error(request, str(error))
        return redirect(team)
    messages.success(request, gettext("%(team)s was deleted.") % {"team": team.name})
    return redirect("teams")


@require_POST
@requires(Role.ADMIN)
def save_member(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Add somebody to a team, or change their role in it."""
    team, form = get_object_or_404(Team, slug=slug), MemberForm(request.POST)
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect(team)
    name, role = form.cleaned_data["name"].strip(), Role[form.cleaned_data["role"].upper()]
    person = User.objects.filter(username=name).exclude(username=COMMAND_LINE).first()
    if person is None:
        messages.error(request, gettext("There is nobody called %(name)s. Invite new people on the page People.") % {"name": name})
        return redirect(team)
    done = gettext("%(username)s is %(group)s in %(team)s.") % {"username": person.get_username(), "group": role.word, "team": team}
    return _try(request, team, lambda: service.change_member(team, person, role, by=request.user), done)


@require_POST
@requires(Role.ADMIN)
def remove_member(request: SignedInHttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Take somebody out of a team."""
    team = get_object_or_404(Team, slug=slug)
    person = get_object_or_404(User, pk=person_id, memberships__team=team)
    done = gettext("%(username)s is no longer in %(team)s.") % {"username": person.get_username(), "team": team}
    return _try(request, team, lambda: service.change_member(team, person, None, by=request.user), done)


@require_POST
@requires(Role.ADMIN)
def move_site(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Move a site of another team that one administers to this one."""
    team = get_object_or_404(Team, slug=slug)
    form = MoveSiteForm(request.POST, sites=_list_movable(request, team))
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect(team)
    site = form.cleaned_data["site"]
    return _try(
        request,
        team,
        lambda: moving.move_site(site, team, together=form.cleaned_data["together"]),
        gettext("%(site)s is now in %(team)s.") % {"site": site, "team": team},
    )


def _list_movable(request: SignedInHttpRequest, team: Team) -> QuerySet[Site]:
    """Return the sites that a person can move to a team: those of the other teams that they administer."""
    return visible_to(Site.objects.exclude(team=team).select_related("team"), request.user, least=Role.ADMIN)


def _try(request: SignedInHttpRequest, team: Team, change: Callable[[], object], done: str) -> HttpResponse:
    """Change a team, and say what was done or why it was not."""
    try:
        change()
    except service.TeamError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(team)


def _show_list(request: SignedInHttpRequest, form: TeamForm) -> HttpResponse:
    rows = service.list_teams_with_counts(list_teams(request.user, least=Role.ADMIN))
    return render(request, "extraction/people/teams.html", {"rows": rows, "form": form}, status=400 if form.errors else 200)
