"""Compare new records with what was known, and store what changed, in the transaction that stores the records.

Each new record is one *sighting* of a thing, and so is each row of a list that has a key. A sighting on the main source of a
thing says how the thing is now. A sighting on another page only says that the thing stands there, too; if the main source
turns out to be gone, `finish_tracking` makes another source the main one.

A run that is repeated finds everything as it left it and stores nothing twice: a sighting that equals the stored state is no
change. The numbers of the changes are unique for each thing, so two workers cannot both store the next one. The module is longer than
others because all of it works on the state of one batch.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from extraction.algorithms.records.changes import describe_difference, explain_changes, find_changes
from extraction.algorithms.records.keys import Key, Values, make_key, make_row_key
from extraction.models import Record, RecordChange, RecordSource, Run, Snapshot, TrackedRecord
from extraction.models.record_history import KEY_FIELDS
from extraction.services.records import moving_templates
from extraction.services.records.key_schema import KeyAttributes, KeySchema, read_key_schemas

CHUNK = 500
"""The number of rows of one query. Databases limit the number of parameters of a statement."""

Reread = Callable[[int, int], Record | None]
"""(template, snapshot) → the record that the template's new rule gives for that content; None if it cannot be read."""

STATE_FIELDS = (*KEY_FIELDS, "values", "state", "page", "snapshot", "rule", "number", "misses", "seen_at")
"""What a sighting can change. The key changes when a page that lacked a key attribute has it now."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A thing as one page shows it.

    list_name: the list whose row it is, "" for a record of a page.
    key_by: what made the key (`TrackedRecord.key_by`).
    problem: why its key is not the one that the page claims; "" if it is.
    corrected: {attribute: who corrected its values}.
    """

    cluster_id: int
    list_name: str
    key: Key
    key_by: str
    values: Values
    page_id: int
    snapshot_id: int
    rule_id: int
    at: datetime
    problem: str = ""
    corrected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    page_id: int
    url: str


@dataclass(slots=True)
class _Batch:
    """The stored state of the things of a batch, and what is to be written.

    known: {(template, list, digest): thing}.
    held: {(template, page): the things whose record stands on the page}; rows of lists are not among them.
    sources: {(thing's place in `known`, page): source}.
    seen: the sources that the batch shows.
    corrected_by: the person who corrected values, if that is all that happened.
    moved: the ids of sources that have other content or another problem than before.
    rekeyed: the digests of things that have a new key.
    """

    run: Run | None
    reread: Reread
    corrected_by: str = ""
    known: dict[tuple[int, str, str], TrackedRecord] = field(default_factory=dict)
    held: dict[tuple[int, int], list[TrackedRecord]] = field(default_factory=lambda: defaultdict(list))
    sources: dict[tuple[tuple[int, str, str], int], RecordSource] = field(default_factory=dict)
    seen: set[tuple[tuple[int, str, str], int]] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    rekeyed: set[str] = field(default_factory=set)
    new: list[TrackedRecord] = field(default_factory=list)
    changed: list[TrackedRecord] = field(default_factory=list)
    same: list[TrackedRecord] = field(default_factory=list)
    changes: list[RecordChange] = field(default_factory=list)


def track_records(run: Run | None, records: Sequence[Record], reread: Reread, *, corrected_by: str = "") -> None:
    """Store what changed with these records. The caller holds the transaction that stores them.

    Failed records are left out: they say nothing about the thing. So are records of pages that are known to be gone, since
    only their last content is read again and again.

    run: the run that made the records; None if a person corrected values.
    reread: used when both the rule and the page changed, to tell which of them changed a value.
    corrected_by: that person. All changes are theirs then.
    """
    given = [record for record in records if record.state != Record.State.FAILED]
    places = _read_places(given)
    here = [record for record in given if record.snapshot_id in places]
    if not here:
        return
    schemas = read_key_schemas({record.cluster_id for record in here})
    siblings = moving_templates.find_siblings(schemas)
    if siblings:
        moving_templates.follow_pages({places[record.snapshot_id].page_id: record.cluster_id for record in here}, siblings)
    batch = _Batch(run, reread, corrected_by)
    _load_known(batch, here, places, schemas, siblings)
    for record in here:
        for sighting in _list_sightings(batch, record, places[record.snapshot_id], schemas[record.cluster_id]):
            _take_sighting(batch, sighting)
    _write_batch(batch)


def _read_places(records: Iterable[Record]) -> dict[int, _Place]:
    """Return {snapshot: its page} without the pages that are gone."""
    found = Snapshot.objects.filter(pk__in=[record.snapshot_id for record in records], page__gone_at=None)
    return {pk: _Place(page_id, url) for pk, page_id, url in found.values_list("pk", "page_id", "page__url")}


