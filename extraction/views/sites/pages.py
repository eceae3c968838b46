"""The pages of a site: the list, one page, and a WARC file of all."""

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.models import Page, Role, Site, Snapshot
from extraction.services.intake import export_warc
from extraction.services.sites import page_pictures, sites
from extraction.services.sites.fetching import get_fetching
from extraction.views.core import last_move
from extraction.views.core.keyset import read_page
from extraction.views.policy import requires
from extraction.views.sites import site_pages

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def list_pages(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the site's pages, searched and filtered."""
    site = get_object_or_404(Site, slug=slug)
    query, part = request.GET.get("q", "").strip(), request.GET.get("part", "")
    found = site_pages.find_pages(site, query=query, part=part)
    count = None if query else site_pages.count_pages(site, part=part)
    pages = replace(read_page(found.rows, request.GET, per_page=PER_PAGE, count=count), among=found.among)
    clusters = site.clusters.all()
    context = {
        "site": site,
        "head": sites.summarize_site(site),
        "pages": pages,
        "query": query,
        "part": part,
        "clusters": clusters,
        "tab": "pages",
        "last_move": last_move.describe_last_move(request, site),
    }
    return render(request, "extraction/sites/site_pages.html", context)


@require_safe
@requires(Role.VIEWER)
def show_page(request: HttpRequest, slug: str, page_id: int) -> HttpResponse:
    """Show one stored page and its record.

    `snapshot=id` selects a version of the page; `value=Attribute.0` outlines the place of that value.
    """
    found = get_object_or_404(Page.objects.select_related("site", "current"), site__slug=slug, pk=page_id)
    asked = request.GET.get("snapshot", "")
    view = site_pages.build_page_view(found, snapshot_id=int(asked) if asked.isdecimal() and len(asked) < 19 else None)
    marked = request.GET.get("value", "")
    mark = site_pages.locate_value(view.record, marked) if view.record else None
    keeps_pictures = get_fetching(found.site).pictures
    context = {"site": found.site, "view": view, "mark": mark, "marked": marked, "keeps_pictures": keeps_pictures}
    return render(request, "extraction/sites/page.html", context)


@require_safe
@requires(Role.VIEWER)
def show_picture(_request: HttpRequest, slug: str, page_id: int, snapshot_id: int) -> HttpResponse:
    """Show the picture of a stored version of a page, as a browser showed it."""
    found = get_object_or_404(Snapshot, page__site__slug=slug, page=page_id, pk=snapshot_id)
    try:
        content = page_pictures.read_picture(found)
    except FileNotFoundError as error:
        raise Http404(str(error)) from error
    headers = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type="image/jpeg", headers=headers)


@require_POST
@requires(Role.OPERATOR)
def delete_page(request: HttpRequest, slug: str, page_id: int) -> HttpResponse:
    """Delete a page with its versions, marks and record."""
    found = get_object_or_404(Page.objects.select_related("site"), site__slug=slug, pk=page_id)
    try:
        sites.delete_page(found)
    except sites.PageInUse as error:
        messages.error(request, str(error))
        return redirect("page", slug, page_id)
    messages.success(request, gettext("%(url)s was deleted.") % {"url": found.url})
    return redirect("site_pages", slug)


@require_safe
@requires(Role.VIEWER)
def download_warc(_: HttpRequest, slug: str) -> HttpResponseBase:
    """Stream all stored pages as a WARC file."""
    site = get_object_or_404(Site, slug=slug)
    disposition = {"Content-Disposition": f'attachment; filename="{site.slug}.warc.gz"'}
    return StreamingHttpResponse(export_warc.write_records(site), content_type="application/warc", headers=disposition)
