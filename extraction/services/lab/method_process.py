"""Cluster pages with one method in a child process with limits, and measure its time and memory.

The time of some methods grows with the square or the cube of the size of the pages. The child therefore has limits on its
processor time and memory, and can be stopped at any time. This module does not need Django.

Time is the child's processor time from the pages' bytes to the groups. Memory is the peak of its resident set while the
method runs, less what it used before for the interpreter, the libraries and the pages' bytes.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from extraction.algorithms.clustering.group_templates import GroupTemplates
from extraction.algorithms.methods import Groups, Pages, find_groups, mdl_bits
from extraction.services.core.sandbox import LIMITS_REACHED, Ending, Heartbeat, SandboxLimits, run_in_sandbox
from extraction.services.lab import template_paths

LIMITS = SandboxLimits(cpu_s=900, wall_s=4 * 3600, memory_bytes=3 * 1024**3)
"""600 pages of Javadoc take 11 seconds and 45 MB beside the libraries. The limit on wall-clock time is for a child that hangs."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The result of a method.

    groups: groups of names of pages; None if the method gave up.
    seconds, peak_bytes: processor time and memory used.
    bits: MDL cost of the groups; NaN if it was not requested or could not be computed.
    reason: why the method gave up.
    bits_reason: why the cost could not be computed; empty if it was computed or not requested.
    notice: what the method could not do in full; empty if nothing.
    stopped: why something outside stopped the method before it was done; empty if nothing did.
    paths: the template paths of the groups, in their order; None if they were not requested or could not be found.
    """

    groups: Groups | None
    seconds: float = 0.0
    peak_bytes: int = 0
    bits: float = math.nan
    reason: str = ""
    bits_reason: str = ""
    notice: str = ""
    stopped: str = ""
    paths: GroupTemplates | None = None


def run_method(
    method: str,
    pages: Pages,
    *,
    look: Heartbeat = lambda: None,
    cost: bool = True,
    paths: bool = False,
    limits: SandboxLimits = LIMITS,
) -> MethodResult:
    """Run a method of `METHODS`.

    look: called twice a second meanwhile; an exception that it raises stops the method and is passed on.
    cost: whether to compute the MDL cost, too.
    paths: whether to find the template paths of the groups, too.
    """
    return _ask({"method": method, "cost": cost, "paths": paths, "groups": None}, pages, look, limits)


def measure_bits(
    pages: Pages, groups: Groups, *, look: Heartbeat = lambda: None, paths: bool = False, limits: SandboxLimits = LIMITS
) -> MethodResult:
    """Return known groups with their MDL cost, or with the reason why it could not be computed.

    paths: whether to find the template paths of the groups, too.
    """
    found = _ask({"method": "", "cost": True, "paths": paths, "groups": groups}, pages, look, limits)
    return replace(found, groups=groups, reason="", bits_reason=found.bits_reason or found.reason)


def _ask(request: dict[str, Any], pages: Pages, look: Heartbeat, limits: SandboxLimits) -> MethodResult:
    done = run_in_sandbox(cluster_pages, _request(request, pages), limits=limits, look=look)
    reason = f"{done.reason} for these pages" if done.ending in LIMITS_REACHED else done.reason
    stopped = done.reason if done.ending is Ending.STOPPED else ""
    if not done.rows:
        return MethodResult(None, reason=reason, stopped=stopped)
    found = MethodResult(**done.rows[-1] | {"stopped": stopped})
    if isinstance(found.paths, dict):
        templates, frame = found.paths["templates"], found.paths["frame"]
        found = replace(found, paths=GroupTemplates(tuple(map(tuple, templates)), tuple(frame)))
    # If only the cost failed, the groups are still known. If only the paths failed, so is the cost.
    return replace(found, bits_reason=reason) if math.isnan(found.bits) else found


def _request(request: dict[str, Any], pages: Pages) -> Iterator[bytes]:
    yield json.dumps(request | {"pages": [(name, len(content)) for name, content in pages.items()]}).encode() + b"\n"
    yield from pages.values()


def cluster_pages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield a `MethodResult` when the groups are known, another one with their cost and one with their paths if these were requested.

    Runs in the child process.
    """
    request = json.loads(source.readline())
    pages = {name: source.read(length) for name, length in request["pages"]}
    groups, seconds, peak, notice = request["groups"], 0.0, 0, ""
    if groups is None:
        before, started = _forget_peak(), time.process_time()
        found = find_groups(request["method"], pages)
        groups, notice = found.groups, found.notice
        seconds, peak = time.process_time() - started, max(0, _status("VmHWM") - before)
        yield asdict(MethodResult(groups, seconds, peak, notice=notice))
    bits = math.nan
    if request["cost"]:
        bits = mdl_bits(pages, groups)
        yield asdict(MethodResult(groups, seconds, peak, bits, notice=notice))
    if request["paths"]:
        paths = template_paths.find_paths(pages, groups)
        yield asdict(MethodResult(groups, seconds, peak, bits, notice=notice, paths=paths))


def _forget_peak() -> int:
    """Reset the measured peak of memory and return the bytes that the process uses now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _status("VmHWM")  # resetting is not allowed: subtract the previous peak instead
    return _status("VmRSS")


def _status(name: str) -> int:
    """Return a figure from the status of this process in bytes; 0 if the system does not provide it."""
    try:
        lines: Sequence[str] = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)
