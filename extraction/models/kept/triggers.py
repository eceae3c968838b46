"""The triggers that keep counts and columns, as SQL for SQLite and for PostgreSQL.

Pages have their template from their current snapshot, and records have their part from their page. So a change of a snapshot changes
its page, and a change of a page changes its records; the counts follow from the columns of pages and records. On SQLite, triggers run
for each row. On PostgreSQL, counts and what follows in other tables run once for each statement, over all its rows.
"""

from collections.abc import Iterator, Sequence

from django.db import models

from extraction.models.kept import searching
from extraction.models.kept.declared import COUNTED, PAGE, RECORD, Counted, Followed
from extraction.models.snapshot import Snapshot

PREFIX = "keep_"
"""The names of all triggers and functions begin with this."""

FROM_SNAPSHOT = ("cluster_id", "error", "notice", "kept", "title", "unsorted")
"""The columns of a snapshot from which columns of its page follow."""

FROM_PAGE = ("current_id", "cluster_id", "unsorted", "left_at")
"""The columns of a page from which columns of its records follow."""

LITERALS = {
    "sqlite": {"false": "0", "newline": "char(10)", "empty": "'{}'"},
    "postgresql": {"false": "FALSE", "newline": "chr(10)", "empty": "'{}'::jsonb"},
}


def write_triggers(vendor: str) -> list[str]:
    """Return the statements that create all triggers. vendor: `connection.vendor`. Raises ValueError for another database."""
    if vendor == "sqlite":
        return list(_write_for_sqlite())
    if vendor == "postgresql":
        return list(_write_for_postgresql())
    raise ValueError(f"no triggers are known for {vendor}")


def fill_in(sql: str, row: str, vendor: str) -> str:
    """Return the SQL of a value for a row with that name."""
    return sql.format(row=row, **LITERALS[vendor])


def name_table(model: type[models.Model]) -> str:
    """Return the name of a model's table."""
    return model._meta.db_table


def _differs(columns: Sequence[str], operator: str = "IS NOT") -> str:
    return " OR ".join(f"NEW.{each} {operator} OLD.{each}" for each in columns)


# SQLite


def _write_for_sqlite() -> Iterator[str]:
    for counted in COUNTED:
        yield from _count_on_sqlite(counted)
    yield from _follow_on_sqlite(PAGE)
    columns = ", ".join(PAGE.columns)
    values = ", ".join(fill_in(each, "extraction_page", "sqlite").replace("now.", "NEW.") for each in PAGE.columns.values())
    yield from searching.write_search_triggers()
    page = f"UPDATE extraction_page SET ({columns}) = (SELECT {values}) WHERE current_id = NEW.id;"
    yield _trigger("snapshot_page", Snapshot, f"UPDATE OF {', '.join(FROM_SNAPSHOT)}", _differs(FROM_SNAPSHOT), page)
    own = "SELECT page_id FROM extraction_snapshot WHERE id = {row}.snapshot_id"
    yield _trigger("page_records", PAGE.table, f"UPDATE OF {', '.join(FROM_PAGE)}", _differs(FROM_PAGE), _follow_records("NEW.id"))
    body = _follow_records(f"({own.format(row='NEW')})")
    before = _follow_records(f"({own.format(row='OLD')})")
    yield _trigger("record_follows_insert", RECORD.table, "INSERT", "", body)
    yield _trigger("record_follows_delete", RECORD.table, "DELETE", "", before)
    every = ", ".join((*RECORD.on, *RECORD.columns))
    yield _trigger("record_follows_update", RECORD.table, f"UPDATE OF {every}", "", body)
    yield _trigger("record_leaves_page", RECORD.table, "UPDATE OF snapshot_id", "NEW.snapshot_id <> OLD.snapshot_id", before)


