"""Limits on how long another machine may keep a thread of ours waiting.

A time-out of a socket counts from one piece to the next, so a machine that sends a byte from time to time is never too slow. Here the
whole time counts. When it is over, the connections are shut down, and whoever waits for them gets an error at once.
"""

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from contextvars import ContextVar
from threading import Lock, Timer


class TimeLimit:
    """A time after which connections are shut down."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._ends = float("inf")
        self._sockets: list[socket.socket] = []
        self._lock = Lock()
        self._timer = Timer(limit_s, self._break_off)
        self._timer.daemon = True

    @property
    def left_s(self) -> float:
        """The seconds that are left."""
        return min(self._limit_s, self._ends - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.left_s <= 0

    def begin(self) -> None:
        """Let the time run."""
        self._ends = time.monotonic() + self._limit_s
        self._timer.start()

    def end(self) -> None:
        """Stop the time. What was watched is no longer shut down."""
        self._timer.cancel()
        with self._lock:
            for each in self._sockets:
                each.close()
            self._sockets.clear()

    def watch(self, fileno: int) -> None:
        """Shut this connection down, too, when the time is over. It may be closed in the meantime."""
        with self._lock:
            held = socket.socket(fileno=os.dup(fileno))  # the number may be given to another connection after this one is closed
            self._sockets.append(held)
            if self.over:
                _shut_down(held)

    def _break_off(self) -> None:
        with self._lock:
            for each in self._sockets:
                _shut_down(each)


_present: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)


@contextlib.contextmanager
def limit_time(limit_s: float) -> Iterator[TimeLimit]:
    """Limit the time of everything that connects inside of the block and calls `watch_connection`. A block outside may have less left."""
    outer = _present.get()
    limit = TimeLimit(min(limit_s, max(0.0, outer.left_s)) if outer else limit_s)
    token = _present.set(limit)
    limit.begin()
    try:
        yield limit
    finally:
        _present.reset(token)
        limit.end()


def watch_connection(fileno: int) -> None:
    """Put a connection under the limit of the block around, if there is one."""
    if (limit := _present.get()) is not None:
        limit.watch(fileno)


def _shut_down(held: socket.socket) -> None:
    with contextlib.suppress(OSError):
        held.shutdown(socket.SHUT_RDWR)
