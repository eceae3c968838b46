"""What a receiver does not have yet: the released records, compared with those that it was given.

The comparison is by content and by the numbers of changes, not by time. So it does not matter when something was stored, which worker
did it, whether old changes were deleted, or whether a delivery failed in between: whatever differs is delivered, and then noted.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import transaction
from django.utils import timezone

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.records.columns import Column
from extraction.models import DeliveredRecord, Ledger, RecordChange
from extraction.models.delivery import Selection
from extraction.services.deliveries.record_lines import LineMaker, ReleasedRecords
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.json_lines import to_json
from extraction.services.records.states import RecordState

CHUNK = 500

Kind = Literal["added", "changed", "gone", "back", "removed"]
"""What happened to a record since the receiver was last given it.

removed: Vertex does not keep it any more: its site or template was deleted, ignored, or has another record type now.
"""

SELECTED: Mapping[Selection, frozenset[Kind]] = {
    Selection.NEW: frozenset({"added"}),
    Selection.NEW_CHANGED: frozenset({"added", "changed", "back"}),
    Selection.GONE: frozenset({"gone", "removed"}),
}
"""What a selection of changes brings; the others bring every kind. A record that is back was new once, so it is not new again."""

_STABLE = frozenset({URL_COLUMN, "site", "record_key"})
"""Columns about the record that make it differ. Others, such as the time of the last fetch, change without anything having happened."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the receiver has of a record once it was given it (`DeliveredRecord`)."""

    record_id: int
    digest: str
    present: bool
    number: int

    def as_json(self) -> list[str | int | bool]:
        """Return the entry as JSON."""
        return [self.record_id, self.digest, self.present, self.number]


@dataclass(frozen=True, slots=True)
class Difference:
    """A record that the receiver does not have as it is.

    state, cells: the record; None and empty if it is removed.
    attributes: the attributes that changed since; None if that is not known.
    """

    kind: Kind
    entry: Entry
    state: RecordState | None
    cells: Sequence[Cell]
    attributes: Sequence[str] | None


class LedgerReader:
    """Compares released records with what a receiver has."""

    def __init__(self, ledger: Ledger) -> None:
        self._rows = DeliveredRecord.objects.filter(ledger=ledger).order_by("record")
        self.complete = True
        """Whether `find_differences` compared all records."""

    def find_differences(
        self, records: ReleasedRecords, export: Export, *, kind_column: str = "", most: int | None = None
    ) -> Iterator[Difference]:
        """Yield what differs, by template and record; what is removed comes last.

        export: makes the cells; its columns decide what counts as a difference.
        kind_column: the name of the column for the kind of the difference, "" if there is none.
        most: compare at most so many records, and look for none that are removed if there are more.
        """
        lines, maker = LineMaker(records), export.make_maker()
        stable = [place for place, column in enumerate(export.columns) if _is_stable(column)]
        seen: set[int] = set()
        chunk = CHUNK if most is None else min(CHUNK, most + 1)
        for states in _chunk(records.read_states(chunk), chunk):
            if most is not None and len(seen) + len(states) > most:
                states, self.complete = states[: most - len(seen)], False
            entries = self._read_entries([state.record_id for state in states])
            found: list[tuple[Kind, Entry, RecordState]] = []
            cells: dict[int, list[Cell]] = {}
            for state in states:
                seen.add(state.record_id)
                known = entries.get(state.record_id)
                if known is None and not state.present:
                    continue
                row = maker.make_cells(lines.make_line(state))
                entry = Entry(state.record_id, make_digest(state, [row[place] for place in stable]), state.present, state.number)
                if kind := _compare(known, entry):
                    found.append((kind, entry, state))
                    cells[state.record_id] = _set_kind(export.columns, row, kind, kind_column)
            names = _find_changed(found, entries)
            for kind, entry, state in found:
                yield Difference(kind, entry, state, cells[state.record_id], names.get(state.record_id))
            if not self.complete:
                return
        told = self._rows.exclude(present=False, digest=REMOVED).values_list("record", "number")
        removed = [(record, number) for record, number in told.iterator(chunk_size=5_000) if record not in seen]
        for record, number in removed:
            yield Difference("removed", Entry(record, REMOVED, False, number), None, (), None)

    def _read_entries(self, record_ids: Sequence[int]) -> dict[int, Entry]:
        """Return {record: what the receiver has of it}, without records that it was never given."""
        rows = self._rows.filter(record__in=record_ids).values_list("record", "digest", "present", "number")
        return {record: Entry(record, digest, present, number) for record, digest, present, number in rows}


