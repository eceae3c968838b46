"""What happens to the records over time of a template that is merged into another."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils import timezone

from extraction.algorithms.records.changes import describe_difference
from extraction.models import Cluster, RecordChange, RecordSource, TrackedRecord

CHUNK = 200


def move_history(other: Cluster, into: Cluster) -> None:
    """Move the records over time. Where both templates know the same thing, both time lines stay.

    Of two records with the same key, the present one goes on, or that of `into` if both are or neither is. The other one becomes JOINED,
    and its pages become sources of the one that goes on. The caller holds the transaction and moves the changes with all other rows.
    """
    now = timezone.now()
    same = TrackedRecord.objects.filter(cluster=into, list_name=OuterRef("list_name"), digest=OuterRef("digest"))
    both = TrackedRecord.objects.filter(Exists(same), cluster=other).order_by("pk")
    while some := list(both[:CHUNK]):
        _join_things(some, into, now)
    TrackedRecord.objects.filter(cluster=other).update(cluster=into)


def move_things(things: Sequence[TrackedRecord], into: Cluster) -> None:
    """Move some records over time and their changes to another template of the same record type. The caller holds the transaction.

    Where that template knows the same thing, one of the two goes on, as in `move_history`.
    """
    now = timezone.now()
    digests = {thing.digest for thing in things}
    known = set(TrackedRecord.objects.filter(cluster=into, digest__in=digests).values_list("list_name", "digest"))
    both = [thing for thing in things if (thing.list_name, thing.digest) in known]
    ids = [thing.pk for thing in things]
    RecordChange.objects.filter(record__in=ids).update(cluster=into)
    if both:
        _join_things(both, into, now)
    TrackedRecord.objects.filter(pk__in=ids).update(cluster=into)


def _join_things(things: Sequence[TrackedRecord], into: Cluster, now: datetime) -> None:
    digests = {thing.digest for thing in things}
    here = {(each.list_name, each.digest): each for each in TrackedRecord.objects.filter(cluster=into, digest__in=digests)}
    changes, joined = list[RecordChange](), list[tuple[TrackedRecord, TrackedRecord]]()
    for thing in things:
        own = here[thing.list_name, thing.digest]
        wins = thing.state == TrackedRecord.State.PRESENT and own.state != TrackedRecord.State.PRESENT
        stays, goes = (thing, own) if wins else (own, thing)
        if goes.state == TrackedRecord.State.PRESENT:  # what was gone before is no news
            goes.number += 1
            changes.append(_note_joined(goes, into, now))
        goes.state, goes.joined, goes.digest, goes.cluster = TrackedRecord.State.JOINED, stays, f"joined {goes.pk}", into
        joined.append((stays, goes))
    TrackedRecord.objects.bulk_update([goes for _, goes in joined], ["state", "joined", "digest", "cluster", "number"], batch_size=100)
    TrackedRecord.objects.filter(pk__in=[thing.pk for thing in things]).update(cluster=into)
    RecordChange.objects.bulk_create(changes)
    for stays, goes in joined:
        _move_sources(goes, stays)


def _note_joined(thing: TrackedRecord, into: Cluster, now: datetime) -> RecordChange:
    return RecordChange(
        cluster=into,
        record=thing,
        number=thing.number,
        kind=RecordChange.Kind.JOINED,
        at=now,
        rule_id=thing.rule_id,
        snapshot_id=thing.snapshot_id,
        before_id=thing.snapshot_id,
    )


def _move_sources(thing: TrackedRecord, into: TrackedRecord) -> None:
    """Make the pages of a thing sources of the one that it turned out to be, and say what they disagree about."""
    thing.sources.filter(page__in=list(RecordSource.objects.filter(record=into).values_list("page", flat=True))).delete()
    RecordSource.objects.filter(record=thing, page=thing.page_id).update(problem=describe_difference(into.values, thing.values))
    thing.sources.update(record=into)
