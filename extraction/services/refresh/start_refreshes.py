"""Start refreshes: those that are due, at each tick, and those that a person asks for.

A tick moves a schedule's due time by compare-and-set in the transaction that starts the refresh, and a due time is unique for its
schedule. So two ticks at once, a message that came twice or a worker that is killed start it once. What became due while nothing ran
is made up for by one refresh, which says how many times it stands for. A site is fetched by one crawl at a time: while one is
unfinished, also a paused one, the refresh stays due and starts after it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.models import Cluster, Refresh, RefreshSchedule, Rule, Run, Site
from extraction.models.run_values import EXTRACT, REFRESH, RunParameters
from extraction.services.core import repeating, runs
from extraction.services.core.runs import JobError
from extraction.services.sites import sources


class CrawlUnderWayError(JobError):
    """Another crawl of the site is unfinished. The message is for people."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A refresh to start. due: None if a person asked for it."""

    site: Site
    cluster: Cluster | None
    schedule: RefreshSchedule | None
    due: datetime | None
    user: User | None = None


def start_due_refreshes(now: datetime) -> int:
    """Start the refreshes that are due and return how many."""
    started = 0
    waiting = RefreshSchedule.objects.active().exclude(next_due_at=None).select_related("site", "cluster")
    for schedule in waiting.order_by("next_due_at", "pk"):
        due = schedule.next_due_at
        if due is not None and due <= now:
            started += _start_due(schedule, due, now)
        elif due is not None and due != schedule.skipped_until and _is_beyond(schedule, due, now):
            # The clock was ahead when the time was set. Without this, nothing would be refreshed until then.
            _move(schedule, repeating.find_next_due(schedule, due=now, now=now))
    return started


def start_refresh(site: Site, cluster: Cluster | None = None, *, now: datetime, user: User | None = None) -> Refresh:
    """Start a refresh that a person asks for. The schedule stays as it is.

    Raises JobError if there is nothing to fetch or to extract, or if another crawl of the site is unfinished.
    """
    schedule = RefreshSchedule.objects.meant_for(site, cluster).first()
    if reason := find_obstacle(site, cluster):
        raise JobError(reason)
    with transaction.atomic():
        return _start(_Order(site, cluster, schedule, None, user), now)


def find_crawl_under_way(site: Site) -> Run | None:
    """Return the unfinished crawl of a site, for which a refresh that is due waits."""
    return Run.objects.unfinished().filter(site=site, kind=Run.Kind.CRAWL).first()


def _start_due(schedule: RefreshSchedule, due: datetime, now: datetime) -> bool:
    try:
        with transaction.atomic():
            if not _move(schedule, repeating.find_next_due(schedule, due=due, now=now)):
                return False
            order = _Order(schedule.site, schedule.cluster, schedule, due)
            if reason := find_obstacle(schedule.site, schedule.cluster):
                _note(order, now, state=Refresh.State.REFUSED, note=reason)
                return False
            _start(order, now)
    except CrawlUnderWayError:
        return False  # it stays due
    return True


def _start(order: _Order, now: datetime) -> Refresh:
    if find_crawl_under_way(order.site):
        raise CrawlUnderWayError(
            gettext("%(site)s is being fetched already. Wait until that has ended, or cancel it.") % {"site": order.site.name}
        )
    refresh = _note(order, now, state=Refresh.State.STARTED)
    parameters = RunParameters(mode=REFRESH, then=EXTRACT, refresh=refresh.pk)
    run = runs.start_run(Run.Kind.CRAWL, order.site, parameters=parameters, user=order.user)
    if run.read_parameters().refresh != refresh.pk:
        raise CrawlUnderWayError(gettext("%(site)s is being fetched already.") % {"site": order.site.name})
    refresh.run = run
    refresh.save(update_fields=["run"])
    return refresh


def _note(order: _Order, now: datetime, *, state: str, note: str = "") -> Refresh:
    schedule, due = order.schedule, order.due
    follows = schedule is not None and schedule.mode == RefreshSchedule.Mode.CHECKS
    return Refresh.objects.create(
        site=order.site,
        cluster=order.cluster,
        schedule=schedule,
        cause=Refresh.Cause.PERSON if due is None else Refresh.Cause.CHECK if follows else Refresh.Cause.SCHEDULE,
        state=state,
        due_at=due or now,
        created_at=now,
        created_by=order.user,
        missed=repeating.count_missed(schedule, due=due, now=now) if schedule and due else 0,
        note=note[: Refresh.NOTE_LENGTH],
    )


def find_obstacle(site: Site, cluster: Cluster | None) -> str:
    """Return why records cannot be refreshed; "" if they can."""
    if not sources.can_fetch(site):
        return gettext("%(site)s has no start address yet. Check the start addresses under Settings and save them.") % {"site": site.name}
    if cluster is not None and cluster.ignored:
        return gettext("%(cluster)s is ignored. Stop ignoring it first.") % {"cluster": cluster.label}
    serving = Rule.objects.serving().of_site(site).not_ignored()
    if not (serving.filter(cluster=cluster) if cluster else serving).exists():
        if cluster is not None:
            return gettext("%(cluster)s has no live rule. Publish one first.") % {"cluster": cluster.label}
        return gettext("%(site)s has no live rule. Publish one first.") % {"site": site.name}
    return ""


def _is_beyond(schedule: RefreshSchedule, due: datetime, now: datetime) -> bool:
    following = repeating.find_next_due(schedule, due=now, now=now)
    return following is None or due > following + timedelta(minutes=1)


def _move(schedule: RefreshSchedule, due: datetime | None) -> bool:
    held = RefreshSchedule.objects.active().filter(pk=schedule.pk, next_due_at=schedule.next_due_at)
    return bool(held.update(next_due_at=due, skipped_until=None))
