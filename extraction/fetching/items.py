"""What a reader of archives yields, and the limits that every byte counts against."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from extraction.algorithms.dom.references import NeededResource

MEBIBYTE = 1024**2

FREE_EXPANSION_BYTES = 64 * MEBIBYTE
"""An archive may always unpack to this size. A few pages that repeat one row compress a thousandfold and are not a bomb."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What a server sent along with a page.

    status: the HTTP status.
    headers: the headers worth keeping, with names in lower case.
    received: the bytes as received, if the page's content is the tree that a browser built from them; else None.
    notices: what of the page is missing, in words.
    picture: the page as a browser showed it, a JPEG; None if there is none.
    picture_note: why there is none although one was asked for, or what is missing in it, in words.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    received: bytes | None = None
    notices: tuple[str, ...] = ()
    picture: bytes | None = None
    picture_note: str = ""


@dataclass(frozen=True, slots=True)
class PageItem:
    """A page.

    name: its name in the archive, or its address.
    url: its address; None if it is not known.
    fetched_at: when it was fetched; None if it is not known.
    answer: what the server sent along; None for a page from an archive.
    """

    name: str
    url: str | None
    content: bytes
    content_type: str = ""
    fetched_at: datetime | None = None
    answer: RecordedAnswer | None = None


@dataclass(frozen=True, slots=True)
class AssetItem:
    """A stylesheet, picture or font that a page needs. name: its address, or its name in the archive."""

    name: str
    need: NeededResource
    content: bytes


Wanted = Callable[[str], NeededResource | None]
"""A function from an address or a name in an archive to the resource that a page needs; None if no page needs it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that should have been read but could not be, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not meant to be a page, such as a picture, a stylesheet or an error response."""

    name: str
    kind: str


Item = PageItem | AssetItem | Refused | Skipped


class ArchiveError(Exception):
    """Nothing can be read from an archive; the message says why."""


class EntryError(Exception):
    """One entry of an archive cannot be read; the message says why. Later entries may be readable."""


class LimitReached(Exception):  # noqa: N818
    """Reading stops here; the message names the limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an import.

    pages: the most pages.
    page_bytes: the largest page.
    total_bytes: the most bytes that an archive may unpack to.
    expansion: how many times its own size an archive may unpack to.
    """

    pages: int
    page_bytes: int
    total_bytes: int
    expansion: int


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One file of an archive before it is read.

    raw_name: its name as written in the archive, which may be unsafe.
    size_bytes: its unpacked size; 0 if it is not known.
    read: read(n) returns at most n bytes, or raises EntryError.
    problem: why it must not be read; empty if it may be.
    """

    raw_name: str
    size_bytes: int
    read: Callable[[int], bytes]
    problem: str = ""


@dataclass(slots=True)
class Budget:
    """Counts the bytes that an archive unpacks to. packed_bytes: the archive's own size."""

    limits: Limits
    packed_bytes: int
    unpacked_bytes: int = 0

    def unpack(self, size_bytes: int) -> None:
        """Count more unpacked bytes. Raises LimitReached if there are too many."""
        self.unpacked_bytes += size_bytes
        if self.unpacked_bytes > self.limits.total_bytes:
            raise LimitReached(f"it unpacks to more than {self.limits.total_bytes:,} bytes")
        if self.unpacked_bytes > max(FREE_EXPANSION_BYTES, self.packed_bytes * self.limits.expansion):
            raise LimitReached(f"it unpacks to more than {self.limits.expansion} times its size")

    def too_large(self, size_bytes: int) -> str:
        """Return why a page of this size is not read; empty if it is."""
        if size_bytes <= self.limits.page_bytes:
            return ""
        return f"it has more than {self.limits.page_bytes:,} bytes, the largest page that is read"
