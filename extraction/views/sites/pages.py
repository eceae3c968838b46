"""The pages of a site: list, single page, upload and WARC file."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from extraction.forms.core import said
from extraction.forms.intake import ARCHIVES, ImportForm
from extraction.models import Page, Role, Site
from extraction.services.intake import export_warc, import_pages
from extraction.services.sites import sites
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.sites import site_pages

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def pages(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the site's pages, searched and filtered."""
    site = get_object_or_404(Site, slug=slug)
    query, part = request.GET.get("q", "").strip(), request.GET.get("part", "")
    found = Paginator(site_pages.search(site, query=query, part=part), PER_PAGE).get_page(request.GET.get("page", 1))
    clusters = site.clusters.all()
    context = {
        "site": site,
        "head": sites.summarize_site(site),
        "pages": found,
        "query": query,
        "part": part,
        "clusters": clusters,
        "tab": "pages",
    }
    return render(request, "extraction/sites/site_pages.html", context)


@require_safe
@requires(Role.VIEWER)
def page(request: HttpRequest, slug: str, page_id: int) -> HttpResponse:
    """Show one stored page and its record.

    `snapshot=id` selects a version of the page; `value=Attribute.0` outlines the place of that value.
    """
    found = get_object_or_404(Page.objects.select_related("site", "current"), site__slug=slug, pk=page_id)
    asked = request.GET.get("snapshot", "")
    view = site_pages.view(found, snapshot_id=int(asked) if asked.isdecimal() and len(asked) < 19 else None)
    marked = request.GET.get("value", "")
    mark = site_pages.mark(view.record, marked) if view.record else None
    return render(request, "extraction/sites/page.html", {"site": found.site, "view": view, "mark": mark, "marked": marked})


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def upload(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Take an archive and start its import. A script that accepts JSON gets the run's address or the error."""
    site = get_object_or_404(Site, slug=slug)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    by_script = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        run = import_pages.start_import(site, file, name=file.name, user=request.user)
        return JsonResponse({"location": run.get_absolute_url()}, status=201) if by_script else redirect(run)
    if by_script and form.errors:
        return JsonResponse({"error": said(form)}, status=400)
    context = {"site": site, "form": form, "archives": ARCHIVES, "limits": import_limits()}
    return render(request, "extraction/intake/site_import.html", context, status=400 if form.errors else 200)


@require_safe
@requires(Role.VIEWER)
def warc(_: HttpRequest, slug: str) -> HttpResponseBase:
    """Stream all stored pages as a WARC file."""
    site = get_object_or_404(Site, slug=slug)
    disposition = {"Content-Disposition": f'attachment; filename="{site.slug}.warc.gz"'}
    return StreamingHttpResponse(export_warc.write_records(site), content_type="application/warc", headers=disposition)


def import_limits() -> dict[str, int]:
    """Return the limits of uploads, for the forms to show."""
    return {
        "upload": settings.VERTEX_UPLOAD_MAX_BYTES,
        "pages": settings.VERTEX_IMPORT_MAX_PAGES,
        "page": settings.VERTEX_PAGE_MAX_BYTES,
        "unpacked": settings.VERTEX_IMPORT_MAX_BYTES,
    }
