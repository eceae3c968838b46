"""A stored page as the frame shows it: inert, with what is held of its style sheets and pictures."""

from functools import lru_cache

from extraction.algorithms.dom import references
from extraction.display import addresses
from extraction.display.inert import InertPage
from extraction.display.sanitize import sanitize
from extraction.models import Snapshot
from extraction.services.core.stored_pages import StoredContent, read_page
from extraction.services.intake import assets


def inert_page(snapshot: Snapshot) -> InertPage:
    """The page for the frame, with what is held of its styles and pictures under `addresses.PLACE`. Raises PageError."""
    page = snapshot.page
    version = assets.version(page.site_id)
    if not version:  # then the same content is the same page wherever it stands
        return _inert_page(snapshot.sha256, snapshot.content_type, "", 0, "")
    return _inert_page(snapshot.sha256, snapshot.content_type, page.url, page.site_id, version)


@lru_cache(maxsize=48)
def _inert_page(sha256: str, content_type: str, url: str, site_id: int, version: str) -> InertPage:
    # Kept because a card's preview, the workbench and a record lead to the same page; some 0.3 MB each.
    parsed = read_page(StoredContent(sha256, content_type))
    held = assets.held(site_id, version)
    address = addresses.Addresses(references.base_of(parsed.root, url), held, addresses.under_place(version))
    return sanitize(parsed.root, address, lost=parsed.notices)
