"""Pages come in: crawls and uploads."""

from typing import Annotated, Literal

from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.utils.datastructures import MultiValueDict
from ninja import File, Form, Status, UploadedFile

from extraction.api.bodies import RequestBody
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_site
from extraction.api.problems import ProblemError, refuse_form
from extraction.fetching.url_safety import MAX_URL
from extraction.forms.intake import ImportForm
from extraction.models import Run, Site
from extraction.services.intake import crawl_site, import_pages, single_pages
from extraction.views.intake import crawls, uploads

operations = Operations("Pages come in")

MAX_PAGE_BYTES = 32 * 1024**2
"""A single page with its address may be as large as this. It is in memory while it is stored."""


class CrawlIn(RequestBody):
    """What a crawl does. `pages` fetches pages and finds templates; `renew` then also extracts records; `extract` fetches the whole
    site and keeps only the records."""

    mode: Literal["pages", "renew", "extract"] = "pages"


STARTS = {"pages": crawl_site.start_crawl, "renew": crawl_site.start_renewal, "extract": crawl_site.start_extracting_crawl}


@operations.post("/sites/{slug:slug}/crawls", like=crawls.start_crawl, response=RunOut, status=202)
def start_crawl(request: ApiRequest, slug: str, body: CrawlIn) -> Status[RunOut]:
    """Start to fetch the pages of a site. If a crawl of the site is unfinished, that one is returned."""
    return Status(202, describe_run(STARTS[body.mode](find_site(request, slug), request.access.user)))


@operations.post("/sites/{slug:slug}/uploads", like=uploads.upload_archive, response=RunOut, status=202)
def upload_pages(
    request: ApiRequest,
    slug: str,
    file: Annotated[UploadedFile, File()],
    url: Annotated[str, Form(max_length=MAX_URL)] = "",
) -> Status[RunOut]:
    """Upload pages and start their import.

    Without `url`, the file is an archive: zip, tar, tar.gz, WARC or WARC.gz. With it, the file is the one page at that address.
    """
    site = find_site(request, slug)
    run = _import_page(request, site, file, url) if url else _import_archive(request, site, file)
    return Status(202, describe_run(run))


def _import_archive(request: ApiRequest, site: Site, file: "DjangoFile[bytes]") -> Run:
    form = ImportForm({}, MultiValueDict({"file": [file]}))
    if not form.is_valid():
        raise refuse_form(form)
    return import_pages.start_import(site, form.cleaned_data["file"], name=file.name or "upload", user=request.access.user)


def _import_page(request: ApiRequest, site: Site, file: "DjangoFile[bytes]", url: str) -> Run:
    if not url.startswith(("http://", "https://")) or not url.isprintable() or " " in url:
        raise ProblemError(422, "The address of a page begins with http:// or https:// and has no spaces.")
    if (file.size or 0) > MAX_PAGE_BYTES:
        raise ProblemError(413, f"A single page may have at most {MAX_PAGE_BYTES:,} bytes.")
    archive = single_pages.make_archive(url, file.read(), content_type=file.content_type or "")
    return import_pages.start_import(site, archive, name=url, user=request.access.user)
