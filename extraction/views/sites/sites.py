"""Sites: list, creation, settings, deletion."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.core import DeleteForm
from extraction.forms.sites import NewSiteForm, SiteForm, SourceForm
from extraction.forms.templates import ClusterForm
from extraction.models import Role, Site
from extraction.services.core.access import list_teams, visible_to
from extraction.services.core.runs import JobError
from extraction.services.intake import crawl_site
from extraction.services.sites import sites as service
from extraction.services.sites import sources
from extraction.services.templates import cluster_pages
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def list_sites(request: SignedInHttpRequest) -> HttpResponse:
    """Show the sites of the person's teams with their figures."""
    query = request.GET.get("q", "").strip()
    found = visible_to(Site.objects.select_related("team"), request.user)
    rows = service.list_sites(found.filter(name__icontains=query) if query else found)
    context = {"rows": rows, "query": query, "teams": list_teams(request.user).count() > 1}
    return render(request, "extraction/sites/sites.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def create_site(request: SignedInHttpRequest) -> HttpResponse:
    """Create a site from its address and start to fetch its pages."""
    form = NewSiteForm(request.POST if request.method == "POST" else None, request.FILES or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        source = sources.create_from_address(
            data["address"], name=data["name"], options=form.options(), team=data["team"], user=request.user
        )
        crawl_site.start_crawl(source.site, request.user)
        return redirect(source.site)
    return render(request, "extraction/sites/site_new.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def show_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the Settings tab. POST changes the site's name and address; `from=monitoring` leads back to the tab Monitoring."""
    site = get_object_or_404(Site, slug=slug)
    form = SiteForm(request.POST if request.method == "POST" else None, instance=site)
    if request.method == "POST" and form.is_valid():
        service.rename_site(site, form.cleaned_data["name"], form.cleaned_data["address"])
        started = sources.follow_address(site)
        messages.success(
            request, gettext("Saved. The pages can now be fetched from this address and checked.") if started else gettext("Saved.")
        )
        return redirect("site_monitoring" if request.POST.get("from") == "monitoring" else "site_settings", site.slug)
    return render_settings(request, Site.objects.get(pk=site.pk), form=form)


@require_POST
@requires(Role.OPERATOR)
def delete_site(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a site if its name was typed to confirm."""
    site = get_object_or_404(Site, slug=slug)
    form = DeleteForm(request.POST, wanted=site.name)
    if not form.is_valid():
        return render_settings(request, site, deletion=form)
    try:
        service.delete_site(site)
    except service.SiteInUse as error:
        messages.error(request, str(error))
        return redirect("site_settings", slug)
    messages.success(request, gettext("%(wanted)s was deleted.") % {"wanted": form.wanted})
    return redirect("sites")


@require_POST
@requires(Role.EDITOR)
def start_clustering(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Start a new search for the site's templates."""
    site = get_object_or_404(Site, slug=slug)
    form = ClusterForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("The minimum must be a whole number of at least 1. Nothing was started."))
        return redirect("site_settings", site.slug)
    try:
        return redirect(cluster_pages.start_clustering(site, threshold=form.cleaned_data["threshold"], user=request.user))
    except JobError as error:
        messages.error(request, gettext("Nothing was started: %(error)s.") % {"error": error})
    return redirect("site_settings", site.slug)


def render_settings(
    request: HttpRequest,
    site: Site,
    *,
    form: SiteForm | None = None,
    source: SourceForm | None = None,
    deletion: DeleteForm | None = None,
) -> HttpResponse:
    """Show the Settings tab. Forms with errors are shown as they were sent."""
    context = {
        "site": site,
        "head": service.summarize_site(site),
        "form": form or SiteForm(instance=site),
        "source": source or SourceForm(instance=sources.get_source(site)),
        "deletion": deletion,
        "use": service.find_use(site),
        "tab": "settings",
    }
    failed = any(each and each.errors for each in (form, source, deletion))
    return render(request, "extraction/sites/site_settings.html", context, status=400 if failed else 200)
