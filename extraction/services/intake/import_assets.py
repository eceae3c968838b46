"""Collect the files that imported pages need to look right, under the names that an archive may have for them.

A WARC file has addresses. In a zip file or folder, the name of a file may be the path of its address, with or without
the host (as mirroring programs write it), or relative to the file of its page (as browsers save pages). A folder around
everything is ignored. A sheet may need further files, so the archive is read again as long as there are new names.
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
"""The largest number of names kept in memory, about 50 MB. Files beyond that are not imported with their pages."""

MAX_PASSES = 4
"""The largest number of passes over the archive: one for the pages' own files, and three for sheets imported by sheets."""


class WantedAssets:
    """The names of needed files; `find` is an `items.Wanted`."""

    def __init__(self) -> None:
        self._names: dict[str, NeededResource] = {}
        self._done: set[str] = set()
        self._passes = self._known = 0

    def note_page(self, item: PageItem, page: ParsedPage) -> None:
        """Note the files that a page needs."""
        base = references.find_base(page.root, item.url or item.name)
        self._add(references.find_references(page.root), base, item.name)

    def note_kept(self, item: AssetItem, asset: Asset) -> None:
        """Note that a file was found and, for a sheet, the files that it needs."""
        self._done.add(item.need.url)
        if asset.content_type == media.CSS:
            text = assets.decode_sheet(stored_bytes.get_bytes(asset.sha256))
            self._add(references.find_style_references(text), item.need.url, item.name)

    def find(self, address: str) -> NeededResource | None:
        """Return the need for a file with this address or name; None if it is not needed or was already found."""
        name = unquote(address)
        need = self._names.get(address) or self._names.get(name) or self._names.get(name.partition("/")[2])
        return need if need and need.url not in self._done else None

    def needs_pass(self) -> bool:
        """Return whether another pass is needed: there are new names, and fewer than MAX_PASSES were made. Call it before each pass."""
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
            for name in (*_list_names(url), *([unquote(beside)] if beside else [])):
                self._names.setdefault(name, need)


def _list_names(url: str) -> list[str]:
    parts = urlsplit(url)
    path = unquote(parts.path.lstrip("/"))
    queried = [f"{path}?{parts.query}"] if parts.query else []
    mirrored = [f"{parts.netloc}/{path}"] if parts.netloc else []
    return [name for name in (url, *queried, *mirrored, path) if name]
