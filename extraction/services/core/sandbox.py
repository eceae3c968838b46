"""Run a function of ours in a child process, with limits on its time, its memory and its output.

Native code such as libxml2 cannot be interrupted. A hostile page or an XPath of thirty characters can keep it busy for hours or
crash it. A child process stays within its `SandboxLimits`, and its crash does not affect the parent. The function reads a
stream of bytes and yields values that can be written as JSON:

    def count_words(source: BinaryIO) -> Iterator[int]:
        for line in source:
            yield len(line.split())

    outcome = run_in_sandbox(count_words, [b"one two\\n"], limits=SandboxLimits(cpu_s=5, wall_s=20, memory_bytes=1024**3))
    outcome.rows     # (2,), including results from before the child was stopped
    outcome.ending   # Ending.FINISHED
    outcome.reason   # "", or in words why it did not finish

The child gets only the environment variables that it needs, and so no keys or passwords. The module is longer than others because
limits, transport and endings are one mechanism.
"""

import json
import logging
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Any, BinaryIO

from extraction.services.core.sandbox_child import MAX_MESSAGE, MEMORY_WORDS, ROOT

EntryPoint = Callable[[BinaryIO], Iterable[Any]]
Heartbeat = Callable[[], None]

LOOK_EVERY_S = 0.5
OUTPUT_BYTES = 64 * 1024**2
STDERR_BYTES = 16 * 1024
"""How many of the last bytes that the child writes to standard error are kept."""

READ_BYTES = 64 * 1024
"""The capacity of a pipe on Linux."""

CLOSED_S = 0.02
"""How often to poll a child that has closed its results."""

ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ", "LD_LIBRARY_PATH")
ENVIRONMENT_STARTS = ("LC_", "PYTHON")

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Numeric libraries use one thread. Otherwise the child's processor time would include threads that wait for each other."""

FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
"""Signals that a process gets from the system or from a person, and not through its own fault."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of a child.

    cpu_s: seconds of processor time.
    wall_s: seconds by the clock.
    memory_bytes: address space, including that of libraries.
    first_row_s, row_s: seconds by the clock until the first result, and from one result to the next.
    output_bytes: size of all results.
    """

    cpu_s: int
    wall_s: float
    memory_bytes: int
    first_row_s: float = math.inf
    row_s: float = math.inf
    output_bytes: int = OUTPUT_BYTES


class Ending(StrEnum):
    """How a child ended."""

    FINISHED = "finished"
    CPU_TIME = "processor time used up"
    WALL_TIME = "time used up"
    MEMORY = "memory used up"
    OUTPUT = "too much output"
    STOPPED = "stopped from outside"
    CRASHED = "crashed"


LIMITS_REACHED = frozenset({Ending.CPU_TIME, Ending.WALL_TIME, Ending.MEMORY, Ending.OUTPUT})
"""The endings for which a smaller task may help."""


@dataclass(frozen=True, slots=True)
class ChildError:
    """Why a child crashed.

    type: the type of the exception, or the name of the signal.
    place: the last line of its traceback, if it is known.
    """

    type: str
    message: str
    place: str = ""

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.type, self.message) if part)
        return f"{text} ({self.place})" if self.place else text


@dataclass(frozen=True, slots=True)
class SandboxOutcome:
    """What a child did.

    rows: its results, including those from before it was stopped.
    reason: why it did not finish, in words; empty if it did.
    error: set if it crashed or was stopped from outside.
    stderr: the end of what it wrote to standard error.
    """

    ending: Ending
    rows: tuple[Any, ...]
    reason: str = ""
    error: ChildError | None = None
    stderr: str = ""


def run_in_sandbox(entry: EntryPoint, request: Iterable[bytes], *, limits: SandboxLimits, look: Heartbeat = lambda: None) -> SandboxOutcome:
    """Run `entry` on a stream of bytes in a child process, and return when the child has ended.

    entry: a top-level function of one of our modules; the child imports it by name.
    request: the stream, in pieces that are taken as the child reads them.
    look: called at the start and then twice a second. If it raises, the child is killed and the error is raised here.
    """
    settings = json.dumps({"parent": os.getpid(), "cpu_s": limits.cpu_s, "memory_bytes": limits.memory_bytes})
    command = [sys.executable, "-m", "extraction.services.core.sandbox_child", entry.__module__, entry.__qualname__, settings]
    with subprocess.Popen(  # noqa: S603 - our own module
        command,
        cwd=ROOT,
        env=_environment(),
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # a Ctrl-C is for the parent to handle
    ) as child:
        try:
            with _Exchange(child, request, limits) as exchange:
                exchange.run(look)
                _kill(child)
                exchange.drain()
        finally:
            _kill(child)
    outcome = _judge(exchange, child.returncode, limits)
    if outcome.error:
        log.warning("%s.%s: %s\n%s", entry.__module__, entry.__qualname__, outcome.reason, outcome.stderr)
    return outcome


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith(ENVIRONMENT_STARTS)}
    return kept | ONE_THREAD


