"""A stored page as the frame shows it: inert, with what is held of its style sheets and pictures."""

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
    """The page for the frame, with what is held of its styles and pictures under `addresses.PLACE`. Raises PageError."""
    page = snapshot.page
    version = assets.get_version(page.site_id)
    if not version:  # then the same content is the same page wherever it stands
        return _make_inert(snapshot, "", 0, "")
    return _make_inert(snapshot, page.url, page.site_id, version)


def _key(page: Stored, *place: str | int) -> tuple[str | int, ...]:
    return page.sha256, page.content_type, *place


# Kept because a card's preview, the workbench and a record lead to the same page; some 0.3 MB each.
@cached(LRUCache(48), key=_key, condition=Condition())
def _make_inert(page: Stored, url: str, site_id: int, version: str) -> InertPage:
    parsed = read_page(page)
    held = assets.get_held(site_id, version)
    address = addresses.Addresses(references.find_base(parsed.root, url), held, addresses.address_under_place(version))
    return sanitize_page(parsed.root, address, lost=parsed.notices)
