"""Restore a backup: all of it, or nothing."""

from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import SuspiciousOperation
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader

from extraction.models import Team
from extraction.models.kept import checking, installing, searching
from extraction.models.team import FIRST_TEAM_SLUG
from extraction.services.core import stored_bytes
from extraction.services.core.backup import stored_files, tables
from extraction.services.core.backup.archive import MANIFEST, SUMS, BackupError, Manifest, read_members, verify_archive
from extraction.services.core.backup.back_up import digest_secret_key, list_migrations

FILLED_BY_MIGRATIONS = frozenset(
    {"django_content_type", "auth_permission", "auth_group", "auth_group_permissions", "extraction_heartbeat", "django_session"}
)
"""Tables in which an installation without any work has rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was restored. repaired: tables whose kept counts were wrong in the archive. same_key: with this secret key it was made."""

    manifest: Manifest
    repaired: tuple[str, ...]
    same_key: bool


def check_archive(path: Path) -> Manifest:
    """Verify an archive and that this version of Vertex can restore it; return its manifest. Raises BackupError."""
    manifest = verify_archive(path)
    _compare_migrations(manifest, {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations})
    if unknown := sorted(set(manifest.rows) ^ set(tables.list_tables())):
        raise BackupError(f"The archive and this version of Vertex have different tables: {', '.join(unknown)}.")
    return manifest


def restore(path: Path, *, replace: bool = False, checked: Manifest | None = None) -> Restored:
    """Restore an archive into a database whose migrations are applied. Raises BackupError.

    The rows are written in one transaction, which also waits for the files. If anything fails, the database is as before; files that were
    written stay, and do no harm: a file's name is its digest or chance.

    replace: delete all rows first. Otherwise the database and the storage must be empty.
    checked: what `check_archive` returned, if it has just accepted this archive; otherwise it is called.
    """
    manifest = checked or check_archive(path)
    _compare_migrations(manifest, set(list_migrations(connection.alias)))
    if not replace:
        _refuse_work()
    table = ""
    try:
        with transaction.atomic():
            installing.remove_triggers(connection)
            tables.delete_rows(connection)
            for name, file in read_members(path):
                folder, _, rest = name.partition("/")
                if folder == tables.FOLDER:
                    table = rest.partition("/")[0]
                    for rows in tables.read_part(table, file):
                        tables.insert_rows(connection, table, rows)
                elif folder == stored_files.FOLDER:
                    stored_bytes.keep_stream(rest, file)
                elif name not in {SUMS, MANIFEST}:
                    raise BackupError(f"{name} is not part of a backup.")
            _compare_counts(manifest)
            repaired = _finish_database()
    except (DatabaseError, ValueError) as error:
        raise BackupError(f"The database refused the backup; it is as before. The last table was {table}: {error}") from error
    except (SuspiciousOperation, OSError) as error:
        raise BackupError(f"The storage refused the backup; the database is as before: {error}") from error
    return Restored(manifest=manifest, repaired=repaired, same_key=manifest.secret_key == digest_secret_key())


def _finish_database() -> tuple[str, ...]:
    """Check foreign keys, set the sequences, fill the search, and create the triggers. Return the tables whose kept counts were wrong."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(tables.list_tables().values())):
            cursor.execute(statement)
    repaired = checking.repair_columns(connection)
    searching.create_indexes(connection)
    connection.check_constraints()  # PostgreSQL must have nothing left to check when triggers are created
    installing.create_triggers(connection)
    repaired += checking.repair_all(connection)
    return tuple(sorted({each.table for each in repaired}))


def _compare_counts(manifest: Manifest) -> None:
    for table, expected in manifest.rows.items():
        if (found := tables.count_rows(connection, table)) != expected:
            raise BackupError(f"The table {table} got {found:,} rows instead of {expected:,}; the database is as before.")


def _compare_migrations(manifest: Manifest, here: set[str]) -> None:
    there = set(manifest.migrations)
    if unknown := sorted(there - here):
        raise BackupError(f"The archive was made by a newer version of Vertex ({manifest.vertex}): {unknown[-1]} is not known here.")
    if missing := sorted(here - there):
        raise BackupError(
            f"The archive was made by an older version of Vertex ({manifest.vertex}), without {missing[-1]}. Restore it with that "
            "version, then upgrade."
        )


def _refuse_work() -> None:
    filled = {table: tables.count_rows(connection, table) for table in tables.list_tables() if table not in FILLED_BY_MIGRATIONS}
    filled[Team._meta.db_table] -= Team.objects.filter(slug=FIRST_TEAM_SLUG).count()  # made by a migration
    if found := [f"{table} ({count:,})" for table, count in filled.items() if count]:
        raise BackupError(
            f"The database is not empty: {', '.join(found[:5])}{' and others' if found[5:] else ''}. --replace deletes its rows."
        )
    if name := next(stored_files.list_files(), ""):
        raise BackupError(f"The storage is not empty; it has {name}. --replace adds the files of the archive to it.")
