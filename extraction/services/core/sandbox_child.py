"""The child's side of `sandbox`: it limits itself, runs one function of ours and writes each result as a line of JSON.

``python -m extraction.services.core.sandbox_child MODULE FUNCTION SETTINGS``. It does not need Django and starts in a tenth of
a second.
"""

import ctypes
import errno
import faulthandler
import importlib
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).resolve().parents[3]

REPORT_BYTES = 64 * 1024**2
"""Memory beyond the limit that the child may use to report that it reached the limit."""

GRACE_S = 1
"""Seconds of processor time between the signal that says that the time is used up and the signal that cannot be ignored."""

MAX_MESSAGE = 300
"""The largest number of characters of an error message that are reported."""

MEMORY_WORDS = ("memoryerror", "cannot allocate memory", "memory allocation failed", "bad_alloc", "out of memory")
"""What libraries write when an allocation fails, in lower case."""

PR_SET_PDEATHSIG = 1
"""The option of Linux's prctl(2) that names a signal to receive when the parent dies."""


def main(module: str, function: str, settings: str) -> None:
    """Run `module.function` on standard input.

    settings: a JSON object with parent, cpu_s and memory_bytes.
    """
    options = json.loads(settings)
    results = _take_stdout()
    die_with_parent(options["parent"])
    faulthandler.enable()
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit(resource.RLIMIT_CPU, options["cpu_s"], options["cpu_s"] + GRACE_S)
    try:
        entry = getattr(importlib.import_module(module), function)
        _limit(resource.RLIMIT_AS, options["memory_bytes"], options["memory_bytes"] + REPORT_BYTES)
        for row in entry(sys.stdin.buffer):
            _write(results, "row", row)
        _write(results, "finished")
    except Exception as error:  # noqa: BLE001 - the parent reports any error
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        _limit(resource.RLIMIT_AS, most, most)
        traceback.print_exc()
        if is_out_of_memory(error):
            _write(results, "memory used up")
        else:
            _write(results, "crashed", describe_error(error))


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that an allocation failed, in Python or in a library."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    return any(word in str(error).lower() for word in MEMORY_WORDS)


def describe_error(error: BaseException) -> list[str]:
    """Return the error's type, its message and the last line of its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{_short(frames[-1].filename)}, line {frames[-1].lineno}, in {frames[-1].name}" if frames else ""
    return [type(error).__name__, str(error)[:MAX_MESSAGE], place]


def _short(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def _take_stdout() -> BinaryIO:
    """Return a stream to the parent for results only. Everything else that is printed goes to standard error."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return results


def _write(results: BinaryIO, kind: str, value: Any = None) -> None:
    """Write a line for the parent.

    kind: "row", or an `Ending` of the parent's side.
    """
    results.write(json.dumps([kind, value]).encode() + b"\n")
    results.flush()


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill this process when its parent dies. On other systems its time limit ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the parent is gone")


def _limit(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the system's own limit if that is lower."""
    _, most = resource.getrlimit(kind)
    if most != resource.RLIM_INFINITY:
        hard = min(hard, most) if hard != resource.RLIM_INFINITY else most
        soft = min(soft, hard) if soft != resource.RLIM_INFINITY else hard
    resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    main(*sys.argv[1:])
