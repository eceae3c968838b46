"""An installation in a folder of its own, with web, worker and beat as processes that are started again when they end."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.chaos.local import Local
from tests.chaos.served import ObjectStorage, Served
from tests.e2e.conftest import ROOT, environment

HOOKS = Path(__file__).resolve().parent / "hooks"

START_S = 120.0
"""How long the dashboard may take to start on a busy machine."""

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
    "marks": sorted(map(str, Label.objects.values_list("snapshot__page__url", "snapshot__sha256", "attribute__name", "location"))),
}, default=str))
"""
"""What the day leaves, without keys and times. Run in the installation's own Django."""


@dataclass
class Installation:
    """The processes and the folder of an installation.

    backing: what the database, the queue and the stored pages are kept in.
    restarts: how often a process that had ended was started again.
    """

    folder: Path
    port: int
    backing: Local | Served
    restarts: int = 0
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def create(self) -> None:
        """Make an empty installation."""
        (self.folder / "hooks").mkdir(parents=True)
        self.backing.create()
        self.manage("migrate", "--verbosity", "0")

    def copy(self, folder: Path) -> "Installation":
        """Return an installation with the same data. This one must have no processes."""
        backing = self.backing.copy(folder)
        shutil.copytree(self.folder, folder)
        return Installation(folder, self.port, backing)

    @property
    def clock(self) -> Path:
        """The file with the seconds by which its clock is ahead."""
        return self.folder / "hooks" / "clock"

    @property
    def _environment(self) -> dict[str, str]:
        disturbed = {"PYTHONPATH": os.pathsep.join([str(HOOKS), str(ROOT)]), "CHAOS_HOOKS": str(self.clock.parent)}
        return environment(self.folder) | self.backing.environment() | disturbed

    def manage(self, *arguments: str) -> str:
        """Return what a command of `manage.py` prints. Raises CalledProcessError."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=True).stdout

    def run_script(self, text: str) -> str:
        """Return the last line that a script prints in the installation's own Django."""
        return self.manage("shell", "--no-imports", "-c", text).splitlines()[-1]

    def run_module(self, name: str, *arguments: str) -> None:
        """Run a module of the tests in this installation. Its runs are executed by itself."""
        unheard = self._environment | {"VERTEX_BROKER_URL": "memory://"}
        subprocess.run([sys.executable, "-m", name, *arguments], cwd=ROOT, env=unheard, capture_output=True, check=True)

    def keep(self) -> None:
        """Start the processes that do not run, as a service manager does."""
        web = [
            "-m",
            "gunicorn",
            "vertex.wsgi",
            "--bind",
            f"127.0.0.1:{self.port}",
            "--keep-alive",
            "130",
            "--worker-class",
            "vertex.web_worker.LimitedWorker",
            "--threads",
            "8",
        ]
        commands = {
            "web": [*web, "--no-control-socket"],
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
                    [sys.executable, *command], cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
                )

    def stop(self) -> None:
        """End all processes and their children."""
        family = self.list_processes()
        for process in self.processes.values():
            process.terminate()
        psutil.wait_procs(family, timeout=8)
        for each in family:
            with contextlib.suppress(psutil.Error):
                each.kill()
        for process in self.processes.values():
            process.wait()
        self.processes.clear()

    def list_processes(self) -> list[psutil.Process]:
        """Return all processes of ours with their descendants."""
        return [each for process in self.processes.values() for each in self.family(process.pid)]

    def family(self, pid: int) -> list[psutil.Process]:
        """Return a process of ours with all its descendants."""
        with contextlib.suppress(psutil.Error):
            parent = psutil.Process(pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def wait_until_quiet(self, tick: Callable[[], bool], *, limit_s: float, but: Collection[str] = ()) -> bool:
        """Wait until no run waits or runs. Return False if that takes too long.

        tick: called ten times a second. It returns whether faults are still injected; that time does not count.
        but: kinds of runs that are not waited for.
        """
        end = time.monotonic() + limit_s
        kinds = "', '".join(but)
        while time.monotonic() < end:
            self.keep()
            if tick():
                end = time.monotonic() + limit_s
            with contextlib.suppress(OSError):
                if not self.backing.query(
                    f"select 1 from extraction_run where state in ('queued', 'running') and kind not in ('{kinds}') limit 1"
                ):
                    return True
            time.sleep(0.1)
        return False

    def wait_until_delivered(self, *, limit_s: float) -> bool:
        """Wait until no delivery waits or is being sent. Return False if that takes too long."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            self.keep()
            with contextlib.suppress(OSError):
                if not self.backing.query("select 1 from extraction_delivery where state in ('queued', 'sending') limit 1"):
                    return True
            time.sleep(0.1)
        return False

    def answers(self) -> bool:
        """Return whether the web process shows the sign-in page."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/sign-in/", timeout=10) as answer:
            return bool(answer.status == 200)
        return False

    def answers_soon(self) -> bool:
        """Return whether the sign-in page is shown within START_S."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            self.keep()
            if self.answers():
                return True
            time.sleep(1)
        return False

    def read_state(self) -> dict[str, list[object]]:
        """Return what the day left (`STATE`)."""
        found: dict[str, list[object]] = json.loads(self.run_script(STATE))
        return found


class Stopper:
    """Stops an installation when it is closed."""

    def __init__(self, place: Installation) -> None:
        self._place = place

    def close(self) -> None:
        self._place.stop()


@contextlib.contextmanager
def choose_backing(folder: Path, name: str, *, servers: bool) -> Iterator[Local | Served]:
    """Yield the place of the data of an installation: its folder, or servers. What was made on servers is deleted in the end."""
    if not servers:
        yield Local(folder)
        return
    with contextlib.closing(ObjectStorage()) as storage:
        backing = Served(name, storage)
        try:
            yield backing
        finally:
            backing.drop_all()