def _follow_records(page: str) -> str:
    """Set the columns of all records of a page, where they differ. page: SQL of its id.

    Records whose page is gone are left alone: when all tables are emptied, the pages may be emptied before the records.
    """
    columns = ", ".join(RECORD.columns)
    values = ", ".join(fill_in(each, "extraction_record", "sqlite") for each in RECORD.columns.values())
    right = f"(SELECT {values} FROM {RECORD.joined} WHERE own.id = extraction_record.snapshot_id)"
    return (
        f"UPDATE extraction_record SET ({columns}) = {right} "
        f"WHERE snapshot_id IN (SELECT own.id FROM {RECORD.joined} WHERE page.id = {page}) AND ({columns}) IS NOT {right};"
    )


def _trigger(name: str, model: type[models.Model], event: str, when: str, body: str) -> str:
    condition = f" WHEN {when}" if when else ""
    return f"CREATE TRIGGER {PREFIX}{name} AFTER {event} ON {name_table(model)} FOR EACH ROW{condition} BEGIN {body} END"


def _count_on_sqlite(counted: Counted) -> Iterator[str]:
    """Count each row. A change may be counted before the insertion that it follows, so it may leave a negative number for a moment."""
    name = name_table(counted.table).removeprefix("extraction_")
    add, take = _add_on_sqlite(counted, "NEW", "+"), _add_on_sqlite(counted, "OLD", "-")
    yield _trigger(f"{name}_insert", counted.source, "INSERT", "", add)
    yield _trigger(f"{name}_delete", counted.source, "DELETE", "", _take_on_sqlite(counted))
    yield _trigger(f"{name}_update", counted.source, f"UPDATE OF {', '.join(counted.uses)}", _differs(counted.uses), f"{take} {add}")


def _add_on_sqlite(counted: Counted, row: str, sign: str) -> str:
    table, keys = name_table(counted.table), ", ".join(counted.keys)
    values = ", ".join(fill_in(each, row, "sqlite") for each in counted.keys.values())
    sums = "".join(f", {column}" for column in counted.sums)
    added = "".join(f", {sign}{fill_in(each, row, 'sqlite')}" for each in counted.sums.values())
    more = "".join(f", {column} = {column} + excluded.{column}" for column in counted.sums)
    return (
        f"INSERT INTO {table} ({keys}, slot, n{sums}) VALUES ({values}, 0, {sign}1{added}) "
        f"ON CONFLICT ({keys}, slot) DO UPDATE SET n = n + excluded.n{more};"
    )


def _take_on_sqlite(counted: Counted) -> str:
    """Take away what was deleted, but add no row: when all tables are emptied, the count may be emptied before its rows."""
    where = " AND ".join(f"{column} = {fill_in(value, 'OLD', 'sqlite')}" for column, value in counted.keys.items())
    less = "".join(f", {column} = {column} - {value.format(row='OLD')}" for column, value in counted.sums.items())
    return f"UPDATE {name_table(counted.table)} SET n = n - 1{less} WHERE {where} AND slot = 0;"


def _follow_on_sqlite(followed: Followed) -> Iterator[str]:
    table = name_table(followed.table)
    name, columns = table.removeprefix("extraction_"), ", ".join(followed.columns)
    values = ", ".join(fill_in(each, "NEW", "sqlite") for each in followed.columns.values())
    source = followed.joined.format(row="NEW")
    differs = " OR ".join(
        f"{column} IS NOT (SELECT {fill_in(value, 'NEW', 'sqlite')} FROM {source})" for column, value in followed.columns.items()
    )
    body = f"UPDATE {table} SET ({columns}) = (SELECT {values} FROM {source}) WHERE id = NEW.id AND ({differs});"
    empty = (
        "NEW.current_id IS NOT NULL OR NEW.cluster_id IS NOT NULL OR NEW.reading <> '' OR NEW.kept OR NEW.unsorted OR NEW.search_text <> ''"
        if followed is PAGE
        else ""
    )
    first = f"{searching.write_insertion(searching.PAGES)} " if followed is PAGE and searching.has_trigrams() else ""
    yield _trigger(f"{name}_follows_insert", followed.table, "INSERT", empty, f"{first}{body}")
    yield _trigger(f"{name}_follows_update", followed.table, f"UPDATE OF {', '.join((*followed.on, *followed.columns))}", "", body)


# PostgreSQL


