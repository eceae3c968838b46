"""Store the stylesheets, pictures and fonts of a site's pages, once for each address.

`keep_asset` decides by its bytes whether a file can be used. For a file that cannot be used, the reason is stored, so
that it is not loaded again each time somebody looks at the page. There are limits per file (`dom.media`), per page
(`dom.references`) and per site (here).
"""

import logging
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

logger = logging.getLogger(__name__)

MAX_SITE_ASSETS = 20_000
MAX_SITE_BYTES = 1024**3
"""Limits per site, enough for the pictures of some thousand pages. Beyond them, pages are shown with boxes in place
of pictures."""

RETRY_AFTER = timedelta(hours=1)
"""A file that could not be loaded is requested again after this time, if it is still needed."""


@dataclass(slots=True)
class Room:
    """The number of files and bytes that a site can still store."""

    files: int
    size_bytes: int

    @classmethod
    def of(cls, site: Site) -> "Room":
        """Return the room that the site has left."""
        taken = Asset.objects.filter(site=site).aggregate(files=Count("pk"), size_bytes=Sum("size_bytes"))
        return cls(MAX_SITE_ASSETS - taken["files"], MAX_SITE_BYTES - (taken["size_bytes"] or 0))

    def take(self, size_bytes: int) -> bool:
        """Count a file if it fits; return whether it does."""
        if self.files < 1 or self.size_bytes < size_bytes:
            return False
        self.files -= 1
        self.size_bytes -= size_bytes
        return True


def keep_asset(site: Site, need: NeededResource, content: bytes, room: Room) -> Asset | None:
    """Store a file that a page needs. If the file cannot be used, store the reason instead.

    Returns None when the site has no room for the file.
    """
    try:
        content_type = media.examine(content, need.kind)
    except media.MediaError as reason:
        return note_failure(site, need, str(reason))
    except Exception as failure:  # one file must not end the import of thousands
        logger.exception("reading %s", need.url)
        return note_failure(site, need, f"reading the file failed: {type(failure).__name__}")
    if not room.take(len(content)):
        return None
    values = {"sha256": stored_bytes.put_bytes(content), "content_type": content_type, "size_bytes": len(content), "error": ""}
    return Asset.objects.update_or_create(site=site, url=need.url, defaults=values | {"fetched_at": timezone.now()})[0]


def note_failure(site: Site, need: NeededResource, reason: str) -> Asset:
    """Store why a file could not be loaded. An earlier version of the file is kept, since an old style is better than none."""
    error, now = reason[:300] or "it could not be loaded", timezone.now()
    asset, made = Asset.objects.get_or_create(site=site, url=need.url, defaults={"error": error, "fetched_at": now})
    if not made and asset.error:
        asset.error, asset.fetched_at = error, now
        asset.save(update_fields=["error", "fetched_at"])
    return asset


def find_missing(site: Site, needed: Iterable[NeededResource]) -> list[NeededResource]:
    """Return the files to load, each once: those never loaded, and those that failed longer than RETRY_AFTER ago."""
    wanted = {need.url: need for need in needed}
    urls = list(wanted)
    known: set[str] = set()
    for start in range(0, len(urls), 500):
        rows = Asset.objects.filter(site=site, url__in=urls[start : start + 500])
        known.update(rows.exclude(~Q(error=""), fetched_at__lt=timezone.now() - RETRY_AFTER).values_list("url", flat=True))
    return [need for url, need in wanted.items() if url not in known]


def find_needs_of_sheet(asset: Asset) -> list[NeededResource]:
    """Return the files that a stylesheet needs; none for any other asset."""
    return list(_find_sheet_needs(asset.sha256, asset.url)) if asset.content_type == media.CSS else []


def find_needs_of_sheets(site: Site, needed: Iterable[NeededResource]) -> list[NeededResource]:
    """Return the files that the stylesheets among these need, as far as those are stored."""
    urls = [need.url for need in needed if need.kind is ResourceKind.STYLE]
    return [need for sheet in Asset.objects.filter(site=site, url__in=urls, error="") for need in find_needs_of_sheet(sheet)]


@lru_cache(maxsize=256)
def _find_sheet_needs(sha256: str, url: str) -> tuple[NeededResource, ...]:
    """Return the files that a sheet needs.

    Cached, since the pages of a site share a few sheets, and reading one takes a tenth of a second.
    """
    return tuple(references.resolve_references(references.find_style_references(decode_sheet(stored_bytes.get_bytes(sha256))), url))


def decode_sheet(content: bytes) -> str:
    """Return the text of a stylesheet. Sheets are mostly ASCII, so a sheet that is not UTF-8 or UTF-16 is read as Windows-1252."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def get_version(site_id: int) -> str:
    """Return a text that changes whenever the site's assets change; empty while the site has none."""
    found = Asset.objects.filter(site=site_id).aggregate(n=Count("pk"), at=Max("fetched_at"))
    return f"{found['n']:x}-{int(found['at'].timestamp() * 1000):x}" if found["n"] else ""


@lru_cache(maxsize=8)
def get_held(site_id: int, version: str) -> Mapping[str, Held]:
    """Return {address: asset} of all usable assets. version: the result of `get_version`, so that the cache is never outdated."""
    if not version:
        return {}
    rows = Asset.objects.filter(site=site_id, error="").values_list("url", "pk", "sha256", "content_type")
    return {url: Held(pk, url, sha256, content_type) for url, pk, sha256, content_type in rows}
