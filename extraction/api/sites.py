"""Sites, their sources and their pages."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.operations import (
    ApiRequest,
    Operations,
    choose_team,
    find_site,
)
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.fetching import FetchingForm
from extraction.forms.sites import SiteForm, SourceForm, complete_address
from extraction.models import (
    Page,
    Role,
    Site,
    Source,
)
from extraction.services.core import stored_bytes
from extraction.services.sites import page_pictures, sources
from extraction.services.sites import sites as service
from extraction.views.intake import crawls
from extraction.views.sites import fetching, pages, site_pages, sites

operations = Operations("Sites")


class SourceOut(Schema):
    """Where the pages of a site are fetched from, and how. docs/api.md explains the fields."""

    addresses: list[str]
    whole: bool
    page_limit: int
    depth: int | None
    include: list[str]
    exclude: list[str]
    hosts: list[str]
    find_sitemaps: bool
    sitemaps: list[str]
    feeds: list[str]
    listed: list[str]
    search_address: str
    search_fields: list[str]
    search_terms: list[str]
    search_pages: int
    delay_s: float
    concurrency: int
    rendered: str
    obey_robots: bool
    verify_certificates: bool
    contact: str


class SourceChange(RequestBody):
    """Changes of a source. Fields that are left out stay as they are."""

    addresses: list[str] | None = None
    whole: bool | None = None
    page_limit: int | None = None
    depth: int | None = None
    include: list[str] | None = None
    exclude: list[str] | None = None
    hosts: list[str] | None = None
    find_sitemaps: bool | None = None
    sitemaps: list[str] | None = None
    feeds: list[str] | None = None
    listed: list[str] | None = None
    search_address: str | None = None
    search_fields: list[str] | None = None
    search_terms: list[str] | None = None
    search_pages: int | None = None
    delay_s: float | None = None
    concurrency: int | None = None
    rendered: str | None = None
    obey_robots: bool | None = None
    verify_certificates: bool | None = None
    contact: str | None = None


class FetchingOut(Schema):
    """How the pages of a site are fetched that need more than a visit. docs/fetching.md explains the fields.

    Values that may be secret are "••••". unreadable: why the stored ones cannot be read; empty if they can.
    """

    headers: dict[str, str]
    cookies: dict[str, str]
    proxy: str
    load_more: str
    scrolls: bool
    most_loads: int
    embedded: bool
    pictures: bool
    frame_hosts: list[str]
    steps: str
    signed_out: str
    unreadable: str


class FetchingChange(RequestBody):
    """Changes of how pages are fetched. Fields that are left out stay as they are; so does a value that is sent as "••••"."""

    headers: dict[str, str] | None = None
    cookies: dict[str, str] | None = None
    proxy: str | None = None
    load_more: str | None = None
    scrolls: bool | None = None
    most_loads: int | None = None
    embedded: bool | None = None
    pictures: bool | None = None
    frame_hosts: list[str] | None = None
    steps: str | None = None
    signed_out: str | None = None


class SiteIn(RequestBody):
    """A new site. address: where its pages are fetched from; a site without one gets its pages by upload."""

    name: str = Field("", description="Empty to use the host's name.")
    address: str = ""
    source: SourceChange | None = None
    team: str = Field("", description="The slug of a team. Empty for the oldest of your teams.")


class SiteChange(RequestBody):
    """Changes of a site. Fields that are left out stay as they are."""

    name: str | None = None
    address: str | None = None


class SiteOut(Schema):
    """A site with its figures. records: pages that gave a record, complete or not."""

    slug: str
    name: str
    team: str
    address: str
    created_at: datetime
    pages: int
    templates: int
    records: int
    incomplete: int
    failed: int
    open_breakages: int
    unfinished_runs: int
    last_run_at: datetime | None


class SiteItem(Schema):
    """A site in the list."""

    slug: str
    name: str
    team: str
    address: str
    created_at: datetime


class PageOut(Schema):
    """A page and its present content.

    template: the number of its template; null if it has none.
    error: why the page cannot be read; empty if it can.
    gone_at: since when the page is missing on the web.
    picture: whether there is a picture of it, as a browser showed it.
    picture_note: why there is none although the site's settings ask for it, or what is missing in it.
    """

    id: int
    url: str
    title: str
    template: int | None
    fetched_at: datetime | None
    status: int | None
    size_bytes: int | None
    sha256: str
    error: str
    notice: str
    gone_at: datetime | None
    picture: bool
    picture_note: str


def describe_site(site: Site) -> SiteOut:
    """Return what the API says about a site."""
    head = service.summarize_site(site)
    return SiteOut(
        slug=site.slug,
        name=site.name,
        team=site.team.slug,
        address=site.address,
        created_at=site.created_at,
        pages=head.row.pages,
        templates=head.row.templates,
        records=head.row.records,
        incomplete=head.row.incomplete,
        failed=head.row.failed,
        open_breakages=head.broken,
        unfinished_runs=head.running + head.paused,
        last_run_at=head.row.last_run,
    )


def _describe_item(site: Site) -> SiteItem:
    return SiteItem(slug=site.slug, name=site.name, team=site.team.slug, address=site.address, created_at=site.created_at)


def describe_page(page: Page) -> PageOut:
    """Return what the API says about a page."""
    now = page.current
    picture = getattr(now, "picture", None)
    return PageOut(
        id=page.pk,
        url=page.url,
        title=now.title if now else "",
        template=now.cluster.number if now and now.cluster else None,
        fetched_at=now.fetched_at if now else None,
        status=now.status if now else None,
        size_bytes=now.size_bytes if now else None,
        sha256=now.sha256 if now else "",
        error=now.error if now else "",
        notice=now.notice if now else "",
        gone_at=page.gone_at,
        picture=bool(picture and picture.sha256),
        picture_note=picture.note if picture else "",
    )


@operations.get("/sites", like=sites.list_sites, response=Paged[SiteItem])
def list_sites(request: ApiRequest, paging: Asked, q: str = "") -> dict[str, Any]:
    """List sites. `q` finds sites by a part of their name."""
    found = request.access.list_sites().select_related("team").filter(name__icontains=q.strip())
    return take_page(found, paging, _describe_item)


@operations.post("/sites", like=sites.create_site, response=SiteOut, status=201)
def create_site(request: ApiRequest, body: SiteIn) -> Status[SiteOut]:
    """Create a site. Nothing is fetched yet: start a crawl or upload pages next."""
    request.access.refuse_site_limits("A new site is not among them.")
    address = complete_address(body.address) if body.address else ""
    team = choose_team(request, body.team, Role.EDITOR)
    name = body.name.strip() or (sources.find_free_name(address, team) if address else "")
    form = SiteForm({"name": name, "address": address}, instance=Site(team=team))
    if not form.is_valid():
        raise refuse_form(form)
    if not address:
        if body.source is not None:
            raise ProblemError(422, "A site without an address has no source. Give its address.")
        return Status(201, describe_site(service.create_site(name, team=team, user=request.access.user)))
    options = _read_source(Source(addresses=[address]), body.source or SourceChange())
    made = sources.create_from_address(address, name=name, options=options, team=team, user=request.access.user)
    return Status(201, describe_site(made.site))


@operations.get("/sites/{slug:slug}", like=sites.list_sites, response=SiteOut)
def show_site(request: ApiRequest, slug: str) -> SiteOut:
    """Show a site and its figures."""
    return describe_site(find_site(request, slug))


@operations.change("PATCH", "/sites/{slug:slug}", like=sites.show_settings, response=SiteOut)
def change_site(request: ApiRequest, slug: str, body: SiteChange) -> SiteOut:
    """Change a site's name or address. Its slug stays."""
    site = find_site(request, slug)
    data = {
        "name": site.name if body.name is None else body.name,
        "address": site.address if body.address is None else body.address,
    }
    form = SiteForm(data, instance=Site.objects.get(pk=site.pk))
    if not form.is_valid():
        raise refuse_form(form)
    service.rename_site(site, form.cleaned_data["name"], form.cleaned_data["address"])
    return describe_site(site)


