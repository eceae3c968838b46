"""Run a function on what is in memory, in a forked process with limits on its time and memory.

`sandbox` starts a new process that reads its input. Here the input is the tree of a page that was parsed already; a fork has it at once,
which costs some ten milliseconds. libxml2 cannot be interrupted, so nothing else can end an XPath that takes hours.
"""

import contextlib
import json
import logging
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

import psutil

from extraction.algorithms.errors import RuleError, XPathError
from extraction.services.core.sandbox_child import die_with_parent

CPU_S = 5
"""Seconds of processor time for one page. A learned rule takes some milliseconds."""

PATIENCE = 4
"""The process may take this many times CPU_S by the clock, since a busy machine may give it only a part of a processor."""

MEMORY_BYTES = 1024**3
"""Memory that the process may take beyond what it has when it begins."""

READ_BYTES = 1 << 16

logger = logging.getLogger(__name__)


def run_carefully(function: Callable[[], Any]) -> Any:
    """Return what the function returns, which must be a JSON value.

    Raises RuleError, with the reason, if the function takes too long or needs too much memory, and its RuleError or XPathError.
    """
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(function, writer, parent)
    os.close(writer)
    try:
        data = _read(reader, time.monotonic() + PATIENCE * CPU_S)
    finally:
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    try:
        kind, value = json.loads(data)
    except ValueError:
        logger.warning("a careful call was ended after %s bytes", len(data))
        raise RuleError(f"it takes longer than {CPU_S} seconds or more than {MEMORY_BYTES // 1024**2:,} MB of memory") from None
    if kind == "value":
        return value
    raise (XPathError if kind == "XPathError" else RuleError)(value)


def _answer(function: Callable[[], Any], writer: int, parent: int) -> None:
    """Write the result and end the process, without running anything that belongs to the parent."""
    try:
        die_with_parent(parent)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))  # a fork begins at 0 seconds
        most = psutil.Process().memory_info().vms + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            said = ["value", function()]
        except (RuleError, XPathError) as error:
            said = [type(error).__name__, str(error)]
        view = memoryview(json.dumps(said).encode())
        while view:
            view = view[os.write(writer, view) :]
    finally:
        os._exit(0)


def _read(reader: int, end: float) -> bytes:
    """Return what the process writes until it ends or the time is over."""
    pieces = []
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0] and (piece := os.read(reader, READ_BYTES)):
        pieces.append(piece)
    return b"".join(pieces)