def _find_changed(found: Sequence[tuple[Kind, Entry, RecordState]], entries: Mapping[int, Entry]) -> Mapping[int, Sequence[str]]:
    """Return {record: the attributes that changed since the receiver's number}, without records of which changes are missing."""
    wanted = {entry.record_id: (entries[entry.record_id].number, entry.number) for kind, entry, _ in found if kind == "changed"}
    names: dict[int, set[str]] = {record: set() for record in wanted}
    counts = dict.fromkeys(wanted, 0)
    for record, number, values in RecordChange.objects.filter(record__in=wanted).values_list("record", "number", "values"):
        first, last = wanted[record]
        if first < number <= last:
            names[record] |= set(values)
            counts[record] += 1
    return {record: sorted(names[record]) for record, (first, last) in wanted.items() if counts[record] == last - first > 0}


REMOVED = "removed"
"""The digest of a record of which the receiver was told that it is removed."""


def make_digest(state: RecordState, cells: Iterable[Cell]) -> str:
    """Return the digest of what a receiver is given of a record."""
    text = json.dumps([state.present, list(state.key), [to_json(each) for each in cells]], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def is_selected(kind: Kind, selection: Selection) -> bool:
    """Return whether a receiver with this selection is given what happened."""
    return selection not in SELECTED or kind in SELECTED[selection]


def note_delivered(ledger: Ledger, entries: Sequence[Entry]) -> None:
    """Note what the receiver has now. Call it in the transaction that notes that it was delivered."""
    rows = [
        DeliveredRecord(ledger=ledger, record=each.record_id, digest=each.digest, present=each.present, number=each.number)
        for each in entries
    ]
    with transaction.atomic():
        DeliveredRecord.objects.bulk_create(
            rows,
            batch_size=CHUNK,
            update_conflicts=True,
            unique_fields=["ledger", "record"],
            update_fields=["digest", "present", "number"],
        )
        Ledger.objects.filter(pk=ledger.pk).update(updated_at=timezone.now())


def read_entries(data: Iterable[Sequence[object]]) -> list[Entry]:
    """Return the entries that `Entry.as_json` wrote."""
    return [Entry(int(str(record)), str(digest), bool(present), int(str(number))) for record, digest, present, number in data]


def forget_delivered(ledger: Ledger) -> None:
    """Forget what the receiver has, so that everything is delivered again."""
    DeliveredRecord.objects.filter(ledger=ledger).delete()


def _compare(known: Entry | None, entry: Entry) -> Kind | None:
    if known is None:
        return "added" if entry.present else None
    if known.present and not entry.present:
        return "gone"
    if entry.present and not known.present:
        return "back"
    return "changed" if entry.present and known.digest != entry.digest else None


def _is_stable(column: Column) -> bool:
    return column.part != "page" or column.source in _STABLE


def _set_kind(columns: Sequence[Column], row: list[Cell], kind: Kind, name: str) -> list[Cell]:
    return [kind if name and column.name == name else cell for column, cell in zip(columns, row, strict=True)]


def _chunk(states: Iterator[RecordState], size: int) -> Iterator[list[RecordState]]:
    some: list[RecordState] = []
    for each in states:
        some.append(each)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some