@operations.change("DELETE", "/sites/{slug:slug}", like=sites.delete_site)
def delete_site(request: ApiRequest, slug: str, confirm: str) -> Status[None]:
    """Delete a site with its pages, rules and records. `confirm` must be the site's name."""
    site = find_site(request, slug)
    if confirm != site.name:
        raise ProblemError(422, "Give the name of the site as `confirm`. Nothing was deleted.")
    service.delete_site(site)
    return Status(204, None)


@operations.get("/sites/{slug:slug}/source", like=sites.show_settings, response=SourceOut)
def show_source(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Show where a site's pages are fetched from, and how."""
    return _describe_source(sources.get_source(find_site(request, slug)))


@operations.change("PATCH", "/sites/{slug:slug}/source", like=crawls.edit_source, response=SourceOut)
def change_source(request: ApiRequest, slug: str, body: SourceChange) -> dict[str, Any]:
    """Change where a site's pages are fetched from, and how. The changes apply the next time pages are fetched."""
    source = sources.get_source(find_site(request, slug))
    for name, value in _read_source(source, body).items():
        setattr(source, name, value)
    sources.save_source(source)
    return _describe_source(source)


@operations.get("/sites/{slug:slug}/fetching", like=fetching.change_fetching, response=FetchingOut)
def show_fetching(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Show how the pages of a site are fetched that need more than a visit. Secrets are hidden."""
    return FetchingForm(site=find_site(request, slug)).describe()


@operations.change("PATCH", "/sites/{slug:slug}/fetching", like=fetching.change_fetching, response=FetchingOut)
def change_fetching(request: ApiRequest, slug: str, body: FetchingChange) -> dict[str, Any]:
    """Change how the pages of a site are fetched. The changes apply the next time pages are fetched."""
    site = find_site(request, slug)
    form = FetchingForm.with_changes(site, body.model_dump(exclude_unset=True, exclude_none=True))
    if not form.is_valid():
        raise refuse_form(form)
    form.save()
    return FetchingForm(site=site).describe()


@operations.get("/sites/{slug:slug}/pages", like=pages.list_pages, response=Paged[PageOut])
def list_pages(request: ApiRequest, slug: str, paging: Asked, q: str = "", part: str = "") -> dict[str, Any]:
    """List the pages of a site.

    `q` finds pages by a part of their address or title. `part` is the number of a template, unreadable, partly (read in part),
    unclustered (without a template) or gone.
    """
    found = site_pages.search_pages(find_site(request, slug), query=q.strip(), part=part)
    return take_page(found.select_related("current__picture"), paging, describe_page)


@operations.get("/sites/{slug:slug}/pages/{int:page_id}", like=pages.show_page, response=PageOut)
def show_page(request: ApiRequest, slug: str, page_id: int) -> PageOut:
    """Show a page."""
    return describe_page(_find_page(request, slug, page_id))


@operations.get("/sites/{slug:slug}/pages/{int:page_id}/content", like=pages.show_page, file=True)
def download_page(request: ApiRequest, slug: str, page_id: int) -> HttpResponse:
    """Send the stored bytes of a page.

    They are a stranger's, so they are sent as a file that no browser opens.
    """
    now = _find_page(request, slug, page_id).current
    try:
        content = stored_bytes.get_bytes(now.sha256) if now and now.kept else None
    except FileNotFoundError:
        content = None
    if content is None or now is None:
        raise ProblemError(404, "The content of this page is not kept.")
    headers = {
        "Content-Disposition": f'attachment; filename="page-{page_id}.bin"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "ETag": f'"{now.sha256}"',
    }
    return HttpResponse(content, content_type="application/octet-stream", headers=headers)


@operations.get("/sites/{slug:slug}/pages/{int:page_id}/picture", like=pages.show_picture, file=True)
def download_picture(request: ApiRequest, slug: str, page_id: int) -> HttpResponse:
    """Send the picture of a page as a browser showed it, a JPEG.

    There is one if the site's settings ask for pictures and a browser rendered the page.
    """
    now = _find_page(request, slug, page_id).current
    try:
        content = page_pictures.read_picture(now) if now else None
    except FileNotFoundError:
        content = None
    if content is None:
        raise ProblemError(404, "There is no picture of this page.")
    headers = {"Content-Disposition": f'attachment; filename="page-{page_id}.jpg"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type="image/jpeg", headers=headers)


@operations.change("DELETE", "/sites/{slug:slug}/pages/{int:page_id}", like=pages.delete_page)
def delete_page(request: ApiRequest, slug: str, page_id: int) -> Status[None]:
    """Delete a page with its versions, marks and record. A later crawl fetches it again where it is linked."""
    service.delete_page(_find_page(request, slug, page_id))
    return Status(204, None)


def _find_page(request: ApiRequest, slug: str, page_id: int) -> Page:
    return get_object_or_404(Page.objects.select_related("current__cluster", "current__picture"), site=find_site(request, slug), pk=page_id)


def _describe_source(source: Source) -> dict[str, Any]:
    return {name: getattr(source, name) for name in SourceForm.Meta.fields}


def _read_source(source: Source, body: SourceChange) -> dict[str, Any]:
    """Return the fields of a source with changes, as the dashboard's form accepts them. Raises ProblemError."""
    wanted = _describe_source(source) | body.model_dump(exclude_unset=True)
    lines = {name: "\n".join(value) for name, value in wanted.items() if isinstance(value, list)}
    form = SourceForm(wanted | lines, {}, instance=Source(site=source.site) if source.site_id else None)
    if not form.is_valid():
        raise refuse_form(form)
    return {name: form.cleaned_data[name] for name in SourceForm.Meta.fields}
