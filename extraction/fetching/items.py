"""What a reader of archives gives, and the limits that each byte is counted against."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from extraction.algorithms.dom.references import NeededResource

MEBIBYTE = 1024**2

FREE_EXPANSION_BYTES = 64 * MEBIBYTE
"""No archive is called a bomb before it has given so much: a few pages of one repeated row compress a thousandfold."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said beside a page. headers: those worth keeping, names in lower case.

    received: the bytes as received where the page's content is the tree that a browser made of them, else None.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    received: bytes | None = None


@dataclass(frozen=True, slots=True)
class PageItem:
    """A page. url: where it stood, None where nothing says so. fetched_at: when, None where nothing says so.

    answer: what the server said, None where the page comes from an archive.
    """

    name: str
    url: str | None
    content: bytes
    content_type: str = ""
    fetched_at: datetime | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class AssetItem:
    """A stylesheet, picture or font that a page needs. name: its address, or its name in the archive."""

    name: str
    need: NeededResource
    content: bytes


Wanted = Callable[[str], NeededResource | None]
"""What an address or name in an archive is needed as; None where no page needs it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that should have been read and could not be, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is no page and is not meant to be one: a picture, a style, an answer that was no page."""

    name: str
    kind: str


Item = PageItem | AssetItem | Refused | Skipped


class ArchiveError(Exception):
    """Nothing can be read from it; the message says why."""


class EntryError(Exception):
    """One entry of an archive cannot be read; the message says why. The next ones may be."""


class LimitReached(Exception):  # noqa: N818
    """Reading stops here; the message names the limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """pages: how many at most. page_bytes: the largest page. total_bytes: all that is unpacked.

    expansion: how many times its own size an archive may become.
    """

    pages: int
    page_bytes: int
    total_bytes: int
    expansion: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive before it is read. read(n) gives at most n bytes of it; raises EntryError.

    problem: why it is not to be read, empty when it may be.
    """

    raw_name: str
    size_bytes: int
    read: Callable[[int], bytes]
    problem: str = ""


@dataclass(slots=True)
class Budget:
    """Counts what an archive unpacks to and raises LimitReached before it is too much. packed_bytes: the archive's own size."""

    limits: Limits
    packed_bytes: int
    unpacked_bytes: int = 0

    def unpack(self, size_bytes: int) -> None:
        """So many bytes more were unpacked."""
        self.unpacked_bytes += size_bytes
        if self.unpacked_bytes > self.limits.total_bytes:
            raise LimitReached(f"it unpacks to more than {self.limits.total_bytes:,} bytes")
        if self.unpacked_bytes > max(FREE_EXPANSION_BYTES, self.packed_bytes * self.limits.expansion):
            raise LimitReached(f"it unpacks to more than {self.limits.expansion} times its size")

    def too_large(self, size_bytes: int) -> str:
        """Why a page of this size is not read, empty when it is."""
        if size_bytes <= self.limits.page_bytes:
            return ""
        return f"it has more than {self.limits.page_bytes:,} bytes, the largest page that is read"
