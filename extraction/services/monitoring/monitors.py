"""When sites are checked: rows that operators can edit, and a tick once a minute that starts the checks that are due.

A tick moves a monitor's due time by compare-and-set before it starts the check, so two ticks at once, or a message that came twice, start
it once. A missed tick only delays checks: what became due meanwhile is checked once at the next tick, not once for each missed time.
"""

import hashlib
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import AuditKind, Monitor, Rule, Run, Site
from extraction.services.core import audit, runs
from extraction.services.sites import sources

_SETTINGS = ("enabled", "every_hours", "auto_repair")
"""What operators set."""

JITTER = 0.1
"""Share of the interval by which checks are spread, so that a hundred sites are not all fetched in the same minute."""


def start_due_checks(now: datetime) -> int:
    """Starts the checks that are due. Returns how many.

    Sites with an address and a rule that serves get a monitor first, if they have none.
    """
    _begin_watching(now)
    started = 0
    for monitor in Monitor.objects.filter(enabled=True).select_related("site").order_by("next_due_at"):
        if monitor.next_due_at > now + 2 * timedelta(hours=monitor.every_hours):
            # The clock was ahead when the time was set. Without this the site would not be checked until then.
            _move(monitor, compute_next_due(monitor, now))
        elif monitor.next_due_at <= now:
            started += _start(monitor, now)
    return started


def start_check(site: Site, user: User | None = None) -> Run:
    """Starts a check of the site's rules at once, or returns the one under way. Raises JobError when there is nothing to check."""
    if not sources.can_fetch(site):
        raise runs.JobError(
            gettext("%(site)s has no address, so its pages cannot be checked. Enter one under Settings.") % {"site": site.name}
        )
    if not Rule.objects.serving().of_site(site).not_ignored().exists():
        raise runs.JobError(gettext("%(site)s has no live rule. Publish one first.") % {"site": site.name})
    return _run(site, user)


def find_monitor(site: Site) -> Monitor:
    """The site's monitor, or a new one that is not saved yet."""
    return Monitor.objects.filter(site=site).first() or Monitor(site=site, next_due_at=timezone.now())


def change_schedule(monitor: Monitor, *, now: datetime) -> None:
    """Saves what an operator set. The next check comes one new interval after the last one, or at once."""
    last = monitor.last_checked_at
    monitor.next_due_at = max(now, last + timedelta(hours=monitor.every_hours)) if last else now
    stored = Monitor.objects.filter(pk=monitor.pk).first()
    before = audit.read_fields(stored, *_SETTINGS) if stored else {}
    with transaction.atomic():
        monitor.save()
        audit.record(
            AuditKind.MONITOR_CHANGED,
            monitor,
            text=audit.describe_differences(before, audit.read_fields(monitor, *_SETTINGS)),
        )


def note_silence(site: Site, *, known: bool, now: datetime) -> None:
    """Save that a person knows that the site does not answer, so that nobody needs to be told again until it has answered.

    known: False to be told again.
    """
    monitor = find_monitor(site)
    if bool(monitor.silence_known_at) == known:
        return
    monitor.silence_known_at = now if known else None
    with transaction.atomic():
        monitor.save()
        audit.record(AuditKind.SILENCE_KNOWN, monitor, text="" if known else "no longer")


def forget_silence(site: Site) -> None:
    """Tell people again when the site does not answer, because it has answered."""
    Monitor.objects.filter(site=site).exclude(silence_known_at=None).update(silence_known_at=None)


def compute_next_due(monitor: Monitor, now: datetime) -> datetime:
    """One interval from now, a little earlier or later depending on the site and the day, and the same on every machine."""
    seed = hashlib.sha256(f"{monitor.site_id} {now.date()}".encode()).digest()
    share = int.from_bytes(seed[:4], "big") / 2**32
    interval = timedelta(hours=monitor.every_hours)
    return now + interval * (1 + JITTER * (2 * share - 1))


def _begin_watching(now: datetime) -> None:
    serving = Rule.objects.serving().not_ignored().values("cluster__site")
    for site in Site.objects.filter(pk__in=serving, monitor=None):
        if sources.can_fetch(site):
            Monitor.objects.get_or_create(site=site, defaults={"next_due_at": now})


def _start(monitor: Monitor, now: datetime) -> bool:
    with transaction.atomic():
        if not _move(monitor, compute_next_due(monitor, now)):
            return False
        _run(monitor.site)
    return True


def _run(site: Site, user: User | None = None) -> Run:
    return runs.start_run(Run.Kind.CHECK, site, unit="templates", user=user)


def _move(monitor: Monitor, due: datetime) -> bool:
    return bool(Monitor.objects.filter(pk=monitor.pk, enabled=True, next_due_at=monitor.next_due_at).update(next_due_at=due))
