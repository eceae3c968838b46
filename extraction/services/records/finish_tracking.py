"""The end of a run: which things have moved to another page, which are missing or gone, and which changes are too old to keep.

Everything here is one transaction, and doing it twice does no harm: a run is counted once as a miss of a thing
(`TrackedRecord.missed_run`), and a thing that has moved or is gone is not found again.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from extraction.algorithms.records.changes import explain_changes, find_changes
from extraction.algorithms.records.keys import Values
from extraction.models import Record, RecordChange, RecordSource, Run, TrackedRecord
from extraction.services.records.key_schema import KeySchema, read_key_schemas
from extraction.services.records.tracking import Reread, find_common_cause, find_values, read_earlier

CHUNK = 500


def finish_tracking(run: Run, cluster_ids: Sequence[int], reread: Reread, *, stored_pages: bool = True) -> None:
    """Move, miss and drop things of these templates that the run did not see, and remove changes that are too old.

    reread: tells whether the rule or the page changed the values of a thing that has moved.
    stored_pages: the run looked at all pages whose bytes are kept. A crawl that keeps no pages did not; then only pages
        that are known to be gone count as missing.
    """
    now = timezone.now()
    with transaction.atomic():
        for cluster_id, schema in sorted(read_key_schemas(cluster_ids).items()):
            _move_things(run, cluster_id, schema, now, reread)
            _miss_things(run, cluster_id, schema, now, stored_pages=stored_pages)
            _clear_problems(run, cluster_id)
            prune_changes(cluster_id, now)


def _unseen(run: Run, cluster_id: int, schema: KeySchema) -> QuerySet[TrackedRecord]:
    """Return the things that no run has seen on their main source since this run was created."""
    things = TrackedRecord.objects.filter(cluster=cluster_id, list_name__in=schema.followed, seen_at__lt=run.created_at)
    return things.exclude(state=TrackedRecord.State.JOINED)


def _move_things(run: Run, cluster_id: int, schema: KeySchema, now: datetime, reread: Reread) -> None:
    """Make another source the main one where the main source was not seen but another was.

    A main source of which nothing is known, because its page failed, stays. Otherwise values would go back and forth.
    """
    seen = RecordSource.objects.filter(record=OuterRef("pk"), seen_at__gte=run.created_at)
    things = _unseen(run, cluster_id, schema).filter(Exists(seen)).exclude(_fails_now("page", cluster_id)).select_for_update(of=("self",))
    for some in _read_chunks(things):
        sources: dict[int, RecordSource] = {}
        for source in RecordSource.objects.filter(record__in=some, seen_at__gte=run.created_at).select_related("page").order_by("-pk"):
            sources[source.record_id] = source
        records = Record.objects.filter(snapshot__in=[each.snapshot_id for each in sources.values()], cluster=cluster_id).in_bulk(
            field_name="snapshot_id"
        )
        changes = []
        for thing in some:
            source = sources[thing.pk]
            record = records.get(source.snapshot_id or 0)
            values = find_values(thing, record, thing.values) if record else None
            if record and values is not None:
                changes.append(_move_thing(run, thing, source, record, values, now, reread))
        fields = ["values", "state", "page", "snapshot", "rule", "number", "misses", "seen_at"]
        moved = {change.record_id for change in changes}
        TrackedRecord.objects.bulk_update([thing for thing in some if thing.pk in moved], fields, batch_size=100)
        RecordSource.objects.filter(pk__in=[sources[pk].pk for pk in moved]).update(problem="")
        RecordChange.objects.bulk_create(changes)


def _move_thing(
    run: Run, thing: TrackedRecord, source: RecordSource, record: Record, values: Values, now: datetime, reread: Reread
) -> RecordChange:
    same_rule = thing.rule_id == record.rule_id
    earlier = None if same_rule or not find_changes(thing.values, values) else read_earlier(reread, thing, values)
    found = explain_changes(thing.values, values, same_page=False, same_rule=same_rule, reread=earlier)
    back = thing.state == TrackedRecord.State.GONE
    kind = RecordChange.Kind.BACK if back else RecordChange.Kind.CHANGED if found else RecordChange.Kind.MOVED
    thing.number += 1
    before = thing.snapshot_id
    thing.values, thing.state, thing.misses = dict(values), TrackedRecord.State.PRESENT, 0
    thing.page_id, thing.snapshot_id, thing.rule_id, thing.seen_at = source.page_id, source.snapshot_id, record.rule_id, source.seen_at
    return _make_change(run, thing, kind, now, before=before, values={name: each.as_json() for name, each in found.items()})


def _miss_things(run: Run, cluster_id: int, schema: KeySchema, now: datetime, *, stored_pages: bool) -> None:
    """Count a miss for each thing that is on none of its pages, and drop those that were missed often enough.

    A page that failed, or that the run could not look at, says nothing: its things are neither seen nor missed.
    """
    unread = Q(page__current__kept=False) if stored_pages else Q()
    unknown = _fails_now("page", cluster_id) | Q(unread, page__gone_at=None)
    silent = RecordSource.objects.filter(unknown, record=OuterRef("pk"))
    unseen = _unseen(run, cluster_id, schema).filter(state=TrackedRecord.State.PRESENT)
    missed = unseen.exclude(Q(missed_run=run, missed_run__isnull=False)).exclude(Exists(silent))
    missed.update(misses=F("misses") + 1, missed_run=run)
    gone = TrackedRecord.objects.filter(
        cluster=cluster_id, state=TrackedRecord.State.PRESENT, missed_run=run, misses__gte=schema.gone_after
    )
    for some in _read_chunks(gone.select_for_update(of=("self",))):
        changes = []
        for thing in some:
            thing.number += 1
            thing.state = TrackedRecord.State.GONE
            changes.append(_make_change(run, thing, RecordChange.Kind.GONE, now, before=thing.snapshot_id, values={}))
        TrackedRecord.objects.bulk_update(some, ["number", "state"], batch_size=100)
        RecordChange.objects.bulk_create(changes)


def _fails_now(page: str, cluster_id: int) -> Q:
    """Return the condition that a page is there, but its current content gave no record."""
    failed = Record.objects.failed().filter(cluster=cluster_id).values("snapshot")
    return Q(**{f"{page}__gone_at": None, f"{page}__current__in": failed})


def _clear_problems(run: Run, cluster_id: int) -> None:
    """Forget what sources disagreed about that are no longer there."""
    old = RecordSource.objects.filter(record__cluster=cluster_id, seen_at__lt=run.created_at).exclude(problem="")
    old.exclude(_fails_now("page", cluster_id)).update(problem="")


def _make_change(run: Run, thing: TrackedRecord, kind: str, at: datetime, *, before: int | None, values: Mapping[str, Any]) -> RecordChange:
    return RecordChange(
        cluster_id=thing.cluster_id,
        record=thing,
        number=thing.number,
        kind=kind,
        run=run,
        at=at,
        rule_id=thing.rule_id,
        snapshot_id=None if kind == RecordChange.Kind.GONE else thing.snapshot_id,
        before_id=before,
        values=dict(values),
        cause=find_common_cause(values),
    )


def _read_chunks(things: QuerySet[TrackedRecord]) -> Iterable[list[TrackedRecord]]:
    """Yield the things in chunks. Each chunk is a query of its own, since the things are changed between them."""
    last = 0
    while some := list(things.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        last = some[-1].pk
        yield some


def prune_changes(cluster_id: int, now: datetime) -> int:
    """Delete a template's changes that are older or more than the settings allow, oldest first, and return how many.

    The present state of a record never depends on its changes, so the states since the oldest kept change stay known.
    """
    changes = RecordChange.objects.filter(cluster=cluster_id)
    days, count = settings.VERTEX_CHANGES_MAX_DAYS, settings.VERTEX_CHANGES_MAX_COUNT
    removed, _ = changes.filter(at__lt=now - timedelta(days=days)).delete()
    first = changes.order_by("-pk").values_list("pk", flat=True)[count - 1 : count]
    for oldest in first:
        removed += changes.filter(pk__lt=oldest).delete()[0]
    return removed
