"""Look after the database and the stored contents: repair kept counts, thin old contents of pages, collect bytes that nothing has.

Bytes go to the bin and are deleted some days later by the daily tidying, which brings back what is needed after all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, models, transaction
from django.db.models import Exists, F, OuterRef

from extraction.models import Page, RecordChange, RuleFailure, Snapshot
from extraction.models.kept import checking, installing, searching
from extraction.models.kept.checking import Drift
from extraction.services.core import left_bytes, stored_bytes

THIN_AFTER_DAYS = 365
"""Contents of pages that are older than this are thinned, unless the command says otherwise."""

YOUNGEST_DAYS = 1
"""Bytes stored within so many days are left alone: an import stores bytes before it writes their rows."""

CHUNK = 500

GIVES_WAY = (RecordChange, RuleFailure)
"""Rows whose contents may be thinned. They keep their texts and lose the link to the page as it was."""


@dataclass(frozen=True, slots=True)
class Space:
    """What the database says about its space. size_bytes: in all; free_bytes: what `VACUUM` would give back, None if it is not known."""

    size_bytes: int
    free_bytes: int | None


def repair_counts() -> list[Drift]:
    """Repair kept counts and the columns that follow from other rows. Return what was wrong."""
    if not installing.list_triggers(connection):
        installing.create_triggers(connection)
    found = checking.repair_all(connection)
    faults = searching.find_faults(connection)
    if faults:
        searching.create_indexes(connection)
        found += [Drift(name, 1) for name in faults]
    checking.merge_slots(connection)
    return found


def tidy_database() -> None:
    """Add up the counts of connections that have ended, and let SQLite renew its statistics. PostgreSQL does so by itself."""
    checking.merge_slots(connection)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA analysis_limit = 1000")
            cursor.execute("PRAGMA optimize")


def thin_snapshots(now: datetime, *, after_days: int = THIN_AFTER_DAYS) -> int:
    """Delete old contents of pages, except the last of each page and month. Return how many were deleted.

    What a page shows now stays, and so does what records, marks, samples, watched pages or corrections refer to.
    """
    deleted = 0
    for pages in _read_chunks(now - timedelta(days=after_days)):
        deleted += _thin_pages(pages, now - timedelta(days=after_days))
    return deleted


def _read_chunks(before: datetime) -> Iterator[list[int]]:
    """Yield the ids of pages that have several contents, in chunks."""
    old = Snapshot.objects.filter(fetched_at__lt=before).exclude(page__current=F("pk"))
    last = 0
    while pages := list(old.filter(page__gt=last).order_by("page").values_list("page", flat=True).distinct()[:CHUNK]):
        yield pages
        last = pages[-1]


def _thin_pages(pages: Sequence[int], before: datetime) -> int:
    with transaction.atomic():
        list(Page.objects.select_for_update().filter(pk__in=pages).order_by("pk").values_list("pk"))
        months: set[tuple[int, int, int]] = set()
        spare = []
        rows = Snapshot.objects.filter(page__in=pages, fetched_at__lt=before).order_by("-fetched_at", "-pk")
        for pk, page, at in rows.values_list("pk", "page", "fetched_at"):
            if (page, at.year, at.month) in months:
                spare.append(pk)
            months.add((page, at.year, at.month))
        doomed = list(_select_unneeded().filter(pk__in=spare).values_list("pk", flat=True))
        Snapshot.objects.filter(pk__in=doomed).delete()
    return len(doomed)


def _select_unneeded() -> "models.QuerySet[Snapshot]":
    """Return the snapshots that no row refers to, except rows that give way. New kinds of rows count as soon as there are any."""
    found: models.QuerySet[Snapshot] = Snapshot.objects.all()
    for relation in Snapshot._meta.related_objects:
        if relation.related_model not in GIVES_WAY:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
            found = found.exclude(Exists(rows.order_by()))
    return found


def collect_bytes(now: datetime) -> tuple[int, int]:
    """Move stored bytes that nothing has to the bin. Return (how many contents, their bytes)."""
    moved = size = 0
    for names in stored_bytes.list_stored(before=now - timedelta(days=YOUNGEST_DAYS)):
        for sha256 in sorted(set(names) - left_bytes.find_wanted(names)):
            size += names[sha256]
            stored_bytes.throw_away(sha256)
            moved += 1
    return moved, size


def refresh_statistics(*, vacuum: bool) -> Space:
    """Let the database renew what it knows of its tables, so that it chooses the right index. vacuum: also give space back."""
    with connection.cursor() as cursor:
        if vacuum:
            cursor.execute("VACUUM")
        cursor.execute("ANALYZE")
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA page_size")
            page_bytes = int(cursor.fetchone()[0])
            cursor.execute("PRAGMA page_count")
            pages = int(cursor.fetchone()[0])
            cursor.execute("PRAGMA freelist_count")
            return Space(pages * page_bytes, int(cursor.fetchone()[0]) * page_bytes)
        cursor.execute("SELECT pg_database_size(current_database())")
        return Space(int(cursor.fetchone()[0]), None)
