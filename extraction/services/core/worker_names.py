"""The names of worker processes, as the rows that they claim hold them."""

import os
import socket
from pathlib import Path

import psutil

_HAS_PROC = Path("/proc/self/stat").exists()


def name_worker(pid: int | None = None) -> str:
    """Return the name of a process of this machine: its host, number and start. pid: this process if None."""
    return f"{socket.gethostname()} {name_process(os.getpid() if pid is None else pid)}"


def name_process(pid: int) -> str:
    """Return a process's number and start, because numbers are reused; empty if there is no such process."""
    try:
        return f"{pid}@{_read_start_ticks(pid) if _HAS_PROC else f'{psutil.Process(pid).create_time():.1f}'}"
    except (OSError, psutil.Error):
        return ""


def is_alive(name: str) -> bool | None:
    """Return whether the process of a name is alive; None if it belongs to another machine."""
    host, _, process = name.partition(" ")
    if host != socket.gethostname():
        return None
    pid = process.partition("@")[0]
    return pid.isdecimal() and process == name_process(int(pid))


def _read_start_ticks(pid: int) -> int:
    """Return when a process started, in ticks since the machine was started. Raises OSError.

    psutil gives a time of day. It changes when the clock is set, and then living workers would be taken for dead.
    """
    state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    if state in ("Z", "X"):
        raise ProcessLookupError(pid)
    return int(fields[18])
