"""What the pages of an import need to look right, under the names by which an archive may hold it.

A WARC file knows addresses. In a zip or folder a file may stand under the path of its address, with or without its host
(as mirroring programs write it), or where its page's file says (as browsers save pages); folders around all of it are
passed over. A sheet that was found needs files in turn, so the archive is gone through as long as there are new names.
"""

from collections.abc import Iterable
from itertools import islice
from urllib.parse import unquote, urlsplit

from extraction.algorithms.dom import media, references
from extraction.algorithms.dom.parse import ParsedPage
from extraction.algorithms.dom.references import NeededResource, Reference
from extraction.fetching.items import AssetItem, PageItem
from extraction.models import Asset
from extraction.services.core import stored_bytes
from extraction.services.intake import assets

MAX_NAMES = 200_000
"""Names remembered: some 50 MB. Beyond that the pages of an archive are shown without pictures of their own."""

MAX_PASSES = 4
"""The pages' own files, and three levels of sheets in sheets."""


class WantedAssets:
    """Names by which files are needed; `find` is an `items.Wanted`."""

    def __init__(self) -> None:
        self._names: dict[str, NeededResource] = {}
        self._done: set[str] = set()
        self._passes = self._known = 0

    def look(self, item: PageItem, page: ParsedPage) -> None:
        """Notes what a page needs."""
        base = references.find_base(page.root, item.url or item.name)
        self._add(references.find_references(page.root), base, item.name)

    def kept(self, item: AssetItem, asset: Asset) -> None:
        """A file was found; a sheet's own needs are noted."""
        self._done.add(item.need.url)
        if asset.content_type == media.CSS:
            text = assets.decode_sheet(stored_bytes.get_bytes(asset.sha256))
            self._add(references.find_style_references(text), item.need.url, item.name)

    def find(self, address: str) -> NeededResource | None:
        """What a file of this address or name is needed as, if it was not found before."""
        name = unquote(address)
        need = self._names.get(address) or self._names.get(name) or self._names.get(name.partition("/")[2])
        return need if need and need.url not in self._done else None

    def grown(self) -> bool:
        """Whether there are names that were not looked for yet; asked before each pass."""
        grown = len(self._names) > self._known and self._passes < MAX_PASSES
        self._known = len(self._names)
        self._passes += 1
        return grown

    def _add(self, found: Iterable[Reference], base: str, file: str) -> None:
        for reference in islice(found, references.MAX_PER_PAGE):
            url = references.resolve_address(base, reference.address)
            if url is None or len(self._names) >= MAX_NAMES:
                continue
            need = NeededResource(url, reference.kind)
            beside = None if "://" in reference.address or "://" in file else references.resolve_address(file, reference.address)
            for name in (*_names(url), *([unquote(beside)] if beside else [])):
                self._names.setdefault(name, need)


def _names(url: str) -> list[str]:
    parts = urlsplit(url)
    path = unquote(parts.path.lstrip("/"))
    queried = [f"{path}?{parts.query}"] if parts.query else []
    mirrored = [f"{parts.netloc}/{path}"] if parts.netloc else []
    return [name for name in (url, *queried, *mirrored, path) if name]
