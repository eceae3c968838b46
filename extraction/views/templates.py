"""Putting templates right: two that are one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from extraction.models import MergeProposal, Role
from extraction.services import same_templates
from extraction.services.runs import JobError
from extraction.views.policy import requires


@require_POST
@requires(Role.EDITOR)
def same(request: HttpRequest, slug: str) -> HttpResponse:
    """The answer to a proposal: `answer=merge` makes one template of the two, `answer=refuse` is remembered."""
    asked = request.POST.get("proposal", "")
    rows = MergeProposal.objects.select_related("into__site", "other__site")
    proposal = get_object_or_404(rows, into__site__slug=slug, pk=int(asked) if asked.isdecimal() else 0)
    other = proposal.other.label
    if request.POST.get("answer") == "merge":
        try:
            into = same_templates.merge(proposal)
            messages.success(request, f"{into.label} took in {other}.")
        except JobError as error:
            messages.error(request, f"Nothing was merged: {error}.")
    else:
        same_templates.refuse(proposal)
        messages.success(request, f"{proposal.into.label} and {other} stay apart; this is not asked again.")
    return redirect("site", slug)