def _load_known(
    batch: _Batch,
    records: Sequence[Record],
    places: Mapping[int, _Place],
    schemas: Mapping[int, KeySchema],
    siblings: Mapping[int, list[int]],
) -> None:
    """Load and lock the things that the records may show, with their sources on these pages."""
    clusters = list(schemas)
    pages = [place.page_id for place in places.values()]
    # The templates are not part of the condition: a database may then begin with all things of a template, for every batch.
    sources = list(RecordSource.objects.filter(page__in=pages).order_by("pk"))
    held = {source.record_id for source in sources}
    found: dict[int, TrackedRecord] = {}
    locked = TrackedRecord.objects.select_for_update(of=("self",)).order_by("pk")
    for some in _chunk(sorted(held)):
        found.update((each.pk, each) for each in locked.filter(pk__in=some) if each.cluster_id in schemas)
    _keep_known(batch, found, sources)
    wanted = {
        each
        for record in records
        for place in [places[record.snapshot_id]]
        for each in _list_places(record, place, schemas[record.cluster_id], batch.held[record.cluster_id, place.page_id])
    }
    wanted -= set(batch.known)
    if siblings:
        moving_templates.follow_keys(_find_unknown(wanted), siblings)
    lists = {name for _, name, _ in wanted}
    for some in _chunk(sorted({digest for _, _, digest in wanted})):
        for each in locked.filter(cluster__in=clusters, list_name__in=lists, digest__in=some):
            batch.known.setdefault(_place_of(each), each)


