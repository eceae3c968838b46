"""A filled database goes back to the first version and comes forward again without losing what that version knew."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests import migrated
from tests.e2e.conftest import unheard

pytestmark = pytest.mark.slow

FILL = """
from celery import current_app
current_app.send_task = lambda *_, **__: None
from tests.views import world
world.make()
"""

FIRST = "0001"


def manage(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=migrated.ROOT, env=unheard(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:] or done.stdout
    return done.stdout


def read_rows(folder: Path) -> dict[str, dict[str, list[object]]]:
    """Return {table: {column: its values}} of all tables of the project."""
    with contextlib.closing(sqlite3.connect(folder / "vertex.sqlite3")) as database:
        assert database.execute("pragma foreign_key_check").fetchall() == []
        names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        found = {}
        for name in (name for name in names if name.startswith(("extraction_", "annotations_", "auth_")) and "search" not in name):
            rows = database.execute(f"select * from {name} order by rowid")
            columns = [each[0] for each in rows.description]
            found[name] = dict(zip(columns, zip(*values, strict=True) if (values := rows.fetchall()) else [()] * len(columns), strict=True))
        return found


def test_a_filled_database_goes_back_and_forward(tmp_path: Path) -> None:
    migrated.copy_database(tmp_path)
    manage(tmp_path, "shell", "--no-imports", "-c", FILL)
    before = read_rows(tmp_path)
    manage(tmp_path, "migrate", "extraction", FIRST, "--verbosity", "0")
    first = read_rows(tmp_path)
    assert first["extraction_page"]["id"] == before["extraction_page"]["id"]
    manage(tmp_path, "migrate", "--verbosity", "0")
    after = read_rows(tmp_path)
    assert set(after) == set(before)
    assert "All counts are right" in manage(tmp_path, "care", "--check")
    known = [(table, column) for table in first if table in before for column in first[table] if column in before[table]]
    lost = [(table, column) for table, column in known if before[table][column] != after[table][column]]
    assert lost == []
