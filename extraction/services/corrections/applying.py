"""Puts the corrections of people into records, in the transaction that stores the records.

A record keeps what the rule gave beside what a person put in its place. So applying the corrections begins with the rule's values each
time: doing it twice does no harm, and a correction that was taken back leaves nothing behind. The pages are locked first. Whoever corrects
a value locks its page, too, so a correction that is made while a worker writes the same record comes before it or after it, never between.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from extraction.algorithms.records.corrected_rows import Row, RowLost, RowPlace, find_row
from extraction.algorithms.rules.page_values import PAGE_UNREAD, RULE_UNRUN, judge_record, write_search_text
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Attribute, Correction, Page, Record, Snapshot
from extraction.models.record_origins import CorrectionMark, Origin, RecordOrigins
from extraction.models.record_values import RecordValue, read_rows, read_values, rows_as_json, values_as_json

Place = tuple[str, str, int | None]
"""(attribute, list or "", row from 0 or None) of values in a record."""

VALUE_FIELDS = ["values", "rows", "origins", "text", "state", "reason"]
"""The fields of a record that corrections change."""


def lock_pages(snapshot_ids: Sequence[int]) -> dict[int, int]:
    """Lock the pages of these snapshots until the end of the transaction, and return {snapshot: page}."""
    pages = dict(Snapshot.objects.filter(pk__in=snapshot_ids).values_list("pk", "page"))
    list(Page.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=set(pages.values())).order_by("pk").values_list("pk"))
    return pages


def apply_corrections(records: Sequence[Record], rules: Mapping[int, RuleDefinition]) -> None:
    """Change the records, which the caller saves, and the state of their corrections. The caller holds the transaction.

    rules: {template: its rule}.
    """
    pages = lock_pages([record.snapshot_id for record in records])
    corrections: dict[int, list[Correction]] = defaultdict(list)
    for each in Correction.objects.open().filter(page__in=set(pages.values())).select_related("attribute__list").order_by("pk"):
        corrections[each.page_id].append(each)
    changed, names = [], read_attribute_names([each for many in corrections.values() for each in many])
    for record in records:
        mine = corrections.get(pages.get(record.snapshot_id, 0), [])
        if mine or any(True for _ in record.read_origins().list_corrected()):
            changed += correct_record(record, mine, rules[record.cluster_id], names)
    Correction.objects.bulk_update(changed, ["state", "found", "snapshot", "reason", "ended_at"], batch_size=100)


def read_attribute_names(corrections: Iterable[Correction]) -> dict[str, str]:
    """Return {id: name} of the attributes that tell the rows of corrections apart."""
    ids = {int(pk) for each in corrections if each.row for pk in each.row["texts"]}
    return {str(pk): name for pk, name in Attribute.objects.filter(pk__in=ids).values_list("pk", "name")} if ids else {}


def correct_record(record: Record, corrections: Iterable[Correction], rule: RuleDefinition, names: Mapping[str, str]) -> list[Correction]:
    """Put the corrections of a record's page into the record, and return those whose state has changed.

    A record of a page that cannot be read stays as it is: nothing is known about what the page says.

    names: {id: name} of attributes, from `read_attribute_names`.
    """
    if is_unread(record):
        return []
    given = RuleValues(record)
    changed, entries = [], dict(given.page_entries)
    for each in corrections:
        attribute = each.attribute
        list_name = attribute.list.name if attribute.list else ""
        known = {one.name for one in (rule.attributes if not list_name else _list_attributes(rule, list_name))}
        if attribute.name not in known:
            continue  # the rule says nothing about it, so nothing has changed
        if attribute.name in given.failed or list_name in given.failed:
            continue
        before = (each.state, each.found, each.reason, each.snapshot_id)
        place = _match(each, given, (attribute.name, list_name), record, names)
        if place is not None:
            mark = CorrectionMark(each.pk, each.kind, each.by_name, each.at.isoformat())
            entries[place] = Origin(*place, given.page_texts(place), tuple(given.get(place)), mark)
            given.set(place, _read(each, attribute.type))
        if (each.state, each.found, each.reason, each.snapshot_id) != before:
            changed.append(each)
    given.write(record, tuple(entries.values()), rule)
    return changed


def is_unread(record: Record) -> bool:
    """Return whether a record failed because its page or its rule could not be read, so that nothing is known about its values."""
    return record.state == Record.State.FAILED and record.reason.startswith((PAGE_UNREAD, RULE_UNRUN))


def _list_attributes(rule: RuleDefinition, list_name: str) -> Sequence[Any]:
    return next((each.attributes for each in rule.lists if each.name == list_name), ())


def _match(each: Correction, given: "RuleValues", of: tuple[str, str], record: Record, names: Mapping[str, str]) -> Place | None:
    """Return where a correction applies, and set its state. None if the page says something else than when it was made.

    of: (attribute, list or "").
    """
    name, list_name = of
    place: Place = (name, "", None)
    if list_name:
        row = each.read_row()
        found = find_row(given.page_rows(list_name), with_names(row, names)) if row else RowLost("its row is unknown")
        if isinstance(found, RowLost):
            _doubt(each, (), record, f"The row cannot be identified with certainty: {found.reason}.")
            return None
        place = (name, list_name, found.position)
    texts = given.page_texts(place)
    if texts != tuple(each.basis):
        if not texts and each.kind == Correction.Kind.REJECTED:
            return None  # there is nothing to reject, and it may come back
        if texts == tuple(each.texts):
            each.state, each.found, each.reason = Correction.State.ENDED, None, "The page says the same as the correction now."
            each.ended_at, each.snapshot_id = record.extracted_at, record.snapshot_id
            return None
        says = "The page says something else" if texts else "The rule finds nothing there now, which is something else"
        _doubt(each, texts, record, f"{says} than when the value was corrected.")
        return None
    each.state, each.found, each.reason, each.snapshot_id = Correction.State.ACTIVE, None, "", None
    return place


def _doubt(each: Correction, texts: Sequence[str], record: Record, reason: str) -> None:
    each.state, each.found, each.reason, each.snapshot_id = Correction.State.REVIEW, list(texts), reason, record.snapshot_id


def with_names(place: RowPlace, names: Mapping[str, str]) -> RowPlace:
    """Return a row's place with the names of attributes in place of their ids. Attributes that no longer exist cannot be compared."""
    texts = {names[pk]: texts for pk, texts in place.texts.items() if pk in names}
    key = place.key if all(pk in names for pk in place.key) else ()
    return replace(place, texts=texts, key=tuple(names[pk] for pk in key))


