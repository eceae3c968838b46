"""Uploads of archives, into a site or as a new site."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from extraction.forms.core import join_errors
from extraction.forms.intake import ARCHIVES, ImportForm, NewUploadForm
from extraction.models import Role, Run, Site
from extraction.services.core.percent import write_number
from extraction.services.core.runs import JobError
from extraction.services.intake import absent_pages, import_pages
from extraction.services.sites import sites
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def upload_archive(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Take an archive of a site's pages and start its import."""
    site = get_object_or_404(Site, slug=slug)

    def start(data: dict[str, Any]) -> Run:
        return import_pages.start_import(site, data["file"], name=data["file"].name, user=request.user)

    return _take_upload(request, ImportForm, start, template="extraction/intake/site_import.html", context={"site": site})


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def upload_new_site(request: SignedInHttpRequest) -> HttpResponse:
    """Create a site from an archive of its pages and start the import."""

    def start(data: dict[str, Any]) -> Run:
        with transaction.atomic():  # if the import cannot start, create no site
            site = sites.create_site(data["name"], data["address"], team=data["team"], user=request.user)
            return import_pages.start_import(site, data["file"], name=data["file"].name, user=request.user)

    return _take_upload(
        request, partial(NewUploadForm, user=request.user), start, template="extraction/intake/site_new_upload.html", context={}
    )


@require_POST
@requires(Role.EDITOR)
def mark_absent(request: SignedInHttpRequest, run_id: int) -> HttpResponse:
    """Mark the pages that an import does not contain as gone."""
    run = get_object_or_404(Run.objects.select_related("site"), pk=run_id, kind=Run.Kind.IMPORT)
    try:
        marked = absent_pages.mark_gone(run, request.user)
        messages.success(
            request,
            ngettext(
                "%(marked)s page marked as gone. Their records are left out from now on.",
                "%(marked)s pages marked as gone. Their records are left out from now on.",
                marked,
            )
            % {"marked": write_number(marked)},
        )
    except JobError as error:
        messages.error(request, str(error))
    return redirect(run)


def _take_upload(
    request: SignedInHttpRequest,
    make_form: Callable[..., ImportForm],
    start: Callable[[dict[str, Any]], Run],
    *,
    template: str,
    context: dict[str, Any],
) -> HttpResponse:
    """Show the form, or start the run of a valid one. A script that accepts JSON gets the run's address or the error."""
    form = make_form(request.POST, request.FILES) if request.method == "POST" else make_form()
    by_script = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    if request.method == "POST" and form.is_valid():
        run = start(form.cleaned_data)
        return JsonResponse({"location": run.get_absolute_url()}, status=201) if by_script else redirect(run)
    if by_script and form.errors:
        return JsonResponse({"error": join_errors(form)}, status=400)
    shown = {**context, "form": form, "archives": ARCHIVES, "limits": _get_limits()}
    return render(request, template, shown, status=400 if form.errors else 200)


def _get_limits() -> dict[str, int]:
    """Return the limits of uploads, for the forms to show."""
    return {
        "upload": settings.VERTEX_UPLOAD_MAX_BYTES,
        "pages": settings.VERTEX_IMPORT_MAX_PAGES,
        "page": settings.VERTEX_PAGE_MAX_BYTES,
        "unpacked": settings.VERTEX_IMPORT_MAX_BYTES,
    }
