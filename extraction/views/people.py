"""People: who they are, what role they have, and the invitations that are open. For administrators."""

import tempfile

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db.models import Prefetch
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.people import AcceptForm, InviteForm, PersonForm
from extraction.models import (
    Invitation,
    Membership,
    Role,
    Team,
    reach_of,
)
from extraction.services.core import entered, people
from extraction.services.core import invitations as service
from extraction.services.core.access import visible_to
from extraction.services.core.person_names import COMMAND_LINE
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

IN_MEMORY_BYTES = 4_000_000
"""A larger file is written to the disk."""


@require_safe
@requires(Role.ADMIN)
def list_people(request: SignedInHttpRequest) -> HttpResponse:
    """Show the people of the teams that one administers with their roles, and the invitations."""
    return _show(request, InviteForm(user=request.user))


@require_POST
@requires(Role.ADMIN)
def invite(request: SignedInHttpRequest) -> HttpResponse:
    """Make an invitation and show its link, once."""
    form = InviteForm(request.POST, user=request.user)
    if not form.is_valid():
        return _show(request, form)
    data = form.cleaned_data
    role, team = Role[data["role"].upper()], form.read_team(request.user)
    text = service.invite(request.user, data["note"], role, days=int(data["days"]), email=data["email"], team=team)
    return _show(request, InviteForm(user=request.user), link=f"{settings.VERTEX_PUBLIC_URL}{reverse('invitation', args=[text])}")


@require_POST
@requires(Role.ADMIN)
def revoke(request: SignedInHttpRequest, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation."""
    found = get_object_or_404(Invitation, pk=invitation_id)
    if service.revoke_invitation(found):
        messages.success(request, gettext("The invitation for %(note)s cannot be used any more.") % {"note": found.note})
    else:
        messages.info(request, gettext("This invitation was used or withdrawn before."))
    return redirect("people")


@require_POST
@requires(Role.ADMIN, everywhere=True)
def edit_person(request: SignedInHttpRequest, person_id: int) -> HttpResponse:
    """Change a person's role, or whether they may sign in."""
    found = get_object_or_404(User, pk=person_id)
    form = PersonForm(request.POST)
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect("people")
    try:
        people.change_person(found, role=form.read_role(), active=form.cleaned_data["active"], by=request.user)
    except people.PersonError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("%(username)s was changed.") % {"username": found.get_username()})
    return redirect("people")


@require_safe
@requires(Role.ADMIN, everywhere=True)
def download_entered(_: SignedInHttpRequest, person_id: int) -> HttpResponseBase:
    """Send everything that a person entered as a zip file."""
    found = get_object_or_404(User, pk=person_id)
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 (the answer closes it)
    entered.write_entered(found, file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{found.get_username()}.zip", content_type="application/zip")


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, text: str) -> HttpResponse:
    """Let a person who was invited make an account, and sign them in."""
    try:
        found = service.find_invitation(text)
    except service.InvitationError as error:
        return render(request, "registration/invitation.html", {"problem": str(error)}, status=404)
    form = AcceptForm(request.POST if request.method == "POST" else None, initial={"email": found.email})
    if request.method == "POST" and not request.user.is_authenticated and form.is_valid():
        try:
            user = service.accept_invitation(text, form.read_newcomer())
        except service.InvitationError as error:
            form.add_error(None, str(error))
        else:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, gettext("Welcome, %(username)s.") % {"username": user.get_username()})
            return redirect("home")
    return render(request, "registration/invitation.html", {"invitation": found, "form": form}, status=400 if form.errors else 200)


def _show(request: SignedInHttpRequest, form: InviteForm, *, link: str = "") -> HttpResponse:
    mine = visible_to(Team.objects.all(), request.user, least=Role.ADMIN)
    rows = User.objects.exclude(username=COMMAND_LINE).order_by("username")
    if not reach_of(request.user).everywhere:
        rows = rows.filter(memberships__team__in=mine).distinct()
    memberships = Prefetch("memberships", Membership.objects.filter(team__in=mine).select_related("team"))
    context = {
        "people": [(each, people.read_role(each)) for each in rows.select_related("second_factor").prefetch_related(memberships)],
        "roles": list(Role),
        "several_teams": Team.objects.count() > 1,
        "invitations": visible_to(Invitation.objects.select_related("created_by", "used_by", "team"), request.user, least=Role.ADMIN)[:100],
        "form": form,
        "link": link,
        "now": timezone.now(),
    }
    answer = render(request, "extraction/people/people.html", context, status=400 if form.errors else 200)
    if link:
        answer.headers["Cache-Control"] = "no-store"
    return answer
