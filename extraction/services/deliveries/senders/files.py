"""What all targets that get files have in common."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

BEAT_S = 2.0
"""How often a long transfer says that it is alive."""

PART = ".part"
"""The ending of a file that is not complete yet."""

Beat = Callable[[], None]
"""Says that the worker is alive. Raises an error if the delivery was taken from it."""


@dataclass(frozen=True, slots=True)
class ReadyFile:
    """A file that is complete on this machine, and the name that it gets at the target."""

    path: Path
    name: str


class FileSender(Protocol):
    """Puts files into a target. Each gets its name only when it is complete, and replaces a file of that name."""

    def put_file(self, file: ReadyFile, beat: Beat) -> None:
        """Put a file into the target. Raises DeliveryError."""

    def remove_file(self, name: str) -> None:
        """Remove a file. It is used for a test. Raises DeliveryError."""


class WatchedFile:
    """A file that says that it is alive while it is read."""

    def __init__(self, file: IO[bytes], beat: Beat) -> None:
        self._file, self._beat, self._said = file, beat, time.monotonic()

    def read(self, size: int = -1) -> bytes:
        """Read like a file."""
        if time.monotonic() - self._said >= BEAT_S:
            self._beat()
            self._said = time.monotonic()
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move like a file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place like a file."""
        return self._file.tell()


def name_part(name: str) -> str:
    """Return the name of a file while it is not complete. It is hidden, so that programs that look for files do not see it."""
    folder, _, last = name.rpartition("/")
    return f"{folder}/.{last}{PART}" if folder else f".{last}{PART}"
