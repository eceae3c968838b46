"""The crawling child as its parent sees it: start it with a plan, take its events, tell it to pause, resume or stop.

The child is a process of its own because Scrapy's reactor can neither be started twice nor share a Celery worker, and because
what hostile pages do to it (memory, a hung parser, a browser) then ends with it. It gets no environment but what it
needs: keys and passwords of the dashboard stay here. It ends itself when its standard input closes, which a killed parent's does.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO

from extraction.fetching.crawl.messages import Command, CrawlPlan, Done, EndReason, Event, Fetched, event_from_json

PROGRAM = (sys.executable, "-m", "extraction.fetching.crawl")

ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "VERTEX_CHROMIUM")
ENVIRONMENT_STARTS = ("PLAYWRIGHT_", "OPENBLAS_")

GRACE_S = 15.0
"""How long a child has to end by itself: it waits for answers that are under way and closes its browser."""

ROOT = Path(__file__).resolve().parents[3]


class CrawlFailed(Exception):  # noqa: N818
    """The child ended without saying why; the message has the last it wrote."""


class Crawl:
    """A running crawl. Use as a context manager and iterate over its events until `Done`:

        with Crawl(plan) as crawl:
            for event in crawl:
                ...

    Leaving the block early ends the child. A `Progress` comes every few seconds whatever happens, so a loop over the events is also
    the place to show life and to look whether somebody wants to pause or stop. `pause`, `resume` and `stop` may be called from
    any thread.
    """

    def __init__(self, plan: CrawlPlan, *, program: Sequence[str] = PROGRAM) -> None:
        self._plan = plan
        self._program = program
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
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
            _close(process.stdout)  # a child that waits to be read sees that nobody will
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end_group(process)
            self._log.close()

    def __iter__(self) -> Iterator[Event]:
        """Events as they come; the last is Done. Raises CrawlFailed, JsonShapeError."""
        for line in _pipe(self._started.stdout):
            event = event_from_json(line)
            yield event
            if isinstance(event, Done):
                return
        raise CrawlFailed(f"the crawler ended with exit code {self._started.wait()}: {self.last_words() or 'it said nothing'}")

    def pause(self) -> None:
        """No request is begun until `resume`; those under way are finished."""
        self._say(Command.PAUSE.to_json())

    def resume(self) -> None:
        self._say(Command.RESUME.to_json())

    def stop(self) -> None:
        """Ends the crawl; what is under way is finished and told, then comes Done."""
        self._say(Command.STOP.to_json())

    @property
    def pid(self) -> int:
        """The child's process."""
        return self._started.pid

    @property
    def exit_code(self) -> int | None:
        """How the child ended; None while it runs, negative for a signal."""
        return self._started.returncode

    def last_words(self) -> str:
        """The end of what the child wrote to its standard error."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 2000))
        return self._log.read().decode("utf-8", "replace").strip()

    @property
    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the crawl is not started: use it in a with statement")
        return self._process

    def _say(self, line: str) -> None:
        stdin = _pipe(self._started.stdin)
        with contextlib.suppress(BrokenPipeError):  # it has ended: reading its events says how
            stdin.write(line.encode() + b"\n")
            stdin.flush()


def fetch_once(urls: Sequence[str], *, plan: CrawlPlan) -> list[Fetched]:
    """Fetches just these addresses, each once, as monitoring does; what the plan says about limits, rendering and safety holds.

    In the order of `urls`; an address that is given twice comes once. The files are in the plan's spool. Raises CrawlFailed.
    """
    wanted = tuple(dict.fromkeys(urls))
    quiet = replace(
        plan, start=(), sitemaps=(), feeds=(), url_lists=(), urls=wanted, queued=(), known=(), include=(), exclude=(), page_limit=None
    )
    quiet = replace(quiet, robots_sitemaps=False, follow_links=False, follow_pagination=False, sample=False)
    found: dict[str, Fetched] = {}
    with Crawl(quiet) as crawl:
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
    """Ends what is left of the child and of its browser, which are a process group of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
