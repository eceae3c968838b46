"""How the pages of a site are fetched that need more than a visit."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from extraction.forms.fetching import FetchingForm
from extraction.models import Role, Site
from extraction.services.sites import sites as service
from extraction.views.policy import requires


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def change_fetching(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how the site's pages are fetched. POST changes it."""
    site = get_object_or_404(Site, slug=slug)
    form = FetchingForm(request.POST if request.method == "POST" else None, site=site)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, gettext("Saved. The changes apply the next time pages are fetched."))
        return redirect("site_fetching", site.slug)
    context = {"site": site, "head": service.summarize_site(site), "form": form, "tab": "settings"}
    return render(request, "extraction/sites/fetching.html", context, status=400 if form.errors else 200)
