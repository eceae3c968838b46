"""The joins of a site: the list with proposals, and the form with its preview."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.joins import JoinForm
from extraction.models import Join, Role, Site
from extraction.services.joins import make_records, plans, proposals
from extraction.services.joins.plans import JoinPlan, Problems
from extraction.services.joins.state import describe_state
from extraction.services.sites import sites
from extraction.views.http import HtmxHttpRequest, SignedInHttpRequest
from extraction.views.joins import join_view
from extraction.views.policy import requires

EDIT = ("GET", "HEAD", "POST")


def join_of(slug: str, join_id: int) -> Join:
    """Return the join at an address, with its site and template. Raises Http404 if there is none."""
    return get_object_or_404(Join.objects.select_related("site", "detail__record_type"), site__slug=slug, pk=join_id)


@require_safe
@requires(Role.VIEWER)
def list_joins(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the joins of a site with their figures."""
    site = get_object_or_404(Site, slug=slug)
    joins = site.joins.select_related("site", "detail")
    rows = [
        (each, join_view.describe_join(each), join_view.describe_counts(each.read_result().figures), describe_state(each)) for each in joins
    ]
    context = {"site": site, "head": sites.summarize_site(site), "tab": "joins", "rows": rows}
    return render(request, "extraction/joins/joins.html", context)


@require_safe
@requires(Role.EDITOR)
def propose(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Show the joins that the records suggest. The screen loads this part later, since many pages may have to be compared."""
    site = get_object_or_404(Site, slug=slug)
    if not request.htmx:
        return redirect("site_joins", slug)
    found = proposals.propose_joins(site)
    known = set(site.joins.values_list("detail", flat=True))
    context = {"site": site, "proposals": found, "known": known}
    return render(request, "extraction/joins/_proposals.html", context)


@require_http_methods(EDIT)
@requires(Role.EDITOR)
def create_join(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Show the form of a new join, filled in from the address. POST stores it and makes its records."""
    site = get_object_or_404(Site, slug=slug)
    if request.method == "POST":
        return _save(request, site, None)
    return _render_form(request, site, None, JoinForm(request.GET).read_plan())


@require_http_methods(EDIT)
@requires(Role.EDITOR)
def edit_join(request: SignedInHttpRequest, slug: str, join_id: int) -> HttpResponse:
    """Show the form of a join. POST stores it and makes its records again."""
    join = join_of(slug, join_id)
    if request.method == "POST":
        return _save(request, join.site, join)
    return _render_form(request, join.site, join, plans.read_plan(join))


@require_safe
@requires(Role.EDITOR)
def show_fields(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Show the fields and the preview for the settings in the address. The form asks for them after each change."""
    site = get_object_or_404(Site, slug=slug)
    plan = join_view.complete_plan(site, JoinForm(request.GET).read_plan())
    if not request.htmx:
        return _render_form(request, site, None, plan)
    return render(request, "extraction/joins/_fields.html", {"site": site, "fields": join_view.build_fields(site, plan)})


@require_POST
@requires(Role.EDITOR)
def make_join(request: SignedInHttpRequest, slug: str, join_id: int) -> HttpResponse:
    """Bring the records of a join up to date."""
    join = join_of(slug, join_id)
    found = describe_state(join)
    if found.problems:
        messages.error(request, " ".join(found.problems))
        return redirect("join_edit", slug, join.pk)
    if found.gates:
        messages.error(request, " ".join(each.words for each in found.gates))
        return redirect(join)
    return redirect(make_records.start_joining(join, request.user))


@require_POST
@requires(Role.EDITOR)
def delete_join(request: HttpRequest, slug: str, join_id: int) -> HttpResponse:
    """Delete a join with its records. The records of both sides stay."""
    join = join_of(slug, join_id)
    plans.delete_join(join)
    messages.success(request, gettext("%(join)s was deleted. The records of its templates are as they were.") % {"join": join.name})
    return redirect("site_joins", slug)


def _save(request: SignedInHttpRequest, site: Site, join: Join | None) -> HttpResponse:
    plan = join_view.complete_plan(site, JoinForm(request.POST).read_plan())
    found = plans.check_plan(site, plan)
    if isinstance(found, Problems):
        return _render_form(request, site, join, plan, status=400)
    saved = plans.save_plan(site, plan, join, request.user)
    started = make_records.start_joins([saved], request.user)
    said = (
        gettext("The records of %(saved)s are being made.") % {"saved": saved.name}
        if started
        else gettext("Its records are made as soon as both sides are released.")
    )
    messages.success(request, gettext("Saved. %(said)s") % {"said": said})
    return redirect(saved)


def _render_form(request: HttpRequest, site: Site, join: Join | None, plan: JoinPlan, status: int = 200) -> HttpResponse:
    fields = join_view.build_fields(site, join_view.complete_plan(site, plan))
    context = {"site": site, "join": join, "fields": fields, "tried": status == 400}
    return render(request, "extraction/joins/join.html", context, status=status)
