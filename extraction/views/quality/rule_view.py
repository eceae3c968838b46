"""Quality rules as tables show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.quality.demands import Demand
from extraction.algorithms.records.quality.offers import RuleBasis
from extraction.models import Attribute, Cluster, QualityRule, RecordType
from extraction.services.quality.effective_rules import list_all_rules
from extraction.services.quality.rule_words import write_predicate, write_share


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule in a table.

    predicate: what it says of its attribute; share: of how many records.
    basis: where its limits come from if it was suggested.
    replaced: in a template, another rule takes its place. off: it is switched off.
    """

    rule: QualityRule
    attribute: Attribute | None
    predicate: str
    share: str
    basis: RuleBasis | None
    replaced: bool = False

    @property
    def off(self) -> bool:
        """Whether it is not judged because a person switched it off."""
        return not self.rule.enabled


@dataclass(frozen=True, slots=True)
class AboutOption:
    """Something that a new rule can be about."""

    value: str
    label: str


def describe_rule(rule: QualityRule, *, replaced: bool = False) -> RuleRow:
    """Return a rule for display."""
    try:
        demand, basis = rule.read_demand(), rule.read_basis()
    except JsonShapeError as error:
        return RuleRow(rule, rule.attribute, gettext("cannot be read: %(error)s") % {"error": error}, "", None, replaced)
    return RuleRow(rule, rule.attribute, write_predicate(demand), write_share(demand), basis, replaced)


def describe_demand(demand: Demand) -> tuple[str, str]:
    """Return what a demand says, and of how many records."""
    return write_predicate(demand), write_share(demand)


def list_type_rules(record_type: RecordType) -> tuple[list[RuleRow], list[RuleRow]]:
    """Return the rules of a record type for all templates, and those of single templates."""
    rules = list(QualityRule.objects.filter(record_type=record_type).with_names())
    return _describe(rule for rule in rules if rule.cluster_id is None), _describe(rule for rule in rules if rule.cluster_id)


def list_template_rules(cluster: Cluster) -> list[RuleRow]:
    """Return the rules of a template. Rules of its type that it replaces are left out; their replacement is shown."""
    rules = list_all_rules(cluster)
    replaced = {rule.overrides_id for rule in rules if rule.cluster_id}
    return [describe_rule(rule) for rule in rules if rule.pk not in replaced]


def list_options(record_type: RecordType) -> Sequence[AboutOption]:
    """Return what a rule of a record type can be about."""
    attributes = record_type.attributes.select_related("list").order_by("list__position", "position", "pk")
    lists = record_type.lists.filter(attributes__isnull=False).distinct()
    return [
        *(AboutOption(f"attribute-{each.pk}", f"{each.list.name}: {each.name}" if each.list else each.name) for each in attributes),
        AboutOption("records", gettext("the records as a whole")),
        *(AboutOption(f"list-{each.pk}", gettext("the rows of %(name)s") % {"name": each.name}) for each in lists),
    ]


def _describe(rules: Iterable[QualityRule]) -> list[RuleRow]:
    return [describe_rule(rule) for rule in rules]
