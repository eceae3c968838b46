"""`vertex doctor`: what it says about an installation in which something is broken, and how to mend it."""

import os
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from django.contrib.auth.models import User

from vertex.command_line import doctor
from vertex.command_line.doctor import Finding

pytestmark = pytest.mark.django_db

USAGE = namedtuple("USAGE", "total used free")


def look() -> dict[str, Finding]:
    return {each.part: each for each in doctor.examine()}


def examine_apart(folder: Path, **variables: str) -> str:
    """Return what the command says in a process of its own, with these variables."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("VERTEX_", "DJANGO_"))}
    command = [sys.executable, "-m", "vertex.command_line", "--here", "doctor"]
    said = subprocess.run(
        command, env=environment | {"VERTEX_VAR_DIR": str(folder)} | variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert said.returncode == 1, said.stderr
    assert "Traceback" not in said.stdout + said.stderr
    return said.stdout


def test_each_part_has_a_finding_in_its_order() -> None:
    assert list(look()) == list(doctor.PARTS)


def test_without_a_database_the_parts_that_need_it_are_left_out(tmp_path: Path) -> None:
    said = examine_apart(tmp_path, VERTEX_DATABASE_URL="postgres://ann:s3cret@127.0.0.1:9/x", VERTEX_BROKER_URL="redis://127.0.0.1:9/0")
    lines = said.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("WRONG")] == ["database", "broker"]
    for part in ("people", "workers", "clock"):
        at = next(n for n, line in enumerate(lines) if line.startswith(f"note   {part}"))
        assert "not looked at, because the database does not work" in lines[at]
        assert lines[at + 1].strip() == "→ Mend the database first."
    assert "Start the database and check VERTEX_DATABASE_URL" in said
    assert "Start the broker and check VERTEX_BROKER_URL" in said
    assert "s3cret" not in said
    assert "Error:" not in said


def test_a_database_that_is_not_in_utf_8_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import connection

    cursor = MagicMock()
    cursor.__enter__.return_value.fetchone.return_value = ("SQL_ASCII",)
    monkeypatch.setattr(connection, "vendor", "postgresql")
    monkeypatch.setattr(connection, "cursor", lambda: cursor)
    found = doctor._look_at_database()
    assert (found.state, "SQL_ASCII" in found.detail, "UTF8" in found.mend) == ("wrong", True, True)


def test_a_database_without_tables_is_told_from_one_that_is_away(tmp_path: Path) -> None:
    said = examine_apart(tmp_path)
    assert "migrations are missing" in said
    assert "→ vertex manage migrate" in said
    assert "ok     clock" in said


def test_a_folder_of_the_data_that_cannot_be_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    said = examine_apart(file)
    assert f"the folder of the data cannot be used: File exists: {file}" in said
    assert "→ Set VERTEX_VAR_DIR to a folder that this user may write to." in said


def test_a_variable_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "VERTEX_PORT='abc': give a whole number" in examine_apart(tmp_path, VERTEX_PORT="abc")


def test_a_full_disk_asks_for_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("django.core.files.storage.default_storage.save", refuse)
    monkeypatch.setattr("shutil.disk_usage", lambda _: USAGE(100, 100, 0))
    found = look()
    assert found["storage"].detail.startswith("The disk is full: ")
    assert found["storage"].mend == found["disk"].mend == doctor.ROOM
    assert found["disk"].detail.startswith("0.0 GB are free")


def test_a_storage_that_gives_other_bytes_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "other"
    file.write_bytes(b"other")
    monkeypatch.setattr("django.core.files.storage.default_storage.open", lambda _: file.open("rb"))
    assert look()["storage"].detail == "it gives other bytes than were stored"


def test_a_chromium_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERTEX_CHROMIUM", "/nowhere/chromium")
    found = look()["chromium"]
    assert (found.state, found.mend) == ("wrong", doctor.MENDING["chromium"])
    assert "/nowhere/chromium" in found.detail


@pytest.mark.parametrize(("shift_s", "detail"), [(3600.0, "differ by 3"), (-3600.0, "differ by 3")])
def test_a_clock_that_is_off_is_told(monkeypatch: pytest.MonkeyPatch, shift_s: float, detail: str) -> None:
    monkeypatch.setattr(doctor, "time", SimpleNamespace(time=lambda: time.time() + shift_s))
    found = look()["clock"]
    assert found.state == "wrong"
    assert detail in found.detail
    assert found.mend == "Set the clock with NTP on both machines."


def test_the_account_of_commands_is_no_admin_because_nobody_can_sign_in_with_it() -> None:
    person = User.objects.create_superuser("command-line")
    assert look()["people"].detail == "nobody is an admin"
    person.username = "ada"
    person.save()
    assert look()["people"].detail == "there is an admin"


def test_an_installation_without_people_and_workers_says_what_to_do() -> None:
    found = look()
    assert (found["people"].detail, found["people"].mend) == ("nobody is an admin", "vertex manage create_user NAME --role admin")
    assert found["workers"].mend.startswith("Start web, worker and beat: ")
