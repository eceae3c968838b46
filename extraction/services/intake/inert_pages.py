"""Make stored pages inert for the frame, with their stored style sheets and pictures."""

from threading import Condition

from cachetools import LRUCache, cached

from extraction.algorithms.dom import references
from extraction.display import addresses
from extraction.display.inert import InertPage
from extraction.display.sanitize import sanitize_page
from extraction.models import Snapshot
from extraction.services.core.stored_pages import Stored, read_page
from extraction.services.intake import assets


def make_inert_page(snapshot: Snapshot) -> InertPage:
    """Return the page for the frame. Its stored styles and pictures are at addresses under `addresses.PLACE`. Raises PageError."""
    page = snapshot.page
    version = assets.get_version(page.site_id)
    if not version:  # without assets, the same content gives the same page on every site
        return _make_inert(snapshot, "", 0, "")
    return _make_inert(snapshot, page.url, page.site_id, version)


def _key(page: Stored, *place: str | int) -> tuple[str | int, ...]:
    return page.sha256, page.content_type, *place


# Cached, because a card's preview, the workbench and a record show the same page; about 0.3 MB each.
@cached(LRUCache(48), key=_key, condition=Condition())
def _make_inert(page: Stored, url: str, site_id: int, version: str) -> InertPage:
    parsed = read_page(page)
    held = assets.get_held(site_id, version)
    address = addresses.Addresses(references.find_base(parsed.root, url), held, addresses.address_under_place(version))
    return sanitize_page(parsed.root, address, lost=parsed.notices)
