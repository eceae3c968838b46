"""The structure of pages for comparing them: read once a content, kept in the storage."""

from collections import OrderedDict
from collections.abc import Callable

from django.core.files.storage import default_storage

from extraction.algorithms.clustering.paths import PagePaths, paths_of
from extraction.algorithms.errors import PageError
from extraction.models import Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.stored_pages import StoredContent, read_root

KEPT = 2_000
"""Pages whose steps a reader keeps at hand; some 20 KB each. Clustering asks for most pages two or three times."""


class Reader:
    """Gives the steps of the current snapshots of a site's pages by the pages' ids.

    tell: called with the number of pages asked for so far, since reading takes some ten milliseconds a page.
    """

    def __init__(self, site: Site, tell: Callable[[int], None]) -> None:
        self._snapshots = Snapshot.objects.of_site(site).current().kept()
        self._tell = tell
        self._asked = 0
        self._kept: OrderedDict[int, PagePaths] = OrderedDict()

    def __call__(self, page: int) -> PagePaths:
        """Raises PageError for a page that cannot be read or no longer exists."""
        if page not in self._kept:
            self._kept[page] = self._read(page)
            self._asked += 1
            self._tell(self._asked)
        self._kept.move_to_end(page)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[page]

    def _read(self, page: int) -> PagePaths:
        snapshot = self._snapshots.filter(page=page).first()
        if snapshot is None:
            raise PageError(f"page {page} no longer exists")
        return steps(snapshot)


def steps(snapshot: Snapshot) -> PagePaths:
    """A page's steps. Raises PageError for a page that cannot be read."""
    return steps_of(snapshot.sha256, snapshot.content_type)


def steps_of(sha256: str, content_type: str) -> PagePaths:
    """The steps of a content, from the cache in the storage or read from the page. Raises PageError for one that cannot be read."""
    name = f"steps/{sha256[:2]}/{sha256[2:]}"
    try:
        with default_storage.open(name, "rb") as file:
            return PagePaths.from_bytes(file.read())
    except (FileNotFoundError, ValueError):  # not there yet, or of another release
        found = paths_of(read_root(StoredContent(sha256, content_type)))
    stored_bytes.keep(name, found.to_bytes())
    return found
