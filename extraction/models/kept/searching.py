"""Search by an index: any part of a text of at least three characters.

SQLite has a full-text table of trigrams beside the table (FTS5), which triggers keep up to date. PostgreSQL has an index of trigrams
(pg_trgm). Shorter words, and databases without these extensions, are searched row by row.
"""

import sqlite3
from dataclasses import dataclass
from functools import cache

from django.db import DatabaseError, connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Q
from django.db.models.expressions import RawSQL

from extraction.models.cluster import Cluster
from extraction.models.join import JoinedRecord
from extraction.models.page import Page
from extraction.models.record import Record
from extraction.models.record_history import TrackedRecord
from extraction.models.snapshot import Snapshot

LEAST_LENGTH = 3
"""Characters of the shortest text that the index knows."""

COMMON = 2_000
"""With more rows than this, a text is common. To read them all takes far longer than to look for the few rows that are shown."""

FEW_KEYS = 500
"""With more records of a template than this, a word is common among their keys."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A column with a search index."""

    source: type[models.Model]
    column: str

    @property
    def table(self) -> str:
        """The table with the column."""
        return self.source._meta.db_table

    @property
    def index(self) -> str:
        """The name of the full-text table on SQLite, and of the index on PostgreSQL."""
        return f"{self.table}_search"


PAGES, RECORDS = Searched(Page, "search_text"), Searched(Record, "text")
KEYS, JOINED = Searched(TrackedRecord, "text"), Searched(JoinedRecord, "text")

SEARCHED = (PAGES, RECORDS, KEYS, JOINED)


def match_pages(text: str) -> Q:
    """Return the condition on pages that their address or title contains a text, in upper or lower case."""
    return _match(PAGES, text)


def match_records(word: str) -> Q:
    """Return the condition on records that their values or the address or title of their page contain a word."""
    text = word.casefold()
    if is_common(RECORDS, text) or is_common(PAGES, word):
        return Q(text__contains=text) | Q(snapshot__page__search_text__contains=word.lower())
    of_pages = Snapshot.objects.filter(page__in=Page.objects.filter(_ask_index(PAGES, word)).order_by().values("pk"))
    found = Record.objects.filter(_ask_index(RECORDS, text)).order_by().values("pk")
    return Q(pk__in=found.union(Record.objects.filter(snapshot__in=of_pages.order_by().values("pk")).order_by().values("pk")))


def match_changes(word: str, cluster: Cluster) -> Q:
    """Return the condition on the changes of a template that the key of their record contains a word."""
    text = word.casefold()
    if connection.vendor == "postgresql" and len(text) >= LEAST_LENGTH:
        # Told the few rows, PostgreSQL begins with them. By itself, it expects far more and reads all changes in their order.
        # The sum keeps it from reading the index of the template, which may have most of the records.
        rows = TrackedRecord.objects.alias(of=F("cluster") + 0).filter(_ask_index(KEYS, text), of=cluster.pk).order_by()
        few = list(rows.values_list("pk", flat=True)[: FEW_KEYS + 1])
        return Q(record__in=few) if len(few) <= FEW_KEYS else Q(record__text__contains=text)
    if is_common(KEYS, text):
        return Q(record__text__contains=text)
    return Q(record__in=TrackedRecord.objects.filter(_ask_index(KEYS, text)).order_by().values("pk"))


def match_joined(word: str) -> Q:
    """Return the condition on joined records that their values or addresses contain a word."""
    return _match(JOINED, word.casefold())


def is_common(searched: Searched, text: str) -> bool:
    """Return whether so many rows contain a text that a list finds its rows sooner by reading them in its own order.

    A text that the index does not know counts as common: each row has to be read in any case.
    """
    if len(text) < LEAST_LENGTH or (connection.vendor == "sqlite" and not has_trigrams()):
        return True
    if connection.vendor == "sqlite" and not text.isascii():
        return False  # only the index knows that É is é
    found = searched.source._base_manager.filter(_ask_index(searched, text, most=COMMON + 1)).order_by()
    return found[: COMMON + 1].count() > COMMON


