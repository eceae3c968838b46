"""The crawling child as its parent sees it: start it with a plan, read its events, and tell it to pause, resume or stop.

The child is a separate process for two reasons. Scrapy's reactor can neither start twice nor run inside a Celery worker. And when a hostile
page fills the memory or hangs a parser or a browser, the damage ends with the process. The child gets only the environment variables
that it needs, so it never sees the keys and passwords of the dashboard. It ends when its standard input closes, which also happens when
the parent is killed.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO

from extraction.fetching.crawl.messages import Command, CrawlPlan, Done, EndReason, Event, Fetched, Search, SignedIn, event_from_json
from extraction.fetching.hidden_texts import hide_secrets

PROGRAM = (sys.executable, "-m", "extraction.fetching.crawl")

ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "VERTEX_CHROMIUM")
ENVIRONMENT_STARTS = ("PLAYWRIGHT_", "OPENBLAS_")

GRACE_S = 15.0
"""How long a child may take to end by itself. It waits for answers that are under way and closes its browser."""

SILENT_S = 60.0
"""A child that sends nothing for this long is ended. It reports its progress every two seconds, unless a page hangs it."""

READ_BYTES = 1024**2

ROOT = Path(__file__).resolve().parents[3]


_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT})
"""Signals that the child gets from a person or the system, for example because memory ran out."""


class CrawlFailed(Exception):  # noqa: N818
    """The crawl failed. The message says why or, if the child ended without a reason, has the end of its output.

    from_outside: whether something else killed the child, so that trying again may help.
    """

    def __init__(self, message: str, *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.from_outside = from_outside


def _forget(_session: str) -> None:
    """Keep no session."""


class Crawl:
    """A running crawl. Use it as a context manager and iterate over its events until `Done`:

        with Crawl(plan) as crawl:
            for event in crawl:
                ...

    Leaving the block early ends the child. A `Progress` event comes every few seconds, so the loop over the events can also send a
    heartbeat and check whether the crawl should pause or stop. `pause`, `resume` and `stop` may be called from any thread.

    keep_session: called with the session each time the child has signed in.
    """

    def __init__(self, plan: CrawlPlan, *, program: Sequence[str] = PROGRAM, keep_session: Callable[[str], None] = _forget) -> None:
        self._plan = plan
        self._keep_session = keep_session
        self._program = program
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._unread: deque[bytes] = deque()
        self._rest = b""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Crawl":
        self._process = subprocess.Popen(  # noqa: S603
            self._program,
            cwd=ROOT,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )
        self._say(self._plan.to_json())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        process = self._started
        try:
            _close(process.stdin)
            _close(process.stdout)  # so that a child that waits for its output to be read does not wait for ever
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end_group(process)
            self._log.close()

    def __iter__(self) -> Iterator[Event]:
        """Yield events as they arrive; the last one is Done. Raises CrawlFailed, JsonShapeError."""
        for line in self._lines():
            event = event_from_json(line)
            if isinstance(event, SignedIn):
                self._keep_session(event.session)
                continue
            yield event
            if isinstance(event, Done):
                return
        code = self._started.wait()
        message = f"the crawler ended with exit code {code}: {self.last_words() or 'it said nothing'}"
        raise CrawlFailed(message, from_outside=-code in _FROM_OUTSIDE)

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines that the child writes. Raises CrawlFailed if it writes nothing for SILENT_S: then it hangs."""
        pipe = _pipe(self._started.stdout).fileno()
        while True:
            while self._unread:  # also what was read before an earlier loop over the events was left
                yield self._unread.popleft()
            readable, _, _ = select.select([pipe], [], [], SILENT_S)
            if not readable:
                _end_group(self._started)
                raise CrawlFailed(f"the crawler gave no sign of life for {SILENT_S:.0f} seconds and was ended")
            data = os.read(pipe, READ_BYTES)
            if not data:
                return
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._unread.extend(lines)

    def pause(self) -> None:
        """Start no more requests until `resume`. Requests under way are finished."""
        self._say(Command.PAUSE.to_json())

    def resume(self) -> None:
        self._say(Command.RESUME.to_json())

    def stop(self) -> None:
        """End the crawl. Requests under way are finished and reported, then Done follows."""
        self._say(Command.STOP.to_json())

    @property
    def pid(self) -> int:
        """The process id of the child."""
        return self._started.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code of the child: None while it runs, negative if a signal ended it."""
        return self._started.returncode

    def last_words(self) -> str:
        """Return the end of what the child wrote to standard error."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 2000))
        return hide_secrets(self._log.read().decode("utf-8", "replace").strip(), self._plan.list_secrets())

    @property
    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the crawl is not started: use it in a with statement")
        return self._process

    def _say(self, line: str) -> None:
        stdin = _pipe(self._started.stdin)
        with contextlib.suppress(BrokenPipeError):  # the child has ended; reading its events tells how
            stdin.write(line.encode() + b"\n")
            stdin.flush()


def fetch_once(urls: Sequence[str], *, plan: CrawlPlan, keep_session: Callable[[str], None] = _forget) -> list[Fetched]:
    """Fetch only these addresses, each once, and return the results in their order. Monitoring uses this.

    The limits, rendering and safety of the plan apply, except its page limit and its patterns. The files are in the plan's spool folder.

    Raises CrawlFailed.
    """
    wanted = tuple(dict.fromkeys(urls))
    quiet = replace(
        plan, start=(), sitemaps=(), feeds=(), url_lists=(), urls=wanted, queued=(), known=(), include=(), exclude=(), page_limit=None
    )
    quiet = replace(quiet, search=Search(), robots_sitemaps=False, follow_links=False, follow_pagination=False, sample=False)
    found: dict[str, Fetched] = {}
    with Crawl(quiet, keep_session=keep_session) as crawl:
        for event in crawl:
            if isinstance(event, Fetched):
                found[event.url] = event
            elif isinstance(event, Done) and event.reason is EndReason.FAILED:
                raise CrawlFailed(event.message)
    return [found[url] for url in wanted if url in found]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith(ENVIRONMENT_STARTS)}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the child was started without this pipe")
    return pipe


def _close(pipe: IO[bytes] | None) -> None:
    with contextlib.suppress(BrokenPipeError):
        _pipe(pipe).close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child and its browser, which form a process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
