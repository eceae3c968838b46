"""Rows as lines of JSON, which SQLite and PostgreSQL give and take alike."""

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from extraction.services.core.backup.archive import ArchiveWriter, BackupError

FOLDER = "database"

PART_BYTES = 64 * 1024**2
"""Bytes of the lines of one member. A table that has more gets several members."""

ROWS_AT_ONCE = 500

LEVEL = 6
"""Compression level, as that of the stored pages."""


def list_tables() -> dict[str, type[models.Model]]:
    """Return {table: its model} of all tables, those between two models included, in a fixed order."""
    found = apps.get_models(include_auto_created=True)
    return {each._meta.db_table: each for each in found if each._meta.managed and not each._meta.proxy}


def write_tables(archive: ArchiveWriter, using: str) -> dict[str, int]:
    """Add all rows of a database to an archive, each table in the order of its primary key, and return {table: rows}."""
    return {table: _write_table(archive, table, model, using) for table, model in list_tables().items()}


def read_part(table: str, file: IO[bytes]) -> Iterator[list[Sequence[Any]]]:
    """Yield rows of a member as its model has them, some at once. Raises BackupError if its columns are not those of the table."""
    fields = _fields(list_tables()[table])
    with gzip.open(file, "rb") as lines:
        columns = json.loads(lines.readline())
        if columns != [field.column for field in fields]:
            raise BackupError(f"The table {table} has other columns in the archive: {', '.join(columns)}.")
        while some := list(islice(lines, ROWS_AT_ONCE)):
            yield [[_read_value(field, value) for field, value in zip(fields, json.loads(line), strict=True)] for line in some]


def insert_rows(connection: BaseDatabaseWrapper, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows as they are: no time of creation is renewed, and no signal is sent."""
    fields, quote = _fields(list_tables()[table]), connection.ops.quote_name
    columns, places = ", ".join(quote(str(field.column)) for field in fields), ", ".join("%s" for _ in fields)
    values = [[field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)] for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {quote(table)} ({columns}) VALUES ({places})", values)  # noqa: S608 - names of our own tables


def count_rows(connection: BaseDatabaseWrapper, table: str) -> int:
    """Return the number of rows of a table."""
    return list_tables()[table]._base_manager.using(connection.alias).count()


def delete_rows(connection: BaseDatabaseWrapper) -> None:
    """Delete the rows of all tables. Foreign keys are checked at the end of the transaction."""
    with connection.cursor() as cursor:
        for table in list_tables():
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - the same


def _write_table(archive: ArchiveWriter, table: str, model: type[models.Model], using: str) -> int:
    fields = _fields(model)
    names = [field.attname for field in fields]
    rows = model._base_manager.using(using).order_by("pk").values_list(*names).iterator(chunk_size=ROWS_AT_ONCE)
    total, number, more = 0, 0, True
    while more:
        number += 1
        with TemporaryFile() as file:
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=LEVEL, mtime=0) as packed:
                packed.write(_write_line([field.column for field in fields]))
                size_bytes, more = 0, False
                for row in rows:
                    size_bytes += packed.write(_write_line(row))
                    total += 1
                    if size_bytes >= PART_BYTES:
                        more = True
                        break
            size_bytes = file.tell()
            file.seek(0)
            archive.add(f"{FOLDER}/{table}/{number:06}.jsonl.gz", file, size_bytes)
    return total


def _fields(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    return list(model._meta.concrete_fields)


def _write_line(values: Sequence[Any]) -> bytes:
    return json.dumps(values, default=_write_value, separators=(",", ":")).encode() + b"\n"


def _write_value(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} cannot be written to a backup")


def _read_value(field: "models.Field[Any, Any]", value: Any) -> Any:
    return value if value is None or isinstance(field, models.JSONField) else field.to_python(value)
