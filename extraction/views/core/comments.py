"""Comments on templates and breakages, who has them, and the notices of mentions."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from extraction.forms.comments import AssignForm, CommentForm
from extraction.forms.core import join_errors
from extraction.models import Breakage, Cluster, Comment, Role, reach_of
from extraction.services.core import comments as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

SHOWN = 30
"""The newest comments that are shown. A link leads to all of them."""


def build_comments(request: HttpRequest, subject: Cluster | Breakage) -> dict[str, Any]:
    """Return the context of `_comments.html`. A person who sees the comments has read them."""
    assert request.user.is_authenticated  # noqa: S101 - the views need a role
    unread = set(service.list_notices(request.user).values_list("comment", flat=True))
    found, admin = service.list_comments(subject), reach_of(request.user).find_role(service.find_site(subject).team_id) == Role.ADMIN
    shown = list(found) if request.GET.get("comments") == "all" else list(found.reverse()[:SHOWN])[::-1]
    rows = [(each, admin or each.by_id == request.user.pk, each.pk in unread) for each in shown]
    if unread and request.method == "GET":
        service.mark_read(request.user, subject=subject)
    name, args = ("cluster", [subject.site.slug, subject.number]) if isinstance(subject, Cluster) else ("breakage", [subject.pk])
    return {
        "comments": rows,
        "comment_count": found.count(),
        "assignable": service.list_assignable(subject),
        "assignee": subject.assignee,
        "comment_address": reverse(f"{name}_comment", args=args),
        "assign_address": reverse(f"{name}_assign", args=args),
    }


@require_POST
@requires(Role.EDITOR)
def comment_template(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Add a comment to a template."""
    return _add(request, _find_cluster(slug, number))


@require_POST
@requires(Role.EDITOR)
def comment_breakage(request: SignedInHttpRequest, breakage_id: int) -> HttpResponse:
    """Add a comment to a breakage."""
    return _add(request, _find_breakage(breakage_id))


@require_POST
@requires(Role.EDITOR)
def assign_template(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Say who has a template."""
    return _assign(request, _find_cluster(slug, number))


@require_POST
@requires(Role.EDITOR)
def assign_breakage(request: SignedInHttpRequest, breakage_id: int) -> HttpResponse:
    """Say who has a breakage."""
    return _assign(request, _find_breakage(breakage_id))


@require_POST
@requires(Role.EDITOR)
def delete_comment(request: SignedInHttpRequest, comment_id: int) -> HttpResponse:
    """Delete a comment of one's own. Administrators may delete everybody's."""
    found = get_object_or_404(Comment.objects.select_related("cluster__site", "breakage__cluster__site"), pk=comment_id)
    if not service.may_delete(found, request.user):
        raise PermissionDenied(gettext("Only its author or an administrator can delete a comment."))
    subject = found.subject
    service.delete_comment(found)
    messages.success(request, gettext("The comment was deleted."))
    return redirect(f"{subject.get_absolute_url()}#comments")


@require_POST
@requires(Role.VIEWER)
def read_notices(request: SignedInHttpRequest) -> HttpResponse:
    """Mark all of one's notices as read."""
    service.mark_read(request.user)
    return redirect("home")


def _add(request: SignedInHttpRequest, subject: Cluster | Breakage) -> HttpResponse:
    form = CommentForm(request.POST)
    try:
        if not form.is_valid():
            raise service.CommentError(join_errors(form))
        added = service.add_comment(subject, form.cleaned_data["text"], request.user)
    except service.CommentError as error:
        messages.error(request, str(error))
        return redirect(f"{subject.get_absolute_url()}#comments")
    if added.told:
        said = gettext("Comment added. %(names)s will see it on the home page.") % {"names": _join(added.told)}
    else:
        said = gettext("Comment added.")
    messages.success(request, said)
    if added.unknown:
        messages.error(
            request, gettext("There is nobody called %(names)s, so nobody was told under that name.") % {"names": _join(added.unknown)}
        )
    return redirect(added.comment)


def _assign(request: SignedInHttpRequest, subject: Cluster | Breakage) -> HttpResponse:
    form = AssignForm(request.POST, team=service.find_site(subject).team_id)
    if not form.is_valid():
        messages.error(request, gettext("There is no such person. Nothing was changed."))
        return redirect(f"{subject.get_absolute_url()}#comments")
    person = form.cleaned_data["person"]
    try:
        service.assign(subject, person)
    except service.CommentError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            gettext("Assigned to %(username)s.") % {"username": person.get_username()} if person else gettext("Assigned to nobody."),
        )
    return redirect(f"{subject.get_absolute_url()}#comments")


def _find_cluster(slug: str, number: int) -> Cluster:
    return get_object_or_404(Cluster.objects.select_related("site", "assignee"), site__slug=slug, number=number)


def _find_breakage(breakage_id: int) -> Breakage:
    return get_object_or_404(Breakage.objects.select_related("cluster__site", "assignee"), pk=breakage_id)


def _join(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else gettext("%(names)s and %(names_2)s") % {"names": ", ".join(names[:-1]), "names_2": names[-1]}
