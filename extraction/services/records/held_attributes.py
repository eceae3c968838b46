"""Attributes that are held back: their part of a rule is broken, while the rest of the rule works.

A run that starts by itself makes records with the rest. What the broken part gives does not reach them. An attribute that is held back
keeps the last values of the same thing, or stays empty if nothing is known of it, and the record says so (`Record.held_back`). A list is
held back as a whole, because its rows cannot be told apart without all of their values. If a key attribute is broken, or nothing would be
left, the whole template is held back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from extraction.algorithms.records.keys import make_key
from extraction.algorithms.records.record_origins import Origin
from extraction.algorithms.rules.page_values import judge_record, write_search_text
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Breakage, Record, Rule, TrackedRecord
from extraction.models.record_values import RecordValue, read_values, rows_as_json, values_as_json
from extraction.services.corrections.applying import lock_pages
from extraction.services.records.key_schema import read_key_schemas


@dataclass(frozen=True, slots=True)
class HeldAttributes:
    """What of a rule is held back.

    attributes: of the page.
    lists: as a whole.
    since: when the breakage was found, in words.
    """

    attributes: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    since: str = ""

    @property
    def names(self) -> list[str]:
        """The attributes and lists, in the order of their names."""
        return sorted({*self.attributes, *self.lists})


NOTHING_HELD = HeldAttributes()


def find_held(rule: Rule) -> HeldAttributes | None:
    """Return what of a rule is held back: nothing of one that works. None if no part of the rule can be relied upon."""
    if rule.state == Rule.State.LIVE:
        return NOTHING_HELD
    breakage = Breakage.objects.open().filter(cluster=rule.cluster_id, rule=rule).first()
    if breakage is None or breakage.coverage_lost:
        return None
    value, broken = rule.read_definition(), set(breakage.attributes)
    attributes = frozenset(each.name for each in value.attributes if each.name in broken)
    lists = frozenset(one.name for one in value.lists if broken & {each.name for each in one.attributes})
    left = len(value.attributes) + len(value.lists) - len(attributes) - len(lists)
    keys = read_key_schemas({rule.cluster_id})[rule.cluster_id].page.names
    if not left or attributes & set(keys):
        return None
    return HeldAttributes(attributes, lists, f"{breakage.opened_at:%Y-%m-%d}")


def hold_back(records: Sequence[Record], rules: Mapping[int, tuple[RuleDefinition, HeldAttributes]]) -> None:
    """Give records the earlier values of what is held back. The caller holds the transaction and saves them.

    rules: {template: its rule, and what of it is held back}.
    """
    held = [record for record in records if rules[record.cluster_id][1].names and record.state != Record.State.FAILED]
    if not held:
        return
    pages = lock_pages([record.snapshot_id for record in held])
    things = _find_things(held)
    earlier: dict[tuple[int, int], Record] = {}
    found = Record.objects.given().filter(snapshot__page__in=set(pages.values()), cluster__in={record.cluster_id for record in held})
    for each in found.select_related("snapshot").order_by("extracted_at", "pk"):
        earlier[each.snapshot.page_id, each.cluster_id] = each
    for record in held:
        known = _find_earlier(record, earlier.get((pages[record.snapshot_id], record.cluster_id)), things)
        _take_over(record, known, *rules[record.cluster_id])


def _find_things(records: Sequence[Record]) -> dict[tuple[int, str], TrackedRecord]:
    """Return {(template, digest of the key): thing} of records that have a key."""
    schemas = read_key_schemas({record.cluster_id for record in records})
    keys = [(record.cluster_id, make_key(record.values, schemas[record.cluster_id].page.names)) for record in records]
    digests = {key.digest for _, key in keys if key}
    found = TrackedRecord.objects.filter(cluster__in=schemas, list_name="", digest__in=digests)
    return {(each.cluster_id, each.digest): each for each in found}


_Known = tuple[dict[str, list[RecordValue]], dict[str, list[dict[str, list[RecordValue]]]], tuple[Origin, ...]]


def _find_earlier(record: Record, earlier: Record | None, things: Mapping[tuple[int, str], TrackedRecord]) -> _Known:
    """Return what is known of the thing that a record shows.

    It comes from the last record of its page or, if that showed another thing, from the record over time with its key.
    """
    names = read_key_schemas({record.cluster_id})[record.cluster_id].page.names
    key = make_key(record.values, names)
    if earlier is not None and (not names or make_key(earlier.values, names) == key):
        return earlier.read_values(), earlier.read_rows(), earlier.read_origins().entries
    thing = things.get((record.cluster_id, key.digest)) if key else None
    return (read_values(thing.values), {}, ()) if thing else ({}, {}, ())


def _take_over(record: Record, before: _Known, rule: RuleDefinition, held: HeldAttributes) -> None:
    values, rows, origins = record.read_values(), record.read_rows(), record.read_origins()
    values = {name: each for name, each in values.items() if name not in held.attributes}
    values |= {name: each for name, each in before[0].items() if name in held.attributes}
    rows = {name: each for name, each in rows.items() if name not in held.lists}
    rows |= {name: each for name, each in before[1].items() if name in held.lists}

    def is_held(attribute: str, of: str) -> bool:
        return of in held.lists if of else attribute in held.attributes

    entries = [each for each in origins.entries if not is_held(each.attribute, each.list_name)]
    entries += [each for each in before[2] if is_held(each.attribute, each.list_name)]
    failed = {name: why for name, why in origins.failed.items() if name not in held.names}
    origins = replace(origins, entries=tuple(entries), failed=failed)
    record.values, record.rows, record.origins = values_as_json(values), rows_as_json(rows), origins.as_json()
    record.text = write_search_text(values, rows)
    record.state, reason = judge_record(rule, values, rows, origins)
    record.reason = reason[:500]
    record.held_back = {name: _explain(held, known=bool(before[0].get(name) or before[1].get(name))) for name in held.names}


def _explain(held: HeldAttributes, *, known: bool) -> str:
    values = gettext("the values are those of an earlier record") if known else gettext("no earlier values are known")
    return gettext("held back since %(since)s, because this part of the rule is broken; %(values)s") % {
        "since": held.since,
        "values": values,
    }
