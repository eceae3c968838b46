"""The structure lab: compare clusterings, compare one with the templates, adopt it."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.lab import LabelsForm
from extraction.models import Clustering, Role, Run, Site
from extraction.services.core.percent import write_number
from extraction.services.core.runs import JobError
from extraction.services.lab import compare_clusterings, comparisons, group_templates, page_labels
from extraction.services.sites import sites
from extraction.services.templates import cluster_pages
from extraction.views.core import run_progress
from extraction.views.http import SignedInHttpRequest
from extraction.views.lab import lab_view
from extraction.views.policy import may_control, requires

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def show_lab(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the clusterings of the last comparison side by side, and the form that starts a new one."""
    site = get_object_or_404(Site, slug=slug)
    shown = lab_view.build_lab(site)
    context = {"site": site, "head": sites.summarize_site(site), "lab": shown, "most": compare_clusterings.MOST_PAGES, "tab": "lab"}
    context["chosen"] = shown.run.read_parameters().methods if shown.run else shown.methods
    context["templates"] = site.clusters.not_ignored()
    return render(request, "extraction/lab/lab.html", context | _describe_progress(request, shown.run))


@require_safe
@requires(Role.VIEWER)
def show_comparison_progress(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the progress of a comparison. When the comparison has ended, the browser reloads the whole screen."""
    site = get_object_or_404(Site, slug=slug)
    context = _describe_progress(request, comparisons.find_last_comparison(site))
    headers = {} if context["going"] else {"HX-Refresh": "true"}
    return HttpResponse(render_to_string("extraction/lab/_lab_now.html", {"site": site, **context}, request), headers=headers)


@require_POST
@requires(Role.EDITOR)
def start_comparison(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Start a comparison of the chosen methods."""
    site = get_object_or_404(Site, slug=slug)
    try:
        comparisons.start_comparison(site, request.POST.getlist("methods"), user=request.user)
    except JobError as error:
        messages.error(request, gettext("Nothing was started: %(error)s.") % {"error": error})
    return redirect("site_lab", slug)


@require_POST
@requires(Role.EDITOR)
def update_labels(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Label pages from a file. `confirm=3` labels all pages of template 3; `clear=1` deletes all labels."""
    site = get_object_or_404(Site, slug=slug)
    if request.POST.get("clear"):
        count = page_labels.clear_labels(site)
        messages.success(
            request,
            ngettext(
                "%(count)s label deleted. Pages that people moved by hand still count.",
                "%(count)s labels deleted. Pages that people moved by hand still count.",
                count,
            )
            % {"count": write_number(count)},
        )
        return redirect("site_lab", slug)
    if confirmed := request.POST.get("confirm", ""):
        cluster = get_object_or_404(site.clusters, number=int(confirmed) if confirmed.isdecimal() and len(confirmed) < 9 else 0)
        count = page_labels.confirm_template(cluster, request.user)
        messages.success(
            request,
            ngettext("%(count)s page labelled “%(cluster)s”.", "%(count)s pages labelled “%(cluster)s”.", count)
            % {"count": write_number(count), "cluster": cluster.label},
        )
        return redirect("site_lab", slug)
    form = LabelsForm(request.POST, request.FILES)
    try:
        if not form.is_valid():
            raise JobError(join_errors(form, "; "))
        taken = page_labels.take_labels(site, form.cleaned_data["file"], request.user)
        messages.add_message(request, messages.WARNING if taken.unknown or taken.left_out else messages.SUCCESS, _describe_taken(taken))
    except JobError as error:
        messages.error(request, gettext("Nothing was labelled: %(error)s.") % {"error": error})
    return redirect("site_lab", slug)


@require_safe
@requires(Role.VIEWER)
def show_clustering(request: HttpRequest, slug: str, clustering_id: int) -> HttpResponse:
    """Show one clustering beside the templates: its groups, the templates of their pages, and the pages that would move."""
    found = _find_clustering(slug, clustering_id)
    compared = lab_view.build_comparison(found)
    group, template = _read_number(request, "group"), _read_number(request, "now")
    if group is not None and group >= len(found.groups):
        group = None
    moves = Paginator(lab_view.list_moves(found, compared, group=group, now=template), PER_PAGE).get_page(request.GET.get("page", 1))
    context = {"site": found.site, "clustering": found, "compared": compared, "pages": moves, "group": group, "now": template}
    return render(request, "extraction/lab/lab_method.html", context)


@require_safe
@requires(Role.VIEWER)
def show_shares(request: HttpRequest, slug: str, clustering_id: int, place: int) -> HttpResponse:
    """Show how much of a group's pages is template. The screen loads this part later, since pages may have to be read."""
    found = _find_clustering(slug, clustering_id)
    if place >= len(found.groups):
        raise Http404(f"there is no group {place}")
    return render(request, "extraction/lab/_lab_shares.html", {"shares": lab_view.measure_shares(found, place)})


@require_safe
@requires(Role.VIEWER)
def export_paths(request: HttpRequest, slug: str, clustering_id: int) -> HttpResponse:
    """Give the template paths of a clustering's groups as a file; `group` shows those of one group. That part of the screen loads later,
    since all compared pages are read."""
    found = _find_clustering(slug, clustering_id)
    group = _read_number(request, "group")
    if group is None:
        headers = {"Content-Disposition": f'attachment; filename="{slug}-{found.method or "templates"}-paths.tsv"'}
        return HttpResponse(
            group_templates.write_templates(found), content_type="text/tab-separated-values; charset=utf-8", headers=headers
        )
    if group >= len(found.groups):
        raise Http404(f"there is no group {group}")
    context = {"site": found.site, "clustering": found, "shown": lab_view.show_paths(found, group)}
    return render(request, "extraction/lab/_lab_paths.html", context)


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.OPERATOR)
def adopt_clustering(request: SignedInHttpRequest, slug: str, clustering_id: int) -> HttpResponse:
    """Show what adopting a clustering would change. POST adopts it."""
    found = _find_clustering(slug, clustering_id)
    if request.method == "POST":
        try:
            return redirect(cluster_pages.start_adopting(found, user=request.user))
        except JobError as error:
            messages.error(request, gettext("Nothing was adopted: %(error)s.") % {"error": error})
            return redirect("site_lab", slug)
    shown = lab_view.build_lab(found.site)
    context = {"site": found.site, "clustering": found, "compared": lab_view.build_comparison(found), "others": shown.pages - found.pages}
    return render(request, "extraction/lab/lab_adopt.html", context)


@require_POST
@requires(Role.OPERATOR)
def find_as_usual(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Find the templates of a site as usual, whatever was adopted before."""
    return redirect(cluster_pages.start_as_usual(get_object_or_404(Site, slug=slug), user=request.user))


def _find_clustering(slug: str, clustering_id: int) -> Clustering:
    return get_object_or_404(Clustering.objects.select_related("site", "run"), site__slug=slug, pk=clustering_id)


def _read_number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 9 else None


def _describe_progress(request: HttpRequest, run: Run | None) -> dict[str, Any]:
    """Return the context for a comparison that is unfinished or has failed."""
    going = run if run and not run.finished else None
    failed = run if run and run.state in (Run.State.FAILED, Run.State.CANCELLED) else None
    progress = run_progress.describe_progress(going) if going else None
    return {"going": progress, "failed": failed, "may_control": bool(going and may_control(request, going))}


def _describe_taken(taken: page_labels.TakenLabels) -> str:
    text = ngettext("%(labelled)s page labelled.", "%(labelled)s pages labelled.", taken.labelled) % {
        "labelled": write_number(taken.labelled)
    }
    if taken.unknown:
        unknown = ngettext(
            "%(addresses)s address belongs to no page of this site, such as %(first)s.",
            "%(addresses)s addresses belong to no page of this site, such as %(first)s.",
            taken.unknown,
        )
        text += " " + unknown % {"addresses": write_number(taken.unknown), "first": taken.examples[0]}
    if taken.left_out:
        left_out = ngettext(
            "%(lines)s line has no label after a tab, such as “%(first)s”.",
            "%(lines)s lines have no label after a tab, such as “%(first)s”.",
            taken.left_out,
        )
        text += " " + left_out % {"lines": write_number(taken.left_out), "first": taken.first}
    return text
