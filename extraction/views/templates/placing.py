"""Correct templates: merge two that are the same, and move pages to another template."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from extraction.algorithms.errors import PageError
from extraction.algorithms.json_values import JsonShapeError
from extraction.forms.core import join_errors
from extraction.forms.templates import PlaceForm
from extraction.models import Cluster, MergeProposal, Page, PageCount, Role, Run, Site
from extraction.services.core.percent import write_number
from extraction.services.core.runs import JobError
from extraction.services.templates import merge_proposals, moving_back, odd_pages, placing
from extraction.services.templates.moving_back import MovedBack, MoveMemory
from extraction.views.core import last_move
from extraction.views.http import HtmxHttpRequest, SignedInHttpRequest
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
            messages.success(request, gettext("%(other)s was merged into %(into)s.") % {"other": other, "into": into.label})
        except JobError as error:
            messages.error(request, gettext("Nothing was merged: %(error)s.") % {"error": error})
    else:
        merge_proposals.refuse_proposal(proposal)
        messages.success(
            request,
            gettext("%(into)s and %(other)s stay apart. This is not proposed again.") % {"into": proposal.into.label, "other": other},
        )
    return redirect("site", slug)


@require_POST
@requires(Role.EDITOR)
def same_all(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Merge all templates that a rule shows to be the same, then show the run that makes their records again."""
    site = get_object_or_404(Site, slug=slug)
    done = merge_proposals.accept_proven(site)
    if done.problems:
        messages.error(request, gettext("Not merged: %(problems)s.") % {"problems": "; ".join(done.problems)})
    if done.pairs:
        messages.success(
            request,
            ngettext("%(pairs)s template was merged into others.", "%(pairs)s templates were merged into others.", done.pairs)
            % {"pairs": done.pairs},
        )
    run = Run.objects.unfinished().filter(site=site, kind=Run.Kind.EXTRACT).first()
    return redirect(run) if run and done.pairs else redirect("site", slug)


@require_safe
@requires(Role.EDITOR)
def apart(request: HttpRequest, slug: str, page_id: int) -> HttpResponse:
    """Show a page that does not belong to its template, with similar pages and the templates that they could move to."""
    page = get_object_or_404(Page.objects.select_related("site", "current__cluster__site"), site__slug=slug, pk=page_id)
    alike, problem = [], ""
    try:
        alike = placing.find_alike(page.current) if page.current else []
    except PageError as error:
        problem = gettext("This page cannot be compared: %(error)s.") % {"error": error}
    cluster = page.current.cluster if page.current else None
    others = page.site.clusters.exclude(pk=cluster.pk) if cluster else page.site.clusters.all()
    size = PageCount.objects.of_templates().filter(cluster_key=cluster.pk).total() if cluster else 0
    context = {
        "site": page.site,
        "page": page,
        "cluster": cluster,
        "alike": alike,
        "compared": placing.LOOKED_AT if size > placing.LOOKED_AT else None,
        "problem": problem,
        "others": others,
    }
    return render(request, "extraction/templates/apart.html", context)


