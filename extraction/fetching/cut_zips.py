"""The pages of a zip file that was cut off. The directory at its end is missing, but each entry also has its own header.

The reader follows these headers from the front. Programs that stream write headers without the length of the entry; the reader then
unpacks the entry to find its end. Where that is not possible, reading ends.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from extraction.fetching import files, manifest
from extraction.fetching.items import ArchiveEntry, Budget, EntryError, Item, LimitReached, Limits, Refused, Wanted
from extraction.fetching.names import make_printable, make_safe_name
from extraction.fetching.streams import PIECE_BYTES

HEADER = b"PK\x03\x04"
_HEADER_BYTES = 30
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _LENGTH_FOLLOWS, _UTF8_NAME = 0x1, 0x8, 0x800
_NEXT_WITHIN = 64  # a data descriptor has at most 24 bytes


@dataclass(slots=True)
class _Header:
    name: str
    flags: int
    method: int
    packed_bytes: int | None
    start: int


class CutZipReader:
    """Reads what is left of a zip file, in the order of its entries. fraction: the share of the file that has been read."""

    ordered_by_time = False
    wanted: Wanted | None = None

    def __init__(self, file: BinaryIO, *, size_bytes: int, name: str, limits: Limits) -> None:
        self._file = file
        self._size_bytes = size_bytes
        self._name = name
        self._budget = Budget(limits, size_bytes)
        self._position = 0
        self._lost = ""

    @property
    def fraction(self) -> float:
        return self._position / max(1, self._size_bytes)

    def __iter__(self) -> Iterator[Item]:
        yield from files.read_files(self._entries(), self._manifest(), self._budget, self.wanted)
        yield Refused(self._name, f"it was cut off{self._lost}; the part before that was read")

    def _manifest(self) -> manifest.Manifest:
        """Return the first manifest. This takes a pass of its own, before the one that reads the pages."""
        try:
            for entry in self._entries():
                try:
                    name = make_safe_name(entry.raw_name)
                    if manifest.find_manifest(name) is not None and not entry.problem:
                        return manifest.parse_manifest(entry.read(manifest.MAX_BYTES), name=name)
                except (ValueError, EntryError):
                    continue
        except LimitReached:
            # Reading the pages reaches the same limit and reports it.
            pass
        return manifest.Manifest()

    def _entries(self) -> Iterator[ArchiveEntry]:
        self._position = 0
        # Entries that are unpacked only to find their end have a budget of their own, because their bytes are not imported.
        skipped = Budget(self._budget.limits, self._size_bytes)
        while (header := self._header()) is not None:
            if header.packed_bytes is None:
                # Only unpacking the entry tells where it ends, even if the caller never reads it.
                if header.method != _DEFLATED or header.flags & _ENCRYPTED or not self._skip(header, skipped):
                    self._lost = f", and {make_printable(header.name)[:200]} does not say how long it is"
                    return
            else:
                self._position = header.start + header.packed_bytes
            if not header.name.endswith("/"):
                problem = "it is encrypted" if header.flags & _ENCRYPTED else ""
                yield ArchiveEntry(header.name, 0, self._reader(header), problem)

    def _header(self) -> _Header | None:
        self._file.seek(self._position)
        head = self._file.read(_HEADER_BYTES)
        if len(head) < _HEADER_BYTES or not head.startswith(HEADER):
            return None
        flags, method = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
        packed_bytes: int | None = int.from_bytes(head[18:22], "little")
        name_bytes, extra_bytes = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
        raw = self._file.read(name_bytes)
        name = raw.decode("utf-8", "backslashreplace" if flags & _UTF8_NAME else "surrogateescape")
        if packed_bytes == 0xFFFFFFFF or flags & _LENGTH_FOLLOWS:
            packed_bytes = None
        return _Header(name, flags, method, packed_bytes, self._position + _HEADER_BYTES + name_bytes + extra_bytes)

    def _skip(self, header: _Header, budget: Budget) -> bool:
        """Move to the next header after an entry of unknown length, or to the end of the file if there is none.

        Returns False if the entry is damaged, so that its end cannot be found.
        """
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        self._file.seek(header.start)
        try:
            while not unpacker.eof and (packed := unpacker.unconsumed_tail or self._file.read(PIECE_BYTES)):
                budget.unpack(len(unpacker.decompress(packed, PIECE_BYTES)))
        except zlib.error:
            return False
        after = self._file.tell() - len(unpacker.unused_data)
        self._file.seek(after)
        found = self._file.read(_NEXT_WITHIN).find(HEADER)
        self._position = after + found if found >= 0 else self._size_bytes
        return True

    def _reader(self, header: _Header) -> Callable[[int], bytes]:
        def read(limit: int) -> bytes:
            self._file.seek(header.start)
            if header.method == _STORED and header.packed_bytes is not None:
                content = self._file.read(min(limit, header.packed_bytes))
                if len(content) < min(limit, header.packed_bytes):
                    raise EntryError("it was cut off")
            elif header.method == _DEFLATED:
                content = self._unpacked(limit)
            else:
                raise EntryError(f"it is packed by method {header.method}, which Vertex cannot read")
            self._budget.unpack(len(content))
            return content

        return read

    def _unpacked(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the deflated entry at the current position of the file."""
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        pieces: list[bytes] = []
        missing = limit
        try:
            while missing and not unpacker.eof and (packed := unpacker.unconsumed_tail or self._file.read(PIECE_BYTES)):
                pieces.append(unpacker.decompress(packed, missing))
                missing -= len(pieces[-1])
        except zlib.error as error:
            raise EntryError(f"it is damaged: {error}") from error
        if missing and not unpacker.eof:
            raise EntryError("it was cut off")
        return b"".join(pieces)
