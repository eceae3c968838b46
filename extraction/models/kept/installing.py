"""Create and remove the triggers.

SQLite changes a table by copying it, which loses its triggers, and refuses to do so while triggers of other tables name it. So the triggers
are removed before migrations run and are created after them. What is kept is then repaired, because a migration may have changed rows.
"""

from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from extraction.models.kept import checking, searching
from extraction.models.kept.declared import COUNTED, SOURCES
from extraction.models.kept.triggers import PREFIX, name_table, write_triggers


def has_tables(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the tables of kept counts exist; they do not if migrations were only run in part."""
    with connection.cursor() as cursor:
        names = set(connection.introspection.table_names(cursor))
    return all(name_table(each.table) in names for each in COUNTED)


def list_triggers(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    """Return (trigger, its table) of the triggers that exist."""
    pattern = PREFIX.replace("_", r"\_") + "%"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(r"SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s ESCAPE '\'", [pattern])
        else:
            cursor.execute(
                "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
                "WHERE NOT tgisinternal AND tgname LIKE %s AND relname = ANY(%s) AND pg_table_is_visible(pg_class.oid)",
                [pattern, [name_table(each) for each in SOURCES]],
            )
        return list(cursor.fetchall())


def remove_triggers(connection: BaseDatabaseWrapper) -> None:
    """Remove the triggers that exist."""
    for name, table in list_triggers(connection):
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {name}" + (f" ON {table}" if connection.vendor == "postgresql" else ""))


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Create the triggers in place of those that exist."""
    remove_triggers(connection)
    with connection.cursor() as cursor:
        for statement in write_triggers(connection.vendor):
            cursor.execute(statement)


def prepare_migration(*, using: str, plan: Any = (), **_: Any) -> None:
    """Remove the triggers before migrations. Called by Django's signal `pre_migrate`."""
    if plan:
        remove_triggers(connections[using])


def finish_migration(*, using: str, plan: Any = (), **_: Any) -> None:
    """Create the triggers after migrations, and repair what is kept. Called by Django's signal `post_migrate`."""
    connection = connections[using]
    if not has_tables(connection):
        return
    if plan or not list_triggers(connection):
        remove_triggers(connection)
        checking.repair_columns(connection)  # many rows are written faster without triggers
        searching.create_indexes(connection)
        create_triggers(connection)
        checking.repair_all(connection)
