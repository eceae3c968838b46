"""Make a backup while the product runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.crypto import salted_hmac

from extraction.services.core.backup.archive import ArchiveWriter, BackupError, Manifest, describe_manifest, replace_when_done
from extraction.services.core.backup.stored_files import write_files
from extraction.services.core.backup.tables import write_tables

SNAPSHOT = "backup"
"""The alias of the connection that reads the database as it was at one moment."""


def back_up(target: Path) -> tuple[Path, Manifest]:
    """Write an archive and return its path and manifest. Raises BackupError.

    All tables are read in one transaction that sees one moment. The files follow: bytes are stored before the rows that name them, so all
    that a row names is there, and what has come since is there in addition.

    target: the file, or a folder, in which the file is named after the time.
    """
    path = target / f"vertex-{timezone.now():%Y-%m-%dT%H-%M-%SZ}.tar" if target.is_dir() else target
    made_at = timezone.now().isoformat()
    try:
        with replace_when_done(path) as file:
            archive = ArchiveWriter(file)
            try:
                with open_snapshot():
                    applied, rows = list_migrations(SNAPSHOT), write_tables(archive, SNAPSHOT)
                files, file_bytes = write_files(archive)
                manifest = Manifest(
                    vertex=read_version(),
                    made_at=made_at,
                    database=connections[DEFAULT_DB_ALIAS].vendor,
                    migrations=applied,
                    rows=rows,
                    files=files,
                    file_bytes=file_bytes,
                    secret_key=digest_secret_key(),
                )
                archive.finish(describe_manifest(manifest))
            finally:
                archive.close()
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error}") from error
    return path, manifest


@contextmanager
def open_snapshot() -> Iterator[None]:
    """Open the connection SNAPSHOT with a transaction that sees the database as it is now. Others may write meanwhile."""
    settings = deepcopy(connections[DEFAULT_DB_ALIAS].settings_dict)
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        settings["OPTIONS"]["transaction_mode"] = "DEFERRED"  # the default would keep others from writing
    else:
        from psycopg import IsolationLevel

        settings["OPTIONS"]["isolation_level"] = IsolationLevel.REPEATABLE_READ
    connections.databases[SNAPSHOT] = settings
    try:
        with transaction.atomic(using=SNAPSHOT):
            with connections[SNAPSHOT].cursor() as cursor:
                cursor.execute("SELECT count(*) FROM django_migrations")  # with the first read, the moment is chosen
            yield
    finally:
        connections[SNAPSHOT].close()
        del connections[SNAPSHOT], connections.databases[SNAPSHOT]


def list_migrations(using: str) -> tuple[str, ...]:
    """Return the migrations that a database has, as "app.name"."""
    return tuple(sorted(f"{app}.{name}" for app, name in MigrationRecorder(connections[using]).applied_migrations()))


def digest_secret_key() -> str:
    """Return a fingerprint of the secret key. The key cannot be found from it."""
    return salted_hmac("extraction.backup", "secret key").hexdigest()


def read_version() -> str:
    """Return the version of Vertex; "unknown" in a checkout that was not installed."""
    try:
        return version("vertex")
    except PackageNotFoundError:
        return "unknown"
