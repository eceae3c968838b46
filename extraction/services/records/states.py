"""The records over time as they were when a run had ended, read in chunks, so that memory holds one chunk at a time.

`history.rebuild_records` gives all values of a template at once. This gives the same states one by one, together with what an export says
about them. A change that is stored while the chunks are read is left out: the changes of a record are numbered without gaps, so it is known
which of them belong to the state that was read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, QuerySet

from extraction.algorithms.records.changes import undo_change
from extraction.algorithms.records.keys import Values
from extraction.models import Cluster, Page, RecordChange, Rule, Run, Snapshot, TrackedRecord
from extraction.services.records.history import find_changes_after

CHUNK = 500
"""Records per database read."""

_PRESENT_BEFORE = (RecordChange.Kind.CHANGED, RecordChange.Kind.MOVED, RecordChange.Kind.GONE, RecordChange.Kind.JOINED)
"""What can only happen to a record that is present."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordState:
    """A record over time at one moment.

    record_id: of the `TrackedRecord`. It stays the same when the key or the address changes.
    key: the texts that tell it apart.
    present: False if it was gone or joined with another.
    values: {attribute: its values as JSON}; the last ones of a record that is gone.
    number: of its last change.
    url, page_id, fetched_at: the page and content that the values come from; "" and None if that is no longer known.
    rule_version: the version of the rule that gave the values, None if it is not known.
    changed_at: the time of its last change, None if that is no longer kept.
    """

    record_id: int
    cluster_id: int
    list_name: str
    key: tuple[str, ...]
    present: bool
    values: Values
    number: int
    url: str
    page_id: int | None
    fetched_at: datetime | None
    rule_version: int | None
    first_seen_at: datetime
    changed_at: datetime | None


@dataclass(slots=True)
class _Rebuilt:
    """A record while its later changes are undone."""

    thing: TrackedRecord
    values: Values
    present: bool
    undone: int = 0
    earliest: RecordChange | None = None

    @property
    def snapshot_id(self) -> int | None:
        return self.earliest.before_id if self.earliest else self.thing.snapshot_id


def read_states(
    cluster: Cluster, *, after: Run | None, list_name: str = "", among: Q | None = None, chunk: int | None = None
) -> Iterator[RecordState]:
    """Yield the state of each record of a template that was known when a run had ended, by id; those that were gone, too.

    after: the run; None for the states now.
    among: a condition on `TrackedRecord`. By default all records.
    chunk: records per database read, by default CHUNK. Who wants only a few reads no more than these.
    Raises ReplayError if the history does not fit together.
    """
    later = find_changes_after(after) if after else None
    things = TrackedRecord.objects.filter(among or Q(), cluster=cluster, list_name=list_name).order_by("pk")
    versions = dict(Rule.objects.filter(cluster=cluster).values_list("pk", "version"))
    for some in _read_chunks(things, chunk):
        yield from _read_chunk(some, later, versions)


def read_states_before(cluster: Cluster, moment: datetime, *, list_name: str = "", among: Q | None = None) -> dict[int, bool]:
    """Return {record: whether it was present} for each record that was known at a moment."""
    things = TrackedRecord.objects.filter(among or Q(), cluster=cluster, list_name=list_name).order_by("pk")
    found: dict[int, bool] = {}
    for some in _read_chunks(things):
        for each in _undo_changes(some, Q(at__gte=moment)):
            if each.thing.number > each.undone:
                found[each.thing.pk] = each.present
    return found


def _read_chunks(things: QuerySet[TrackedRecord], chunk: int | None = None) -> Iterator[list[TrackedRecord]]:
    """Yield the records in chunks. Each is a query of its own, so that no cursor is held while a file is written or sent."""
    last = 0
    while some := list(things.filter(pk__gt=last).defer("text", "digest", "key_by")[: chunk or CHUNK]):
        last = some[-1].pk
        yield some


def _read_chunk(things: Sequence[TrackedRecord], later: Q | None, versions: dict[int, int]) -> Iterator[RecordState]:
    rebuilt = [each for each in _undo_changes(things, later) if each.thing.number > each.undone]
    kept = RecordChange.objects.filter(record__in=[each.thing for each in rebuilt])
    earlier = kept.filter(~later) if later is not None else kept
    changed = dict(earlier.order_by().values_list("record").annotate(at=Max("at")))
    contents = _read_contents(rebuilt)
    urls = _read_urls([each for each in rebuilt if (each.snapshot_id or 0) not in contents])
    for each in rebuilt:
        thing = each.thing
        page_id, url, fetched_at = contents.get(each.snapshot_id or 0, (None, "", None))
        if page_id is None and thing.page_id in urls and not each.undone:
            page_id, url = thing.page_id, urls[thing.page_id]
        yield RecordState(
            record_id=thing.pk,
            cluster_id=thing.cluster_id,
            list_name=thing.list_name,
            key=tuple(thing.key),
            present=each.present,
            values=each.values,
            number=thing.number - each.undone,
            url=url,
            page_id=page_id,
            fetched_at=fetched_at,
            rule_version=None if each.undone or thing.rule_id is None else versions.get(thing.rule_id),
            first_seen_at=thing.first_seen_at,
            changed_at=changed.get(thing.pk),
        )


def _undo_changes(things: Sequence[TrackedRecord], later: Q | None) -> list[_Rebuilt]:
    """Return the records without the changes that `later` selects."""
    rebuilt = {each.pk: _Rebuilt(each, each.values, each.state == TrackedRecord.State.PRESENT) for each in things}
    if later is None:
        return list(rebuilt.values())
    for change in RecordChange.objects.filter(later, record__in=things).order_by("-pk").iterator(chunk_size=CHUNK):
        each = rebuilt[change.record_id]
        if change.number > each.thing.number:
            continue  # it was stored after the record was read
        each.values = undo_change(each.values, change.values)
        each.present = change.kind in _PRESENT_BEFORE
        each.undone += 1
        each.earliest = change
    return list(rebuilt.values())


def _read_contents(rebuilt: Sequence[_Rebuilt]) -> dict[int, tuple[int, str, datetime]]:
    """Return {snapshot: (its page, the page's address, when it was fetched)}."""
    ids = {each.snapshot_id for each in rebuilt if each.snapshot_id}
    rows = Snapshot.objects.filter(pk__in=ids).values_list("pk", "page_id", "page__url", "fetched_at")
    return {pk: (page_id, url, fetched_at) for pk, page_id, url, fetched_at in rows}


def _read_urls(rebuilt: Sequence[_Rebuilt]) -> dict[int, str]:
    """Return {page: its address} of the records that are as they were."""
    ids = {each.thing.page_id for each in rebuilt if each.thing.page_id and not each.undone}
    return dict(Page.objects.filter(pk__in=ids).values_list("pk", "url")) if ids else {}