def _write_for_postgresql() -> Iterator[str]:
    for counted in COUNTED:
        yield from _count_on_postgresql(counted)
    yield _follow_pages_on_postgresql()
    yield _FOLLOW_PAGES
    yield from _statement_trigger("snapshot_page", Snapshot, ("UPDATE",), _PAGES_OF_SNAPSHOTS)
    yield from _statement_trigger("page_records", PAGE.table, ("UPDATE",), _RECORDS_OF_PAGES)
    yield from _statement_trigger("record_follows", RECORD.table, ("INSERT", "UPDATE", "DELETE"), _RECORDS_OF_RECORDS)


_PAGES_OF_SNAPSHOTS = f"""
    PERFORM 1 FROM extraction_page p JOIN new_rows n ON p.current_id = n.id JOIN old_rows o ON o.id = n.id
      WHERE ({", ".join(f"n.{each}" for each in FROM_SNAPSHOT)}) IS DISTINCT FROM ({", ".join(f"o.{each}" for each in FROM_SNAPSHOT)})
      ORDER BY p.id FOR NO KEY UPDATE OF p;
    UPDATE extraction_page p SET cluster_id = n.cluster_id FROM new_rows n JOIN old_rows o ON o.id = n.id
      WHERE p.current_id = n.id
        AND ({", ".join(f"n.{each}" for each in FROM_SNAPSHOT)}) IS DISTINCT FROM ({", ".join(f"o.{each}" for each in FROM_SNAPSHOT)});
"""
"""The trigger of the page reads the rest from the snapshot."""


def _list_columns(row: str, columns: Sequence[str]) -> str:
    return f"({', '.join(f'{row}.{each}' for each in columns)})"


_RIGHT = ", ".join(f"{fill_in(value, 't', 'postgresql')} AS {column}" for column, value in RECORD.columns.items())

_FOLLOW_RECORDS = f"""UPDATE extraction_record r SET {", ".join(f"{column} = x.{column}" for column in RECORD.columns)}
      FROM (SELECT t.id, {_RIGHT}
            FROM extraction_record t JOIN extraction_snapshot own ON own.id = t.snapshot_id
              JOIN extraction_page page ON page.id = own.page_id
            WHERE page.id = ANY(changed)) x
      WHERE r.id = x.id AND {_list_columns("r", tuple(RECORD.columns))} IS DISTINCT FROM {_list_columns("x", tuple(RECORD.columns))};"""
"""Set the columns of all records of the pages `changed`, where they differ."""

_RECORDS_OF_PAGES = f"""
    changed := ARRAY(SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
      WHERE ({", ".join(f"n.{each}" for each in FROM_PAGE)}) IS DISTINCT FROM ({", ".join(f"o.{each}" for each in FROM_PAGE)}));
    IF cardinality(changed) > 0 THEN {_FOLLOW_RECORDS} END IF;
"""

_RECORDS_OF_RECORDS = f"""
    IF TG_OP = 'INSERT' THEN
      changed := ARRAY(SELECT DISTINCT s.page_id FROM new_rows n JOIN extraction_snapshot s ON s.id = n.snapshot_id);
    ELSIF TG_OP = 'DELETE' THEN
      changed := ARRAY(SELECT DISTINCT s.page_id FROM old_rows o JOIN extraction_snapshot s ON s.id = o.snapshot_id);
    ELSE
      changed := ARRAY(SELECT DISTINCT s.page_id FROM new_rows n JOIN old_rows o ON o.id = n.id
        JOIN extraction_snapshot s ON s.id IN (n.snapshot_id, o.snapshot_id)
        WHERE ({", ".join(f"n.{each}" for each in (*RECORD.on, *RECORD.columns))}) IS DISTINCT FROM
          ({", ".join(f"o.{each}" for each in (*RECORD.on, *RECORD.columns))}));
    END IF;
    IF cardinality(changed) > 0 THEN
      PERFORM 1 FROM extraction_page WHERE id = ANY(changed) ORDER BY id FOR NO KEY UPDATE;
      {_FOLLOW_RECORDS}
    END IF;
"""


