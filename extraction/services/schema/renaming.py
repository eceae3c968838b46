"""Update rules and records when their record type changes. Both refer to attributes by name, and a rule also keeps their types and
demands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Case, F, Value, When

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules import xslt
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.models import (
    Attribute,
    Breakage,
    Check,
    Cluster,
    DeliveryTarget,
    Record,
    RecordChange,
    RecordType,
    Rule,
    TrackedRecord,
)
from extraction.models.rule_report import AttributeReport, ColumnReport, DoubtReport, FailedAttribute, ListReport, RuleReport

Entry = TypeVar("Entry", AttributeReport, ColumnReport, FailedAttribute)

CHUNK = 500
"""The number of records written at once. Databases limit the number of parameters of a statement."""


def rename_in_rules_and_records(record_type: RecordType, renamed: Mapping[str, str], lists: Mapping[str, str] | None = None) -> bool:
    """Update the rules and records of all templates that use a record type. Return whether the demands of a live rule changed.

    The caller holds a transaction. If an attribute takes over the name of one that no longer exists, the entries of the old one
    are dropped.

    renamed: {old name: new name} of attributes; names may be swapped.
    lists: the same for lists.
    """
    clusters = list(Cluster.objects.select_for_update().filter(record_type=record_type).order_by("pk").values_list("pk", flat=True))
    schema = {attribute.name: attribute for attribute in Attribute.objects.filter(record_type=record_type)}
    judged = False
    for rule in Rule.objects.filter(cluster__in=clusters):
        judged |= _update_rule(rule, schema, renamed, lists or {})
    if renamed or lists:
        _update_records(clusters, renamed, lists or {})
        _update_history(clusters, renamed, lists or {})
    if renamed:
        _update_monitoring(clusters, renamed)
        _update_targets(record_type, renamed)
    return judged


def _update_rule(rule: Rule, schema: Mapping[str, Attribute], renamed: Mapping[str, str], lists: Mapping[str, str]) -> bool:
    try:
        old = rule.read_definition()
        named = RuleDefinition(_rename_attributes(old.attributes, renamed), _rename_lists(old.lists, renamed, lists))
        own = tuple(_copy_demands(schema, each) for each in named.attributes)
        new = RuleDefinition(
            own, tuple(replace(one, attributes=tuple(_copy_demands(schema, each) for each in one.attributes)) for one in named.lists)
        )
    except (RuleError, XPathError):  # the rule cannot be run anyway
        return False
    if new == old:
        return False
    rule.definition, rule.stylesheet = new.as_json(), xslt.write_stylesheet(new)
    rule.report = _rename_report(rule.read_report(), renamed, lists).as_json()
    rule.save(update_fields=["definition", "stylesheet", "report"])
    return rule.serving and new != named


def _rename_attributes(attributes: Sequence[AttributeRule], renamed: Mapping[str, str]) -> tuple[AttributeRule, ...]:
    return tuple(replace(each, name=name) for each, name in _pair_with_names(attributes, [each.name for each in attributes], renamed))


def _rename_lists(old: Sequence[ListRule], renamed: Mapping[str, str], lists: Mapping[str, str]) -> tuple[ListRule, ...]:
    kept = _pair_with_names(old, [each.name for each in old], lists)
    return tuple(replace(each, name=name, attributes=_rename_attributes(each.attributes, renamed)) for each, name in kept)


def _rename_report(report: RuleReport, renamed: Mapping[str, str], lists: Mapping[str, str]) -> RuleReport:
    return replace(
        report,
        attributes=_rename_entries(report.attributes, renamed),
        failed=_rename_entries(report.failed, renamed),
        lists=tuple(_rename_list_report(each, renamed, lists) for each in report.lists),
        explained=_rename_keys(report.explained, renamed),
        doubts=_rename_doubts(report.doubts, renamed),
        groups=tuple(
            replace(each, hits=_rename_keys(each.hits, renamed), without=_rename_keys(each.without, renamed)) for each in report.groups
        ),
    )


def _rename_list_report(each: ListReport, renamed: Mapping[str, str], lists: Mapping[str, str]) -> ListReport:
    filled = {renamed.get(name, name): count for name, count in each.filled.items()}
    return replace(each, name=lists.get(each.name, each.name), attributes=_rename_entries(each.attributes, renamed), filled=filled)


def _rename_doubts(doubts: Sequence[DoubtReport], renamed: Mapping[str, str]) -> tuple[DoubtReport, ...]:
    named = _pair_with_names(doubts, [each.attribute for each in doubts], renamed)
    return tuple(replace(each, attribute=name) for each, name in named)


def _rename_entries(entries: Sequence[Entry], renamed: Mapping[str, str]) -> tuple[Entry, ...]:
    return tuple(replace(each, name=name) for each, name in _pair_with_names(entries, [each.name for each in entries], renamed))


def _pair_with_names(entries: Sequence[Any], names: Sequence[Any], renamed: Mapping[str, str]) -> Iterator[tuple[Any, Any]]:
    """Yield each entry with its current name, without those whose name another entry has taken over."""
    taken = {renamed[name] for name in names if name in renamed}
    for entry, name in zip(entries, names, strict=True):
        if name in renamed or name not in taken:
            yield entry, renamed.get(name, name)


def _copy_demands(schema: Mapping[str, Attribute], each: AttributeRule) -> AttributeRule:
    attribute = schema.get(each.name)
    if attribute is None:
        return each
    return replace(each, type=attribute.type, multiple=attribute.multiple, mandatory=attribute.mandatory)  # type: ignore[arg-type]


def _update_records(clusters: Sequence[int], renamed: Mapping[str, str], lists: Mapping[str, str]) -> None:
    last = 0
    while rows := list(islice(_read_records(clusters, last), CHUNK)):
        last = rows[-1].pk
        for record in rows:
            record.values = _rename_keys(record.values, renamed)
            record.rows = {name: [_rename_keys(row, renamed) for row in many] for name, many in _rename_keys(record.rows, lists).items()}
            record.origins = _rename_origins(record.origins, renamed, lists)
        Record.objects.bulk_update(rows, ["values", "rows", "origins"])


def _rename_origins(origins: Mapping[str, Any], renamed: Mapping[str, str], lists: Mapping[str, str]) -> dict[str, Any]:
    entries = origins.get("entries", [])
    named = [each | {"attribute": name} for each, name in _pair_with_names(entries, [each["attribute"] for each in entries], renamed)]
    parts = {
        "entries": [each | ({"list": lists.get(each["list"], each["list"])} if "list" in each else {}) for each in named],
        "failed": _rename_keys(_rename_keys(origins.get("failed", {}), renamed), lists),
        "notes": origins.get("notes", []),
    }
    return {name: part for name, part in parts.items() if part}


def _update_history(clusters: Sequence[int], renamed: Mapping[str, str], lists: Mapping[str, str]) -> None:
    """Rename attributes and lists in what is known of records over time. Lists may be swapped, so all change in one statement."""
    models: tuple[type[TrackedRecord] | type[RecordChange], ...] = (TrackedRecord, RecordChange) if renamed else ()
    for model in models:
        last = 0
        while rows := list(model.objects.filter(cluster__in=clusters, pk__gt=last).only("pk", "values").order_by("pk")[:CHUNK]):
            last = rows[-1].pk
            for row in rows:
                row.values = _rename_keys(row.values, renamed)
            model.objects.bulk_update(rows, ["values"])
    if lists:
        cases = [When(list_name=old, then=Value(new)) for old, new in lists.items()]
        TrackedRecord.objects.filter(cluster__in=clusters, list_name__in=list(lists)).update(list_name=Case(*cases, default=F("list_name")))


def _update_monitoring(clusters: Sequence[int], renamed: Mapping[str, str]) -> None:
    """Rename attributes in checks and breakages, so that later checks and open repairs know them."""
    for check in Check.objects.filter(cluster__in=clusters).only("pk", "attributes").iterator(chunk_size=CHUNK):
        named = _rename_keys(check.attributes, renamed)
        if named != check.attributes:
            Check.objects.filter(pk=check.pk).update(attributes=named)
    for breakage in Breakage.objects.filter(cluster__in=clusters).only("pk", "attributes"):
        names = [renamed.get(name, name) for name in breakage.attributes]
        if names != breakage.attributes:
            Breakage.objects.filter(pk=breakage.pk).update(attributes=names)


def _update_targets(record_type: RecordType, renamed: Mapping[str, str]) -> None:
    """Rename the chosen columns of the targets that the records are delivered to."""
    for target in DeliveryTarget.objects.filter(record_type=record_type):
        content = target.read_content()
        names = tuple(renamed.get(name, name) for name in content.columns)
        if names != content.columns:
            DeliveryTarget.objects.filter(pk=target.pk).update(content=replace(content, columns=names).as_json())


def _rename_keys(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    return {name: found for found, name in _pair_with_names(list(values.values()), list(values), renamed)}


def _read_records(clusters: Sequence[int], after: int) -> Iterable[Record]:
    """Return the next records by key. An open cursor would not do, because the same rows are written meanwhile."""
    return Record.objects.filter(cluster__in=clusters, pk__gt=after).only("pk", "values", "rows", "origins").order_by("pk")[:CHUNK]
