"""When sites are checked: rows an operator can edit, and one tick a minute that starts what is due.

A tick moves a monitor's due time on by compare-and-set before it starts the check, so two ticks at once, or a message that
came twice, start it once. A tick that did not come only delays: what was due meanwhile is checked once when the next one comes,
not once for every time it was missed.
"""

import hashlib
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from extraction.models import Monitor, Rule, Run, Site
from extraction.services.core import runs
from extraction.services.sites import sources

JITTER = 0.1
"""Share of the interval by which checks are spread, so that a hundred sites are not all fetched at the same minute."""


def dispatch(now: datetime) -> int:
    """Starts the checks that are due; how many. Sites with a rule that serves and an address get a monitor of their own first."""
    _begin_watching(now)
    started = 0
    for monitor in Monitor.objects.filter(enabled=True).select_related("site").order_by("next_due_at"):
        if monitor.next_due_at > now + 2 * timedelta(hours=monitor.every_hours):
            # The clock stood in the future when it was set; without this the site would not be looked at until then.
            _move(monitor, next_due(monitor, now))
        elif monitor.next_due_at <= now:
            started += _start(monitor, now)
    return started


def check_now(site: Site, user: User | None = None) -> Run:
    """A check of the site's rules at once; one that is under way is given back. Raises JobError when there is nothing to check."""
    if not sources.ready(site):
        raise runs.JobError(f"{site.name} has no address, so its pages cannot be checked. Enter one under Settings.")
    if not Rule.objects.serving().of_site(site).not_ignored().exists():
        raise runs.JobError(f"{site.name} has no live rule. Publish one first.")
    return _run(site, user)


def of(site: Site) -> Monitor:
    """The site's monitor; a new one, not written yet, when it has none."""
    return Monitor.objects.filter(site=site).first() or Monitor(site=site, next_due_at=timezone.now())


def change(monitor: Monitor, *, now: datetime) -> None:
    """Writes what an operator set; the next check comes one new interval after the last one, or at once."""
    last = monitor.last_checked_at
    monitor.next_due_at = max(now, last + timedelta(hours=monitor.every_hours)) if last else now
    monitor.save()


def next_due(monitor: Monitor, now: datetime) -> datetime:
    """One interval on, a little earlier or later by the site and the day: the same on every machine, another for every site."""
    seed = hashlib.sha256(f"{monitor.site_id} {now.date()}".encode()).digest()
    share = int.from_bytes(seed[:4], "big") / 2**32
    interval = timedelta(hours=monitor.every_hours)
    return now + interval * (1 + JITTER * (2 * share - 1))


def _begin_watching(now: datetime) -> None:
    serving = Rule.objects.serving().not_ignored().values("cluster__site")
    for site in Site.objects.filter(pk__in=serving, monitor=None):
        if sources.ready(site):
            Monitor.objects.get_or_create(site=site, defaults={"next_due_at": now})


def _start(monitor: Monitor, now: datetime) -> bool:
    with transaction.atomic():
        if not _move(monitor, next_due(monitor, now)):
            return False
        _run(monitor.site)
    return True


def _run(site: Site, user: User | None = None) -> Run:
    return runs.start(Run.Kind.CHECK, site, unit="templates", user=user)


def _move(monitor: Monitor, due: datetime) -> bool:
    return bool(Monitor.objects.filter(pk=monitor.pk, enabled=True, next_due_at=monitor.next_due_at).update(next_due_at=due))
