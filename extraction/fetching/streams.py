"""A stream over a file that may be compressed. It is read forwards only, and every byte counts against a budget."""

import gzip
import zlib
from collections.abc import Callable
from typing import BinaryIO

import zstandard

from extraction.fetching.items import Budget, EntryError

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ZSTD_WINDOW_BYTES = 128 * 1024**2
"""The largest amount of memory that a zstd file may ask for."""

ZSTD_PIECE_BYTES = 1_024
"""How much of a zstd file is unpacked at once. Four bytes can unpack to 128 KiB, so this gives at most some 32 MB."""

PIECE_BYTES = 1 << 16


class _ZstdFile:
    """A file of one or several zstd frames. Unlike the library's own reader, it tells when the file ends within a frame."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._packed = self._held = b""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end. Raises EOFError if the file ends within a frame."""
        while not self._held:
            self._packed = self._packed or self._file.read(ZSTD_PIECE_BYTES)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError
                return b""
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()
            self._held, self._packed, frame = self._frame.decompress(self._packed), b"", self._frame
            if frame.eof:
                self._packed, self._frame = frame.unused_data, None
        data, self._held = self._held[:size], self._held[size:]
        return data


class Stream:
    """The file that the tar and WARC libraries read from. It limits what they read, because they trust the lengths in the file.

    broken: why the file ended too early; empty if it did not. Damage looks like the end of the file, so everything before it is kept.
    allowance: how many bytes may still be read in search of a header; None while there is no such limit.
    """

    def __init__(self, file: BinaryIO, *, budget: Budget) -> None:
        file.seek(0)
        start = file.read(4)
        file.seek(0)
        self._file = file
        self._read: Callable[[int], bytes] = file.read
        if start.startswith(GZIP_MAGIC):
            # read1 and not read, because read loses the bytes it has collected when it meets damaged data.
            self._read = gzip.GzipFile(fileobj=file, mode="rb").read1
        elif start == ZSTD_MAGIC:
            self._read = _ZstdFile(file).read
        self._budget = budget
        self._position = 0
        self.broken = ""
        self.allowance: int | None = None

    @property
    def fraction(self) -> float:
        """The share of the file that has been read."""
        return self._file.tell() / max(1, self._budget.packed_bytes)

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes.

        Raises EntryError if more is asked for at once than a page may have, and LimitReached when the budget is used up.
        """
        largest = self._budget.limits.page_bytes + PIECE_BYTES
        if size < 0 or size > largest:
            raise EntryError(f"it asks for more than {largest:,} bytes at once")
        if self.allowance is not None:
            self.allowance -= size
            if self.allowance < 0:
                raise EntryError("it has a header without an end")
        return self._take(size)

    def tell(self) -> int:
        return self._position

    def seek(self, position: int, whence: int = 0) -> int:
        """Move forward by reading. Raises OSError for any other move."""
        if whence or position < self._position:
            raise OSError("this stream goes forward only")
        while self._position < position:
            if not self._take(min(PIECE_BYTES, position - self._position)):
                break
        return self._position

    def _take(self, size: int) -> bytes:
        pieces: list[bytes] = []
        missing = size
        while missing and not self.broken and (piece := self._piece(missing)):
            pieces.append(piece)
            missing -= len(piece)
        data = b"".join(pieces)
        self._position += len(data)
        return data

    def _piece(self, size: int) -> bytes:
        try:
            data = self._read(size)
        except EOFError:
            self.broken = "it was cut off"
            return b""
        except (zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
            self.broken = f"it is damaged: {error}"
            return b""
        self._budget.unpack(len(data))
        return data
