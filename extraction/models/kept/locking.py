"""Lock pages before what they show is changed.

On PostgreSQL, a change of a snapshot changes its page, and a new record reads its page. Transactions that do so for many pages lock all of
them first, by id, so that two of them wait for each other and never deadlock.
"""

from collections.abc import Iterable

from django.db import connection

from extraction.models.page import Page

CHUNK = 2_000


def lock_pages(snapshots: Iterable[int]) -> None:
    """Lock the pages of snapshots until the transaction ends. SQLite needs no such lock: it has one writer at a time."""
    ids = list(snapshots)
    if not connection.features.has_select_for_update or not ids:
        return
    pages: set[int] = set()
    for at in range(0, len(ids), CHUNK):
        pages |= set(Page.objects.filter(snapshots__in=ids[at : at + CHUNK]).order_by().values_list("pk", flat=True))
    ordered = sorted(pages)
    for at in range(0, len(ordered), CHUNK):
        locked = Page.objects.select_for_update(no_key=True).filter(pk__in=ordered[at : at + CHUNK]).order_by("pk")
        list(locked.values_list("pk", flat=True))
