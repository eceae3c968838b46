"""Which rules the records of a template are judged by: those of its record type, unless it has rules of its own in their place."""

from collections.abc import Sequence

from django.db.models import Q
from django.utils.translation import gettext

from extraction.algorithms.errors import VertexError
from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.quality.checks import ALONE, make_check
from extraction.algorithms.records.quality.demands import Demand, fits_type
from extraction.algorithms.records.quality.judging import Score
from extraction.models import Cluster, QualityRule
from extraction.services.records.key_schema import read_key_schemas

MOVING = frozenset({"change", "monotony"})
"""Kinds that compare a record with what it was at the last released run."""


def list_all_rules(cluster: Cluster) -> list[QualityRule]:
    """Return the rules of a template's record type and its own, those that are replaced or switched off included."""
    if cluster.record_type_id is None:
        return []
    mine = Q(cluster=None) | Q(cluster=cluster)
    return list(QualityRule.objects.filter(mine, record_type=cluster.record_type_id).with_names())


def find_effective_rules(cluster: Cluster) -> list[QualityRule]:
    """Return the rules that the records of a template are judged by, in the order in which they are shown."""
    rules = list_all_rules(cluster)
    replaced = {rule.overrides_id for rule in rules if rule.cluster_id}
    return [rule for rule in rules if rule.enabled and rule.pk not in replaced]


def find_rules_about(cluster: Cluster, attribute: str) -> list[QualityRule]:
    """Return the effective rules that read the values of an attribute, also those that compare another attribute with it."""
    return [
        rule
        for rule in find_effective_rules(cluster)
        if attribute in (rule.attribute.name if rule.attribute else "", rule.other.name if rule.other else "")
    ]


def make_score(rule: QualityRule, followed: Sequence[str]) -> Score:
    """Return the empty score of a rule. If the rule cannot be judged, the score says why and counts as broken.

    followed: the lists whose rows are followed over time, "" for the records of pages.
    """
    try:
        demand = rule.read_demand()
    except JsonShapeError as error:
        return Score(Demand(kind=rule.kind), refused=gettext("it cannot be judged: %(error)s") % {"error": error})  # type: ignore[arg-type]
    return Score(demand, refused=find_obstacle(demand, rule, followed))


def find_obstacle(demand: Demand, rule: QualityRule, followed: Sequence[str]) -> str:
    """Return why a rule cannot be judged, "" if it can."""
    if demand.attribute and not fits_type(demand.kind, demand.type):
        return gettext("it cannot be judged: %(attribute)s is now of the type %(type)s") % {
            "attribute": demand.attribute,
            "type": demand.type,
        }
    other = rule.other
    if other and rule.attribute and (other.type, other.list_id) != (rule.attribute.type, rule.attribute.list_id):
        return gettext("it cannot be judged: %(attribute)s and %(other)s are no longer of the same type and list") % {
            "attribute": demand.attribute,
            "other": demand.other,
        }
    if demand.kind in MOVING and demand.list_name not in followed:
        return gettext("it cannot be judged: the rows of %(name)s have no key, so their changes are not tracked") % {
            "name": demand.list_name
        }
    try:
        if demand.kind in ALONE:
            make_check(demand)
    except (ValueError, VertexError) as error:
        return gettext("it cannot be judged: %(error)s") % {"error": error}
    return ""


def list_followed(cluster: Cluster) -> list[str]:
    """Return the lists whose rows are followed over time, "" for the records of pages."""
    return read_key_schemas([cluster.pk])[cluster.pk].followed
