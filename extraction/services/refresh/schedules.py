"""When records are refreshed: what operators set, pausing, resuming and skipping. `start_refreshes` starts what is due."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.algorithms.refresh import times
from extraction.models import AuditKind, Cluster, Monitor, Refresh, RefreshSchedule, Run, Site
from extraction.services.core import audit
from extraction.services.core.repeating import find_due_after, find_next_due
from extraction.services.core.runs import JobError

_SETTINGS = ("mode", "every_hours", "times", "cron", "zone", "max_pages")
"""What operators set."""


def find_schedule(site: Site, cluster: Cluster | None = None) -> RefreshSchedule:
    """Return the schedule of a template or, without one, of the site; if there is none, a new one that is not saved yet."""
    found = RefreshSchedule.objects.meant_for(site, cluster).select_related("site", "cluster").first()
    return found or RefreshSchedule(site=site, cluster=cluster, zone=timezone.get_default_timezone_name())


def change_schedule(schedule: RefreshSchedule, *, now: datetime) -> None:
    """Save what an operator set, and set when the next refresh is due. A paused schedule stays paused.

    Raises times.ScheduleError.
    """
    schedule.skipped_until, schedule.skip_next = None, False
    schedule.next_due_at = None if schedule.paused_at else _find_first(schedule, now)
    stored = RefreshSchedule.objects.filter(pk=schedule.pk).first()
    before = audit.read_fields(stored, *_SETTINGS) if stored else {}
    with transaction.atomic():
        schedule.save()
        _record(schedule, audit.describe_differences(before, audit.read_fields(schedule, *_SETTINGS)))


def pause_schedule(schedule: RefreshSchedule, *, now: datetime) -> bool:
    """Stop refreshing on schedule until a person resumes it. A refresh under way goes on. Return False if it was paused already."""
    active = RefreshSchedule.objects.active().filter(pk=schedule.pk)
    with transaction.atomic():
        changed = active.update(paused_at=now, next_due_at=None, skipped_until=None, skip_next=False)
        if changed:
            _record(schedule, "paused")
    return bool(changed)


def resume_schedule(schedule: RefreshSchedule, *, now: datetime) -> bool:
    """Refresh on schedule again, beginning with the next time. Return False if it was not paused."""
    with transaction.atomic():
        held = RefreshSchedule.objects.select_for_update().filter(pk=schedule.pk).exclude(paused_at=None).first()
        if held is None:
            return False
        held.paused_at, held.next_due_at = None, find_due_after(held, now)
        held.save(update_fields=["paused_at", "next_due_at"])
        _record(held, "resumed")
    return True


def skip_refresh(schedule: RefreshSchedule, *, now: datetime, user: User | None = None) -> bool:
    """Leave out the next refresh. A person may skip several, one after the other. Return False if none was to come."""
    with transaction.atomic():
        held = RefreshSchedule.objects.select_for_update().active().filter(pk=schedule.pk).first()
        if held is None or held.skip_next:
            return False
        due = held.next_due_at
        if due is None:
            held.skip_next = True
        else:
            _note_skipped(held, due, now, user)
            held.next_due_at = held.skipped_until = find_next_due(held, due=due, now=max(due, now))
        held.save(update_fields=["next_due_at", "skipped_until", "skip_next"])
        _record(held, "the next refresh is left out")
    return True


def remove_schedule(schedule: RefreshSchedule) -> None:
    """Delete the schedule. What was refreshed stays in the list."""
    with transaction.atomic():
        _record(schedule, "deleted")
        RefreshSchedule.objects.filter(pk=schedule.pk).delete()


def measure_interval_s(schedule: RefreshSchedule | None, now: datetime) -> float:
    """Return the seconds between two refreshes: the time between the next two due times, or between two checks of the rules."""
    if schedule is None:
        return RefreshSchedule.DEFAULT_HOURS * 3600.0
    repetition = schedule.repetition
    if repetition is None:
        monitor = Monitor.objects.filter(site=schedule.site_id).first()
        return (monitor.every_hours if monitor else Monitor.DEFAULT_HOURS) * 3600.0
    first, second = times.list_next(repetition, after=now, number=2)
    return (second - first).total_seconds()


def follow_check(check: Run, *, now: datetime) -> None:
    """Make the refreshes due that follow the checks of the site. Call it when a check of watched pages has ended."""
    following = RefreshSchedule.objects.select_for_update().active().filter(site=check.site_id, mode=RefreshSchedule.Mode.CHECKS)
    for schedule in following.filter(next_due_at=None):
        if schedule.skip_next:
            _note_skipped(schedule, now, now, None)
        schedule.next_due_at = None if schedule.skip_next else now
        schedule.skip_next = False
        schedule.save(update_fields=["next_due_at", "skip_next"])


def require_schedule(site: Site, cluster: Cluster | None) -> RefreshSchedule:
    """Return the saved schedule of a site or template. Raises JobError if there is none."""
    found = find_schedule(site, cluster)
    if found.pk is None:
        raise JobError(gettext("%(cluster)s has no schedule. Set one first.") % {"cluster": cluster.label if cluster else site.name})
    return found


def _record(schedule: RefreshSchedule, text: str) -> None:
    audit.record(AuditKind.SCHEDULE_CHANGED, schedule, text=text)


def _find_first(schedule: RefreshSchedule, now: datetime) -> datetime | None:
    """Return when a schedule that was just set is due first: an interval counts from the last refresh and begins at once without one."""
    if schedule.mode != RefreshSchedule.Mode.INTERVAL:
        return find_due_after(schedule, now)
    last = _find_last_start(schedule)
    repetition = times.Interval(schedule.every_hours)
    return max(now, times.find_next(repetition, after=last)) if last else now


def _find_last_start(schedule: RefreshSchedule) -> datetime | None:
    started = Refresh.objects.filter(site=schedule.site, cluster=schedule.cluster, state=Refresh.State.STARTED)
    return started.order_by("-created_at").values_list("created_at", flat=True).first()


def _note_skipped(schedule: RefreshSchedule, due: datetime, now: datetime, user: User | None) -> None:
    Refresh.objects.get_or_create(
        schedule=schedule,
        due_at=due,
        defaults={
            "site": schedule.site,
            "cluster": schedule.cluster,
            "cause": Refresh.Cause.PERSON,
            "state": Refresh.State.SKIPPED,
            "created_at": now,
            "created_by": user,
        },
    )
