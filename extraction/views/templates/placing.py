"""Correct templates: merge two that are the same, and move pages to another template."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from extraction.algorithms.errors import PageError
from extraction.forms.core import join_errors
from extraction.forms.templates import PlaceForm
from extraction.models import MergeProposal, Page, Role, Site
from extraction.services.core.runs import JobError
from extraction.services.templates import merge_proposals, placing
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.sites import site_pages

MAX_MOVED = 2_000
"""The largest number of pages moved at once. It takes some seconds, and the person waits for it."""


@require_POST
@requires(Role.EDITOR)
def same(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer a proposal to merge two templates: `answer=merge` merges them, `answer=refuse` stores the refusal."""
    asked = request.POST.get("proposal", "")
    rows = MergeProposal.objects.select_related("into__site", "other__site")
    proposal = get_object_or_404(rows, into__site__slug=slug, pk=int(asked) if asked.isdecimal() and len(asked) < 19 else 0)
    other = proposal.other.label
    if request.POST.get("answer") == "merge":
        try:
            into = merge_proposals.accept_proposal(proposal)
            messages.success(request, f"{other} was merged into {into.label}.")
        except JobError as error:
            messages.error(request, f"Nothing was merged: {error}.")
    else:
        merge_proposals.refuse_proposal(proposal)
        messages.success(request, f"{proposal.into.label} and {other} stay apart. This is not proposed again.")
    return redirect("site", slug)


@require_safe
@requires(Role.EDITOR)
def apart(request: HttpRequest, slug: str, page_id: int) -> HttpResponse:
    """Show a page that does not belong to its template, with similar pages and the templates that they could move to."""
    page = get_object_or_404(Page.objects.select_related("site", "current__cluster__site"), site__slug=slug, pk=page_id)
    alike, problem = [], ""
    try:
        alike = placing.find_alike(page.current) if page.current else []
    except PageError as error:
        problem = f"This page cannot be compared: {error}."
    cluster = page.current.cluster if page.current else None
    others = page.site.clusters.exclude(pk=cluster.pk) if cluster else page.site.clusters.all()
    context = {"site": page.site, "page": page, "cluster": cluster, "alike": alike, "problem": problem, "others": others}
    return render(request, "extraction/templates/apart.html", context)


@require_POST
@requires(Role.EDITOR)
def place(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Move pages to another template or a new one, or remove them from theirs. `whole=1`: all pages that the search `q`, `part` finds.

    Pages chosen in the list, which names itself by `from=list`, lead back to it.
    """
    site = get_object_or_404(Site, slug=slug)
    back = f"{reverse('site_pages', args=[slug])}?{urlencode({name: request.POST.get(name, '') for name in ('q', 'part')})}"
    try:
        form = PlaceForm(_add_found(request.POST, site), site=site)
    except JobError as error:
        messages.error(request, f"Nothing was moved: {error}.")
        return redirect(back)
    if not form.is_valid():
        messages.error(request, f"Nothing was moved. {join_errors(form)}")
        return redirect(back)
    pages, into = form.cleaned_data["pages"], form.cleaned_data["into"]
    try:
        moved = (
            placing.move_to_new_template(site, pages, request.user)
            if into == PlaceForm.NEW
            else placing.move_pages(site, pages, into, request.user)
        )
    except JobError as error:
        messages.error(request, f"Nothing was moved: {error}.")
        return redirect(back)
    messages.success(request, _describe_move(moved))
    if request.POST.get("from") == "list":
        return redirect(back)
    return redirect(moved.into) if moved.into else redirect("site", slug)


def _add_found(data: QueryDict, site: Site) -> QueryDict:
    """Return the form's data; with `whole`, its pages are those that the search finds. Raises JobError if they are too many."""
    if not data.get("whole"):
        return data
    found = site_pages.search_pages(site, query=data.get("q", "").strip(), part=data.get("part", "")).filter(current__error="")
    count = found.count()
    if count > MAX_MOVED:
        raise JobError(f"the search finds {count:,} pages, and at most {MAX_MOVED:,} are moved at once; narrow the search")
    wanted = data.copy()
    wanted.setlist("pages", [str(pk) for pk in found.values_list("pk", flat=True)])
    return wanted


def _describe_move(moved: placing.Moved) -> str:
    pages = f"{moved.pages:,} page{'s are' if moved.pages != 1 else ' is'}"
    went = [
        f"{count:,} {name}{'s' if count != 1 else ''}"
        for count, name in ((moved.labels, "marked value"), (moved.records, "record"))
        if count
    ]
    where = f"now in {moved.into.label}" if moved.into else "now without a template"
    return f"{pages} {where}.{' Removed with that: ' + ' and '.join(went) + '.' if went else ''}"
