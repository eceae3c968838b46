"""Compare what is kept with what a count of the rows gives, and repair it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from extraction.models.kept.declared import COUNTED, FOLLOWED, PAGE, Counted, Followed
from extraction.models.kept.triggers import fill_in, name_table


@dataclass(frozen=True, slots=True)
class Drift:
    """What is kept wrongly. wrong: rows whose columns are wrong, or counts that are."""

    table: str
    wrong: int


def find_drift(connection: BaseDatabaseWrapper) -> list[Drift]:
    """Return the tables with something wrong; none if all is right."""
    found = [Drift(name_table(each.table), len(_find_wrong_rows(connection, each))) for each in FOLLOWED]
    found += [Drift(name_table(each.table), _count_wrong(connection, each)) for each in COUNTED]
    return [each for each in found if each.wrong]


def repair_all(connection: BaseDatabaseWrapper) -> list[Drift]:
    """Repair everything and return what was wrong."""
    found = repair_columns(connection)
    for counted in COUNTED:
        with transaction.atomic(using=connection.alias):
            _lock(connection, counted)
            wrong = _count_wrong(connection, counted)
            if wrong:
                _count_again(connection, counted)
            found.append(Drift(name_table(counted.table), wrong))
    return [each for each in found if each.wrong]


def repair_columns(connection: BaseDatabaseWrapper) -> list[Drift]:
    """Repair the columns that follow from other rows: those of pages before those of records, which follow from them."""
    found = []
    for followed in FOLLOWED:
        with transaction.atomic(using=connection.alias):
            found.append(Drift(name_table(followed.table), _repair_rows(connection, followed)))
    return [each for each in found if each.wrong]


def merge_slots(connection: BaseDatabaseWrapper) -> int:
    """Add up the counts of connections that have ended, and drop those that are 0. Return how many rows are gone.

    Rows that another transaction is changing are left alone.
    """
    gone = 0
    for counted in COUNTED:
        table, keys = name_table(counted.table), ", ".join(counted.keys)
        sums = "".join(f", {column}" for column in counted.sums)
        added = "".join(f", sum({column})" for column in counted.sums)
        more = "".join(f", {column} = kept.{column} + excluded.{column}" for column in counted.sums)
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(
                    f"WITH taken AS (DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE slot <> 0 FOR UPDATE SKIP LOCKED) "
                    f"RETURNING *) INSERT INTO {table} AS kept ({keys}, slot, n{sums}) SELECT {keys}, 0, sum(n){added} FROM taken "
                    f"GROUP BY {keys} ORDER BY {keys} ON CONFLICT ({keys}, slot) DO UPDATE SET n = kept.n + excluded.n{more}"
                )
            cursor.execute(f"DELETE FROM {table} WHERE slot = 0 AND n = 0")
            gone += max(0, cursor.rowcount)
    return gone


def _lock(connection: BaseDatabaseWrapper, counted: Counted) -> None:
    """Let nobody change the rows while they are counted. SQLite has one writer at a time anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {name_table(counted.source)} IN SHARE ROW EXCLUSIVE MODE")


def _select_counts(counted: Counted, vendor: str) -> str:
    values = ", ".join(f"{fill_in(value, 'r', vendor)} AS {column}" for column, value in counted.keys.items())
    sums = "".join(f", sum({fill_in(value, 'r', vendor)}) AS {column}" for column, value in counted.sums.items())
    places = ", ".join(str(place) for place in range(1, len(counted.keys) + 1))
    return f"SELECT {values}, count(*) AS n{sums} FROM {name_table(counted.source)} r GROUP BY {places}"


def _count_wrong(connection: BaseDatabaseWrapper, counted: Counted) -> int:
    numbers = ["n", *counted.sums]
    keys, kept = ", ".join(counted.keys), ", ".join(f"sum({each}) AS {each}" for each in numbers)
    rows = f"SELECT {keys}, {kept} FROM {name_table(counted.table)} GROUP BY {keys}"
    minus = ", ".join(f"-{each} AS {each}" for each in numbers)
    both = f"SELECT * FROM ({_select_counts(counted, connection.vendor)}) c UNION ALL SELECT {keys}, {minus} FROM ({rows}) k"
    wrong = " OR ".join(f"sum({each}) <> 0" for each in numbers)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM (SELECT {keys} FROM ({both}) b GROUP BY {keys} HAVING {wrong}) w")
        return int(cursor.fetchone()[0])


def _count_again(connection: BaseDatabaseWrapper, counted: Counted) -> None:
    table, keys = name_table(counted.table), ", ".join(counted.keys)
    sums = "".join(f", {column}" for column in counted.sums)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")
        cursor.execute(f"INSERT INTO {table} ({keys}, n{sums}, slot) SELECT c.*, 0 FROM ({_select_counts(counted, connection.vendor)}) c")


def _right_values(followed: Followed, vendor: str) -> str:
    """A query of (id, right value of each column) for all rows."""
    values = ", ".join(f"{fill_in(value, 'r', vendor)} AS {column}" for column, value in followed.columns.items())
    if followed is PAGE:
        source = "LEFT JOIN extraction_snapshot now ON now.id = r.current_id"
    else:
        source = "JOIN extraction_snapshot own ON own.id = r.snapshot_id JOIN extraction_page page ON page.id = own.page_id"
    return f"SELECT r.id, {values} FROM {name_table(followed.table)} r {source}"


def _find_wrong_rows(connection: BaseDatabaseWrapper, followed: Followed) -> Sequence[int]:
    differs = " OR ".join(
        f"t.{column} IS DISTINCT FROM x.{column}" if connection.vendor == "postgresql" else f"t.{column} IS NOT x.{column}"
        for column in followed.columns
    )
    with connection.cursor() as cursor:
        right = _right_values(followed, connection.vendor)
        cursor.execute(f"SELECT t.id FROM {name_table(followed.table)} t JOIN ({right}) x ON x.id = t.id WHERE {differs} ORDER BY t.id")
        return [row[0] for row in cursor.fetchall()]


def _repair_rows(connection: BaseDatabaseWrapper, followed: Followed) -> int:
    """Write the wrong rows again. The triggers take care of what follows from them."""
    wrong = _find_wrong_rows(connection, followed)
    columns, right = ", ".join(followed.columns), _right_values(followed, connection.vendor)
    for at in range(0, len(wrong), 5_000):
        listed = ", ".join(str(pk) for pk in wrong[at : at + 5_000])
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {name_table(followed.table)} SET ({columns}) = (SELECT {columns} FROM ({right} WHERE r.id = "
                f"{name_table(followed.table)}.id) x) WHERE id IN ({listed})"
            )
    return len(wrong)
