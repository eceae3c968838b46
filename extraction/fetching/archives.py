"""Pages from archives and folders: zip, tar, tar.gz, tar.zst, WARC, WARC.gz, WARC.zst, and a folder on this machine.

Archives are not trusted. The content of a file decides its format, not its name. Pages are read one at a time and never unpacked to
disk, and every byte counts against `Limits`. Links, unsafe names and damaged files that cannot be read become `Refused` items with a
reason, and reading goes on where it can.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from extraction.algorithms.dom.content_sniffing import explain_non_page
from extraction.fetching.cut_zips import HEADER, CutZipReader
from extraction.fetching.folders import FolderReader
from extraction.fetching.items import ArchiveError, Budget, Item, LimitReached, Limits, PageItem, Refused, Skipped, Wanted
from extraction.fetching.streams import GZIP_MAGIC, ZSTD_MAGIC, Stream
from extraction.fetching.tars import BLOCK, TarReader, is_tar
from extraction.fetching.warcs import MAGIC, WarcReader
from extraction.fetching.zips import ZipReader, is_cut

__all__ = ["Archive", "ArchiveError", "Item", "Limits", "PageItem", "Refused", "Skipped", "read_archive"]

logger = logging.getLogger(__name__)

_ZIP_MAGICS = (HEADER, b"PK\x05\x06")
_UNREAD = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"\x5d\x2a\x4d\x18": "zstd with a dictionary"}


class _Reader(Protocol):
    ordered_by_time: bool
    wanted: Wanted | None

    @property
    def fraction(self) -> float: ...

    def __iter__(self) -> Iterator[Item]: ...


class Archive:
    """A file or folder of pages. You can iterate over its items once.

    source: a path, or an open file.
    name: its name for people, used in messages.
    wanted: if given, only the stylesheets, pictures and fonts that it asks for are read, and no pages.

    Raises ArchiveError with the reason if nothing can be read from it.
    """

    def __init__(self, source: Path | BinaryIO, *, name: str, limits: Limits, wanted: Wanted | None = None) -> None:
        self._name = name
        self._limits = limits
        self._file: BinaryIO | None = None
        if isinstance(source, Path):
            if source.is_dir():
                self._reader: _Reader = FolderReader(source, limits=limits)
                self._reader.wanted = wanted
                return
            if not source.is_file():
                raise ArchiveError(f"there is no file or folder {source}")
            source = self._file = source.open("rb")
        try:
            self._reader = _reader(source, name=name, limits=limits)
            self._reader.wanted = wanted
        except ArchiveError:
            self.close()
            raise

    @property
    def fraction(self) -> float:
        """The share that has been read, from 0 to 1."""
        return min(1.0, self._reader.fraction)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items. Each address comes once, except in a WARC file, which may have several visits of a page."""
        seen: set[int] = set()  # hashes, as in `files.read_items`
        pages = 0
        try:
            for item in self._reader:
                if isinstance(item, PageItem):
                    reason = explain_non_page(item.content)
                    if reason:
                        yield Refused(item.name, reason)
                        continue
                    address = item.url or item.name
                    if not self._reader.ordered_by_time and hash(address) in seen:
                        yield Refused(item.name, f"its address {address} was that of an earlier file")
                        continue
                    if pages >= self._limits.pages:
                        raise LimitReached(f"it holds more than {self._limits.pages:,} pages")
                    pages += 1
                    seen.add(hash(address))
                yield item
        except LimitReached as limit:
            yield Refused(self._name, f"{limit}; the rest was not read")
        except Exception as failure:  # the libraries raise errors of many types for damaged files
            logger.exception("reading %s", self._name)
            yield Refused(self._name, f"reading it failed ({type(failure).__name__}); the part before that was read")

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file if this object opened it. A file that the caller passed in stays open."""
        if self._file:
            self._file.close()


def read_archive(source: Path | BinaryIO, *, name: str, limits: Limits) -> Iterator[Item]:
    """Yield the items of an archive or folder. Raises ArchiveError if nothing can be read from it."""
    with Archive(source, name=name, limits=limits) as archive:
        yield from archive


def _reader(file: BinaryIO, *, name: str, limits: Limits) -> _Reader:
    size_bytes = file.seek(0, 2)
    file.seek(0)
    start = file.read(BLOCK)
    file.seek(0)
    if not start:
        raise ArchiveError("the file is empty")
    if start.startswith(HEADER) and is_cut(file, size_bytes):
        return CutZipReader(file, size_bytes=size_bytes, name=name, limits=limits)
    if start.startswith(_ZIP_MAGICS):
        return ZipReader(file, size_bytes=size_bytes, limits=limits)
    for magic, kind in _UNREAD.items():
        if start.startswith(magic):
            raise ArchiveError(f"{kind} files cannot be read; use a zip, tar.gz or WARC file")
    if start.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        stream = Stream(file, budget=Budget(limits, size_bytes))
        start = stream.read(BLOCK)
        if not start and stream.broken:
            raise ArchiveError(f"the file is not what its first bytes say: {stream.broken}")
    if start.startswith(MAGIC):
        return WarcReader(file, size_bytes=size_bytes, name=name, limits=limits)
    if is_tar(start):
        return TarReader(file, size_bytes=size_bytes, name=name, limits=limits)
    raise ArchiveError("it is not a zip, tar or WARC file")
