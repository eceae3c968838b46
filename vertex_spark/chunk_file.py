"""A file that arrives in pieces, read forwards like any file."""

from collections.abc import Iterator

SEPARATOR = b"\r\n"
"""Where Spark cuts files into pieces. WARC headers have it, so pieces of a plain file are short; compressed bytes have it every 64 kB."""

HEAD_BYTES = 4096
"""How far one may read and go back to the beginning, to see what kind of file it is."""


class ChunkFile:
    """A file from the pieces between its separators. It has what `fetching.streams` uses of a file.

    chunks: the pieces in their order.
    size_bytes: the file's size. It tells whether the file ends with a separator.
    """

    def __init__(self, chunks: Iterator[bytes], size_bytes: int) -> None:
        self._chunks = chunks
        self._size_bytes = size_bytes
        self._position = 0
        self._taken = 0
        self._head = b""
        self._left = memoryview(b"")
        self._begun = False

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go back to the beginning, while no more than HEAD_BYTES were read. Raises OSError for any other move."""
        if whence or offset or self._position > len(self._head):
            raise OSError("this file goes forward only")
        self._left = memoryview(self._head[: self._position] + self._left.tobytes())
        self._position = 0
        return 0

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer only at the end."""
        parts, missing = [], size
        while missing and (self._left or self._fill()):
            part = self._left[:missing]
            self._left = self._left[len(part) :]
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        if self._position == len(self._head) < HEAD_BYTES:
            self._head += data[: HEAD_BYTES - len(self._head)]
        self._position += len(data)
        return data

    def _fill(self) -> bool:
        """Take the next piece with the separator before it. Return False at the end."""
        for piece in self._chunks:
            whole = SEPARATOR + piece if self._begun else piece
            self._begun = True
            self._taken += len(whole)
            self._left = memoryview(whole)
            if whole:
                return True
        if self._size_bytes - self._taken == len(SEPARATOR):
            self._taken = self._size_bytes
            self._left = memoryview(SEPARATOR)
            return True
        return False
