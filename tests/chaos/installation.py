"""An installation in a folder of its own, with web, worker and beat as processes that are started again when they end."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.e2e.conftest import ROOT, environment

QUIET_S = 300.0
"""How long the runs may take to come to their end after the last fault. A run that takes longer counts as stuck."""

STATE = """
import json
from extraction.models import *
def texts(values):
    return {name: [each["raw"] for each in many] for name, many in values.items()}
print(json.dumps({
    "pages": list(Page.objects.order_by("site__slug", "url").values_list("site__slug", "url", "current__sha256")),
    "snapshots": list(Snapshot.objects.order_by("page__site__slug", "page__url", "sha256").values_list("page__url", "sha256")),
    "templates": sorted(sorted(Page.objects.filter(current__cluster=c).values_list("url", flat=True)) for c in Cluster.objects.all()),
    "records": [(url, texts(values)) for url, values in Record.objects.now().order_by("snapshot__page__url").values_list("snapshot__page__url", "values")],
    "tracked": sorted(map(str, TrackedRecord.objects.values_list("cluster__site__slug", "digest", "state"))),
    "changes": sorted(map(str, RecordChange.objects.values_list("record__digest", "number", "kind"))),
}, default=str))
"""
"""What the day leaves, without keys and times. Run in the installation's own Django."""


@dataclass
class Installation:
    """The processes and the folder of an installation.

    restarts: how often a process that had ended was started again.
    """

    folder: Path
    port: int
    restarts: int = 0
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.manage("migrate", "--verbosity", "0")

    def manage(self, *arguments: str) -> str:
        """Return what a command of `manage.py` prints. Raises CalledProcessError."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment(self.folder), capture_output=True, text=True, check=True).stdout

    def run_module(self, name: str, *arguments: str) -> None:
        """Run a module of the tests in this installation."""
        subprocess.run([sys.executable, "-m", name, *arguments], cwd=ROOT, env=environment(self.folder), capture_output=True, check=True)

    def keep(self) -> None:
        """Start the processes that do not run, as a service manager does."""
        commands = {
            "web": [
                "-m",
                "gunicorn",
                "vertex.wsgi",
                "--bind",
                f"127.0.0.1:{self.port}",
                "--worker-class",
                "gthread",
                "--threads",
                "4",
                "--no-control-socket",
            ],
            "worker": ["manage.py", "worker", "--processes", "2"],
            "beat": ["-m", "celery", "-A", "vertex", "beat", "--pidfile="],
        }
        for name, command in commands.items():
            process = self.processes.get(name)
            if process is not None and process.poll() is None:
                continue
            self.restarts += process is not None
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes[name] = subprocess.Popen(
                    [sys.executable, *command], cwd=ROOT, env=environment(self.folder), stdout=log, stderr=log, start_new_session=True
                )

    def stop(self) -> None:
        """End all processes and their children."""
        family = [child for process in self.processes.values() for child in self.family(process.pid)]
        for process in self.processes.values():
            process.terminate()
        psutil.wait_procs(family, timeout=8)
        for each in family:
            with contextlib.suppress(psutil.Error):
                each.kill()
        for process in self.processes.values():
            process.wait()
        self.processes.clear()

    def family(self, pid: int) -> list[psutil.Process]:
        """Return a process of ours with all its descendants."""
        with contextlib.suppress(psutil.Error):
            parent = psutil.Process(pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def query(self, text: str) -> list[tuple[object, ...]]:
        """Return rows of the database, read directly."""
        with contextlib.closing(sqlite3.connect(self.folder / "vertex.sqlite3", timeout=60)) as database:
            return list(database.execute(text))

    def wait_until_quiet(self, tick: Callable[[], None]) -> bool:
        """Wait until no run waits or runs. Return False if that takes longer than QUIET_S. tick: called ten times a second."""
        end = time.monotonic() + QUIET_S
        while time.monotonic() < end:
            self.keep()
            tick()
            with contextlib.suppress(sqlite3.OperationalError):
                if not self.query("select 1 from extraction_run where state in ('queued', 'running') limit 1"):
                    return True
            time.sleep(0.1)
        return False

    def answers(self) -> bool:
        """Return whether the web process shows the sign-in page."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/sign-in/", timeout=10) as answer:
            return bool(answer.status == 200)
        return False

    def read_state(self) -> dict[str, list[object]]:
        """Return what the day left (`STATE`)."""
        found: dict[str, list[object]] = json.loads(self.manage("shell", "--no-imports", "-c", STATE).splitlines()[-1])
        return found
