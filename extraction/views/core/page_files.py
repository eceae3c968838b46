"""Serve the stylesheets, pictures and fonts of pages to the frame only, and the pictures of templates to the dashboard.

The token in the address gives access to the files of a site (`addresses`). Files are made harmless here: stylesheets are
cleaned and can load only from here, drawings are cleaned, and other files have the type that their bytes show.
"""

from functools import lru_cache

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from extraction.algorithms.dom import media
from extraction.display import addresses, drawings, stylesheets
from extraction.display.addresses import PLACE, Addresses, FileName, SheetName
from extraction.models import Asset, Preview, Role
from extraction.services.core import stored_bytes
from extraction.services.intake import assets
from extraction.views.policy import requires

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    # The frame has an opaque origin, so a browser treats it as another site and requests fonts with CORS and without cookies.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": f"private, max-age={addresses.HOLDS_S}, immutable",
}
LOADED_AS = frozenset({"", "style", "image", "font", "empty"})
"""Allowed values of Sec-Fetch-Dest; "" if the browser sends none. A file cannot be opened as a page."""


@login_not_required
@require_safe
def serve_asset(request: HttpRequest, token: str, name: str) -> HttpResponse:
    """Serve one file: `<sha256>.<suffix>`, or `<row>_<depth>_<version>.css`."""
    site_id = addresses.read_token(token)
    wanted = addresses.parse_name(name)
    if site_id is None or wanted is None or request.headers.get("Sec-Fetch-Dest", "") not in LOADED_AS:
        raise Http404("no such file, or the page it belongs to was opened too long ago")
    try:
        content, content_type = _read_sheet(site_id, token, wanted) if isinstance(wanted, SheetName) else _read_file(site_id, wanted)
    except FileNotFoundError as error:
        raise Http404("its stored bytes are missing") from error
    response = HttpResponse(content, content_type=content_type)
    for header, value in HEADERS.items():
        response.headers[header] = value
    return response


@require_safe
@requires(Role.VIEWER)
def serve_picture(_request: HttpRequest, slug: str, number: int, sha256: str) -> HttpResponse:
    """Serve the picture of a template's first sample page, for its card."""
    named = Q(sha256=sha256) | Q(dimmed=sha256)
    if not sha256 or not Preview.objects.filter(named, cluster__site__slug=slug, cluster__number=number).exists():
        raise Http404("no such picture")
    try:
        content = stored_bytes.get_bytes(sha256)
    except FileNotFoundError as error:
        raise Http404("its stored bytes are missing") from error
    headers = {"Cache-Control": "private, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type="image/png", headers=headers)


def _read_sheet(site_id: int, token: str, name: SheetName) -> tuple[bytes, str]:
    found = Asset.objects.filter(pk=name.pk, site=site_id, content_type=media.CSS).values_list("sha256", "url").first()
    if found is None:
        raise Http404("no such stylesheet")
    text = _clean_sheet(*found, site_id, assets.get_version(site_id), name.depth)
    folder = f"/assets/{token}/"
    return text.replace(PLACE, folder).encode("utf-8", "replace"), f"{media.CSS}; charset=utf-8"


def _read_file(site_id: int, name: FileName) -> tuple[bytes, str]:
    held = Asset.objects.filter(site=site_id, sha256=name.sha256).exclude(content_type=media.CSS).values_list("content_type", flat=True)
    content_type = held.first()
    if not content_type or addresses.SUFFIXES.get(content_type) != name.suffix:
        raise Http404("no such picture or font")
    return (_clean_drawing(name.sha256) if content_type == media.SVG else stored_bytes.get_bytes(name.sha256)), content_type


@lru_cache(maxsize=32)
def _clean_sheet(sha256: str, url: str, site_id: int, version: str, depth: int) -> str:
    """Return a cleaned stylesheet.

    Cached, because all pages of a site request the same few sheets. Up to 1 MB each.
    """
    text = assets.decode_sheet(stored_bytes.get_bytes(sha256))
    written = addresses.address_under_place(version, depth=depth + 1)
    return stylesheets.clean_sheet(text[: stylesheets.MAX_CHARS], Addresses(url, assets.get_held(site_id, version), written))


@lru_cache(maxsize=64)
def _clean_drawing(sha256: str) -> bytes:
    drawing = drawings.make_drawing_inert(stored_bytes.get_bytes(sha256))
    if drawing is None:
        raise Http404("this drawing cannot be shown")
    return drawing