def _statement_trigger(name: str, model: type[models.Model], events: Sequence[str], body: str) -> Iterator[str]:
    function = f"{PREFIX}{name}"
    yield (
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$\nDECLARE changed bigint[];\n"
        f"BEGIN\n{body}\n    RETURN NULL;\nEND $$"
    )
    for event in events:
        tables = {
            "INSERT": "NEW TABLE AS new_rows",
            "UPDATE": "OLD TABLE AS old_rows NEW TABLE AS new_rows",
            "DELETE": "OLD TABLE AS old_rows",
        }[event]
        yield (
            f"CREATE TRIGGER {function}_{event.lower()} AFTER {event} ON {name_table(model)} REFERENCING {tables} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        )


def _count_on_postgresql(counted: Counted) -> Iterator[str]:
    def add(select: str) -> str:
        table, keys = name_table(counted.table), ", ".join(counted.keys)
        sums = "".join(f", {column}" for column in counted.sums)
        more = "".join(f", {column} = kept.{column} + excluded.{column}" for column in counted.sums)
        return (
            f"INSERT INTO {table} AS kept ({keys}, slot, n{sums}) {select} "
            f"ON CONFLICT ({keys}, slot) DO UPDATE SET n = kept.n + excluded.n{more};"
        )

    def group(rows: str, sign: str) -> str:
        values = ", ".join(fill_in(each, "r", "postgresql") for each in counted.keys.values())
        places = ", ".join(str(place) for place in range(1, len(counted.keys) + 1))
        sums = "".join(f", {sign}sum({each.format(row='r')})" for each in counted.sums.values())
        return f"SELECT {values}, pg_backend_pid(), {sign}count(*){sums} FROM {rows} r GROUP BY {places}"

    signed = []
    for rows, sign in (("new_rows", 1), ("old_rows", -1)):
        values = ", ".join(f"{fill_in(value, 'r', 'postgresql')} AS {column}" for column, value in counted.keys.items())
        sums = "".join(f", {sign} * {value.format(row='r')} AS {column}" for column, value in counted.sums.items())
        signed.append(f"SELECT {values}, {sign} AS one{sums} FROM {rows} r")
    keys = ", ".join(counted.keys)
    sums = "".join(f", sum({column})" for column in counted.sums)
    moved = " OR ".join(["sum(one) <> 0", *(f"sum({column}) <> 0" for column in counted.sums)])
    update = f"SELECT {keys}, pg_backend_pid(), sum(one){sums} FROM ({' UNION ALL '.join(signed)}) d GROUP BY {keys} HAVING {moved}"
    body = (
        f"    IF TG_OP = 'INSERT' THEN {add(group('new_rows', ''))}\n"
        f"    ELSIF TG_OP = 'DELETE' THEN {add(group('old_rows', '-'))}\n"
        f"    ELSE {add(update)} END IF;"
    )
    name = name_table(counted.table).removeprefix("extraction_")
    yield from _statement_trigger(name, counted.source, ("INSERT", "UPDATE", "DELETE"), body)


def _follow_pages_on_postgresql() -> str:
    """A function before each page. It locks what it reads, so that nobody changes that before the page can be seen."""
    values = ", ".join(fill_in(each, "NEW", "postgresql") for each in PAGE.columns.values())
    into = ", ".join(f"NEW.{column}" for column in PAGE.columns)
    return (
        f"CREATE OR REPLACE FUNCTION {PREFIX}page_follows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
        f"    PERFORM 1 FROM extraction_snapshot WHERE id = NEW.current_id FOR SHARE;\n"
        f"    SELECT {values} INTO {into} FROM {PAGE.joined.format(row='NEW')};\n    RETURN NEW;\nEND $$"
    )


_FOLLOW_PAGES = (
    f"CREATE TRIGGER {PREFIX}page_follows BEFORE INSERT OR UPDATE OF {', '.join((*PAGE.on, *PAGE.columns))} ON extraction_page "
    f"FOR EACH ROW EXECUTE FUNCTION {PREFIX}page_follows()"
)
