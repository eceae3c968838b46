"""What a repair found again goes on in the rule that is learned after it: nobody marked it on the pages as they are now (see `designs`)."""

from collections.abc import Collection
from typing import Any

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.models import Attribute, Cluster
from extraction.services.labels import designs


def beside(cluster: Cluster, learned: RuleDefinition, failed: Collection[str]) -> RuleDefinition:
    """What was learned, and what repairs found again and nobody marked anew, in the record type's order. failed: marked in vain."""
    done = {each.name for each in learned.every} | {each.name for each in learned.lists} | set(failed)
    attributes: list[AttributeRule] = list(learned.attributes)
    lists: dict[str, ListRule] = {}
    for name, each in designs.breaks(cluster.pk).items():
        if each.repair is None or name in done:
            continue
        value = RuleDefinition.from_json(each.repair.definition)
        attributes += [one for one in value.attributes if one.name == name and one.alternatives]
        lists |= {one.name: one for one in value.lists if one.name not in done and name in {column.name for column in one.attributes}}
    names = Attribute.objects.filter(record_type=cluster.record_type_id).values_list("name", flat=True)
    order = {name: number for number, name in enumerate(names)}
    attributes.sort(key=lambda each: order.get(each.name, len(order)))
    return RuleDefinition(tuple(attributes), (*learned.lists, *lists.values()))


def report(cluster: Cluster, value: RuleDefinition, learned: dict[str, Any], effect: dict[str, Any]) -> dict[str, Any]:
    """The report of what was learned with what repairs said of the rest of the rule, counted anew."""
    known: dict[str, Any] = {entry["name"]: entry for part in ("attributes", "lists") for entry in learned[part]}
    for repair in (each.repair for each in designs.breaks(cluster.pk).values()):
        for part in ("attributes", "lists"):
            for entry in repair.report.get(part, []) if repair else []:
                known.setdefault(entry["name"], entry | {"checked": effect["checked"], **effect[part].get(entry["name"], {})})
    names = {"attributes": [each.name for each in value.attributes], "lists": [each.name for each in value.lists]}
    return learned | {part: [known[name] for name in many if name in known] for part, many in names.items()}
