"""How much one site may hold: pages, and bytes of stored pages. Without a limit, one site could fill the disk of all.

The limits are settings. A run that would go beyond one stores what still fits and then fails with the reason; what was there before stays.
"""

import time
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Sum

from extraction.models import Page, PageCount, Site, Snapshot
from extraction.services.core.runs import JobError

LOOK_EVERY_S = 60.0
"""How often the stored bytes of a site are added up. In between, what this process stored is added to the sum."""


@dataclass(slots=True)
class _Stored:
    """The bytes that the kept contents of a site have, and when they were added up."""

    size_bytes: int
    at: float


_stored: dict[int, _Stored] = {}


def check_batch(site: Site, addresses: set[str], size_bytes: int) -> None:
    """Refuse a batch of pages that would make the site too large. Raises JobError.

    addresses: of the pages in the batch; those that the site has already need no room.
    size_bytes: of their contents that are new and will be kept.
    """
    most = settings.VERTEX_SITE_MAX_PAGES
    if most:
        new = len(addresses) - Page.objects.filter(site=site, url__in=addresses).count()
        if new and (pages := _count_pages(site) + new) > most:
            raise JobError(_explain(site, f"{pages:,} pages with the next ones", f"{most:,}", "VERTEX_SITE_MAX_PAGES"))
    most_bytes = settings.VERTEX_SITE_MAX_BYTES
    if most_bytes and size_bytes:
        size = _measure(site) + size_bytes
        if size > most_bytes:
            raise JobError(_explain(site, f"{size:,} bytes of stored pages with the next ones", f"{most_bytes:,}", "VERTEX_SITE_MAX_BYTES"))
        _stored[site.pk].size_bytes = size


def _count_pages(site: Site) -> int:
    return PageCount.objects.filter(site=site).total()


def _measure(site: Site) -> int:
    held = _stored.get(site.pk)
    if held is None or time.monotonic() - held.at > LOOK_EVERY_S:
        size = Snapshot.objects.of_site(site).kept().aggregate(size=Sum("size_bytes", default=0))["size"]
        held = _stored[site.pk] = _Stored(int(size), time.monotonic())
    return held.size_bytes


def _explain(site: Site, has: str, most: str, setting: str) -> str:
    return (
        f"{site.name} would have {has}; a site may have at most {most}. Delete pages, fetch fewer, or ask the administrator of this "
        f"server for more ({setting})."
    )
