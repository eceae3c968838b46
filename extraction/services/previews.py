"""Pictures for the templates' cards: when they are drawn, and where they are. How, `annotations.previews` says: they show inert pages."""

from typing import Any

from extraction.fetching import chromium
from extraction.models import Run, Site
from extraction.services import runs


def start(site: Site, user: Any = None) -> Run | None:
    """Draws the pictures of the site's templates that are out of date; None where no browser is there to draw them."""
    return runs.start(Run.Kind.PREVIEW, site, unit="templates", user=user) if available() else None


def available() -> bool:
    """Whether a browser is there. Without one a card shows the page itself, made small."""
    try:
        return chromium.executable() is not None
    except chromium.NoChromium:
        return False
