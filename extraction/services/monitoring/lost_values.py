"""Attributes that an accepted repair did not find again. Their records go on without these values until a person marks them."""

from django.db import transaction
from django.utils import timezone

from extraction.models import Attribute, AuditKind, Rule
from extraction.models.cluster import ClusterQuerySet
from extraction.models.rule_report import RuleReport
from extraction.services.core import audit
from extraction.services.labels import proofs


def find_lost_values(clusters: ClusterQuerySet) -> dict[int, list[str]]:
    """Return {template: the attributes that its repaired rule lacks}, for templates with such a rule. Others are missing.

    A version that is learned later settles it, also without the attribute: its author was asked. So does an XPath written for it, and a
    person who knows that the site no longer has these values.
    """
    repaired = Rule.objects.serving().filter(cluster__in=clusters, report__repaired_from__isnull=False, losses_known_at=None)
    rows = list(repaired.values_list("cluster", "cluster__record_type", "report__repaired_from", "report__failed"))
    wanted: dict[int | None, list[tuple[str, str]]] = {}
    attributes = Attribute.objects.filter(record_type__in={kind for _, kind, _, _ in rows}).order_by("position")
    for kind, name, within in attributes.values_list("record_type", "name", "list__name"):
        wanted.setdefault(kind, []).append((name, within or name))
    found: dict[int, list[str]] = {}
    for cluster, kind, repaired_from, failed in rows:
        lost = proofs.find_lost(RuleReport.from_json({"repaired_from": repaired_from, "failed": failed or []}))
        if names := [name for name, within in wanted.get(kind, []) if name in lost or within in lost]:
            found[cluster] = names
    return found


def acknowledge_losses(rule: Rule) -> bool:
    """Save that a person knows which attributes a repair left out. Return False if the version does not serve or this is known already."""
    with transaction.atomic():
        changed = Rule.objects.serving().filter(pk=rule.pk, losses_known_at=None).update(losses_known_at=timezone.now())
        if changed:
            audit.record(AuditKind.RULE_LOSSES_KNOWN, rule)
    return bool(changed)
