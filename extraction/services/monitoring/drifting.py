"""Compares a check with the earlier ones of the same rule: values that go missing little by little."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from extraction.algorithms.monitoring.drift import ValuedPages, find_usual
from extraction.models import AuditKind, Check, Rule
from extraction.models.check_findings import AttributeFinding
from extraction.services.core import audit

COMPARED = 60
"""How many earlier checks are compared: two months of daily ones."""


def add_usual_shares(rule: Rule, found: Mapping[str, AttributeFinding], *, reached: int) -> dict[str, AttributeFinding]:
    """Return the findings of a new check, with the usual share of pages with a value where it is now much lower.

    Attributes that the check found broken are left as they are: their breakage says more.
    """
    earlier = _read_earlier(rule)
    compared = dict(found)
    for name, finding in found.items():
        now = _count_valued(finding, reached)
        usual = find_usual(earlier.get(name, []), now) if now and finding.kind == Check.Verdict.OK else None
        if usual is not None:
            compared[name] = replace(finding, usual_fraction=round(usual.fraction, 4))
    return compared


def accept_check(check: Check, *, now: datetime) -> bool:
    """A person says that the site is as this check found it: earlier checks no longer tell what is usual.

    Returns False if somebody has said so before.
    """
    with transaction.atomic():
        if not Check.objects.filter(pk=check.pk, accepted_at=None).update(accepted_at=now):
            return False
        names = ", ".join(name for name, _ in check.drifts)
        audit.record(AuditKind.CHECK_ACCEPTED, check.cluster, text=f"fewer values: {names}" if names else "")
    return True


def _read_earlier(rule: Rule) -> dict[str, list[ValuedPages]]:
    """Return {attribute: its pages with a value, check by check} since the last check that a person accepted."""
    rows = Check.objects.filter(rule=rule, confirmed=True, reached__gt=0).order_by("-checked_at", "-pk")
    found: dict[str, list[ValuedPages]] = {}
    for check in _take_until_accepted(list(rows.only("attributes", "reached", "accepted_at")[:COMPARED])):
        for name, finding in check.read_attributes().items():
            if counted := _count_valued(finding, check.reached):
                found.setdefault(name, []).append(counted)
    return found


def _take_until_accepted(checks: Sequence[Check]) -> list[Check]:
    last = next((number for number, check in enumerate(checks) if check.accepted_at), len(checks))
    return list(checks[: last + 1])


def _count_valued(finding: AttributeFinding, reached: int) -> ValuedPages | None:
    share = finding.valued_fraction
    return ValuedPages(round(share * reached), reached) if share is not None and reached else None
