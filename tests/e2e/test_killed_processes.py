"""The product's own worker killed in the middle of an import, a clustering and an extraction: each ends, and nothing is duplicated or lost.

Compared with a product that was not disturbed: pages, contents, templates, records.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests import migrated
from tests.demo.zipped import write_zip
from tests.e2e.conftest import ROOT, Dashboard, environment

pytestmark = pytest.mark.e2e

STATE = """
import json
from extraction.models import *
print(json.dumps({
    "pages": list(Page.objects.order_by("url").values_list("url", "current__sha256", "current__vector")),
    "snapshots": Snapshot.objects.count(),
    "templates": sorted(sorted(Snapshot.objects.filter(cluster=c).values_list("page__url", flat=True)) for c in Cluster.objects.all()),
    "records": list(Record.objects.order_by("snapshot__page__url").values_list("snapshot__page__url", "values")),
    "runs": sorted(set(Run.objects.filter(kind__in=["import", "cluster", "learn", "extract"]).values_list("state", flat=True))),
}))
"""


@pytest.fixture
def product(tmp_path: Path) -> Dashboard:
    made = Dashboard("", tmp_path / "var")
    migrated.copy_database(made.folder)
    return made


def state(product: Dashboard) -> dict[str, object]:
    found: dict[str, object] = json.loads(product.manage("shell", "--no-imports", "-c", STATE).splitlines()[-1])
    return found


def worker(product: Dashboard) -> "subprocess.Popen[bytes]":
    """A worker with its child processes as one group. Beat is not needed, because a restarted worker looks for lost runs itself."""
    command = [sys.executable, "manage.py", "worker", "--processes", "1"]
    with (product.folder / "worker.log").open("ab") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment(product.folder), stdout=log, stderr=log, start_new_session=True)


def kill(process: "subprocess.Popen[bytes]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_of(product: Dashboard, kind: str) -> tuple[str, int]:
    """(state, attempts) of the newest run of a kind, read directly from the database, because a management command would be too slow."""
    with contextlib.closing(sqlite3.connect(product.folder / "vertex.sqlite3", timeout=30)) as database:
        row = database.execute("select state, attempts from extraction_run where kind = ? order by id desc limit 1", [kind]).fetchone()
    return row or ("", 0)


def unfinished(product: Dashboard) -> int:
    with contextlib.closing(sqlite3.connect(product.folder / "vertex.sqlite3", timeout=30)) as database:
        return int(database.execute("select count(*) from extraction_run where state in ('queued', 'running')").fetchone()[0])


def wait_until(holds: Callable[[], bool], *, timeout_s: float = 120.0) -> None:
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def test_a_worker_killed_again_and_again_leaves_the_same_result_as_an_undisturbed_one(product: Dashboard, tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    write_zip(archive)
    calm = Dashboard("", tmp_path / "calm")
    migrated.copy_database(calm.folder)
    calm.manage("import_pages", "Shop", str(archive), "--here")
    calm.manage("cluster_site", "Shop", "--here")
    prepare = [sys.executable, "-m", "tests.e2e.live_rule"]
    subprocess.run(prepare, cwd=ROOT, env=environment(calm.folder), check=True)
    calm.manage("extract", "Shop", "--here")

    product.manage("import_pages", "Shop", str(archive))
    _killed_once(product, "import")
    product.manage("cluster_site", "Shop")
    _killed_once(product, "cluster")
    subprocess.run(prepare, cwd=ROOT, env=environment(product.folder), check=True)
    product.manage("extract", "Shop")
    _killed_once(product, "extract")

    found, expected = state(product), state(calm)
    assert found["records"]
    assert found == expected
    assert found["runs"] == ["done"]


def _killed_once(product: Dashboard, kind: str) -> None:
    """Let a worker begin the run, kill it, and let another one finish the run."""
    first = worker(product)
    wait_until(lambda: run_of(product, kind)[0] == "running")
    kill(first)
    assert run_of(product, kind) == ("running", 1), "it was over before it could be killed"
    _ended(product)
    assert run_of(product, kind) == ("done", 2)


def _ended(product: Dashboard) -> None:
    """Let a worker do all waiting runs."""
    second = worker(product)
    try:
        wait_until(lambda: not unfinished(product))
    finally:
        kill(second)


def test_a_killed_worker_is_restarted_and_continues(product: Dashboard, tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    write_zip(archive)
    product.manage("import_pages", "Shop", str(archive))
    keeper = worker(product)
    try:
        wait_until(lambda: run_of(product, "import")[0] == "running")
        (child,) = psutil.Process(keeper.pid).children()
        child.kill()
        wait_until(lambda: not unfinished(product))
    finally:
        kill(keeper)
    assert run_of(product, "import") == ("done", 2)
