"""What is judged: the records of a template as they would be delivered, and how each of them moved since the last released run.

Both are read as streams. A record that is followed over time is judged in its present state. So a bad value that a held run brought
is judged again by the next run, even if that run could not read the page. Rows without a key are not followed; they are read from the
records of the pages.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy
from django.db.models import QuerySet

from extraction.algorithms.records.changes import ReplayError, undo_change
from extraction.algorithms.records.keys import Values
from extraction.models import Cluster, Page, Record, RecordChange, RecordCount, Run, TrackedRecord
from extraction.models.record import RecordQuerySet
from extraction.services.records.history import find_changes_after

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Place:
    """Where a judged record or row is.

    record_id: None for a row that is not followed.
    """

    list_name: str
    record_id: int | None
    page_id: int | None
    snapshot_id: int | None


@dataclass(frozen=True, slots=True)
class Move:
    """How a record is now and how it was at a run.

    before, after: its values, None if it was or is not there.
    unclear: its changes do not fit together, so nobody can tell how it was.
    """

    place: Place
    before: Values | None
    after: Values | None
    unclear: bool = False


def read_subjects(cluster: Cluster, lists: Collection[str], followed: Collection[str]) -> Iterator[tuple[Values, Place]]:
    """Yield (values, place) of each present record and row, in no order.

    lists: those whose rows are wanted, "" for the records of pages.
    followed: the lists that are followed over time.
    """
    known = TrackedRecord.objects.present().filter(cluster=cluster, list_name__in=[name for name in lists if name in followed])
    rows = known.order_by().values_list("list_name", "pk", "page_id", "snapshot_id", "values")
    for list_name, pk, page_id, snapshot_id, values in rows.iterator(chunk_size=CHUNK):
        yield values, Place(list_name, pk, page_id, snapshot_id)
    others = [name for name in lists if name not in followed]
    if not others:
        return
    pages = _find_records(cluster).values_list("rows", "snapshot__page_id", "snapshot_id")
    for found, page_id, snapshot_id in pages.iterator(chunk_size=CHUNK):
        for name in others:
            for row in found.get(name, ()):
                yield row, Place(name, None, page_id, snapshot_id)


def count_records(cluster: Cluster) -> dict[str, int]:
    """Return {list, "" for pages: number of rows, or of pages that gave a record}, for the present content of the pages."""
    counts = {"": _count_present(cluster)}
    lists = cluster.record_type.lists.filter(attributes__isnull=False).distinct() if cluster.record_type else ()
    names = [each.name for each in lists]
    if names:
        counts |= dict.fromkeys(names, 0)
        for rows in _find_records(cluster).values_list("rows", flat=True).iterator(chunk_size=CHUNK):
            for name in names:
                counts[name] += len(rows.get(name, ()))
    return counts


def _count_present(cluster: Cluster) -> int:
    """Return the number of `_find_records`. All records are counted already; those of pages that are gone are few."""
    gone = Page.objects.filter(site=cluster.site_id, gone_at__isnull=False).order_by().values("pk")
    lost = Record.objects.filter(cluster=cluster, snapshot__page__in=gone).now().given()
    return RecordCount.objects.filter(cluster=cluster).now().given().total() - lost.count()


def _find_records(cluster: Cluster) -> RecordQuerySet:
    """Return the records of the pages that are there. The last record of a page that is gone is kept, but says nothing new."""
    return Record.objects.filter(cluster=cluster, snapshot__page__gone_at=None).now().given().order_by()


def read_moves(cluster: Cluster, since: Run, lists: Collection[str]) -> Iterator[Move]:
    """Yield how each record that has a change since a run has moved in all since then.

    Records are read in chunks. Only their ids are kept in memory, eight bytes each.
    """
    changes = RecordChange.objects.filter(find_changes_after(since), cluster=cluster, record__list_name__in=list(lists)).order_by()
    moved = changes.values_list("record_id", flat=True).iterator(chunk_size=5_000)
    ids = numpy.unique(numpy.fromiter(moved, dtype=numpy.int64))
    for start in range(0, len(ids), CHUNK):
        some = ids[start : start + CHUNK].tolist()
        yield from _read_chunk(changes.filter(record__in=some).order_by("-pk"), some)


def _read_chunk(changes: QuerySet[RecordChange], ids: Sequence[int]) -> Iterator[Move]:
    things = TrackedRecord.objects.in_bulk(ids)
    states: dict[int, Values] = {pk: thing.values for pk, thing in things.items()}
    present = {pk: thing.state == TrackedRecord.State.PRESENT for pk, thing in things.items()}
    unclear: set[int] = set()
    for pk, kind, values in changes.values_list("record_id", "kind", "values"):
        try:
            states[pk] = undo_change(states[pk], values)
        except ReplayError:
            unclear.add(pk)
        present[pk] = kind not in (RecordChange.Kind.ADDED, RecordChange.Kind.BACK)
    for pk, thing in sorted(things.items()):
        if thing.state == TrackedRecord.State.JOINED:
            continue  # it is another record now, which is judged
        here = thing.state == TrackedRecord.State.PRESENT
        place = Place(thing.list_name, pk, thing.page_id, thing.snapshot_id)
        yield Move(place, states[pk] if present[pk] else None, thing.values if here else None, unclear=pk in unclear)
