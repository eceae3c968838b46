"""The pages of a zip file. Its directory is at its end, so the file must be seekable."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from extraction.fetching import files, manifest
from extraction.fetching.items import MEBIBYTE, ArchiveEntry, ArchiveError, Budget, EntryError, Item, Limits, Refused, Wanted
from extraction.fetching.names import make_safe_name

MAX_DIRECTORY_BYTES = 192 * MEBIBYTE
"""The library reads the whole directory, which takes about ten times its size in memory. This is enough for about a million files with
usual names."""

_BAD = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, struct.error)
"""What the library raises for damaged, unsupported and malicious entries, including errors of lzma and bz2."""

_METHODS = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA", 93: "Zstandard", 95: "xz"}
"""Methods that the library may know, too. It unpacks them without a bound: 100 bytes can become gigabytes in one step."""

_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_END = b"PK\x05\x06"
_LINK, _FORMAT = 0o120000, 0o170000


class ZipReader:
    """Reads a complete zip file (see `is_cut`), entry by entry, in the order of its directory.

    fraction: the share of the entries that has been read.
    """

    ordered_by_time = False
    wanted: Wanted | None = None

    def __init__(self, file: BinaryIO, *, size_bytes: int, limits: Limits) -> None:
        _check_directory(file, size_bytes)
        try:
            self._zip = zipfile.ZipFile(file)
        except _BAD as error:
            raise ArchiveError(f"the zip file is damaged: {error}") from error
        self._budget = Budget(limits, size_bytes)
        self._done = 0

    @property
    def fraction(self) -> float:
        return self._done / max(1, len(self._zip.filelist))

    def __iter__(self) -> Iterator[Item]:
        yield from files.read_files(self._entries(), self._manifest(), self._budget, self.wanted)

    def _entries(self) -> Iterator[ArchiveEntry]:
        for info in self._zip.filelist:
            self._done += 1
            if not info.filename.endswith("/"):
                yield ArchiveEntry(_name(info), info.file_size, self._reader(info), self._problem(info))

    def _problem(self, info: zipfile.ZipInfo) -> str:
        if info.flag_bits & _ENCRYPTED:
            return "it is encrypted"
        if (info.external_attr >> 16) & _FORMAT == _LINK:
            return "it is a symbolic link"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            method = _METHODS.get(info.compress_type, f"method {info.compress_type}")
            return f"it is packed with {method}; only files that are stored or deflated are read"
        if info.file_size > max(MEBIBYTE, info.compress_size * self._budget.limits.expansion):
            return f"it unpacks to more than {self._budget.limits.expansion} times its size"
        return ""

    def _reader(self, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
        def read(limit: int) -> bytes:
            try:
                with self._zip.open(info) as file:
                    content = file.read(limit)
            except _BAD as error:
                raise EntryError(f"it is damaged: {error}") from error
            self._budget.unpack(len(content))
            return content

        return read

    def _manifest(self) -> manifest.Manifest:
        found: list[tuple[int, str, zipfile.ZipInfo]] = []
        for info in self._zip.filelist:
            if info.filename.lower().endswith(manifest.NAME):
                name = _safe_or_none(_name(info))
                depth = manifest.find_manifest(name) if name else None
                if name and depth is not None:
                    found.append((depth, name, info))
        for _, name, info in sorted(found, key=lambda each: each[:2])[:1]:
            if problem := self._problem(info):
                return manifest.Manifest(problems=(Refused(name, f"{problem}; file names are used as addresses"),))
            if info.file_size > manifest.MAX_BYTES:
                return manifest.too_large(name)
            try:
                return manifest.parse_manifest(self._reader(info)(manifest.MAX_BYTES), name=name)
            except EntryError as error:
                return manifest.Manifest(problems=(Refused(name, str(error)),))
        return manifest.Manifest()


def _name(info: zipfile.ZipInfo) -> str:
    """Return the entry's name. Many programs write UTF-8 without the flag for it; the library then decodes it as code page 437."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _safe_or_none(raw: str) -> str | None:
    try:
        return make_safe_name(raw)
    except ValueError:
        return None


def is_cut(file: BinaryIO, size_bytes: int) -> bool:
    """Return whether the end of a zip file is missing."""
    return _end(file, size_bytes)[1] < 0


def _end(file: BinaryIO, size_bytes: int) -> tuple[bytes, int]:
    """Return (the last bytes of the file, the position of the end-of-directory record in them or -1 if it is missing)."""
    tail = min(size_bytes, 65_557)
    file.seek(size_bytes - tail)
    end = file.read(tail)
    file.seek(0)
    at = end.rfind(_END)
    return end, at if at + 22 <= len(end) else -1


def _check_directory(file: BinaryIO, size_bytes: int) -> None:
    """Raise ArchiveError if the directory is too large. The library would read all of it, whatever its size."""
    end, at = _end(file, size_bytes)
    directory_bytes = int.from_bytes(end[at + 12 : at + 16], "little")
    if directory_bytes == 0xFFFFFFFF:
        record = end.rfind(b"PK\x06\x06", 0, at)
        directory_bytes = int.from_bytes(end[record + 40 : record + 48], "little") if record >= 0 else size_bytes
    if directory_bytes > MAX_DIRECTORY_BYTES:
        raise ArchiveError(f"the zip file's directory has {directory_bytes:,} bytes; at most {MAX_DIRECTORY_BYTES:,} are read")
