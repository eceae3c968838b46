"""The pages of a tar file, plain or compressed with gzip."""

import tarfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from extraction.fetching import files, manifest
from extraction.fetching.items import Budget, Entry, EntryError, Item, LimitReached, Limits, Refused, Wanted
from extraction.fetching.names import safe_name
from extraction.fetching.streams import PIECE_BYTES, Stream

BLOCK = 512

_BAD = (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, IndexError, KeyError, RecursionError)
"""What the library raises for damaged and deceitful headers; thousands of nested extended headers end in a RecursionError."""


def is_tar(block: bytes) -> bool:
    """Whether these first bytes are a tar header, by its checksum, or an empty tar file."""
    if len(block) < BLOCK:
        return False
    try:
        tarfile.TarInfo.frombuf(block[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        return "end of file" in str(error)
    return True


class TarReader:
    """Reads a tar file once from front to end, and once before that when its manifest is not its first file.

    fraction: share of the file read.
    """

    ordered_by_time = False
    wanted: Wanted | None = None

    def __init__(self, file: BinaryIO, *, size_bytes: int, name: str, limits: Limits) -> None:
        self._file = file
        self._size_bytes = size_bytes
        self._name = name
        self._limits = limits
        self._stream: Stream | None = None

    @property
    def fraction(self) -> float:
        return self._stream.fraction if self._stream else 0.0

    def __iter__(self) -> Iterator[Item]:
        found = self._manifest()
        budget = Budget(self._limits, self._size_bytes)
        self._stream = Stream(self._file, budget=budget)
        yield from files.read(self._entries(self._stream), found, budget, self.wanted)
        if self._stream.broken:
            yield Refused(self._name, f"{self._stream.broken}; the part before that was read")

    def _entries(self, stream: Stream) -> Iterator[Entry]:
        for tar, info in _members(stream):
            if not info.isdir():
                yield Entry(info.name, info.size, _reader(tar, info, stream), _problem(info))

    def _manifest(self) -> manifest.Manifest:
        best: tuple[int, str, manifest.Manifest] | None = None
        try:
            for tar, info in _members(Stream(self._file, budget=Budget(self._limits, self._size_bytes))):
                depth, name = _place(info)
                if depth is None or not info.isreg() or (best is not None and (depth, name) >= best[:2]):
                    continue
                best = (depth, name, _read_manifest(tar, info, name))
                if depth == 0:
                    break
        except LimitReached:
            # It will be met again, and said, when the pages are read.
            pass
        return best[2] if best else manifest.Manifest()


def _read_manifest(tar: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> manifest.Manifest:
    if info.size > manifest.MAX_BYTES:
        return manifest.too_large(name)
    try:
        return manifest.parse(_reader(tar, info, None)(info.size), name=name)
    except EntryError as error:
        return manifest.Manifest(problems=(Refused(name, str(error)),))


def _members(stream: Stream) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """The headers one after the other. One that cannot be read ends the tar file: nothing says where the next would be."""
    try:
        with tarfile.TarFile(fileobj=cast(BinaryIO, stream), mode="r", encoding="utf-8", errors="surrogateescape") as tar:
            while (info := tar.next()) is not None:
                # The library keeps all headers for random access: a gigabyte for a million files.
                tar.members.clear()  # type: ignore[attr-defined]
                yield tar, info
    except EntryError as error:
        stream.broken = stream.broken or str(error)
    except _BAD as error:
        stream.broken = stream.broken or f"it is damaged: {error}"


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


def _place(info: tarfile.TarInfo) -> tuple[int | None, str]:
    if not info.name.lower().endswith(manifest.NAME):
        return None, ""
    try:
        name = safe_name(info.name)
    except ValueError:
        return None, ""
    return manifest.place(name), name