@require_safe
@requires(Role.EDITOR)
def odd(request: HtmxHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the pages that look out of place in their template. The screen loads this part later, since pages may have to be read."""
    cluster = get_object_or_404(Cluster.objects.select_related("site"), site__slug=slug, number=number)
    if not request.htmx:
        return redirect(cluster)
    others = cluster.site.clusters.exclude(pk=cluster.pk)
    context = {"site": cluster.site, "cluster": cluster, "odd": odd_pages.find_odd_pages(cluster), "others": others}
    template = "_odd_note" if "note" in request.GET else "_odd_pages"
    return render(request, f"extraction/templates/{template}.html", context)


@require_POST
@requires(Role.EDITOR)
def place(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Move pages to another template or a new one, or remove them from theirs. `whole=1`: all pages that the search `q`, `part` finds.

    `from` says where the person chose them and goes back to: `list`, the list of pages that the search finds, or `template`, whose
    number is `part`. Otherwise the template that has the pages now is shown.
    """
    site = get_object_or_404(Site, slug=slug)
    try:
        form = PlaceForm(_add_found(request.POST, site), site=site)
        if not form.is_valid():
            messages.error(request, gettext("Nothing was moved. %(join_errors)s") % {"join_errors": join_errors(form)})
            return redirect(_find_way_back(request.POST, site, None))
        pages, into = form.cleaned_data["pages"], form.cleaned_data["into"]
        made = into == PlaceForm.NEW
        moved = placing.move_to_new_template(site, pages, request.user) if made else placing.move_pages(site, pages, into, request.user)
    except JobError as error:
        messages.error(request, gettext("Nothing was moved: %(error)s.") % {"error": error})
        return redirect(_find_way_back(request.POST, site, None))
    if moved.pages:
        last_move.keep_move(request, site, moving_back.remember_move(site, moved, made=made).as_json(), _describe_move(moved))
    else:
        messages.success(request, _describe_stay(len(pages), moved.into))
    return redirect(_find_way_back(request.POST, site, moved))


def _find_way_back(data: QueryDict, site: Site, moved: placing.Moved | None) -> str:
    """Return where a person goes after a move. moved: None if nothing was moved."""
    origin, number = data.get("from", ""), data.get("part", "")
    left = site.clusters.filter(number=int(number)).first() if number.isdecimal() and len(number) < 19 else None
    if origin == "template" and left:
        return left.get_absolute_url()
    if origin == "list" or moved is None:
        return f"{reverse('site_pages', args=[site.slug])}?{urlencode({name: data.get(name, '') for name in ('q', 'part')})}"
    return (moved.into or site).get_absolute_url()


@require_POST
@requires(Role.EDITOR)
def undo(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Undo the last move of pages that this person made in this session."""
    site = get_object_or_404(Site, slug=slug)
    kept = last_move.take_move(request, site)
    try:
        if kept is None:
            raise JobError(gettext("there is no move to undo"))
        messages.success(request, _describe_return(moving_back.undo_move(site, MoveMemory.from_json(kept), request.user)))
    except (JobError, JsonShapeError) as error:
        messages.error(request, gettext("Nothing was undone: %(error)s.") % {"error": error})
    return redirect("site_pages", slug)


def _describe_return(done: MovedBack) -> str:
    went = ngettext("%(pages)s page is back.", "%(pages)s pages are back.", done.pages) % {"pages": write_number(done.pages)}
    marks = (
        ngettext(" %(labels)s marked value is back, too.", " %(labels)s marked values are back, too.", done.labels)
        % {"labels": write_number(done.labels)}
        if done.labels
        else ""
    )
    left = (
        gettext(" %(left)s stayed, because they have moved again or their template is gone.") % {"left": write_number(done.left)}
        if done.left
        else ""
    )
    return went + marks + left


def _add_found(data: QueryDict, site: Site) -> QueryDict:
    """Return the form's data; with `whole`, its pages are those that the search finds. Raises JobError if they are too many."""
    if not data.get("whole"):
        return data
    found = site_pages.find_pages(site, query=data.get("q", "").strip(), part=data.get("part", "")).rows.filter(current__error="")
    count = found.count()
    if count > MAX_MOVED:
        raise JobError(
            gettext("the search finds %(count)s pages, and at most %(max_moved)s are moved at once; narrow the search")
            % {"count": write_number(count), "max_moved": write_number(MAX_MOVED)}
        )
    wanted = data.copy()
    wanted.setlist("pages", [str(pk) for pk in found.values_list("pk", flat=True)])
    return wanted


def _describe_stay(count: int, into: Cluster | None) -> str:
    """Say that nothing had to be moved."""
    values = {"count": write_number(count), "into": into.label if into else ""}
    if into:
        return ngettext("%(count)s page stays in %(into)s.", "%(count)s pages stay in %(into)s.", count) % values
    return ngettext("%(count)s page stays without a template.", "%(count)s pages stay without a template.", count) % values


def _describe_move(moved: placing.Moved) -> str:
    values = {"count": write_number(moved.pages), "into": moved.into.label if moved.into else ""}
    if moved.into:
        said = ngettext("%(count)s page is now in %(into)s.", "%(count)s pages are now in %(into)s.", moved.pages) % values
    else:
        said = ngettext("%(count)s page is now without a template.", "%(count)s pages are now without a template.", moved.pages) % values
    went = []
    if moved.labels:
        went.append(ngettext("%(count)s marked value", "%(count)s marked values", moved.labels) % {"count": write_number(moved.labels)})
    if moved.records:
        went.append(ngettext("%(number)s record", "%(number)s records", moved.records) % {"number": write_number(moved.records)})
    return said + (" " + gettext("Removed with that: %(went)s.") % {"went": gettext(" and ").join(went)} if went else "")
