"""The stylesheets, pictures and fonts of a site's pages: kept once, found again by their address.

What comes in (`keep`) is examined by its bytes; what cannot be used is remembered with its reason, so that it is not
loaded again with every look at the page. Limits are per file (`fetching.media`), page (`references`) and site (here).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone

from extraction.algorithms.dom import media, references
from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.display.addresses import Held
from extraction.models import Asset, Site
from extraction.services.core import stored_bytes

MAX_SITE_ASSETS = 20_000
MAX_SITE_BYTES = 1024**3
"""Kept a site: the pictures of some thousand pages. Beyond that, pages are shown with boxes for pictures, as without any."""

RETRY_AFTER = timedelta(hours=1)
"""A file that could not be loaded is asked for again after so long, when somebody wants it."""


@dataclass(slots=True)
class Room:
    """What a site may still take in."""

    files: int
    size_bytes: int

    @classmethod
    def of(cls, site: Site) -> "Room":
        """The room left now."""
        taken = Asset.objects.filter(site=site).aggregate(files=Count("pk"), size_bytes=Sum("size_bytes"))
        return cls(MAX_SITE_ASSETS - taken["files"], MAX_SITE_BYTES - (taken["size_bytes"] or 0))

    def take(self, size_bytes: int) -> bool:
        """Whether a file of this size still fits; it is counted if so."""
        if self.files < 1 or self.size_bytes < size_bytes:
            return False
        self.files -= 1
        self.size_bytes -= size_bytes
        return True


def keep_asset(site: Site, need: NeededResource, content: bytes, room: Room) -> Asset | None:
    """Keeps a file that a page needs; None where the site has no room for it. What cannot be used is kept as its reason."""
    try:
        content_type = media.examine(content, need.kind)
    except media.MediaError as reason:
        return note_failure(site, need, str(reason))
    if not room.take(len(content)):
        return None
    values = {"sha256": stored_bytes.put_bytes(content), "content_type": content_type, "size_bytes": len(content), "error": ""}
    return Asset.objects.update_or_create(site=site, url=need.url, defaults=values | {"fetched_at": timezone.now()})[0]


def note_failure(site: Site, need: NeededResource, reason: str) -> Asset:
    """Remembers why there is none. What was there before stays: an old style is better than none."""
    error, now = reason[:300] or "it could not be loaded", timezone.now()
    asset, made = Asset.objects.get_or_create(site=site, url=need.url, defaults={"error": error, "fetched_at": now})
    if not made and asset.error:
        asset.error, asset.fetched_at = error, now
        asset.save(update_fields=["error", "fetched_at"])
    return asset


def find_missing(site: Site, needed: Iterable[NeededResource]) -> list[NeededResource]:
    """Of these the ones to load, each once: never loaded, or failed some time ago."""
    wanted = {need.url: need for need in needed}
    urls = list(wanted)
    known: set[str] = set()
    for start in range(0, len(urls), 500):
        rows = Asset.objects.filter(site=site, url__in=urls[start : start + 500])
        known.update(rows.exclude(~Q(error=""), fetched_at__lt=timezone.now() - RETRY_AFTER).values_list("url", flat=True))
    return [need for url, need in wanted.items() if url not in known]


def find_needs_of_sheet(asset: Asset) -> list[NeededResource]:
    """What a stylesheet needs in turn; nothing for another file."""
    return list(_sheet_needs(asset.sha256, asset.url)) if asset.content_type == media.CSS else []


def find_needs_of_sheets(site: Site, needed: Iterable[NeededResource]) -> list[NeededResource]:
    """What those of these stylesheets that are held need in turn."""
    urls = [need.url for need in needed if need.kind is ResourceKind.STYLE]
    return [need for sheet in Asset.objects.filter(site=site, url__in=urls, error="") for need in find_needs_of_sheet(sheet)]


@lru_cache(maxsize=256)
def _sheet_needs(sha256: str, url: str) -> tuple[NeededResource, ...]:
    """Kept: the pages of a site share a few sheets, and reading one takes a tenth of a second."""
    return tuple(references.resolve_references(references.find_style_references(decode_sheet(stored_bytes.get_bytes(sha256))), url))


def decode_sheet(content: bytes) -> str:
    """A stylesheet's text. Sheets are ASCII but for names and quotations: what is no UTF-8 is read byte by byte."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def get_version(site_id: int) -> str:
    """Changes whenever something of the site's assets does; empty while it has none."""
    found = Asset.objects.filter(site=site_id).aggregate(n=Count("pk"), at=Max("fetched_at"))
    return f"{found['n']:x}-{int(found['at'].timestamp() * 1000):x}" if found["n"] else ""


@lru_cache(maxsize=8)
def get_held(site_id: int, version: str) -> Mapping[str, Held]:
    """{address: asset} of all that can be shown. version: as `version` gives it, so that nothing old is served."""
    if not version:
        return {}
    rows = Asset.objects.filter(site=site_id, error="").values_list("url", "pk", "sha256", "content_type")
    return {url: Held(pk, url, sha256, content_type) for url, pk, sha256, content_type in rows}
