"""Web, worker and beat as child processes: the lines of the Procfile, started and stopped together."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent.parent

STOP_S = 15.0
"""How long the processes may take to end by themselves. Then they are killed, and the sweep of the next start finds their runs."""


class ProcessError(Exception):
    """The processes could not start, or ended by themselves."""


@contextlib.contextmanager
def started(names: list[str], *, port: int, log: Path, environment: Mapping[str, str] = os.environ) -> Iterator["subprocess.Popen[bytes]"]:
    """Run processes of the Procfile until the end of the block.

    names: their names in the Procfile.
    port: the port of the web process.
    log: the file for their output.
    environment: their environment variables.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        **environment,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "VERTEX_PORT": str(port),
        "PYTHONUNBUFFERED": "1",
    }
    with log.open("ab") as out:
        process = subprocess.Popen(  # noqa: S603 - our own command line
            [sys.executable, "-m", "honcho", "start", "-f", str(settings.FILES_DIR / "Procfile"), "-d", str(ROOT), *names],
            cwd=ROOT,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that only this process gets a Ctrl-C and passes it on once
        )
    try:
        yield process
    finally:
        _stop(process)


def wait_for_port(process: "subprocess.Popen[bytes]", port: int, *, timeout_s: float = 60.0) -> None:
    """Wait until something listens on the port. Raises ProcessError if the processes end before, or if it takes too long."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if process.poll() is not None:
            raise ProcessError(f"the processes ended with exit code {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise ProcessError(f"nothing listens on port {port} after {timeout_s:.0f} s")


def find_free_port(wanted: int, *, tries: int = 20, advice: str = "set VERTEX_PORT to a free one") -> int:
    """Return the wanted port or, if it is taken, the next free one.

    wanted: the first port to try.
    tries: how many ports to try.
    advice: what to do if all of them are taken.

    Raises ProcessError with the advice if all of them are taken.
    """
    for port in range(wanted, wanted + tries):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    taken = f"the port {wanted} is" if tries == 1 else f"the ports {wanted} to {wanted + tries - 1} are all"
    raise ProcessError(f"{taken} taken; {advice}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
