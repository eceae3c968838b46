"""A migrated SQLite database to copy. Migrating takes many times as long, and many tests run the product in a folder of its own."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

LOCKED_S = 30.0
"""How long to wait for other connections before a restored database counts as locked."""

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("extraction/migrations", "annotations/migrations", "extraction/models", "extraction/apps.py", "requirements.lock")
"""What the database depends on. The copy is made again when any of it changes."""


def copy_database(folder: Path) -> None:
    """Give the product of a VERTEX_VAR_DIR a database that is up to date and empty."""
    folder.mkdir(parents=True, exist_ok=True)
    copy_file(folder / "vertex.sqlite3")


def copy_file(path: Path) -> None:
    """Write a database that is up to date and empty."""
    shutil.copyfile(_find_original(), path)


def restore(connection: Any) -> None:
    """Give an SQLite database of the tests the state of a migrated one again. New rows still get numbers that no earlier row had."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence")
        used = cursor.fetchall()
    end = time.monotonic() + LOCKED_S

    def watch(*_: int) -> None:
        if time.monotonic() > end:
            raise TimeoutError("another connection holds a lock on the database of the tests")

    with contextlib.closing(sqlite3.connect(_find_original())) as original:
        original.backup(connection.connection, progress=watch, sleep=0.02)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence")
        cursor.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", used)


@cache
def _find_original() -> Path:
    original = Path(tempfile.gettempdir(), f"vertex-tests-migrated-{_compute_digest()}.sqlite3")
    if original.exists():
        return original
    with original.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process makes it; those beside it wait instead of doing the same work
        if not original.exists():
            _make(original)
    return original


def _make(original: Path) -> None:
    with tempfile.TemporaryDirectory(dir=original.parent) as folder:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("VERTEX_")}
        own = {"VERTEX_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "vertex.settings"}
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"], cwd=ROOT, env=clean | own, check=True)
        made = Path(folder, "vertex.sqlite3")
        with contextlib.closing(sqlite3.connect(made)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        made.replace(original)
    _delete_old(original.parent)


def _delete_old(folder: Path) -> None:
    """Delete the copies of earlier versions of the code. Another checkout may still use those of today."""
    for path in folder.glob("vertex-tests-migrated-*"):
        if path.stat().st_mtime < time.time() - 86_400:
            path.unlink(missing_ok=True)


def _compute_digest() -> str:
    digest = hashlib.sha256()
    for name in SOURCES:
        source = ROOT / name
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
