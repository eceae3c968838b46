"""Clusters pages by one method in a process of its own: what it takes is measured, and a hostile page can take no more than that.

Some methods' time grows with the square or the third power of what is on the pages. So a child gets the pages, a bound of its
processor's seconds and of its memory, and can be stopped at any time. Needs no Django.

Time is the child's processor time from the pages' bytes to the groups. Memory is the peak of its resident set while the method runs, less
what it had before: the interpreter, the libraries and the pages' bytes.
"""

import json
import math
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from extraction.algorithms.methods import METHODS, Groups, Pages, mdl_bits

Limits = tuple[int, int]
Look = Callable[[], None]

LIMITS: Limits = (900, 3 * 1024**3)
"""(seconds of a processor, bytes of address space, that of the libraries included): 600 pages of javadoc take 11 seconds and 45 MB
beside what the libraries hold."""

LOOK_EVERY_S = 0.5

_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method did. groups: of names of pages, None where it gave up, as `reason` says. seconds, peak_bytes: what it took.

    bits: MDL cost of the groups; NaN where it was not asked for or could not be told within the bounds.
    """

    groups: Groups | None
    seconds: float = 0.0
    peak_bytes: int = 0
    bits: float = math.nan
    reason: str = ""


def run(method: str, pages: Pages, *, look: Look = lambda: None, cost: bool = True, limits: Limits = LIMITS) -> Outcome:
    """Runs a method of `METHODS`. look: called twice a second meanwhile; what it raises stops the method and is raised."""
    return _ask({"method": method, "cost": cost, "groups": None}, pages, look, limits)


def bits(pages: Pages, groups: Groups, *, look: Look = lambda: None, limits: Limits = LIMITS) -> float:
    """The MDL cost of groups that are known; NaN where it could not be told within the bounds."""
    return _ask({"method": "", "cost": True, "groups": groups}, pages, look, limits).bits


def _ask(request: dict[str, object], pages: Pages, look: Look, limits: Limits) -> Outcome:
    command = [sys.executable, "-m", "extraction.services.lab.method_process"]
    # One thread for sums, or its time would be that of all processors waiting for each other.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=_ROOT, env=environment, **pipes) as child:  # type: ignore[call-overload]  # noqa: S603
        written: list[bytes] = []
        threads = [
            threading.Thread(target=_write, args=(child.stdin, request | {"limits": limits}, pages), daemon=True),
            threading.Thread(target=lambda: written.append(child.stdout.read()), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            while child.poll() is None:
                look()
                threads[1].join(LOOK_EVERY_S)
        finally:
            child.kill()
        threads[1].join()
        lines = b"".join(written).splitlines()
        if lines:  # the groups stay known where only their cost took too much
            return Outcome(**json.loads(lines[-1]))
        stopped = child.returncode < 0
    seconds, memory = limits
    bound = f"{seconds:,} seconds of a processor" if stopped else f"{memory // 1024**2:,} MB of memory"
    return Outcome(None, reason=f"it needs more than {bound} for these pages")


def _write(stream: BinaryIO, request: dict[str, object], pages: Pages) -> None:
    try:
        stream.write(json.dumps(request | {"pages": [(name, len(content)) for name, content in pages.items()]}).encode() + b"\n")
        for content in pages.values():
            stream.write(content)
        stream.close()
    except (BrokenPipeError, ValueError):
        return  # it was stopped


def _child(source: BinaryIO) -> None:
    request = json.loads(source.readline())
    seconds, memory = request["limits"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    pages = {name: source.read(length) for name, length in request["pages"]}
    groups, seconds, peak = request["groups"], 0.0, 0
    if groups is None:
        before, started = _forget_peak(), time.process_time()
        groups = METHODS[request["method"]](pages)
        seconds, peak = time.process_time() - started, max(0, _status("VmHWM") - before)
        _say(Outcome(groups, seconds, peak))
    if request["cost"]:
        _say(Outcome(groups, seconds, peak, mdl_bits(pages, groups)))


def _say(outcome: Outcome) -> None:
    sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
    sys.stdout.flush()


def _forget_peak() -> int:
    """What the process holds now, in bytes; the peak counts from here on."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _status("VmHWM")  # not allowed: what the peak was before is all that can be left out
    return _status("VmRSS")


def _status(name: str) -> int:
    """A figure of this process in bytes, 0 where the system does not tell."""
    try:
        lines: Sequence[str] = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


if __name__ == "__main__":
    _child(sys.stdin.buffer)
