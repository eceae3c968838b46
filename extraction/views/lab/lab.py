"""The structure lab: clusterings side by side, one of them beside the templates, adopting it."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.lab import LabelsForm
from extraction.models import Clustering, Role, Run, Site
from extraction.services.core.runs import JobError
from extraction.services.lab import compare_clusterings, comparisons, page_labels
from extraction.services.sites import sites
from extraction.services.templates import cluster_pages
from extraction.views.core import run_progress
from extraction.views.http import SignedInHttpRequest
from extraction.views.lab import lab_view
from extraction.views.policy import may_control, requires

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """The clusterings of the last comparison side by side, and what to compare."""
    site = get_object_or_404(Site, slug=slug)
    shown = lab_view.build_lab(site)
    context = {"site": site, "head": sites.summarize_site(site), "lab": shown, "most": compare_clusterings.MOST_PAGES, "tab": "lab"}
    context["chosen"] = shown.run.read_parameters().methods if shown.run else shown.methods
    context["templates"] = site.clusters.not_ignored()
    return render(request, "extraction/lab/lab.html", context | _now(request, shown.run))


@require_safe
@requires(Role.VIEWER)
def now(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of it that says how far a comparison is; the whole screen again when it has ended."""
    site = get_object_or_404(Site, slug=slug)
    context = _now(request, comparisons.find_last_comparison(site))
    headers = {} if context["going"] else {"HX-Refresh": "true"}
    return HttpResponse(render_to_string("extraction/lab/_lab_now.html", {"site": site, **context}, request), headers=headers)


@require_POST
@requires(Role.EDITOR)
def start(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Compares the methods that were chosen."""
    site = get_object_or_404(Site, slug=slug)
    try:
        comparisons.start_comparison(site, request.POST.getlist("methods"), user=request.user)
    except JobError as error:
        messages.error(request, f"Nothing was started: {error}.")
    return redirect("site_lab", slug)


@require_POST
@requires(Role.EDITOR)
def labels(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Says what pages are: by a file, `confirm=3` for all pages of a template, `clear=1` to forget all."""
    site = get_object_or_404(Site, slug=slug)
    if request.POST.get("clear"):
        count = page_labels.clear_labels(site)
        messages.success(request, f"{count:,} label{'s' if count != 1 else ''} deleted. Pages that people moved by hand still count.")
        return redirect("site_lab", slug)
    if confirmed := request.POST.get("confirm", ""):
        cluster = get_object_or_404(site.clusters, number=int(confirmed) if confirmed.isdecimal() and len(confirmed) < 9 else 0)
        count = page_labels.confirm_template(cluster, request.user)
        messages.success(request, f"{count:,} page{'s' if count != 1 else ''} labelled “{cluster.label}”.")
        return redirect("site_lab", slug)
    form = LabelsForm(request.POST, request.FILES)
    try:
        if not form.is_valid():
            raise JobError(form.problem)
        taken = page_labels.take_labels(site, form.cleaned_data["file"], request.user)
        messages.add_message(request, messages.WARNING if taken.unknown or taken.left_out else messages.SUCCESS, _told(taken))
    except JobError as error:
        messages.error(request, f"Nothing was labelled: {error}.")
    return redirect("site_lab", slug)


@require_safe
@requires(Role.VIEWER)
def method(request: HttpRequest, slug: str, clustering_id: int) -> HttpResponse:
    """One clustering beside the templates: groups, where their pages come from, which pages move."""
    found = _clustering(slug, clustering_id)
    compared = lab_view.build_comparison(found)
    group, template = _number(request, "group"), _number(request, "now")
    if group is not None and group >= len(found.groups):
        group = None
    moves = Paginator(lab_view.list_moves(found, group=group, now=template), PER_PAGE).get_page(request.GET.get("page", 1))
    context = {"site": found.site, "clustering": found, "compared": compared, "pages": moves, "group": group, "now": template}
    return render(request, "extraction/lab/lab_method.html", context)


@require_safe
@requires(Role.VIEWER)
def shares(request: HttpRequest, slug: str, clustering_id: int, place: int) -> HttpResponse:
    """How much of a group's pages is template: a part that is asked for later, since pages may have to be read."""
    found = _clustering(slug, clustering_id)
    if place >= len(found.groups):
        raise Http404(f"there is no group {place}")
    return render(request, "extraction/lab/_lab_shares.html", {"shares": lab_view.measure_shares(found, place)})


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.OPERATOR)
def adopt(request: SignedInHttpRequest, slug: str, clustering_id: int) -> HttpResponse:
    """Says what would change, and does it when that is confirmed."""
    found = _clustering(slug, clustering_id)
    if request.method == "POST":
        try:
            return redirect(cluster_pages.start_adopting(found, user=request.user))
        except JobError as error:
            messages.error(request, f"Nothing was adopted: {error}.")
            return redirect("site_lab", slug)
    shown = lab_view.build_lab(found.site)
    context = {"site": found.site, "clustering": found, "compared": lab_view.build_comparison(found), "others": shown.pages - found.pages}
    return render(request, "extraction/lab/lab_adopt.html", context)


def _clustering(slug: str, clustering_id: int) -> Clustering:
    return get_object_or_404(Clustering.objects.select_related("site", "run"), site__slug=slug, pk=clustering_id)


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 9 else None


def _now(request: HttpRequest, run: Run | None) -> dict[str, Any]:
    """A comparison that is going on, and one that did not end well."""
    going = run if run and not run.finished else None
    failed = run if run and run.state in (Run.State.FAILED, Run.State.CANCELLED) else None
    progress = run_progress.describe_progress(going) if going else None
    return {"going": progress, "failed": failed, "may_control": bool(going and may_control(request, going))}


def _told(taken: page_labels.Taken) -> str:
    text = f"{taken.labelled:,} page{'s' if taken.labelled != 1 else ''} labelled."
    if taken.unknown:
        belong = "es belong" if taken.unknown != 1 else " belongs"
        text += f" {taken.unknown:,} address{belong} to no page of this site, such as {taken.examples[0]}."
    if taken.left_out:
        text += f" {taken.left_out:,} line{'s have' if taken.left_out != 1 else ' has'} no label after a tab, such as “{taken.first}”."
    return text