def _kill(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        child.kill()
        child.wait()


class _Exchange:
    """The three pipes of a child: its input, its results and what it prints."""

    def __init__(self, child: "subprocess.Popen[bytes]", request: Iterable[bytes], limits: SandboxLimits) -> None:
        assert child.stdin and child.stdout and child.stderr  # noqa: S101 - all are pipes
        self.rows: list[Any] = []
        self.ending: Ending | None = None
        """How the child ended, as it reported or as we decided; None while nothing is known."""
        self.error: ChildError | None = None
        self._child, self._limits = child, limits
        self._stdin, self._stdout, self._stderr = child.stdin, child.stdout, child.stderr
        self._unsent, self._request = memoryview(b""), iter(request)
        self._line, self._tail = bytearray(), bytearray()
        self._size_bytes = 0
        self._started = self._row_at = time.monotonic()
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> "_Exchange":
        for stream, event, act in (
            (self._stdin, selectors.EVENT_WRITE, self._send),
            (self._stdout, selectors.EVENT_READ, self._receive),
            (self._stderr, selectors.EVENT_READ, self._listen),
        ):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, event, act)
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()

    @property
    def elapsed_s(self) -> float:
        """Seconds by the clock since the child was started."""
        return time.monotonic() - self._started

    @property
    def stderr(self) -> str:
        """The end of what the child printed."""
        return self._tail.decode("utf-8", "replace").strip()

    def run(self, look: Heartbeat) -> None:
        """Serve the pipes until the ending is known or the child has gone."""
        look_at = self._started
        while self.ending is None and self._child.poll() is None:
            now = time.monotonic()
            if now >= look_at:
                look()
                look_at = now + LOOK_EVERY_S
            if now >= self._deadline():
                self.ending = Ending.WALL_TIME
                return
            timeout_s = min(look_at, self._deadline()) - now
            if self._stdout not in self._open():  # it is about to end, but no pipe will signal it
                timeout_s = min(timeout_s, CLOSED_S)
            for key, _ in self._selector.select(max(0.0, timeout_s)):
                key.data()

    def drain(self) -> None:
        """Read what a child that has ended left in its pipes."""
        for stream, take in ((self._stdout, self._receive), (self._stderr, self._listen)):
            while stream in self._open() and take():
                pass

    def _open(self) -> list[Any]:
        return [key.fileobj for key in self._selector.get_map().values()]

    def _deadline(self) -> float:
        """Return the time at which the child is stopped unless a result comes first."""
        row_s = self._limits.row_s if self.rows else self._limits.first_row_s
        return min(self._started + self._limits.wall_s, self._row_at + row_s)

    def _send(self) -> None:
        try:
            self._unsent = self._unsent or memoryview(next(self._request))
            self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent) :]
        except (StopIteration, BrokenPipeError):  # everything was sent, or the child has stopped reading
            self._selector.unregister(self._stdin)
            self._stdin.close()

    def _receive(self) -> bool:
        data = self._read(self._stdout)
        self._size_bytes += len(data)
        if self._size_bytes > self._limits.output_bytes:
            self.ending = self.ending or Ending.OUTPUT
            return False
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take(bytes(self._line + line))
            self._line.clear()
        self._line += rest
        return bool(data)

    def _listen(self) -> bool:
        data = self._read(self._stderr)
        self._tail = (self._tail + data)[-STDERR_BYTES:]
        return bool(data)

    def _read(self, stream: IO[bytes]) -> bytes:
        """Return what can be read now, which may be nothing. A stream that has ended is not read again."""
        try:
            data = os.read(stream.fileno(), READ_BYTES)
        except BlockingIOError:
            return b""
        if not data:
            self._selector.unregister(stream)
        return data

    def _take(self, line: bytes) -> None:
        if self.ending not in (None, Ending.WALL_TIME):
            return
        try:
            kind, value = json.loads(line)
            if kind == "row":
                self.rows.append(value)
                self._row_at = time.monotonic()
                return
            ending = Ending(kind)
            error = ChildError(*map(str, value)) if ending is Ending.CRASHED else None
        except (ValueError, TypeError, RecursionError):
            ending, error = Ending.CRASHED, ChildError("", f"it wrote a line that is not a result: {line[:MAX_MESSAGE]!r}")
        if self.ending is None:
            self.ending, self.error = ending, error


def _judge(exchange: _Exchange, code: int, limits: SandboxLimits) -> SandboxOutcome:
    ending, error = exchange.ending, exchange.error
    if ending is None:
        ending, error = _judge_exit(code, exchange.stderr)
    killed = "; the machine may have run out of memory" if error and error.type == "SIGKILL" else ""
    reasons = {
        Ending.FINISHED: "",
        Ending.CPU_TIME: f"it needs more than {limits.cpu_s:,} seconds of a processor",
        Ending.WALL_TIME: f"it was not done after {exchange.elapsed_s:,.0f} seconds",
        Ending.MEMORY: f"it needs more than {limits.memory_bytes // 1024**2:,} MB of memory",
        Ending.OUTPUT: f"it gives more than {limits.output_bytes // 1024**2:,} MB of results",
        Ending.STOPPED: f"it was stopped from outside ({error}){killed}",
        Ending.CRASHED: f"it failed: {error}",
    }
    return SandboxOutcome(ending, tuple(exchange.rows), reasons[ending], error, exchange.stderr)


def _judge_exit(code: int, stderr: str) -> tuple[Ending, ChildError | None]:
    """Return the ending of a child that did not report one."""
    if code == -signal.SIGXCPU:
        return Ending.CPU_TIME, None
    if any(word in stderr.lower() for word in MEMORY_WORDS):
        return Ending.MEMORY, None
    if code >= 0:
        last = stderr.splitlines()[-1] if stderr else "it said nothing"
        return Ending.CRASHED, ChildError(f"exit code {code}", last[:MAX_MESSAGE])
    received = signal.Signals(-code)
    error = ChildError(received.name, signal.strsignal(received) or "", _find_fault(stderr))
    return (Ending.STOPPED if received in FROM_OUTSIDE else Ending.CRASHED), error


def _find_fault(stderr: str) -> str:
    """Return the Python line at which a fatal signal arrived, as `faulthandler` writes it; empty if it wrote nothing."""
    after = stderr.partition("(most recent call first):")[2].strip().partition("\n")[0]
    return after.removeprefix("File ").replace(f"{ROOT}/", "").replace('"', "")