def _match(searched: Searched, text: str) -> Q:
    return _contains(searched, text) if is_common(searched, text) else _ask_index(searched, text)


def _ask_index(searched: Searched, text: str, *, most: int = -1) -> Q:
    """Return the condition that the index serves. PostgreSQL's serves the usual one. most: look at so many rows of the index of SQLite."""
    if connection.vendor != "sqlite":
        return _contains(searched, text)
    quoted = '"' + text.replace('"', '""') + '"'
    return Q(pk__in=RawSQL(f"SELECT rowid FROM {searched.index} WHERE {searched.index} MATCH %s LIMIT %s", [quoted, most]))


def _contains(searched: Searched, text: str) -> Q:
    return Q(**{f"{searched.column}__contains": text.lower()})


@cache
def has_trigrams() -> bool:
    """Return whether this SQLite has FTS5 with trigrams (from version 3.34)."""
    memory = sqlite3.connect(":memory:")
    try:
        memory.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'trigram')")
    except sqlite3.OperationalError:
        return False
    finally:
        memory.close()
    return True


def write_search_triggers() -> list[str]:
    """Return the statements that create the triggers of the full-text tables on SQLite."""
    return [statement for each in SEARCHED for statement in _write_triggers(each)] if has_trigrams() else []


def write_insertion(searched: Searched) -> str:
    """Return the SQL that puts a new row into the full-text table. For pages, it must come before their column is set."""
    index, column = searched.index, searched.column
    return f"INSERT INTO {index} (rowid, {column}) SELECT id, {column} FROM {searched.table} WHERE id = NEW.id AND {column} <> '';"


def _write_triggers(searched: Searched) -> list[str]:
    table, column, index = searched.table, searched.column, searched.index
    name = f"keep_{index.removeprefix('extraction_')}"
    remove = f"INSERT INTO {index} ({index}, rowid, {column}) SELECT 'delete', OLD.id, OLD.{column} WHERE OLD.{column} <> '';"
    add = f"INSERT INTO {index} (rowid, {column}) SELECT NEW.id, NEW.{column} WHERE NEW.{column} <> '';"
    found = [
        f"CREATE TRIGGER {name}_delete AFTER DELETE ON {table} FOR EACH ROW BEGIN {remove} END",
        f"CREATE TRIGGER {name}_update AFTER UPDATE OF {column} ON {table} FOR EACH ROW WHEN NEW.{column} IS NOT OLD.{column} "
        f"BEGIN {remove} {add} END",
    ]
    if searched is not PAGES:  # those of pages are written once their column is set
        found.append(f"CREATE TRIGGER {name}_insert AFTER INSERT ON {table} FOR EACH ROW BEGIN {write_insertion(searched)} END")
    return found


def create_indexes(database: BaseDatabaseWrapper) -> bool:
    """Create the indexes that are not there and fill those of SQLite again. Return whether the database can have them."""
    if database.vendor == "sqlite":
        if not has_trigrams():
            return False
        with database.cursor() as cursor:
            for each in SEARCHED:
                options = f"{each.column}, content='{each.table}', content_rowid='id', tokenize='trigram', columnsize=0"
                cursor.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {each.index} USING fts5({options})")
                cursor.execute(f"INSERT INTO {each.index} ({each.index}) VALUES ('rebuild')")
        return True
    try:
        with transaction.atomic(using=database.alias), database.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for each in SEARCHED:
                cursor.execute(f"CREATE INDEX IF NOT EXISTS {each.index} ON {each.table} USING gin ({each.column} gin_trgm_ops)")
    except DatabaseError:
        return False
    return True


def find_faults(database: BaseDatabaseWrapper) -> list[str]:
    """Return the full-text tables of SQLite that do not say what their rows say."""
    if database.vendor != "sqlite" or not has_trigrams():
        return []
    found = []
    for each in SEARCHED:
        try:
            with transaction.atomic(using=database.alias), database.cursor() as cursor:
                cursor.execute(f"INSERT INTO {each.index} ({each.index}, rank) VALUES ('integrity-check', 1)")
        except DatabaseError:
            found.append(each.index)
    return found
