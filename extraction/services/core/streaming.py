"""Read the first rows of a large result without the database preparing them all."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

FEW = 0.0001
"""The share of the rows that PostgreSQL is told to expect to be read, so that it chooses a plan that begins at once."""


@contextmanager
def stream_rows(*, few: bool = False) -> Iterator[None]:
    """Within this, `iterator()` of a queryset begins at once.

    Outside of a transaction, PostgreSQL writes the whole result of a server-side cursor aside before it gives the first row. SQLite does
    not, and a transaction there would make writers wait.

    few: only the first rows are read, not all.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        if few:
            with connection.cursor() as cursor:
                # To compile a query takes longer than to read its first rows.
                cursor.execute("SELECT set_config('cursor_tuple_fraction', %s, true), set_config('jit', 'off', true)", [str(FEW)])
        yield
