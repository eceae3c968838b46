"""Rules and records follow their record type: both call attributes by name, and a rule keeps each one's type and demands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules import xslt
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.models import Attribute, Cluster, Record, RecordType, Rule
from extraction.models.rule_report import AttributeReport, ColumnReport, FailedAttribute, ListReport, RuleReport

Entry = TypeVar("Entry", AttributeReport, ColumnReport, FailedAttribute)

CHUNK = 500
"""Records written at once; databases bound the number of parameters of a statement."""


def rename_in_rules_and_records(record_type: RecordType, renamed: Mapping[str, str], lists: Mapping[str, str] | None = None) -> bool:
    """Brings every rule and record of the templates that use the type up to its attributes as they are now.

    renamed: {old name: new name} of attributes, lists: of lists; names may be swapped. The caller holds a transaction. What an
    attribute that is gone has under a name that another one takes over, gives way. True when a live rule has other demands than
    before.
    """
    clusters = list(Cluster.objects.select_for_update().filter(record_type=record_type).order_by("pk").values_list("pk", flat=True))
    schema = {attribute.name: attribute for attribute in Attribute.objects.filter(record_type=record_type)}
    judged = False
    for rule in Rule.objects.filter(cluster__in=clusters):
        judged |= _follow_rule(rule, schema, renamed, lists or {})
    if renamed or lists:
        _follow_records(clusters, renamed, lists or {})
    return judged


def _follow_rule(rule: Rule, schema: Mapping[str, Attribute], renamed: Mapping[str, str], lists: Mapping[str, str]) -> bool:
    try:
        old = rule.read_definition()
        named = RuleDefinition(_named(old.attributes, renamed), _named_lists(old.lists, renamed, lists))
        own = tuple(_as_in(schema, each) for each in named.attributes)
        new = RuleDefinition(
            own, tuple(replace(one, attributes=tuple(_as_in(schema, each) for each in one.attributes)) for one in named.lists)
        )
    except (RuleError, XPathError):  # it cannot be run as it is, so nothing of it can be lost
        return False
    if new == old:
        return False
    rule.definition, rule.stylesheet = new.as_json(), xslt.write_stylesheet(new)
    rule.report = _renamed_report(rule.read_report(), renamed, lists).as_json()
    rule.save(update_fields=["definition", "stylesheet", "report"])
    return rule.serving and new != named


def _named(attributes: Sequence[AttributeRule], renamed: Mapping[str, str]) -> tuple[AttributeRule, ...]:
    return tuple(replace(each, name=name) for each, name in _kept(attributes, [each.name for each in attributes], renamed))


def _named_lists(old: Sequence[ListRule], renamed: Mapping[str, str], lists: Mapping[str, str]) -> tuple[ListRule, ...]:
    kept = _kept(old, [each.name for each in old], lists)
    return tuple(replace(each, name=name, attributes=_named(each.attributes, renamed)) for each, name in kept)


def _renamed_report(report: RuleReport, renamed: Mapping[str, str], lists: Mapping[str, str]) -> RuleReport:
    return replace(
        report,
        attributes=_renamed_entries(report.attributes, renamed),
        failed=_renamed_entries(report.failed, renamed),
        lists=tuple(_renamed_list(each, renamed, lists) for each in report.lists),
    )


def _renamed_list(each: ListReport, renamed: Mapping[str, str], lists: Mapping[str, str]) -> ListReport:
    filled = {renamed.get(name, name): count for name, count in each.filled.items()}
    return replace(each, name=lists.get(each.name, each.name), attributes=_renamed_entries(each.attributes, renamed), filled=filled)


def _renamed_entries(entries: Sequence[Entry], renamed: Mapping[str, str]) -> tuple[Entry, ...]:
    return tuple(replace(each, name=name) for each, name in _kept(entries, [each.name for each in entries], renamed))


def _kept(entries: Sequence[Any], names: Sequence[Any], renamed: Mapping[str, str]) -> Iterator[tuple[Any, Any]]:
    """Each entry with its name of now; without those whose name another one has taken over."""
    taken = {renamed[name] for name in names if name in renamed}
    for entry, name in zip(entries, names, strict=True):
        if name in renamed or name not in taken:
            yield entry, renamed.get(name, name)


def _as_in(schema: Mapping[str, Attribute], each: AttributeRule) -> AttributeRule:
    attribute = schema.get(each.name)
    if attribute is None:
        return each
    return replace(each, type=attribute.type, multiple=attribute.multiple, mandatory=attribute.mandatory)  # type: ignore[arg-type]


def _follow_records(clusters: Sequence[int], renamed: Mapping[str, str], lists: Mapping[str, str]) -> None:
    last = 0
    while rows := list(islice(_records(clusters, last), CHUNK)):
        last = rows[-1].pk
        for record in rows:
            record.values = _renamed_keys(record.values, renamed)
            record.rows = {name: [_renamed_keys(row, renamed) for row in many] for name, many in _renamed_keys(record.rows, lists).items()}
        Record.objects.bulk_update(rows, ["values", "rows"])


def _renamed_keys(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    return {name: found for found, name in _kept(list(values.values()), list(values), renamed)}


def _records(clusters: Sequence[int], after: int) -> Iterable[Record]:
    """By key, not by an open cursor: the same rows are written between."""
    return Record.objects.filter(cluster__in=clusters, pk__gt=after).only("pk", "values", "rows").order_by("pk")[:CHUNK]
