"""Give known things new keys after the key attributes of their record type changed.

Every extraction begins with this, so it does not matter how the key attributes changed: by a person on the screen for keys, or
because one of them was deleted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from extraction.algorithms.records.changes import describe_difference
from extraction.algorithms.records.keys import Key, make_key, make_row_key
from extraction.models import RecordChange, RecordSource, TrackedRecord
from extraction.models.record_history import KEY_FIELDS, TrackedRecordQuerySet
from extraction.services.records.key_schema import KeyAttributes, read_key_schemas


@dataclass(frozen=True, slots=True)
class Rekeyed:
    """What new keys did.

    things: how many things have another key than before.
    joined: how many of them turned out to be another thing.
    """

    things: int = 0
    joined: int = 0


def apply_keys(cluster_ids: Collection[int]) -> Rekeyed:
    """Give all things of these templates the keys that their record type asks for now.

    Things that get the same key become one: the present one that is known longest. The others become JOINED, their
    history stays, and their pages become sources of that one.
    """
    things = joined = 0
    with transaction.atomic():
        for cluster_id, schema in sorted(read_key_schemas(cluster_ids).items()):
            for of in schema.followed:
                wanted = schema.lists[of] if of else schema.page
                if _list_things(cluster_id, of).exclude(key_by=wanted.by).exists():
                    changed, gone = _rekey_list(cluster_id, of, wanted)
                    things, joined = things + changed, joined + gone
    return Rekeyed(things, joined)


def _list_things(cluster_id: int, of: str) -> TrackedRecordQuerySet:
    return TrackedRecord.objects.filter(cluster=cluster_id, list_name=of).exclude(state=TrackedRecord.State.JOINED)


def _rekey_list(cluster_id: int, of: str, wanted: KeyAttributes) -> tuple[int, int]:
    things = list(_list_things(cluster_id, of).select_for_update(of=("self",)).select_related("page").order_by("pk"))
    pages = _read_page_keys(cluster_id) if wanted.per_page else {}
    first: dict[str, TrackedRecord] = {}
    joined: list[tuple[TrackedRecord, TrackedRecord]] = []
    changed = 0
    for thing in sorted(things, key=lambda each: (each.state != TrackedRecord.State.PRESENT, each.pk)):
        key = _choose_key(thing, wanted, pages)
        changed += key.digest != thing.digest
        thing.take_key(key, by=wanted.by)
        if key.digest in first:
            joined.append((thing, first[key.digest]))
        else:
            first[key.digest] = thing
    _write_keys(things, joined)
    return changed, len(joined)


def _choose_key(thing: TrackedRecord, wanted: KeyAttributes, pages: Mapping[int, Key]) -> Key:
    page = pages.get(thing.page_id or 0) if wanted.per_page else None
    made = make_row_key(thing.values, wanted.names, page=page) if thing.list_name else make_key(thing.values, wanted.names)
    if made:
        return made
    if thing.by_address or thing.page is None:
        return Key(tuple(thing.key), thing.by_address)
    return Key((thing.page.url,), by_address=True)


def _read_page_keys(cluster_id: int) -> dict[int, Key]:
    """Return {page: key of its record}, by main source before others."""
    found: dict[int, Key] = {}
    sources = RecordSource.objects.filter(record__cluster=cluster_id, record__list_name="").exclude(
        record__state=TrackedRecord.State.JOINED
    )
    for source in sources.select_related("record").order_by("pk"):
        if source.page_id not in found or source.record.page_id == source.page_id:
            found[source.page_id] = Key(tuple(source.record.key), source.record.by_address)
    return found


def _write_keys(things: Sequence[TrackedRecord], joined: Iterable[tuple[TrackedRecord, TrackedRecord]]) -> None:
    """Write the new keys. Two things may swap their keys, so each first gets a digest that no other has."""
    changes = []
    for thing, into in joined:
        if thing.state == TrackedRecord.State.PRESENT:  # what was gone before is no news
            thing.number += 1
            changes.append(_note_joined(thing))
        thing.state, thing.joined, thing.digest = TrackedRecord.State.JOINED, into, f"joined {thing.pk}"
        _move_sources(thing, into)
    final = {thing.pk: thing.digest for thing in things}
    for thing in things:
        thing.digest = f"moving {thing.pk}"
    TrackedRecord.objects.bulk_update(things, ["digest"], batch_size=100)
    for thing in things:
        thing.digest = final[thing.pk]
    TrackedRecord.objects.bulk_update(things, [*KEY_FIELDS, "state", "joined", "number"], batch_size=100)
    RecordChange.objects.bulk_create(changes)


def _note_joined(thing: TrackedRecord) -> RecordChange:
    return RecordChange(
        cluster_id=thing.cluster_id,
        record=thing,
        number=thing.number,
        kind=RecordChange.Kind.JOINED,
        at=timezone.now(),
        rule_id=thing.rule_id,
        snapshot_id=thing.snapshot_id,
        before_id=thing.snapshot_id,
    )


def _move_sources(thing: TrackedRecord, into: TrackedRecord) -> None:
    """Make the pages of a thing sources of the one that it turned out to be."""
    known = set(RecordSource.objects.filter(record=into).values_list("page", flat=True))
    thing.sources.filter(page__in=known).delete()
    for source in thing.sources.all():
        problem = describe_difference(into.values, thing.values) if source.page_id == thing.page_id else source.problem
        RecordSource.objects.filter(pk=source.pk).update(record=into, problem=problem)
