"""Carry what a repair found again into the rule that is learned after it. Nobody marked it on the current pages (see `designs`)."""

from collections.abc import Collection
from dataclasses import replace

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.models import Attribute, Cluster
from extraction.models.rule_report import AttributeReport, ListReport, RuleReport
from extraction.services.labels import designs


def add_carried_values(cluster: Cluster, learned: RuleDefinition, failed: Collection[str]) -> RuleDefinition:
    """Return the learned rule with what repairs found again and nobody marked since, in the record type's order.

    failed: attributes and lists that were marked but could not be learned.
    """
    done = {each.name for each in learned.every} | {each.name for each in learned.lists} | set(failed)
    attributes: list[AttributeRule] = list(learned.attributes)
    lists: dict[str, ListRule] = {}
    for name, each in designs.find_breaks(cluster.pk).items():
        if each.repair is None or name in done:
            continue
        value = each.repair.read_definition()
        attributes += [one for one in value.attributes if one.name == name and one.alternatives]
        lists |= {one.name: one for one in value.lists if one.name not in done and name in {column.name for column in one.attributes}}
    names = Attribute.objects.of_cluster(cluster).values_list("name", flat=True)
    order = {name: number for number, name in enumerate(names)}
    attributes.sort(key=lambda each: order.get(each.name, len(order)))
    return RuleDefinition(tuple(attributes), (*learned.lists, *lists.values()))


def report_carried_values(cluster: Cluster, value: RuleDefinition, learned: RuleReport, effect: RuleReport) -> RuleReport:
    """Return the report on the learned rule, completed by what the repairs' reports say about the carried values.

    value: the rule with the carried values.
    learned: the report on what was learned.
    effect: the result of `effects.count_effects`, with new counts for the carried values.
    """
    attributes = {each.name: each for each in learned.attributes}
    lists = {each.name: each for each in learned.lists}
    counts, list_counts = {each.name: each for each in effect.attributes}, {each.name: each for each in effect.lists}
    for repair in [each.repair for each in designs.find_breaks(cluster.pk).values() if each.repair]:
        report = repair.read_report()
        for entry in report.attributes:
            attributes.setdefault(entry.name, _renew_counts(entry, counts.get(entry.name, entry)))
        for one in report.lists:
            lists.setdefault(one.name, _renew_list_counts(one, list_counts.get(one.name, one)))
    return replace(
        learned,
        attributes=tuple(attributes[each.name] for each in value.attributes if each.name in attributes),
        lists=tuple(lists[each.name] for each in value.lists if each.name in lists),
    )


def _renew_counts(entry: AttributeReport, counts: AttributeReport) -> AttributeReport:
    return replace(counts, alternatives=entry.alternatives, relearned=entry.relearned, edited_by=entry.edited_by)


def _renew_list_counts(entry: ListReport, counts: ListReport) -> ListReport:
    return replace(counts, alternatives=entry.alternatives, attributes=entry.attributes, offered=entry.offered)
