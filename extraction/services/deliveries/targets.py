"""Create and change targets. What a target's receiver has is forgotten when the target leads somewhere else."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from extraction.models import Attribute, AuditKind, DeliveryTarget
from extraction.models.delivery import SELECTIONS, TargetContent, TargetPlace
from extraction.services.core import audit
from extraction.services.core.repeating import find_due_after
from extraction.services.core.sealed_secrets import SecretError
from extraction.services.deliveries import ledger, outbox
from extraction.services.deliveries.deliver import find_ledger
from extraction.services.deliveries.secrets import open_secrets, seal_secrets
from extraction.services.records.exports.formats import FORMATS


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDraft:
    """A target as a person wants it.

    secrets: those that are entered; the others stay as they are.
    schedule: the fields of `Repeating` and the mode.
    from_now: of a target that gets what happens: the first delivery brings only what comes after now, and not all records that are there.
    """

    name: str
    place: TargetPlace
    content: TargetContent
    secrets: Mapping[str, str]
    schedule: Mapping[str, Any]
    enabled: bool
    from_now: bool = False


@dataclass(frozen=True, slots=True)
class SavedTarget:
    """What saving a target led to.

    moved: it leads to another receiver than before, so what the old one has does not count.
    noted: the records that are there now are noted, and will not be delivered.
    """

    moved: bool
    noted: bool


def save_target(target: DeliveryTarget, draft: TargetDraft) -> SavedTarget:
    """Save a target. Raises times.ScheduleError if there is no time that its schedule means."""
    now, new = timezone.now(), target.pk is None
    noted = draft.from_now and can_start_empty(target, draft.content)
    moved = not new and _is_moved(target, draft)
    before = _describe(DeliveryTarget.objects.get(pk=target.pk)) if not new else {}
    target.name, target.place, target.content = draft.name, draft.place.as_json(), draft.content.as_json()
    if any(draft.secrets.values()):
        target.secret = seal_secrets(_read_secrets(target) | {name: text for name, text in draft.secrets.items() if text})
    _set_schedule(target, draft, now)
    target.delivered_state = ""
    with transaction.atomic():
        target.save()
        kind = AuditKind.TARGET_CREATED if new else AuditKind.TARGET_CHANGED
        secret = "\npasswords or keys entered" if any(draft.secrets.values()) else ""
        audit.record(kind, target, text=(audit.describe_differences(before, _describe(target)) + secret).strip())
        if moved:
            ledger.forget_delivered(find_ledger(target))
        if noted:
            outbox.queue_start(target, target.created_by, now)
    return SavedTarget(moved, noted)


def list_columns(target: DeliveryTarget) -> list[str]:
    """Return the attributes that a target can get: those of its list, and then those of the page."""
    found = Attribute.objects.filter(record_type=target.record_type)
    names = list(found.filter(list__name=target.list_name or None).values_list("name", flat=True))
    return [*names, *found.filter(list=None).values_list("name", flat=True)] if target.list_name else names


def can_start_empty(target: DeliveryTarget, content: TargetContent | None = None) -> bool:
    """Return whether a target that will get this can begin with what comes after now: it is new, or got files of all records so far."""
    before = target.read_content() if target.pk else None
    if target.kind == DeliveryTarget.Kind.SQL or (content is not None and target.sends_files and not content.changes_only):
        return False
    return before is None or (target.sends_files and not before.changes_only)


def _set_schedule(target: DeliveryTarget, draft: TargetDraft, now: datetime) -> None:
    changed = not target.enabled or any(getattr(target, name) != value for name, value in draft.schedule.items())
    for name, value in draft.schedule.items():
        setattr(target, name, value)
    target.enabled = draft.enabled
    if changed or target.next_due_at is None:
        target.next_due_at = find_due_after(target, now)


def _is_moved(target: DeliveryTarget, draft: TargetDraft) -> bool:
    url = draft.secrets.get("url")
    return target.place != draft.place.as_json() or bool(url and url != _read_secrets(target).get("url"))


def _read_secrets(target: DeliveryTarget) -> dict[str, str]:
    try:
        return dict(open_secrets(target))
    except SecretError:
        return {}


def forget_all(target: DeliveryTarget) -> None:
    """Forget what the receiver has, so that the next delivery brings everything."""
    with transaction.atomic():
        ledger.forget_delivered(find_ledger(target))
        DeliveryTarget.objects.filter(pk=target.pk).update(delivered_state="")
        audit.record(AuditKind.TARGET_CHANGED, target, text="the next delivery brings everything again")


def delete_target(target: DeliveryTarget) -> None:
    """Delete a target and the list of its deliveries. What was delivered stays where it is."""
    with transaction.atomic():
        audit.record(AuditKind.TARGET_DELETED, target)
        target.delete()


def _describe(target: DeliveryTarget) -> dict[str, object]:
    """Return what the audit log compares. Secrets are not in it, nor is the address of a webhook."""
    fields = audit.read_fields(target, "name", "mode", "every_hours", "times", "cron", "zone", "enabled")
    return fields | _describe_place(target) | _describe_content(target)


def _describe_place(target: DeliveryTarget) -> dict[str, object]:
    usual = TargetPlace().as_json()
    return {name: value for name, value in target.place.items() if value != usual.get(name)}


def _describe_content(target: DeliveryTarget) -> dict[str, object]:
    content = target.read_content()
    told: dict[str, object] = {
        "attributes": content.columns or "all",
        "columns about the record": [name.replace("_", " ") for name in content.about],
        "values": "as they appear" if content.values == "raw" else content.values,
        "prices in two columns": content.split_prices,
        "brings": SELECTIONS[content.selection],
    }
    if target.sends_files:
        told |= {
            "format": FORMATS[content.format].label,
            "each delivery has a file of its own": content.keeps_files,
            "schema beside the file": content.described,
        }
    return told
