"""A table of a database, named by URL. A record is one row, found again by the record's number, so writing it twice changes nothing.

Rows are never deleted: `record_state` says which records are gone. Columns that are missing are added; a column of another type is an
error, and so is a table that Vertex did not make. All names are quoted.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from django.utils.translation import gettext
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.types import TypeEngine

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.columns import Column, Kind
from extraction.models.delivery import TargetPlace
from extraction.services.deliveries.ledger import Difference
from extraction.services.deliveries.senders.folder import confine_path
from extraction.services.deliveries.senders.reach import TIMEOUT_S, DeliveryError, describe_os_error, find_address
from extraction.services.deliveries.senders.time_limits import limit_time, watch_connection
from extraction.services.records.exports.json_lines import to_json

TRANSACTION_S = 900.0
"""How long a transaction may take."""

ID, STATE, WRITTEN = "record_id", "record_state", "written_at"
"""Columns that every table has: the record, whether it is present, and when its row was last written."""

ALLOWED_OPTIONS = frozenset({"sslmode", "application_name"})
"""What an address of PostgreSQL may set. Other options could name another host or files of this machine."""

MAX_NAME_BYTES = 63
"""The longest name of PostgreSQL. It cuts longer ones off, and two columns would become one."""

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_TYPES: Mapping[Kind, TypeEngine[Any]] = {
    "text": sa.Text(),
    "number": sa.Double(),
    "date": sa.Date(),
    "boolean": sa.Boolean(),
    "time": sa.DateTime(timezone=True),
    "integer": sa.BigInteger(),
}
_FAMILIES: Mapping[Kind, tuple[type[TypeEngine[Any]], ...]] = {
    "text": (sa.String,),
    "number": (sa.Float,),
    "date": (sa.Date,),
    "boolean": (sa.Boolean,),
    "time": (sa.DateTime,),
    "integer": (sa.Integer,),
}
"""The types that a column of an existing table may have."""


class SqlSender:
    """Writes records into a table. Use it as a context manager."""

    def __init__(self, place: TargetPlace, password: str, columns: Sequence[Column]) -> None:
        self._place, self._columns = place, _leave_out_own(columns)
        self._engine = _make_engine(place, password)
        self._host = make_url(place.url).host or "the file"
        self._table = _describe_table(place.table, self._columns)

    def __enter__(self) -> "SqlSender":
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def prepare_table(self) -> bool:
        """Make the table or add the columns that it lacks. Return whether the table is new, so that it needs all records.

        Raises DeliveryError if the table that is there cannot be used.
        """
        with self._begin() as connection:
            found = sa.inspect(connection)
            if not found.has_table(self._table.name, schema=self._table.schema):
                self._table.create(connection)
                return True
            self._check_table(found)
            for column in self._find_missing(found):
                kind = column.type.compile(connection.dialect)
                names = connection.dialect.identifier_preparer
                connection.execute(
                    sa.text(f"ALTER TABLE {names.format_table(self._table)} ADD COLUMN {names.format_column(column)} {kind}")
                )
        return False

    def count_rows(self) -> int:
        """Return the number of rows. Raises DeliveryError."""
        with self._begin() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(self._table)).scalar_one())

    def write_differences(self, columns: Sequence[Column], differences: Sequence[Difference], now: datetime) -> None:
        """Write some records in one transaction. Raises DeliveryError.

        columns: of the cells.
        """
        rows = [self._make_row(columns, each, now) for each in differences if each.state is not None]
        removed = [each.entry.record_id for each in differences if each.state is None]
        with self._begin() as connection:
            if rows:
                connection.execute(_make_upsert(connection, self._table), rows)
            if removed:
                mark = self._table.update().where(self._table.c[ID].in_(removed))
                connection.execute(mark.values({STATE: "removed", WRITTEN: now}))

    def check(self) -> None:
        """Connect, and check the table if it is there. Raises DeliveryError."""
        with self._begin() as connection:
            found = sa.inspect(connection)
            if found.has_table(self._table.name, schema=self._table.schema):
                self._check_table(found)

    def _make_row(self, columns: Sequence[Column], each: Difference, now: datetime) -> dict[str, Any]:
        state = "present" if each.entry.present else "gone"
        cells = {column.name: _to_sql(column, cell) for column, cell in zip(columns, each.cells, strict=True)}
        own = {column.name: cells[column.name] for column in self._columns}
        return {ID: each.entry.record_id, STATE: state, **own, WRITTEN: now.astimezone(UTC)}

    def _check_table(self, found: sa.Inspector) -> None:
        name = self._table.name
        if found.get_pk_constraint(name, schema=self._table.schema).get("constrained_columns") != [ID]:
            raise DeliveryError(
                gettext("The table %(name)s is there and was not made by Vertex: its primary key is not %(id)s. Name another table.")
                % {"name": name, "id": ID},
                again=False,
            )
        types = {each["name"]: each["type"] for each in found.get_columns(name, schema=self._table.schema)}
        for column in self._columns:
            held = types.get(column.name)
            wanted = (sa.JSON,) if column.several else _FAMILIES[column.kind]
            if held is not None and not isinstance(held, wanted):
                raise DeliveryError(
                    gettext(
                        "The column %(column)s of the table %(name)s has the type %(held)s, but its values are now of another kind "
                        "(%(value)s). Rename the column or the table; Vertex then makes a new one."
                    )
                    % {"column": column.name, "name": name, "held": held, "value": "a list" if column.several else column.kind},
                    again=False,
                )

    def _find_missing(self, found: sa.Inspector) -> list[sa.Column[Any]]:
        held = {each["name"] for each in found.get_columns(self._table.name, schema=self._table.schema)}
        return [column for column in self._table.columns if column.name not in held]

    @contextlib.contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with limit_time(TRANSACTION_S), self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            said = " ".join(str(cause).split())[:300]
            raise DeliveryError(
                gettext("The database at %(host)s, table %(table)s: %(said)s")
                % {"host": self._host, "table": self._place.table, "said": said}
            ) from error


def check_address(text: str) -> URL:
    """Return the URL of a database. Raises DeliveryError if Vertex does not write to it. The message has no password."""
    try:
        url = make_url(text)
        kind = url.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise DeliveryError(
            gettext("The address cannot be read. It looks like postgresql://user@host/database or sqlite:///name.sqlite."), again=False
        ) from error
    if kind not in ("postgresql", "sqlite"):
        raise DeliveryError(gettext("Vertex writes to PostgreSQL and SQLite, not to “%(kind)s”.") % {"kind": kind[:40]}, again=False)
    if kind == "sqlite" and (url.query or not url.database or url.database.startswith(("file:", ":"))):
        raise DeliveryError(gettext("The address of an SQLite file is sqlite:/// and its path, without options."), again=False)
    if extra := set(url.query) - ALLOWED_OPTIONS:
        raise DeliveryError(gettext("The address may not set %(extra)s.") % {"extra": ", ".join(sorted(extra))}, again=False)
    return url


def write_without_password(url: URL) -> str:
    """Return the text of an address without its password."""
    return URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query).render_as_string(hide_password=False)


def _make_engine(place: TargetPlace, password: str) -> sa.Engine:
    url = check_address(place.url)
    if url.get_backend_name() == "sqlite":
        path = confine_path(str(url.database))
        _make_folder(path)
        made = URL.create("sqlite+pysqlite", database=str(path))
        arguments: dict[str, Any] = {"timeout": TIMEOUT_S}
    else:
        port = url.port or 5432
        address = find_address(url.host or "", port)
        made = URL.create("postgresql+psycopg", url.username, password or None, url.host, url.port, url.database, url.query)
        arguments = {"hostaddr": str(address), "connect_timeout": int(TIMEOUT_S), "options": "-c statement_timeout=300000"}
    engine = sa.create_engine(made, connect_args=arguments, hide_parameters=True, poolclass=sa.NullPool)
    if url.get_backend_name() == "postgresql":
        sa.event.listen(engine, "do_connect", _connect_watched)
    return engine


def _connect_watched(dialect: Any, _record: object, cargs: Any, cparams: Any) -> Any:
    """Connect. A server that never answers a question is given up when the time of the delivery or the test is over."""
    connection = dialect.connect(*cargs, **cparams)
    watch_connection(connection.fileno())
    return connection


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeliveryError(
            gettext("%(parent)s cannot be made: %(error)s") % {"parent": path.parent, "error": describe_os_error(error)}
        ) from error


def _describe_table(name: str, columns: Sequence[Column]) -> sa.Table:
    schema, _, short = name.rpartition(".")
    for each in (short, schema, *(column.name for column in columns)):
        if len(each.encode()) > MAX_NAME_BYTES:
            raise DeliveryError(
                gettext("The name “%(each)s” is longer than %(max_name_bytes)s bytes, which databases cut off.")
                % {"each": each, "max_name_bytes": MAX_NAME_BYTES},
                again=False,
            )
    own = [
        sa.Column(column.name, _JSON if column.several else _TYPES[column.kind], nullable=True, comment=column.meaning[:200])
        for column in columns
    ]
    return sa.Table(
        short,
        sa.MetaData(),
        sa.Column(ID, sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False),
        sa.Column(STATE, sa.Text(), nullable=False),
        *own,
        sa.Column(WRITTEN, sa.DateTime(timezone=True), nullable=False),
        schema=schema or None,
    )


def _leave_out_own(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those that every table has. An attribute of such a name is an error."""
    taken = {ID, STATE, WRITTEN}
    for column in columns:
        if column.part != "page" and column.name.casefold() in taken:
            raise DeliveryError(
                gettext("The attribute %(column)s has the name of a column that every table has. Rename it.") % {"column": column.name},
                again=False,
            )
    return [column for column in columns if column.name not in taken]


def _make_upsert(connection: Connection, table: sa.Table) -> Any:
    insert = postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
    return insert.on_conflict_do_update(
        index_elements=[table.c[ID]], set_={column.name: insert.excluded[column.name] for column in table.columns if column.name != ID}
    )


def _to_sql(column: Column, cell: Cell) -> Any:
    if isinstance(cell, list):
        return [_clean(each) for each in to_json(cell)]
    if isinstance(cell, str):
        return _clean(cell)
    return sa.null() if cell is None and column.several else cell


def _clean(value: Any) -> Any:
    """Return a text without null characters, which PostgreSQL cannot hold; anything else as it is."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
