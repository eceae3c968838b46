"""Write very many rows quickly: by COPY on PostgreSQL, by prepared inserts on SQLite."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from django.db import connection, models

CHUNK = 20_000
"""Rows per call of the database."""


class RowWriter:
    """Writes rows of one table that differ only in some fields. The other fields have their defaults.

    model: of the table.
    varying: names of the fields that `write` is given values of, "id" among them. Foreign keys are named `page_id`.
    same: {field: value} of the other fields that do not have their defaults.
    """

    def __init__(self, model: type[models.Model], varying: Sequence[str], **same: Any) -> None:
        fields = model._meta.concrete_fields
        rest = [each for each in fields if each.attname not in varying and not getattr(each, "generated", False)]
        self._model = model
        self._constants = tuple(self._prepare(each, same.get(each.attname, each.get_default())) for each in rest)
        by_name = {each.attname: each.column for each in fields}
        columns = [str(by_name[name]) for name in varying] + [str(each.column) for each in rest]
        quote = connection.ops.quote_name
        self._table: str = quote(model._meta.db_table)
        self._columns = ", ".join(quote(each) for each in columns)
        self._places = ", ".join(["%s"] * len(columns))

    def write(self, rows: Iterable[tuple[Any, ...]]) -> int:
        """Write rows of values as the database takes them; JSON as text, times as `make_time` gives them. Return their number."""
        count = 0
        for some in _chunk(rows):
            whole = [(*row, *self._constants) for row in some]
            count += len(whole)
            with connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    with cursor.copy(f"COPY {self._table} ({self._columns}) FROM STDIN") as copy:
                        for row in whole:
                            copy.write_row(row)
                else:
                    cursor.executemany(f"INSERT INTO {self._table} ({self._columns}) VALUES ({self._places})", whole)
        return count

    @staticmethod
    def _prepare(field: models.Field[Any, Any], value: Any) -> Any:
        if isinstance(field, models.JSONField):
            return value if value is None or isinstance(value, str) else _write_json(value)
        return field.get_db_prep_save(value, connection)


def make_time(value: Any) -> Any:
    """Return a time as the database takes it."""
    return models.DateTimeField().get_db_prep_save(value, connection)


def find_next_id(model: type[models.Model]) -> int:
    """Return the first id that is free for new rows."""
    return (model._default_manager.aggregate(last=models.Max("pk"))["last"] or 0) + 1


def reset_sequences(*tables: type[models.Model]) -> None:
    """Let the database give ids above those that were written here."""
    from django.core.management.color import no_style

    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)


def _write_json(value: Any) -> str:
    return json.dumps(value)


def _chunk(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    left = iter(rows)
    while some := list(islice(left, CHUNK)):
        yield some
