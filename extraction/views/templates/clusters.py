"""Templates: the cards of a site, one template, its name and record type, merging, ignoring."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.templates import MergeForm, NameForm
from extraction.models import Cluster, MergeProposal, RecordType, Role, RunRelease, Site
from extraction.services.core.runs import JobError
from extraction.services.lab import advice, document_types
from extraction.services.sites import sites
from extraction.services.templates import boilerplate, merge_proposals
from extraction.services.templates import clusters as service
from extraction.views.core import last_move, run_progress
from extraction.views.core.comments import build_comments
from extraction.views.core.site_activity import build_activity_context
from extraction.views.http import HtmxHttpRequest
from extraction.views.policy import requires
from extraction.views.sites import site_pages
from extraction.views.templates import cluster_view


def cluster_of(slug: str, number: int) -> Cluster:
    """Return the template at an address, with its site and record type. Raises Http404 if there is none."""
    return get_object_or_404(Cluster.objects.select_related("site", "record_type", "assignee"), site__slug=slug, number=number)


@require_safe
@requires(Role.VIEWER)
def site(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the site's first tab: its templates as cards."""
    found = get_object_or_404(Site, slug=slug)
    overview = service.list_templates(found)
    proposals = merge_proposals.list_proposals(found)
    context = {
        "site": found,
        "head": sites.summarize_site(found),
        "overview": overview,
        "proposals": cluster_view.pair_proposals(proposals, overview.rows),
        "proven": sum(each.kind != MergeProposal.Kind.ALIKE for each in proposals),
        "rows": [row for row in overview.rows if not row.cluster.ignored and not row.cluster.small],
        "small": [row for row in overview.rows if row.cluster.small],
        "ignored": [row for row in overview.rows if row.cluster.ignored],
        "tab": "templates",
        "last_move": last_move.describe_last_move(request, found),
        "better": advice.find_better(found),
    }
    return render(request, "extraction/templates/site.html", context | build_activity_context(request, found))


@require_safe
@requires(Role.VIEWER)
def cluster(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one template: its steps from pages to records, and its sample pages."""
    found = cluster_of(slug, number)
    samples, more = cluster_view.list_samples(found)
    going = run_progress.find_going_of(found)
    context = {
        "site": found.site,
        "cluster": found,
        "view": cluster_view.build_cluster_view(found),
        "going": run_progress.describe_progress(going) if going else None,
        "withheld": RunRelease.objects.withheld().filter(cluster=found).select_related("cluster__site").first(),
        "samples": samples,
        "more_samples": more,
        "pages": site_pages.search_pages(found.site, part=str(number))[:10],
        "record_types": RecordType.objects.filter(team=found.site.team_id),
        "holds_xml": document_types.holds_xml(found),
        **build_comments(request, found),
        "last_move": last_move.describe_last_move(request, found.site),
    }
    return render(request, "extraction/templates/cluster.html", context)


@require_safe
@requires(Role.VIEWER)
def shares(request: HtmxHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show how much of the template's pages is template. The screen loads this part later, since pages may have to be read."""
    cluster = cluster_of(slug, number)
    if not request.htmx:
        return redirect(cluster)
    return render(request, "extraction/core/_shares.html", {"shares": boilerplate.measure_shares(cluster)})


@require_safe
@requires(Role.VIEWER)
def structure(request: HtmxHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the document type of a template of XML pages. The screen loads this part later.

    `as=dtd` gives the DTD as a file. `as=tolerant-dtd` gives a DTD in which every child may be missing, so that further pages fit it.
    """
    cluster = cluster_of(slug, number)
    form = request.GET.get("as", "")
    if form not in ("", "dtd", "tolerant-dtd"):
        raise Http404(gettext("A structure cannot be downloaded as %(form)s.") % {"form": form})
    if not form and not request.htmx:
        return redirect(cluster)
    context: dict[str, Any] = {"cluster": cluster}
    try:
        found = context["found"] = document_types.find_document_type(cluster)
    except JobError as error:
        found, context["problem"] = None, f"{error}"
    if form:
        if found is None:
            raise Http404(gettext("These pages have no document type."))
        headers = {"Content-Disposition": f'attachment; filename="{cluster.site.slug}-{cluster.number}.{form.replace("-", ".")}"'}
        text = found.text(tolerant=form == "tolerant-dtd")
        return HttpResponse(text, content_type="application/xml-dtd; charset=utf-8", headers=headers)
    context["attributes"] = sum(len(element.attributes) for element in found.type.elements) if found else 0
    return render(request, "extraction/lab/_structure.html", context)


@require_POST
@requires(Role.EDITOR)
def rename(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Rename a template. With an empty name, it is called by its number again."""
    found = cluster_of(slug, number)
    form = NameForm(request.POST)
    if form.is_valid():
        service.rename_template(found, form.cleaned_data["name"])
    else:
        messages.error(request, join_errors(form))
    return redirect(found.site if request.POST.get("back") == "site" else found)


@require_POST
@requires(Role.EDITOR)
def set_type(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Set the template's record type."""
    found = cluster_of(slug, number)
    chosen = request.POST.get("record_type", "")
    record_type = get_object_or_404(RecordType, slug=chosen, team=found.site.team_id) if chosen else None
    try:
        service.set_record_type(found, record_type)
    except JobError as error:
        messages.error(request, f"{error}.")
    return redirect(found)


@require_POST
@requires(Role.EDITOR)
def ignore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ignore a template, or stop ignoring it."""
    found = cluster_of(slug, number)
    ignored = request.POST.get("ignored") == "1"
    service.ignore_template(found, ignored)
    messages.success(request, (gettext("%(label)s is ignored.") if ignored else gettext("%(label)s is in use.")) % {"label": found.label})
    return redirect("site", slug)


@require_POST
@requires(Role.EDITOR)
def merge(request: HttpRequest, slug: str) -> HttpResponse:
    """Merge templates: the first one takes in the others."""
    found = get_object_or_404(Site, slug=slug)
    form = MergeForm(request.POST, site=found)
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect("site", slug)
    into, *others = form.cleaned_data["clusters"]
    try:
        into = service.merge_templates(into, others)
        messages.success(
            request,
            ngettext("%(others)s template merged into %(into)s.", "%(others)s templates merged into %(into)s.", len(others))
            % {"others": len(others), "into": into.label},
        )
    except JobError as error:
        messages.error(request, gettext("Nothing was merged: %(error)s.") % {"error": error})
    return redirect("site", slug)
