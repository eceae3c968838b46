"""Create, change and delete quality rules, for all templates of a record type or for one."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from extraction.algorithms.records.quality.demands import RuleLimits, fits_type
from extraction.algorithms.records.quality.offers import RuleBasis
from extraction.models import Attribute, AuditKind, Cluster, QualityRule, RecordList, RecordType, Site
from extraction.services.core import audit
from extraction.services.quality.effective_rules import find_obstacle, list_followed

_LOGGED = ("attribute", "other", "list", "limits", "allowed_fraction", "weight", "enabled")
"""The fields that the audit log compares."""


class QualityRuleError(Exception):
    """A rule cannot be stored. The message is for users and gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDraft:
    """A rule as a person wants it. Its fields are those of `QualityRule`.

    basis: where its limits come from if it was suggested.
    """

    kind: str
    attribute: Attribute | None = None
    other: Attribute | None = None
    list: RecordList | None = None
    limits: RuleLimits = field(default_factory=RuleLimits)
    allowed_fraction: float = 0.0
    weight: str = QualityRule.Weight.WARN
    enabled: bool = True
    basis: RuleBasis | None = None

    def make_row(self, record_type: RecordType, cluster: Cluster | None = None) -> QualityRule:
        """Return the row, which is not stored yet."""
        return self.fill_row(QualityRule(record_type=record_type, cluster=cluster, kind=self.kind))

    def fill_row(self, row: QualityRule) -> QualityRule:
        """Set the fields of a row."""
        row.attribute, row.other, row.list = self.attribute, self.other, self.list
        row.limits, row.allowed_fraction = self.limits.as_json(), self.allowed_fraction
        row.weight, row.enabled, row.basis = self.weight, self.enabled, self.basis.as_json() if self.basis else {}
        return row


def create_rule(record_type: RecordType, draft: RuleDraft, user: User | None, *, cluster: Cluster | None = None) -> QualityRule:
    """Store a new rule. Raises QualityRuleError if it cannot be judged, or if there is one that says the same.

    cluster: the only template that it is for.
    """
    row = draft.make_row(record_type, cluster)
    _check_row(row)
    with transaction.atomic():
        RecordType.objects.select_for_update().get(pk=record_type.pk)
        same = QualityRule.objects.filter(
            record_type=record_type,
            cluster=cluster,
            kind=row.kind,
            attribute=row.attribute,
            other=row.other,
            list=row.list,
            limits=row.limits,
        )
        if same.exists():
            raise QualityRuleError(gettext("There is already a rule that says the same."))
        row.changed_by = user
        row.save()
        _record(AuditKind.QUALITY_RULE_CREATED, row)
    return row


def update_rule(rule: QualityRule, draft: RuleDraft, user: User | None, *, cluster: Cluster | None = None) -> QualityRule:
    """Change a rule. Raises QualityRuleError if it cannot be judged.

    cluster: change it for this template only. A rule for all templates then stays as it is, and gets another in its place there.
    """
    with transaction.atomic():
        row = rule
        if cluster is not None and rule.cluster_id is None:
            row = override_rule(rule, cluster, user)
        old = (row.limits, row.allowed_fraction)
        basis, before = row.basis, audit.read_fields(row, *_LOGGED)
        draft.fill_row(row)
        row.basis = basis if (row.limits, row.allowed_fraction) == old else {}
        _check_row(row)
        row.changed_by = user
        row.save()
        _record(AuditKind.QUALITY_RULE_CHANGED, row, audit.describe_differences(before, audit.read_fields(row, *_LOGGED)))
    return row


def override_rule(rule: QualityRule, cluster: Cluster, user: User | None) -> QualityRule:
    """Return the rule that replaces a rule for all templates in one of them; it is a copy if there is none yet."""
    fields = ("record_type", "attribute", "other", "list", "kind", "limits", "allowed_fraction", "weight", "enabled", "basis")
    copied = {name: getattr(rule, name) for name in fields}
    return QualityRule.objects.get_or_create(cluster=cluster, overrides=rule, defaults={**copied, "changed_by": user})[0]


def switch_rule(rule: QualityRule, user: User | None, *, enabled: bool, cluster: Cluster | None = None) -> QualityRule:
    """Switch a rule on or off; with a template, only there."""
    with transaction.atomic():
        row = override_rule(rule, cluster, user) if cluster is not None and rule.cluster_id is None else rule
        row.enabled, row.changed_by = enabled, user
        row.save(update_fields=["enabled", "changed_by", "changed_at"])
        _record(AuditKind.QUALITY_RULE_CHANGED, row, "switched on" if enabled else "switched off")
    return row


def delete_rule(rule: QualityRule) -> None:
    """Delete a rule with those that replace it in templates. What it found in earlier runs stays."""
    with transaction.atomic():
        _record(AuditKind.QUALITY_RULE_DELETED, rule)
        rule.delete()


def _record(kind: AuditKind, row: QualityRule, text: str = "") -> None:
    where = f"{row.cluster.label} of {row.record_type}" if row.cluster else str(row.record_type)
    with translation.override("en"):
        what = f"{row.get_kind_display()}: {row.attribute or row.list or 'records'} ({where})"
    audit.record(kind, what, site=_find_site(row), text=text)


def _find_site(row: QualityRule) -> Site | None:
    return row.cluster.site if row.cluster else None


def _check_row(row: QualityRule) -> None:
    if row.attribute and not fits_type(row.kind, row.attribute.type):
        kind = row.get_kind_display()
        raise QualityRuleError(
            gettext("“%(kind)s” does not fit %(attribute)s, which is of the type “%(type)s”.")
            % {"kind": kind, "attribute": row.attribute.name, "type": row.attribute.get_type_display()}
        )
    followed = list_followed(row.cluster) if row.cluster else _list_followed_of_type(row.record_type)
    obstacle = find_obstacle(row.read_demand(), row, followed)
    if obstacle:
        raise QualityRuleError(
            gettext("The rule cannot be used: %(obstacle)s") % {"obstacle": obstacle.removeprefix("it cannot be judged: ")}
        )


def _list_followed_of_type(record_type: RecordType) -> list[str]:
    keyed = record_type.lists.filter(attributes__is_key=True).distinct().values_list("name", flat=True)
    return ["", *keyed]
