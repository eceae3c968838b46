"""A site's live rules as a bundle, to read its pages elsewhere."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from extraction.algorithms.errors import RuleError, XPathError
from extraction.models import Role, Site
from extraction.services.records import bundle
from extraction.views.policy import requires

MOST_PLACED = 100_000
"""The largest number of pages whose templates are named in a bundle from the dashboard: some seconds. The command names more."""


@require_safe
@requires(Role.VIEWER)
def download_bundle(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the bundle of the site's live rules."""
    site = get_object_or_404(Site, slug=slug)
    try:
        written = bundle.write_site_bundle(site, most_placed=MOST_PLACED)
    except (RuleError, XPathError) as error:
        messages.error(request, gettext("There is no bundle: %(error)s") % {"error": error})
        return redirect(site)
    headers = {"Content-Disposition": f'attachment; filename="{written.name}"'}
    return HttpResponse(written.data, content_type="application/json", headers=headers)
