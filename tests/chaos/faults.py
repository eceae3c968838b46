"""The faults: what happens to processes, the disk, the clock, the network, and the places of the data. Only the installation is hit."""

import contextlib
import random
import resource
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable

import psutil

from tests.chaos.installation import Installation
from tests.chaos.receiver import Receiver

PAUSE_S = (1.0, 5.0)
"""The least and most seconds between two faults."""

LASTS_S = (0.5, 5.0)
"""The least and most seconds that a fault lasts."""

CLOCK_S = (90, 3_600, 7_200, 86_400, -90, -3_600, -86_400)
"""By how much the clock is set."""


class Faults:
    """Injects a fault now and then, chosen by a seed, until the time is over.

    seconds: how long faults are injected, from the first call of `tick`.
    only: the names of the kinds to inject; all if empty.
    break_network: called with True when the site that is crawled stops answering, and with False when it answers again.
    receiver: of the deliveries.
    counts: {fault: how often it was injected}.
    """

    def __init__(
        self,
        installation: Installation,
        source: random.Random,
        seconds: float,
        *,
        only: frozenset[str] = frozenset(),
        break_network: Callable[[bool], None],
        receiver: Receiver,
    ) -> None:
        self._installation, self._source, self._seconds, self._network = installation, source, seconds, break_network
        self._receiver = receiver
        self._end = self._next = 0.0
        self._ended = False
        self._timers: list[threading.Timer] = []
        self.counts: Counter[str] = Counter()
        self.kinds: dict[str, Callable[[], bool]] = {
            "web killed": lambda: self._kill("web", own=True),
            "web worker killed": lambda: self._kill("web", own=False),
            "supervisor killed": lambda: self._kill("worker", own=True),
            "worker killed": lambda: self._kill("worker", own=False),
            "beat killed": lambda: self._kill("beat", own=True),
            "crawl child killed": lambda: self._kill_named("extraction.fetching.crawl"),
            "sandbox child killed": lambda: self._kill_named("sandbox_child"),
            "Chromium killed": lambda: self._kill_named("chrom"),
            "worker stopped for a while": self._pause_worker,
            "clock set": self._set_clock,
            "disk full": self._fill_disk,
            "network dead": self._cut_network,
            "receiver away": self._take_receiver_away,
            "receipt lost": self._lose_receipts,
            **installation.backing.make_faults(source, self._later, seconds),
        }
        if unknown := only - set(self.kinds):
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}. There are: {', '.join(self.kinds)}")
        self.kinds = {name: inject for name, inject in self.kinds.items() if not only or name in only}

    def tick(self) -> bool:
        """Inject a fault if it is time for one. Return whether faults are still injected."""
        now = time.monotonic()
        if not self._end:
            self._end = now + self._seconds
        if now >= self._end:
            self.end()
            return False
        if now >= self._next:
            self._next = now + self._source.uniform(*PAUSE_S)
            kinds = sorted(self.kinds)
            self._source.shuffle(kinds)
            name = next((kind for kind in kinds if self.kinds[kind]()), "")
            if name:
                self.counts[name] += 1
        return True

    def end(self) -> None:
        """Inject no more faults, and undo those that last."""
        if self._ended:
            return
        self._ended, self._end = True, time.monotonic()
        for timer in self._timers:
            timer.join()
        self._installation.clock.unlink(missing_ok=True)
        self._limit_files(resource.RLIM_INFINITY)

    def _later(self, undo: Callable[[], object], after_s: float | None = None) -> None:
        self._timers.append(threading.Timer(self._source.uniform(*LASTS_S) if after_s is None else after_s, undo))
        self._timers[-1].start()

    def _kill(self, name: str, *, own: bool) -> bool:
        process = self._installation.processes.get(name)
        family = self._installation.family(process.pid) if process else []
        chosen = family[:1] if own else family[1:]
        return bool(chosen) and _send(self._source.choice(chosen), signal.SIGKILL)

    def _kill_named(self, word: str) -> bool:
        for process in self._installation.list_processes():
            with contextlib.suppress(psutil.Error):
                if word in " ".join(process.cmdline()):
                    return _send(process, signal.SIGKILL)
        return False

    def _pause_worker(self) -> bool:
        process = self._installation.processes.get("worker")
        children = self._installation.family(process.pid)[1:] if process else []
        if not children:
            return False
        child = self._source.choice(children)
        self._later(lambda: _send(child, signal.SIGCONT))
        return _send(child, signal.SIGSTOP)

    def _set_clock(self) -> bool:
        """Set the clock of all processes forth or back, from the true time. It stays so until it is set again or the faults end."""
        self._installation.clock.write_text(str(self._source.choice(CLOCK_S)))
        return True

    def _fill_disk(self) -> bool:
        """Let no file grow. Processes that start meanwhile have the limit of their parent; it is lifted from all in the end."""
        self._limit_files(1)
        self._later(lambda: self._limit_files(resource.RLIM_INFINITY))
        return True

    def _limit_files(self, size_bytes: int) -> None:
        for _ in range(2):  # a process may be started while the first round goes on
            for process in self._installation.list_processes():
                with contextlib.suppress(psutil.Error):
                    process.rlimit(psutil.RLIMIT_FSIZE, (size_bytes, resource.RLIM_INFINITY))

    def _cut_network(self) -> bool:
        self._network(True)
        self._later(lambda: self._network(False))
        return True

    def _take_receiver_away(self) -> bool:
        self._receiver.away = True
        self._later(lambda: setattr(self._receiver, "away", False))
        return True

    def _lose_receipts(self) -> bool:
        self._receiver.silent = True
        self._later(lambda: setattr(self._receiver, "silent", False))
        return True


def _send(process: psutil.Process, number: signal.Signals) -> bool:
    try:
        process.send_signal(number)
    except psutil.Error:
        return False
    return True
