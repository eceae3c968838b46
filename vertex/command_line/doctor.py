"""`vertex doctor`: what of an installation works, what does not, and how to mend it."""

import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LEAST_FREE_BYTES = 1024**3
"""With less than this, an import or a crawl soon fails."""

CLOCK_OFF_S = 5.0
"""Leases, schedules and tokens compare times of the web process, the workers and the database."""

BROKER_S = 5

CHROMIUM_S = 30

IN_UTF8 = "Make it with “createdb --encoding UTF8 --template template0”, and bring what the present one has there (docs/server.md, Backup)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One part of the installation. state: ok, warn or wrong. mend: what to do; empty if it is well."""

    part: str
    state: str
    detail: str
    mend: str = ""


def examine() -> Iterator[Finding]:
    """Yield what is found, part by part. A part that raises is wrong and does not end the examination."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
    try:
        import django

        django.setup()
    except OSError as error:
        detail = f"the folder of the data cannot be used: {error.strerror}: {error.filename}"
        yield Finding(part="settings", state="wrong", detail=detail, mend="Set VERTEX_VAR_DIR to a folder that this user may write to.")
        return
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the settings is the finding
        yield Finding(
            part="settings", state="wrong", detail=str(error), mend="Correct the variable that is named; see docs/configuration.md."
        )
        return
    has_database = True
    for part, look in PARTS.items():
        try:
            found = look()
        except Exception as error:  # noqa: BLE001 - whatever is wrong is the finding
            found = _describe_failure(part, error) if has_database or part not in NEED_DATABASE else _leave_out(part)
        has_database = has_database and (part != "database" or found.state == "ok")
        yield found


def _describe_failure(part: str, error: Exception) -> Finding:
    """Return what is wrong with a part that raised an error: in words if Vertex knows the error, and what was said."""
    from extraction.services.core.outages import DISK_FULL, describe_outage

    known, said = describe_outage(error), " ".join(str(error).split()) or type(error).__name__
    full = known == DISK_FULL or ("disk" in (known or "") and part == "database")
    return Finding(part=part, state="wrong", detail=f"{known}: {said}" if known else said, mend=ROOM if full else MENDING[part])


def _leave_out(part: str) -> Finding:
    return Finding(part=part, state="warn", detail="not looked at, because the database does not work", mend="Mend the database first.")


def _look_at_settings() -> Finding:
    from django.conf import settings

    if settings.DEBUG:
        return Finding(
            part="settings", state="warn", detail="VERTEX_DEBUG is on", mend="Turn it off on a server: errors show the code to visitors."
        )
    return Finding(part="settings", state="ok", detail=f"data is in {settings.VAR_DIR}")


def _look_at_database() -> Finding:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_encoding")
            encoding = cursor.fetchone()[0]
        if encoding != "UTF8":
            return Finding(part="database", state="wrong", detail=f"the database is in {encoding}, so texts cannot be stored", mend=IN_UTF8)
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    name = connection.vendor
    if missing:
        return Finding(
            part="database",
            state="wrong",
            detail=f"{name} answers, but {len(missing)} migrations are missing",
            mend="vertex manage migrate",
        )
    return Finding(part="database", state="ok", detail=f"{name} answers and is up to date")


def _look_at_people() -> Finding:
    from django.contrib.auth.models import User
    from django.db.models import Q

    from extraction.models import Role

    people = User.objects.filter(is_active=True).exclude(username="command-line")  # that account is for commands, and cannot sign in
    if not people.filter(Q(groups__name=Role.ADMIN.group) | Q(is_superuser=True)).exists():
        return Finding(
            part="people",
            state="warn",
            detail="nobody is an admin",
            mend="vertex manage create_user NAME --role admin",
        )
    return Finding(part="people", state="ok", detail="there is an admin")


def _look_at_broker() -> Finding:
    from celery import current_app
    from django.conf import settings

    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    with current_app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, timeout=BROKER_S)
    return Finding(part="broker", state="ok", detail=f"{kind} accepts messages")


def _look_at_workers() -> Finding:
    from django.conf import settings

    from extraction.models import Heartbeat, Run
    from extraction.services.core import heartbeats

    silence = heartbeats.describe_silence()
    waiting = Run.objects.queued().count()
    if not Heartbeat.objects.exists():
        return Finding(
            part="workers",
            state="warn",
            detail=f"none has run yet; {waiting} runs wait",
            mend=f"Start web, worker and beat: {settings.START_COMMAND}",
        )
    if silence:
        return Finding(part="workers", state="wrong", detail=silence, mend="Start worker and beat again.")
    return Finding(part="workers", state="ok", detail=f"a worker took the last tick; {waiting} runs wait")


def _look_at_storage() -> Finding:
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    content = uuid.uuid4().hex.encode()
    name = default_storage.save(f"doctor/{uuid.uuid4().hex}", ContentFile(content))
    try:
        with default_storage.open(name) as file:
            same = file.read() == content
    finally:
        default_storage.delete(name)
    if not same:
        return Finding(part="storage", state="wrong", detail="it gives other bytes than were stored", mend=MENDING["storage"])
    return Finding(part="storage", state="ok", detail=f"{type(default_storage._wrapped).__name__} keeps what is stored")  # type: ignore[attr-defined]


def _look_at_chromium() -> Finding:
    from extraction.fetching import chromium

    path = chromium.find_executable()
    if path is None:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    if not Path(path).exists():
        return Finding(
            part="chromium", state="warn", detail="there is none, so nothing is rendered and no preview is drawn", mend=MENDING["chromium"]
        )
    command = [path, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=CHROMIUM_S, check=True)  # noqa: S603 - of the settings
    return Finding(part="chromium", state="ok", detail=said.stdout.strip())


def _look_at_disk() -> Finding:
    from django.conf import settings

    places = {Path(settings.VAR_DIR), Path(tempfile.gettempdir())}
    free = {place: shutil.disk_usage(place).free for place in places}
    place, least = min(free.items(), key=lambda pair: pair[1])
    detail = f"{least / 1024**3:.1f} GB are free in {place}"
    if least < LEAST_FREE_BYTES:
        return Finding(
            part="disk",
            state="wrong",
            detail=detail,
            mend=ROOM,
        )
    return Finding(part="disk", state="ok", detail=detail)


def _look_at_clock() -> Finding:
    from django.db import connection

    if connection.vendor == "sqlite":
        query = "SELECT CAST(strftime('%s', 'now') AS REAL)"
    else:
        query = "SELECT EXTRACT(EPOCH FROM clock_timestamp())"
    with connection.cursor() as cursor:
        cursor.execute(query)
        (said,) = cursor.fetchone() or (0,)
    off_s = abs(time.time() - float(said))
    if off_s > CLOCK_OFF_S:
        return Finding(
            part="clock",
            state="wrong",
            detail=f"this machine and the database differ by {off_s:.0f} s",
            mend=MENDING["clock"],
        )
    if time.time() < BUILT:
        return Finding(part="clock", state="wrong", detail="this machine's clock is years behind", mend=MENDING["clock"])
    return Finding(part="clock", state="ok", detail="this machine and the database agree")


BUILT = 1_790_000_000
"""A time before this version was made, in seconds since 1970."""

PARTS: dict[str, Callable[[], Finding]] = {
    "settings": _look_at_settings,
    "database": _look_at_database,
    "people": _look_at_people,
    "broker": _look_at_broker,
    "workers": _look_at_workers,
    "storage": _look_at_storage,
    "chromium": _look_at_chromium,
    "disk": _look_at_disk,
    "clock": _look_at_clock,
}

NEED_DATABASE = frozenset({"people", "workers", "clock"})

ROOM = "Make room, or set VERTEX_VAR_DIR and TMPDIR to a larger disk."

MENDING = {
    "settings": "See docs/configuration.md.",
    "database": "Start the database and check VERTEX_DATABASE_URL, then run: vertex manage migrate",
    "people": "Look at the database.",
    "broker": "Start the broker and check VERTEX_BROKER_URL.",
    "workers": "Look at the database.",
    "storage": "Check VERTEX_STORAGE_DIR or VERTEX_STORAGE_BUCKET, and who may write there.",
    "chromium": "Install chromium with the system's packages, or run: playwright install chromium. Or set VERTEX_CHROMIUM.",
    "disk": "Check that VERTEX_VAR_DIR is there and can be read.",
    "clock": "Set the clock with NTP on both machines.",
}
"""What to do if a part raises an error."""
