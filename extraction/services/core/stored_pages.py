"""The one way to read a page whose bytes are stored."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import ParsedPage, parse, xml_as_written
from extraction.algorithms.errors import PageError
from extraction.models import Snapshot
from extraction.services.core import stored_bytes

OTHERS = 30
"""The number of pages in the learning set besides the labelled pages and the sample pages, for support (docs/algorithms.md#what-is-given).
More would change no rule and cost a second per site."""

PAGE_FACTOR = 12
"""Memory expected for a page of the learning set, as a multiple of its size in bytes. No real page needed more."""


class Stored(Protocol):
    """Anything that identifies the bytes of a page: a `Snapshot`, a `StoredPage`, a row of a query."""

    @property
    def sha256(self) -> str:
        """The digest under which the bytes are stored."""

    @property
    def content_type(self) -> str:
        """The Content-Type header of the page; empty if there was none."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """Where the bytes of a snapshot are, and how large they are."""

    snapshot_id: int
    sha256: str
    content_type: str
    size_bytes: int
    url: str = ""


def read_page(page: Stored) -> ParsedPage:
    """Return the parsed page, with notices about what was lost. Raises PageError if it cannot be read or its bytes are missing."""
    return parse(read_bytes(page), content_type=page.content_type or None)


def read_root(page: Stored) -> etree._Element:
    """Return the root of the page's tree. Raises PageError."""
    return read_page(page).root


def read_elements(page: Stored) -> list[etree._Element]:
    """Return the elements of the page in document order. Raises PageError."""
    return elements(read_root(page))


def read_xml_as_written(page: Stored) -> ParsedPage | None:
    """Return an XML page with its prefixes and namespaces, None for an HTML page. Raises PageError."""
    return xml_as_written(read_bytes(page), content_type=page.content_type or None)


def read_bytes(page: Stored) -> bytes:
    """Return the page's bytes. Raises PageError if they are missing."""
    try:
        return stored_bytes.get_bytes(page.sha256)
    except FileNotFoundError as error:
        raise PageError("the stored bytes of the page are missing") from error


def find_bytes(page: Stored) -> bytes:
    """Return the page's bytes; empty if they are missing."""
    try:
        return read_bytes(page)
    except PageError:
        return b""


def find_stored_pages(ids: Sequence[int]) -> list[StoredPage]:
    """Return the snapshots that can be read, with their URLs, in the order of `ids`."""
    rows = Snapshot.objects.filter(pk__in=ids, error="").values_list("pk", "sha256", "content_type", "size_bytes", "page__url")
    found = {row[0]: StoredPage(*row) for row in rows}
    return [found[pk] for pk in ids if pk in found]


def choose_pages(first: Sequence[int], pages: Iterable[StoredPage], *, max_bytes: int) -> list[StoredPage]:
    """Return the learning set in its order, with as many pages as `max_bytes` of memory hold.

    The other pages are drawn by a hash of their sha256. This is as good as a random draw, stays the same as pages come in, and
    skips equal pages.

    first: snapshot ids of labelled pages and sample pages, which are always included.
    pages: the pages to draw the others from.
    max_bytes: the memory for all of them.
    """
    chosen = find_stored_pages(first)
    used = PAGE_FACTOR * sum(source.size_bytes for source in chosen)
    seen = {source.sha256 for source in chosen}
    others: list[int] = []
    for source in sorted(pages, key=lambda source: (_draw(source.sha256), source.snapshot_id)):
        need = PAGE_FACTOR * source.size_bytes
        if source.sha256 in seen or used + need > max_bytes:
            continue
        seen.add(source.sha256)
        used += need
        others.append(source.snapshot_id)
        if len(others) == OTHERS:
            break
    return chosen + find_stored_pages(others)


def _draw(sha256: str) -> str:
    return hashlib.sha256(sha256.encode()).hexdigest()
