"""Record types and quality rules as documents."""

from collections.abc import Iterable, Mapping

from extraction.models import Attribute, Cluster, QualityRule, RecordType
from extraction.services.folders.documents import AttributeDocument, ListDocument, QualityDocument, RecordTypeDocument
from extraction.services.folders.quality_names import name_rules, sort_rules


def collect_record_types(ids: Iterable[int]) -> tuple[RecordTypeDocument, ...]:
    """Return record types by slug."""
    rows = RecordType.objects.filter(pk__in=list(ids)).prefetch_related("lists")
    return tuple(_collect_type(row) for row in sorted(rows, key=lambda row: row.slug))


def collect_rules(cluster: Cluster) -> tuple[QualityDocument, ...]:
    """Return the quality rules that are only for a template."""
    rules = list(QualityRule.objects.filter(cluster=cluster).with_names())
    if not rules or cluster.record_type is None:
        return ()
    names = _name_common_rules(cluster.record_type)
    found = [_collect_rule(each, replaces=names.get(each.overrides_id or 0, "")) for each in rules]
    return tuple(sort_rules(found, _list_names(cluster.record_type)))


def find_common_rule(record_type: RecordType, name: str) -> QualityRule | None:
    """Return the rule of a record type that has a name (`name_rules`)."""
    return next((rule for rule in _list_common(record_type) if _name_common_rules(record_type).get(rule.pk) == name), None)


def collect_rules_by_name(record_type: RecordType, cluster: Cluster | None) -> dict[str, QualityRule]:
    """Return {name: quality rule} of a record type, or of one template."""
    rows = QualityRule.objects.filter(record_type=record_type, cluster=cluster).with_names()
    names = _name_common_rules(record_type) if cluster else {}
    return {
        name: row for row, name in _name_rows([(row, _collect_rule(row, replaces=names.get(row.overrides_id or 0, ""))) for row in rows])
    }


def _collect_type(row: RecordType) -> RecordTypeDocument:
    attributes = tuple(_collect_attribute(each) for each in Attribute.objects.filter(record_type=row).select_related("list"))
    rules = [_collect_rule(each) for each in _list_common(row)]
    return RecordTypeDocument(
        slug=row.slug,
        name=row.name,
        description=row.description,
        gone_after=row.gone_after,
        attributes=attributes,
        lists=tuple(ListDocument(name=each.name, key_per_page=True) for each in row.lists.all() if each.key_per_page),
        quality_rules=tuple(sort_rules(rules, [each.name for each in attributes])),
    )


def _collect_attribute(row: Attribute) -> AttributeDocument:
    return AttributeDocument(
        name=row.name,
        type=row.type,
        multiple=row.multiple,
        mandatory=row.mandatory,
        hotkey=row.hotkey,
        list=row.list.name if row.list else "",
        key=row.is_key,
    )


def _collect_rule(row: QualityRule, *, replaces: str = "") -> QualityDocument:
    basis = row.read_basis()
    return QualityDocument(
        kind=row.kind,
        attribute=row.attribute.name if row.attribute else "",
        list=row.list.name if row.list else "",
        other=row.other.name if row.other else "",
        limits=row.read_limits().as_json(),
        allowed_fraction=row.allowed_fraction,
        weight=row.weight,
        enabled=row.enabled,
        basis=basis.as_json() if basis else {},
        replaces=replaces,
    )


def _list_common(record_type: RecordType) -> list[QualityRule]:
    return list(QualityRule.objects.filter(record_type=record_type).for_all().with_names())


def _name_common_rules(record_type: RecordType) -> Mapping[int, str]:
    """Return {id: name} of the rules for all templates of a type."""
    return {row.pk: name for row, name in _name_rows([(each, _collect_rule(each)) for each in _list_common(record_type)])}


def _name_rows(rows: list[tuple[QualityRule, QualityDocument]]) -> list[tuple[QualityRule, str]]:
    """Return (row, name) of rules. Two that say the same in all are told apart by the order in which they were made."""
    found: list[tuple[QualityRule, str]] = []
    waiting = list(rows)
    for name, document in name_rules(each for _, each in rows).items():
        place = next(place for place, (_, each) in enumerate(waiting) if each == document)
        found.append((waiting.pop(place)[0], name))
    return found


def _list_names(record_type: RecordType) -> list[str]:
    return list(Attribute.objects.filter(record_type=record_type).values_list("name", flat=True))
