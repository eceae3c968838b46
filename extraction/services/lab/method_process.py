"""Clusters pages by one method in a child process: what it takes is measured, and a hostile page can take no more than that.

Some methods' time grows with the square or the third power of what is on the pages. So a child gets the pages, a bound of its
processor's seconds and of its memory, and can be stopped at any time. Needs no Django.

Time is the child's processor time from the pages' bytes to the groups. Memory is the peak of its resident set while the method runs, less
what it had before: the interpreter, the libraries and the pages' bytes.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from extraction.algorithms.methods import METHODS, Groups, Pages, mdl_bits
from extraction.services.core.sandbox import LIMITS_REACHED, Heartbeat, SandboxLimits, run_in_sandbox

LIMITS = SandboxLimits(cpu_s=900, wall_s=4 * 3600, memory_bytes=3 * 1024**3)
"""600 pages of javadoc take 11 seconds and 45 MB beside what the libraries hold. The clock is only for a child that waits for nothing."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What a method did. groups: of names of pages, None where it gave up, as `reason` says. seconds, peak_bytes: what it took.

    bits: MDL cost of the groups; NaN where it was not asked for or could not be told within the bounds.
    """

    groups: Groups | None
    seconds: float = 0.0
    peak_bytes: int = 0
    bits: float = math.nan
    reason: str = ""


def run_method(
    method: str, pages: Pages, *, look: Heartbeat = lambda: None, cost: bool = True, limits: SandboxLimits = LIMITS
) -> MethodResult:
    """Runs a method of `METHODS`. look: called twice a second meanwhile; what it raises stops the method and is raised."""
    return _ask({"method": method, "cost": cost, "groups": None}, pages, look, limits)


def measure_bits(pages: Pages, groups: Groups, *, look: Heartbeat = lambda: None, limits: SandboxLimits = LIMITS) -> float:
    """The MDL cost of groups that are known; NaN where it could not be told within the bounds."""
    return _ask({"method": "", "cost": True, "groups": groups}, pages, look, limits).bits


def _ask(request: dict[str, Any], pages: Pages, look: Heartbeat, limits: SandboxLimits) -> MethodResult:
    done = run_in_sandbox(cluster_pages, _request(request, pages), limits=limits, look=look)
    if done.rows:  # the groups stay known where only their cost took too much
        return MethodResult(**done.rows[-1])
    return MethodResult(None, reason=f"{done.reason} for these pages" if done.ending in LIMITS_REACHED else done.reason)


def _request(request: dict[str, Any], pages: Pages) -> Iterator[bytes]:
    yield json.dumps(request | {"pages": [(name, len(content)) for name, content in pages.items()]}).encode() + b"\n"
    yield from pages.values()


def cluster_pages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Runs in the child: a `MethodResult` once the groups are known, and again with their cost if it is asked for."""
    request = json.loads(source.readline())
    pages = {name: source.read(length) for name, length in request["pages"]}
    groups, seconds, peak = request["groups"], 0.0, 0
    if groups is None:
        before, started = _forget_peak(), time.process_time()
        groups = METHODS[request["method"]](pages)
        seconds, peak = time.process_time() - started, max(0, _status("VmHWM") - before)
        yield asdict(MethodResult(groups, seconds, peak))
    if request["cost"]:
        yield asdict(MethodResult(groups, seconds, peak, mdl_bits(pages, groups)))


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