def _read(each: Correction, kind: str) -> list[RecordValue]:
    """Return the values of a correction. If the attribute has another type now, its texts wait for a person to read them again."""
    if each.type == kind:
        return each.read_values()
    problem = f"it was written as {each.type} and the attribute is {kind} now; correct it again"
    return [RecordValue(text, text if kind == "text" else None, "" if kind == "text" else problem) for text in each.texts]


class RuleValues:
    """The values of a record as the rule gave them, with the texts of the page. Corrections are put in one by one.

    page_entries: {place: the origin of values that a clean-up changed}.
    """

    def __init__(self, record: Record) -> None:
        self.values: dict[str, list[RecordValue]] = read_values(record.values)
        self.rows: dict[str, list[dict[str, list[RecordValue]]]] = read_rows(record.rows)
        self._origins = record.read_origins()
        self.failed = self._origins.failed
        self._texts: dict[Place, tuple[str, ...]] = {}
        self.page_entries: dict[Place, Origin] = {}
        for each in self._origins.entries:
            self._texts[each.place] = each.page
            if each.given is not None:
                self.set(each.place, list(each.given))
            if each.page != tuple(one.raw for one in self.get(each.place)):
                self.page_entries[each.place] = replace(each, given=None, correction=None)
        self._page_rows = {name: [self._read_row(name, n) for n in range(len(rows))] for name, rows in self.rows.items()}
        self._page_values = {name: tuple(one.raw for one in many) for name, many in self.values.items()}
        self._page_values |= {place[0]: texts for place, texts in self._texts.items() if not place[1]}

    def _read_row(self, name: str, number: int) -> Row:
        texts = {attribute: tuple(one.raw for one in many) for attribute, many in self.rows[name][number].items()}
        changed = {place[0]: texts for place, texts in self._texts.items() if place[1:] == (name, number)}
        return texts | changed

    def get(self, place: Place) -> list[RecordValue]:
        """Return the values at a place."""
        holder = self._find_holder(place)
        return holder.get(place[0], [])

    def set(self, place: Place, values: list[RecordValue]) -> None:
        """Put values at a place; none take it out."""
        holder = self._find_holder(place)
        if values:
            holder[place[0]] = values
        else:
            holder.pop(place[0], None)

    def page_texts(self, place: Place) -> tuple[str, ...]:
        """Return the texts of the page at a place."""
        name, list_name, row = place
        if list_name and row is not None:
            return tuple(self._page_rows.get(list_name, [])[row].get(name, ()))
        return self._page_values.get(name, ())

    def page_rows(self, list_name: str) -> list[Row]:
        """Return the texts of the page in the rows of a list."""
        return self._page_rows.get(list_name, [])

    def write(self, record: Record, entries: tuple[Origin, ...], rule: RuleDefinition) -> None:
        """Write the values into the record, with its state and what it is searched by."""
        origins = RecordOrigins(entries, self._origins.failed, self._origins.notes)
        record.values, record.rows, record.origins = values_as_json(self.values), rows_as_json(self.rows), origins.as_json()
        record.text = write_search_text(self.values, self.rows)
        record.state, record.reason = judge_record(rule, self.values, self.rows, origins)

    def _find_holder(self, place: Place) -> dict[str, list[RecordValue]]:
        _, list_name, row = place
        return self.rows[list_name][row] if list_name and row is not None else self.values
