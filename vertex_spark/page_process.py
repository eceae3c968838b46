"""Reads pages in a child process, so that a page that takes too long, needs too much memory or crashes a library costs only itself.

libxml2 cannot be interrupted. The child is forked when the rules are compiled, and again after one was ended. It gets a page, returns what
became of it, and waits for the next; that takes a tenth of a millisecond longer than reading the page here.
"""

import contextlib
import os
import resource
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from types import TracebackType
from typing import Any, Generic, TypeVar

from extraction.services.core.sandbox_child import die_with_parent

T = TypeVar("T")

PAGE_SECONDS = 60.0
"""Seconds by the clock for one page. A usual page takes ten milliseconds; an expression that may run long has its own limit of twenty
seconds (`careful_calls`)."""

PAGE_MEMORY_BYTES = 2 * 1024**3
"""Address space that the child may take beyond what it has when it begins."""


ENDING_S = 2.0
"""How long to wait for a child that has closed its pipe."""


class PageProcess(Generic[T]):
    """Calls a function in a child process, with limits for each call.

    function: what to call; its arguments and its result must be picklable.
    gave_up: makes the result of a call that reached a limit, from the reason in words.
    seconds: for one call, by the clock.
    """

    def __init__(
        self,
        function: Callable[..., T],
        gave_up: Callable[[str], T],
        *,
        seconds: float = PAGE_SECONDS,
        memory_bytes: int = PAGE_MEMORY_BYTES,
    ) -> None:
        self._function, self._gave_up = function, gave_up
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self._child = 0
        self._pipe: Connection[Any, Any] | None = None

    def __enter__(self) -> "PageProcess[T]":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def call(self, *arguments: Any) -> T:
        """Return what the function returns, or what `gave_up` makes of the reason why it did not."""
        pipe = self._pipe or self._start()
        try:
            pipe.send(arguments)
            if not pipe.poll(self._seconds):
                self.close()
                return self._gave_up(f"it took longer than {self._seconds:g} seconds")
            done, result = pipe.recv()
        except (EOFError, OSError):
            return self._gave_up(self._explain_end())
        if done:
            return result  # type: ignore[no-any-return]
        self.close()  # after an error of ours, or without memory, the child is not to be trusted
        return self._gave_up(str(result))

    def close(self) -> None:
        """End the child, if there is one."""
        self._stop()

    def _start(self) -> "Connection[Any, Any]":
        ours, theirs = Pipe()
        parent = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            ours.close()
            self._serve(theirs, parent)
        theirs.close()
        self._pipe = ours
        return ours

    def _serve(self, pipe: "Connection[Any, Any]", parent: int) -> None:
        """Answer calls until there are no more, and end the process without running anything that belongs to the parent."""
        with contextlib.suppress(BaseException):
            die_with_parent(parent)
            for each in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
                signal.signal(each, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            most = _measure_address_space() + self._memory_bytes
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            while True:
                pipe.send(self._answer(pipe.recv()))
        os._exit(0)

    def _answer(self, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        try:
            return True, self._function(*arguments)
        except MemoryError:
            return False, f"it needs more than {self._memory_bytes // 1024**2:,} MB of memory"
        except Exception as error:  # noqa: BLE001 - one page that nobody thought of must not end the work on millions
            return False, f"reading it failed: {type(error).__name__}: {str(error)[:200]}"

    def _explain_end(self) -> str:
        status = self._stop(ENDING_S)
        if status is not None and os.WIFSIGNALED(status):
            return f"the process that read it was ended by {signal.Signals(os.WTERMSIG(status)).name}"
        return f"the process that read it ended, perhaps because it needs more than {self._memory_bytes // 1024**2:,} MB of memory"

    def _stop(self, wait_s: float = 0.0) -> int | None:
        """End the child. Return how it had ended by itself, None if it had not.

        wait_s: how long to wait for it first. It closes its pipe a moment before it has ended.
        """
        if self._pipe is None:
            return None
        self._pipe.close()
        self._pipe = None
        end = time.monotonic() + wait_s
        while not (ended := os.waitpid(self._child, os.WNOHANG))[0]:
            if time.monotonic() >= end:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
                return None
            time.sleep(0.01)
        return ended[1]


def _measure_address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - in a forked child, with as little as possible
        return int(file.read().split()[0]) * resource.getpagesize()
