"""The pages of a tar file, plain or compressed with gzip."""

import re
import tarfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from extraction.fetching import files, manifest
from extraction.fetching.items import MEBIBYTE, ArchiveEntry, Budget, EntryError, Item, LimitReached, Limits, Refused, Wanted
from extraction.fetching.names import make_safe_name
from extraction.fetching.streams import PIECE_BYTES, Stream

BLOCK = 512

HEADER_BYTES = MEBIBYTE
"""How much is read for the headers of one file. Real ones have a few kilobytes."""

MAX_GLOBAL_FIELDS = 200
"""How many fields of global headers may apply to all files. The library copies them for each file."""

_DIGITS = re.compile(rb"[0-9]{400}")
"""A number in a header that is longer than any real one. The library's patterns take quadratic time for it."""

_BAD = (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, IndexError, KeyError, RecursionError)
"""What the library raises for damaged and malicious headers. Thousands of nested extended headers cause a RecursionError."""


_END, _CUT_OFF = "end of file header", ("empty header", "truncated header")
"""What the library calls the end of the file, and an end without the blocks that mark it."""


def is_tar(block: bytes) -> bool:
    """Return whether a file with these first bytes is a tar file: it starts with a valid header, or is an empty tar file."""
    if len(block) < BLOCK:
        return False
    try:
        tarfile.TarInfo.frombuf(block[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        return "end of file" in str(error)
    return True


class _TarStream(Stream):
    """A stream that refuses headers for which the library would take too long. `allowance` is set while it reads headers."""

    def read(self, size: int = -1) -> bytes:
        data = super().read(size)
        if self.allowance is not None and _DIGITS.search(data):
            raise EntryError("it has a header with a number of more than 400 digits")
        return data


class _StrictTarInfo(tarfile.TarInfo):
    """An entry whose damaged header is an error. The library takes it for the end of the file and leaves out what follows in silence."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> "_StrictTarInfo":
        try:
            info = super().fromtarfile(tar)
        except tarfile.HeaderError as error:
            if str(error) in _CUT_OFF:
                raise EntryError("it ends without the mark of its end, as a file that was cut off does") from error
            if str(error) != _END:
                raise EntryError(f"it is damaged: {error}") from error
            raise
        if info.size < 0:
            raise EntryError("it is damaged: an entry has a negative size")
        return info


class TarReader:
    """Reads a tar file twice: first for its manifest, which ends early if the manifest is at the top, then for its pages.

    fraction: the share of the file that has been read.
    """

    ordered_by_time = False
    wanted: Wanted | None = None

    def __init__(self, file: BinaryIO, *, size_bytes: int, name: str, limits: Limits) -> None:
        self._file = file
        self._size_bytes = size_bytes
        self._name = name
        self._limits = limits
        self._stream: _TarStream | None = None

    @property
    def fraction(self) -> float:
        return self._stream.fraction if self._stream else 0.0

    def __iter__(self) -> Iterator[Item]:
        found = self._manifest()
        budget = Budget(self._limits, self._size_bytes)
        self._stream = _TarStream(self._file, budget=budget)
        yield from files.read_files(self._entries(self._stream), found, budget, self.wanted)
        if self._stream.broken:
            yield Refused(self._name, f"{self._stream.broken}; the part before that was read")

    def _entries(self, stream: Stream) -> Iterator[ArchiveEntry]:
        for tar, info in _members(stream):
            if not info.isdir():
                yield ArchiveEntry(info.name, info.size, _reader(tar, info, stream), _problem(info))

    def _manifest(self) -> manifest.Manifest:
        best: tuple[int, str, manifest.Manifest] | None = None
        try:
            for tar, info in _members(_TarStream(self._file, budget=Budget(self._limits, self._size_bytes))):
                depth, name = _find_place(info)
                if depth is None or not info.isreg() or (best is not None and (depth, name) >= best[:2]):
                    continue
                best = (depth, name, _read_manifest(tar, info, name))
                if depth == 0:
                    break
        except LimitReached:
            # Reading the pages reaches the same limit and reports it.
            pass
        return best[2] if best else manifest.Manifest()


def _read_manifest(tar: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> manifest.Manifest:
    if info.size > manifest.MAX_BYTES:
        return manifest.too_large(name)
    try:
        return manifest.parse_manifest(_reader(tar, info, None)(info.size), name=name)
    except EntryError as error:
        return manifest.Manifest(problems=(Refused(name, str(error)),))


def _members(stream: Stream) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the headers in order. Reading ends at the first damaged header, because the place of the next one is then unknown."""
    try:
        stream.allowance = HEADER_BYTES
        with tarfile.TarFile(
            fileobj=cast(BinaryIO, stream), mode="r", encoding="utf-8", errors="surrogateescape", tarinfo=_StrictTarInfo
        ) as tar:
            while (info := tar.next()) is not None:
                # The library keeps all headers for random access, which takes a gigabyte for a million files.
                tar.members.clear()  # type: ignore[attr-defined]
                if len(tar.pax_headers) > MAX_GLOBAL_FIELDS:
                    raise EntryError(f"it has more than {MAX_GLOBAL_FIELDS} fields for all files")
                stream.allowance = None
                yield tar, info
                stream.allowance = HEADER_BYTES
    except EntryError as error:
        stream.broken = stream.broken or str(error)
    except _BAD as error:
        stream.broken = stream.broken or f"it is damaged: {error}"
    finally:
        stream.allowance = None


def _problem(info: tarfile.TarInfo) -> str:
    if info.isreg():
        return ""
    if info.issym() or info.islnk():
        return "it is a link"
    return "it is a device, not a file" if info.isdev() else "it is not a regular file"


def _reader(tar: tarfile.TarFile, info: tarfile.TarInfo, stream: Stream | None) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        wanted = min(limit, info.size)
        pieces: list[bytes] = []
        try:
            file = tar.extractfile(info)
            while file and wanted > 0 and (piece := file.read(min(wanted, PIECE_BYTES))):
                pieces.append(piece)
                wanted -= len(piece)
        except _BAD as error:
            raise EntryError((stream.broken if stream else "") or f"it is damaged: {error}") from error
        if wanted > 0:
            raise EntryError((stream.broken if stream else "") or "it was cut off")
        return b"".join(pieces)

    return read


def _find_place(info: tarfile.TarInfo) -> tuple[int | None, str]:
    if not info.name.lower().endswith(manifest.NAME):
        return None, ""
    try:
        name = make_safe_name(info.name)
    except ValueError:
        return None, ""
    return manifest.find_manifest(name), name
