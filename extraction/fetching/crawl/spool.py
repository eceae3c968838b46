"""How the child hands over its results: files in the spool folder, and events on standard output.

A separate thread writes the events, so that a parent that is busy storing pages does not hold up answers that are under way. The backlog
is limited: while more than `BACKLOG` events are waiting, the crawl starts no request (`is_full`).
"""

import itertools
import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from extraction.fetching.crawl.messages import Event, event_to_json

BACKLOG = 500
"""How many events may wait for the parent. With pages of 100 KB, their files take about 50 MB."""


LEDGER = "reading"
"""The suffix of the file with the addresses that are being read."""


class Spool:
    """The folder of files that the parent collects."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._prefix = f"{os.getpid()}-"

    def put(self, content: bytes, *, kind: str) -> str:
        """Write a file atomically and return its path. kind: the suffix of its name."""
        target = self._folder / f"{self._prefix}{next(self._numbers)}.{kind}"
        waiting = target.with_suffix(".part")
        waiting.write_bytes(content)
        waiting.rename(target)
        return str(target)


class Ledger:
    """The addresses whose pages are being read, in a file of the spool folder.

    If a page kills or hangs the child, the parent learns its address from there.
    An event would not do: a page that hangs the interpreter also stops the thread that writes the events.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{os.getpid()}.{LEDGER}"
        self._urls: list[str] = []

    @contextmanager
    def reading(self, url: str) -> Iterator[None]:
        """Name a page for as long as it is being read."""
        self._urls.append(url)
        self._write()
        try:
            yield
        finally:
            self._urls.remove(url)
            self._write()

    def _write(self) -> None:
        self._path.write_text("\n".join(self._urls), encoding="utf-8", errors="replace")


def read_ledgers(folder: Path) -> frozenset[str]:
    """Return the addresses of the pages that were being read when the children of this folder ended."""
    return frozenset(url for path in folder.glob(f"*.{LEDGER}") for url in path.read_text(encoding="utf-8").splitlines())


class Events:
    """Sends events to the parent. descriptor: an open file that nothing else writes to."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "wb")
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="events", daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether the parent has fallen behind."""
        return self._queue.qsize() > BACKLOG

    def say(self, event: Event) -> None:
        self._queue.put(event_to_json(event).encode() + b"\n")

    def close(self, *, timeout_s: float) -> None:
        """Wait until all events are written, for at most `timeout_s`."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _write(self) -> None:
        try:
            while (line := self._queue.get()) is not None:
                self._file.write(line)
                if self._queue.empty():
                    self._file.flush()
            self._file.flush()
        except BrokenPipeError:
            os._exit(1)  # the parent has closed the pipe