def _find_unknown(wanted: Iterable[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return the keys that their template does not know."""
    asked = sorted(wanted)
    known: set[tuple[int, str, str]] = set()
    for some in _chunk(sorted({digest for *_, digest in asked})):
        things = TrackedRecord.objects.filter(cluster__in={cluster for cluster, *_ in asked}, digest__in=some)
        known.update(things.values_list("cluster", "list_name", "digest"))
    return [each for each in asked if each not in known]


def _keep_known(batch: _Batch, things: Mapping[int, TrackedRecord], sources: Iterable[RecordSource]) -> None:
    """Note the things that stand on the pages of the batch."""
    for thing in things.values():
        batch.known[_place_of(thing)] = thing
    for source in (each for each in sources if each.record_id in things):
        thing = things[source.record_id]
        batch.sources[_place_of(thing), source.page_id] = source
        if not thing.list_name and thing.state != TrackedRecord.State.JOINED:
            batch.held[thing.cluster_id, source.page_id].append(thing)


def _list_places(record: Record, place: _Place, schema: KeySchema, held: Iterable[TrackedRecord]) -> Iterable[tuple[int, str, str]]:
    """Yield (template, list, digest) for every key that the record and its rows may have.

    held: the things whose record stands on the page. Without a key of its own, the page keeps one of theirs.
    """
    own = make_key(record.values, schema.page.names)
    if not own and not schema.lists and held:
        return  # it keeps the key of what stands there, which is known already
    keys = [own] if own else [*_list_addresses(record, place), *(Key(tuple(each.key), each.by_address) for each in held)]
    yield from ((record.cluster_id, "", key.digest) for key in keys)
    for name, attributes in schema.lists.items():
        for row in record.rows.get(name, ()):
            for key in keys if attributes.per_page else (None,):
                if made := make_row_key(row, attributes.names, page=key):
                    yield record.cluster_id, name, made.digest


def _list_addresses(record: Record, place: _Place) -> list[Key]:
    texts = [record.canonical, place.url] if record.canonical else [place.url]
    return [Key((text,), by_address=True) for text in texts] + [_apart(place)]


def _apart(place: _Place) -> Key:
    """Return the key of a page whose address another page claims for other values."""
    return Key((place.url, f"page {place.page_id}"), by_address=True)


def _list_sightings(batch: _Batch, record: Record, place: _Place, schema: KeySchema) -> Iterable[Sighting]:
    """Yield the sighting of the record itself, then those of its rows. A page that has only rows is no thing of its own."""
    key, problem = _find_page_key(batch, record, place, schema.page)
    people: dict[tuple[str, int | None], dict[str, str]] = defaultdict(dict)
    for each in record.read_origins().list_corrected():
        people[each.list_name, each.row][each.attribute] = each.correction.by if each.correction else ""

    def see(of: str, made: Key, by: str, values: Values, row: int | None, problem: str = "") -> Sighting:
        rule, at, corrected = record.rule_id, record.extracted_at, people.get((of, row), {})
        return Sighting(
            record.cluster_id, of, made, by, values, place.page_id, record.snapshot_id, rule, at=at, problem=problem, corrected=corrected
        )

    if record.values or not record.rows:
        yield see("", key, schema.page.by, record.values, None, problem)
    for name, attributes in schema.lists.items():
        for number, row in enumerate(record.rows.get(name, ())):
            made = make_row_key(row, attributes.names, page=key if attributes.per_page else None)
            if made:
                yield see(name, made, attributes.by, row, number)


def _find_page_key(batch: _Batch, record: Record, place: _Place, attributes: KeyAttributes) -> tuple[Key, str]:
    """Return (key of the record, why it is not the one that the page claims).

    Without a key of its own, a page keeps the key under which it is known. A new page has its canonical address as its
    key unless a page with other values has that address, too: a wrong canonical address must not join different things.
    """
    own = make_key(record.values, attributes.names)
    if own:
        return own, ""
    missing = f"{' or '.join(attributes.names)} is missing, so the address tells it apart" if attributes.names else ""
    held = sorted(batch.held[record.cluster_id, place.page_id], key=lambda each: (each.page_id != place.page_id, each.pk))
    if held:
        source = batch.sources.get((_place_of(held[0]), place.page_id))
        return Key(tuple(held[0].key), held[0].by_address), missing or (source.problem if source and held[0].by_address else "")
    problem = ""
    for key in _list_addresses(record, place):
        thing = batch.known.get((record.cluster_id, "", key.digest))
        if thing is None or not find_changes(thing.values, record.values):
            return key, missing or problem
        problem = f"Another page with other values has the address {key.parts[0]}, too"
    return key, missing or problem


def _take_sighting(batch: _Batch, sighting: Sighting) -> None:
    """Compare a sighting with the stored thing, and note what is to be written."""
    place = (sighting.cluster_id, sighting.list_name, sighting.key.digest)
    thing = batch.known.get(place) or _adopt_page(batch, place, sighting)
    if thing is None:
        thing = batch.known[place] = _make_thing(sighting)
        batch.new.append(thing)
        _note_change(batch, thing, RecordChange.Kind.ADDED, sighting, {}, before=None)
        if not sighting.list_name:
            batch.held[sighting.cluster_id, sighting.page_id].append(thing)
        _note_source(batch, place, thing, sighting, sighting.problem)
        return
    if (place, sighting.page_id) in batch.seen:
        _note_repeated(batch, place, thing, sighting)
        return
    if thing.page_id not in (None, sighting.page_id):
        _note_source(batch, place, thing, sighting, sighting.problem or describe_difference(thing.values, sighting.values))
        return
    _note_source(batch, place, thing, sighting, sighting.problem)
    _update_thing(batch, thing, sighting)


def _adopt_page(batch: _Batch, place: tuple[int, str, str], sighting: Sighting) -> TrackedRecord | None:
    """Give the new key to the thing that this page was so far, if only its address told it apart."""
    if sighting.list_name or sighting.key.by_address:
        return None
    for thing in batch.held[sighting.cluster_id, sighting.page_id]:
        if thing.by_address and thing.page_id == sighting.page_id:
            old = _place_of(thing)
            thing.take_key(sighting.key, by=sighting.key_by)
            batch.known[place] = batch.known.pop(old)
            for known, page in list(batch.sources):
                if known == old:
                    batch.sources[place, page] = batch.sources.pop((known, page))
            batch.rekeyed.add(thing.digest)
            return thing
    return None


def _note_repeated(batch: _Batch, place: tuple[int, str, str], thing: TrackedRecord, sighting: Sighting) -> None:
    """Say so if a page shows a thing a second time with other values. The first time counts."""
    source = batch.sources[place, sighting.page_id]
    difference = describe_difference(thing.values, sighting.values)
    if difference and not source.problem:
        source.problem = f"The page has it more than once; {difference}"[:500]
        if source.pk:
            batch.moved.add(source.pk)


def _make_thing(sighting: Sighting) -> TrackedRecord:
    thing = TrackedRecord(
        cluster_id=sighting.cluster_id,
        list_name=sighting.list_name,
        values=dict(sighting.values),
        page_id=sighting.page_id,
        snapshot_id=sighting.snapshot_id,
        rule_id=sighting.rule_id,
        first_seen_at=sighting.at,
        seen_at=sighting.at,
    )
    thing.take_key(sighting.key, by=sighting.key_by)
    return thing


def _note_source(batch: _Batch, place: tuple[int, str, str], thing: TrackedRecord, sighting: Sighting, problem: str) -> None:
    source = batch.sources.get((place, sighting.page_id))
    if source is None:
        source = batch.sources[place, sighting.page_id] = RecordSource(record=thing, page_id=sighting.page_id)
    if source.pk and (source.snapshot_id, source.problem) != (sighting.snapshot_id, problem[:500]):
        batch.moved.add(source.pk)
    source.snapshot_id, source.problem, source.seen_at = sighting.snapshot_id, problem[:500], sighting.at
    batch.seen.add((place, sighting.page_id))


def _update_thing(batch: _Batch, thing: TrackedRecord, sighting: Sighting) -> None:
    """Take over what the main source says now."""
    same_page, same_rule = thing.snapshot_id == sighting.snapshot_id, thing.rule_id == sighting.rule_id
    back = thing.state == TrackedRecord.State.GONE
    differs = bool(find_changes(thing.values, sighting.values))
    if back or differs:
        reread = None if same_page or same_rule or not differs else read_earlier(batch.reread, thing, sighting.values)
        corrected = dict.fromkeys({*thing.values, *sighting.values}, batch.corrected_by) if batch.corrected_by else sighting.corrected
        found = explain_changes(thing.values, sighting.values, same_page=same_page, same_rule=same_rule, reread=reread, corrected=corrected)
        kind = RecordChange.Kind.BACK if back else RecordChange.Kind.CHANGED
        _note_change(batch, thing, kind, sighting, {name: each.as_json() for name, each in found.items()}, before=thing.snapshot_id)
    same = same_page and same_rule and not (back or differs or thing.misses or thing.digest in batch.rekeyed)
    (batch.same if same else batch.changed).append(thing)
    thing.values, thing.state, thing.misses = dict(sighting.values), TrackedRecord.State.PRESENT, 0
    thing.page_id, thing.snapshot_id, thing.rule_id, thing.seen_at = sighting.page_id, sighting.snapshot_id, sighting.rule_id, sighting.at


def read_earlier(reread: Reread, thing: TrackedRecord, values: Values) -> Values | None:
    """Return what the new rule gives for the content that the thing was last seen in, None if that cannot be told.

    values: those of the thing now. They tell which row it is, if it is one.
    """
    record = reread(thing.cluster_id, thing.snapshot_id) if thing.snapshot_id else None
    return find_values(thing, record, values) if record and record.state != Record.State.FAILED else None


def find_values(thing: TrackedRecord, record: Record, values: Values) -> Values | None:
    """Return the values of the thing in a record of a page: the record's own, or those of the row with its key.

    values: some values of the thing, with its key attributes.
    """
    if not thing.list_name:
        return record.values
    keys = read_key_schemas({thing.cluster_id})[thing.cluster_id].lists.get(thing.list_name, KeyAttributes()).names
    wanted = make_key(values, keys)
    return next((row for row in record.rows.get(thing.list_name, ()) if make_key(row, keys) == wanted), None)


def _note_change(
    batch: _Batch, thing: TrackedRecord, kind: str, sighting: Sighting, values: Mapping[str, Any], *, before: int | None
) -> None:
    thing.number += 1
    batch.changes.append(
        RecordChange(
            cluster_id=thing.cluster_id,
            record=thing,
            number=thing.number,
            kind=kind,
            run=batch.run,
            at=timezone.now() if batch.corrected_by else sighting.at,
            rule_id=sighting.rule_id,
            snapshot_id=sighting.snapshot_id,
            before_id=before,
            values=dict(values),
            cause=find_common_cause(values),
        )
    )


def find_common_cause(values: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the `RecordChange.cause` of changes by attribute."""
    causes = {"rule" if each["cause"] == "reading" else str(each["cause"]) for each in values.values()}
    single = (RecordChange.Cause.PAGE, RecordChange.Cause.RULE, RecordChange.Cause.CORRECTION)
    return next(iter(causes), "") if any(causes <= {cause} for cause in single) else RecordChange.Cause.MIXED


def _write_batch(batch: _Batch) -> None:
    TrackedRecord.objects.bulk_create(batch.new, batch_size=CHUNK)
    TrackedRecord.objects.bulk_update(batch.changed, STATE_FIELDS, batch_size=100)
    for some in _chunk(batch.same):
        TrackedRecord.objects.filter(pk__in=[thing.pk for thing in some]).update(seen_at=max(thing.seen_at for thing in some))
    RecordChange.objects.bulk_create(batch.changes, batch_size=CHUNK)
    seen = [batch.sources[each] for each in sorted(batch.seen)]
    RecordSource.objects.bulk_create([each for each in seen if each.pk is None], batch_size=CHUNK)
    RecordSource.objects.bulk_update([each for each in seen if each.pk in batch.moved], ["snapshot", "problem", "seen_at"], batch_size=100)
    for some in _chunk([each for each in seen if each.pk not in batch.moved]):
        RecordSource.objects.filter(pk__in=[each.pk for each in some]).update(seen_at=max(each.seen_at for each in some))


def _place_of(thing: TrackedRecord) -> tuple[int, str, str]:
    return thing.cluster_id, thing.list_name, thing.digest


def _chunk(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (rows[at : at + CHUNK] for at in range(0, len(rows), CHUNK))
