"""Attributes that were added to a record type after the rule of a template was learned. Nobody has marked their values there yet."""

from django.db.models import F, OuterRef, Subquery

from extraction.algorithms.errors import RuleError, XPathError
from extraction.models import Rule
from extraction.models.cluster import ClusterQuerySet


def find_new_attributes(clusters: ClusterQuerySet) -> dict[int, list[str]]:
    """Return {template: the attributes that are newer than its rule}, for templates with a rule. Others are missing.

    A rule that was learned after an attribute was added settles it, also without the attribute: its author was asked. An attribute that
    somebody added to the rule by hand is not new either.
    """
    versions = Rule.objects.filter(cluster=OuterRef("pk")).order_by("-version")
    learned = versions.filter(origin=Rule.Origin.LEARNED).values("created_at")[:1]
    newer = clusters.annotate(learned=Subquery(learned), newest=Subquery(versions.values("pk")[:1]))
    newer = newer.filter(record_type__attributes__created_at__gt=F("learned")).order_by("pk", "record_type__attributes__position")
    rows = list(newer.values_list("pk", "newest", "record_type__attributes__name"))
    ruled = {pk: _list_ruled(rule) for pk, rule in Rule.objects.in_bulk({newest for _, newest, _ in rows}).items()}
    found: dict[int, list[str]] = {}
    for cluster, newest, name in rows:
        if name not in ruled[newest]:
            found.setdefault(cluster, []).append(name)
    return found


def _list_ruled(rule: Rule) -> set[str]:
    """Return the attributes that a version has something for."""
    try:
        return {each.name for each in rule.read_definition().every}
    except (RuleError, XPathError):
        return set()
