"""Create and change targets. What a target's receiver has is forgotten when the target leads somewhere else."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from extraction.models import DeliveryTarget
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.services.deliveries import ledger
from extraction.services.deliveries.deliver import find_ledger
from extraction.services.deliveries.secrets import SecretError, open_secrets, seal_secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDraft:
    """A target as a person wants it. secrets: those that are entered; the others stay as they are."""

    name: str
    place: TargetPlace
    content: TargetContent
    secrets: Mapping[str, str]
    after_run: bool
    every_hours: int | None
    enabled: bool


def save_target(target: DeliveryTarget, draft: TargetDraft) -> bool:
    """Save a target. Return whether it leads to another receiver than before, which then gets everything."""
    new = target.pk is None
    old_place, old_schedule = target.place, target.every_hours
    try:
        kept = open_secrets(target)
    except SecretError:
        kept = {}
    entered = {name: text for name, text in draft.secrets.items() if text}
    moved = not new and (old_place != draft.place.as_json() or ("url" in entered and entered["url"] != kept.get("url")))
    target.name, target.place, target.content = draft.name, draft.place.as_json(), draft.content.as_json()
    if entered:
        target.secret = seal_secrets(kept | entered)
    target.after_run, target.every_hours, target.enabled = draft.after_run, draft.every_hours, draft.enabled
    if draft.every_hours != old_schedule or (draft.every_hours and target.next_due_at is None):
        target.next_due_at = timezone.now() + timedelta(hours=draft.every_hours) if draft.every_hours else None
    target.delivered_state = ""
    with transaction.atomic():
        target.save()
        if moved:
            ledger.forget_delivered(find_ledger(target))
    return moved


def forget_all(target: DeliveryTarget) -> None:
    """Forget what the receiver has, so that the next delivery brings everything."""
    with transaction.atomic():
        ledger.forget_delivered(find_ledger(target))
        DeliveryTarget.objects.filter(pk=target.pk).update(delivered_state="")
