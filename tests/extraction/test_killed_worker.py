"""A worker killed in the middle of an import or a clustering: the next one finishes, and nothing is doubled or lost."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.extraction.intake import manifest, site_files, zip_at


class Worker:
    """Processes with one database and one storage of their own."""

    def __init__(self, folder: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("VERTEX_")}
        self._environment = kept | {"VERTEX_VAR_DIR": str(folder), "VERTEX_BROKER_URL": "memory://", "VERTEX_LOG_LEVEL": "ERROR"}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.extraction.killed", *words]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    files = manifest(site_files(24, 12)) | {"empty.html": b"", "inner.zip": b"PK", "about.html": b"<html><p>About"}
    return zip_at(tmp_path / "site.zip", files)


def state(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_killed_workers_leave_what_an_undisturbed_one_leaves(archive: Path, tmp_path: Path) -> None:
    undisturbed = state(Worker(tmp_path / "a")("begin", str(archive), "work", "state"))
    assert [run[:2] for run in undisturbed["runs"]] == [["import", "done"], ["cluster", "done"]]
    assert len(undisturbed["pages"]) == 38
    assert len(undisturbed["clusters"]) == 2

    worker = Worker(tmp_path / "b")
    deaths = [
        worker("begin", str(archive), "die", "extraction.services.page_store._settle", "33", "work"),
        worker("die", "extraction.services.import_pages._delete", "1", "work"),
        worker("die", "extraction.services.cluster_pages._forget", "1", "work"),
        worker("die", "extraction.services.sample_pages._read", "3", "work"),
    ]
    assert [death.returncode for death in deaths] == [-signal.SIGKILL] * 4, [death.stderr for death in deaths]
    assert state(worker("work", "state")) == undisturbed
