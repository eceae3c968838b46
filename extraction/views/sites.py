"""Sites: the list, a new one, settings, deletion."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms import ClusterForm, DeleteForm, SiteForm
from extraction.models import Role, Site
from extraction.services import cluster_pages
from extraction.services import sites as service
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def sites(request: HttpRequest) -> HttpResponse:
    """All sites with their figures."""
    query = request.GET.get("q", "").strip()
    found = Site.objects.filter(name__icontains=query) if query else None
    return render(request, "extraction/sites.html", {"rows": service.rows(found), "query": query})


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def new(request: HttpRequest) -> HttpResponse:
    """A new site; its pages come next."""
    form = SiteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        site = service.create(form.cleaned_data["name"], form.cleaned_data["address"], user=request.user)
        return redirect("site_import", site.slug)
    return render(request, "extraction/site_new.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Its name and address; POST changes them."""
    site = get_object_or_404(Site, slug=slug)
    form = SiteForm(request.POST or None, instance=site)
    if request.method == "POST" and form.is_valid():
        service.rename(site, form.cleaned_data["name"], form.cleaned_data["address"])
        messages.success(request, "Saved.")
        return redirect("site_settings", site.slug)
    return _settings(request, Site.objects.get(pk=site.pk), form, None)


@require_POST
@requires(Role.OPERATOR)
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Deletes it once its name was typed."""
    site = get_object_or_404(Site, slug=slug)
    form = DeleteForm(request.POST, wanted=site.name)
    if not form.is_valid():
        return _settings(request, site, SiteForm(instance=site), form)
    service.delete(site)
    messages.success(request, f"{form.wanted} was deleted.")
    return redirect("sites")


@require_POST
@requires(Role.EDITOR)
def cluster_start(request: HttpRequest, slug: str) -> HttpResponse:
    """Finds the site's templates anew."""
    site = get_object_or_404(Site, slug=slug)
    form = ClusterForm(request.POST)
    if not form.is_valid():
        messages.error(request, "The threshold is a whole number of at least 1. Nothing was started.")
        return redirect("site_settings", site.slug)
    return redirect(cluster_pages.start(site, threshold=form.cleaned_data["threshold"], user=request.user))


def _settings(request: HttpRequest, site: Site, form: SiteForm, deletion: DeleteForm | None) -> HttpResponse:
    failed = form.errors or (deletion and deletion.errors)
    context = {"site": site, "head": service.head(site), "form": form, "deletion": deletion, "tab": "settings"}
    return render(request, "extraction/site_settings.html", context, status=400 if failed else 200)
