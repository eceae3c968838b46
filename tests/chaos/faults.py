"""The faults: processes killed or stopped, the database locked, the broker emptied or garbled. Only the installation is hit."""

import contextlib
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable

import psutil

from tests.chaos.installation import Installation

PAUSE_S = (1.0, 6.0)
"""The least and most seconds between two faults."""


class Faults:
    """Injects a fault now and then, chosen by a seed.

    counts: {fault: how often it was injected}.
    spent_s: for how long faults were injected.
    """

    def __init__(self, installation: Installation, source: random.Random) -> None:
        self._installation, self._source = installation, source
        self._next = time.monotonic() + source.uniform(*PAUSE_S)
        self.counts: Counter[str] = Counter()
        self.on, self.spent_s, self._at = True, 0.0, 0.0
        self.kinds: dict[str, Callable[[], bool]] = {
            "web killed": lambda: self._kill("web", own=True),
            "web worker killed": lambda: self._kill("web", own=False),
            "supervisor killed": lambda: self._kill("worker", own=True),
            "worker killed": lambda: self._kill("worker", own=False),
            "worker killed again": lambda: self._kill("worker", own=False),
            "beat killed": lambda: self._kill("beat", own=True),
            "crawl child killed": lambda: self._kill_named("extraction.fetching.crawl"),
            "sandbox child killed": lambda: self._kill_named("sandbox_child"),
            "Chromium killed": lambda: self._kill_named("chrom"),
            "worker stopped for a while": self._pause_worker,
            "database locked": self._lock_database,
            "broker emptied": self._empty_broker,
            "message garbled": self._garble_message,
        }

    def tick(self) -> None:
        """Inject a fault if it is time for one. Call it often."""
        now = time.monotonic()
        self.spent_s += min(1.0, now - self._at) if self.on else 0.0
        self._at = now
        if self.on and time.monotonic() >= self._next:
            self._next = time.monotonic() + self._source.uniform(*PAUSE_S)
            kinds = sorted(self.kinds)
            self._source.shuffle(kinds)
            name = next((kind for kind in kinds if self.kinds[kind]()), "")
            if name:
                self.counts[name] += 1

    def _kill(self, name: str, *, own: bool) -> bool:
        process = self._installation.processes.get(name)
        family = self._installation.family(process.pid) if process else []
        chosen = family[:1] if own else family[1:]
        return bool(chosen) and _send(self._source.choice(chosen), signal.SIGKILL)

    def _kill_named(self, word: str) -> bool:
        for process in self._installation.processes.values():
            for child in self._installation.family(process.pid)[1:]:
                with contextlib.suppress(psutil.Error):
                    if word in " ".join(child.cmdline()):
                        return _send(child, signal.SIGKILL)
        return False

    def _pause_worker(self) -> bool:
        process = self._installation.processes.get("worker")
        children = self._installation.family(process.pid)[1:] if process else []
        if not children:
            return False
        child = self._source.choice(children)
        threading.Timer(self._source.uniform(1, 4), lambda: _send(child, signal.SIGCONT)).start()
        return _send(child, signal.SIGSTOP)

    def _lock_database(self) -> bool:
        path, seconds = self._installation.folder / "vertex.sqlite3", self._source.uniform(0.5, 5)

        def hold() -> None:
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(path, timeout=30)) as database:
                database.execute("begin immediate")
                time.sleep(seconds)
                database.rollback()

        threading.Thread(target=hold).start()
        return True

    def _empty_broker(self) -> bool:
        messages = list((self._installation.folder / "queue" / "messages").glob("*"))
        for message in messages:
            message.unlink(missing_ok=True)
        return bool(messages)

    def _garble_message(self) -> bool:
        for message in (self._installation.folder / "queue" / "messages").glob("*"):
            with contextlib.suppress(OSError):
                message.write_bytes(b"\0{garbled")
                return True
        return False


def _send(process: psutil.Process, number: signal.Signals) -> bool:
    try:
        process.send_signal(number)
    except psutil.Error:
        return False
    return True
