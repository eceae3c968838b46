"""The body of an upload: a form with a file that is read while it is sent, so that it may be larger than the memory."""

import os
import uuid
from collections.abc import Mapping
from io import BytesIO, RawIOBase
from typing import Any, BinaryIO


class Upload(RawIOBase):
    """A file-like body of the type multipart/form-data. It can be sent again from its start."""

    def __init__(
        self, file: BinaryIO, *, name: str, fields: Mapping[str, str] | None = None, type_of_file: str = "application/octet-stream"
    ) -> None:
        mark = uuid.uuid4().hex
        safe = name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
        texts = "".join(
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n' for field, value in (fields or {}).items()
        )
        head = f'{texts}--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\nContent-Type: {type_of_file}\r\n\r\n'
        self._parts: tuple[BinaryIO, ...] = (BytesIO(head.encode()), file, BytesIO(f"\r\n--{mark}--\r\n".encode()))
        self._place, self._position = 0, 0
        self.content_type = f"multipart/form-data; boundary={mark}"
        self.size_bytes = sum(part.seek(0, os.SEEK_END) for part in self._parts)
        self.seek(0)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True. Only the start can be sought."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer and return how many; 0 at the end."""
        while self._place < len(self._parts):
            if piece := self._parts[self._place].read(len(buffer)):
                buffer[: len(piece)] = piece
                self._position += len(piece)
                return len(piece)
            self._place += 1
        return 0

    def tell(self) -> int:
        """Return how much has been read."""
        return self._position

    def seek(self, position: int, whence: int = os.SEEK_SET, /) -> int:
        """Go back to the start. Raises ValueError for any other place."""
        if position or whence != os.SEEK_SET:
            raise ValueError("an upload is sent from its start")
        for part in self._parts:
            part.seek(0)
        self._place, self._position = 0, 0
        return 0
