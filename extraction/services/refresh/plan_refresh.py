"""Which pages a refresh asks for.

If its budget of requests allows, all known pages of the site. Otherwise those that are most overdue: each page has a rate at which it
changes (`algorithms.refresh.change_rates`), the visits of the budget are divided among the pages (`visit_rates`), and a page is
overdue in the measure in which the time since its last visit exceeds the time between its visits.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from extraction.algorithms.refresh.change_rates import estimate_rate
from extraction.algorithms.refresh.visit_rates import divide_visits
from extraction.models import Page, PageVisits, Refresh, RefreshSchedule, Site, Source
from extraction.services.intake import left_addresses, repeated_pages
from extraction.services.refresh import schedules
from extraction.services.sites import sources

BUSY_FRACTION = 0.5
"""The share of the time between two refreshes in which a refresh may send requests. Other crawls and checks need the host, too."""

NEW_FRACTION = 0.1
"""The share of a tight budget that is kept for pages that nobody has seen yet; at least one request."""

GONE_DAYS = 30
"""A page that has been gone for this long is no longer asked for. If a page links to it, it is."""

UNKNOWN_RATE = 1 / (7 * 86_400.0)
"""Changes per second of a page of which nothing is known, on a site of which nothing is known: once a week."""


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What a refresh asks for.

    due: known pages, the most urgent first.
    owed: new addresses that the last refresh could not fetch.
    known: how many pages it could have asked for.
    limit: the most pages to keep; None for no limit other than the budget.
    requests: the budget of requests; None for none.
    include: patterns that links must match; None for those of the source.
    """

    due: Sequence[str]
    owed: Sequence[str]
    known: int
    limit: int | None
    requests: int | None
    include: tuple[str, ...] | None

    @property
    def left_out(self) -> int:
        """How many known pages have to wait."""
        return self.known - len(self.due)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A page that may be asked for. rate: its changes per second, None if unknown."""

    url: str
    cluster_id: int | None
    visited_at: datetime
    rate: float | None


def plan_refresh(refresh: Refresh, source: Source, *, now: datetime) -> RefreshPlan:
    """Choose the pages of a refresh."""
    site, cluster = refresh.site, refresh.cluster
    interval_s = schedules.measure_interval_s(refresh.schedule, now)
    requests = compute_budget(source, refresh.schedule, interval_s=interval_s)
    found = _list_candidates(refresh, source, now)
    starts = [url for url in dict.fromkeys(source.addresses) if url]
    owed = left_addresses.list_owed(site, cluster)
    due = [each.url for each in found]
    if requests is not None and len({*due, *starts}) + len(owed) > requests:
        room = max(1, requests - len(starts) - max(1, int(NEW_FRACTION * requests)))
        due = _choose_urgent(found, room=room, interval_s=interval_s, now=now)
    first = dict.fromkeys(due)
    room_for_new = None if left_addresses.is_whole(site) else max(0, source.page_limit - _count_present(site))
    return RefreshPlan(
        due=list(first),
        owed=[url for url in (*starts, *owed) if url not in first],
        known=len(found),
        limit=None if room_for_new is None else len({*first, *starts}) + room_for_new,
        requests=requests,
        include=tuple(cluster.url_patterns) or None if cluster else None,
    )


def compute_budget(source: Source, schedule: RefreshSchedule | None, *, interval_s: float) -> int | None:
    """Return how many requests a refresh may send: what a person allows, and what the delay between requests allows.

    None if neither limits it.
    """
    limits = [schedule.max_pages] if schedule and schedule.max_pages else []
    if source.delay_s > 0:
        limits.append(max(1, int(BUSY_FRACTION * interval_s / source.delay_s)))
    return min(*limits, settings.VERTEX_CRAWL_MAX_PAGES) if limits else None


def _list_candidates(refresh: Refresh, source: Source, now: datetime) -> list[_Candidate]:
    """Return the pages that this refresh is for, in the order of their ids.

    The refresh of a site leaves out the pages of templates that have a schedule of their own.
    """
    pages = Page.objects.filter(repeated_pages.not_repeated(), site=refresh.site).exclude(current=None)
    pages = pages.filter(Q(gone_at=None) | Q(gone_at__gt=now - timedelta(days=GONE_DAYS)))
    if refresh.cluster_id:
        pages = pages.filter(current__cluster=refresh.cluster_id)
    else:
        others = RefreshSchedule.objects.filter(site=refresh.site).exclude(cluster=None).values_list("cluster", flat=True)
        pages = pages.exclude(current__cluster__in=list(others))
    hosts = frozenset(sources.list_hosts(source))
    rates = _read_rates(refresh.site)
    rows = pages.order_by("pk").values_list("pk", "url", "current__cluster", "current__fetched_at")
    return [
        _Candidate(url, cluster_id, *rates.get(pk, (fetched_at, None)))
        for pk, url, cluster_id, fetched_at in rows.iterator(chunk_size=10_000)
        if sources.get_host(url) in hosts
    ]


def _read_rates(site: Site) -> dict[int, tuple[datetime, float | None]]:
    """Return {page: (its last visit, its changes per second)}."""
    rows = PageVisits.objects.filter(page__site=site).only(
        "page_id", "visited_at", "changed_at", "quiet", "quiet_s", "changes", "snapshot_id"
    )
    return {each.page_id: (each.visited_at, estimate_rate(each.history)) for each in rows.iterator(chunk_size=10_000)}


def _choose_urgent(pages: Sequence[_Candidate], *, room: int, interval_s: float, now: datetime) -> list[str]:
    """Return the pages that are most overdue, the most urgent first, at most `room`. Of equals, the page found first wins."""
    rates = _fill_rates(pages)
    visits = divide_visits(rates, visits_per_s=room / max(1.0, interval_s))
    urgency = [max(0.0, (now - page.visited_at).total_seconds()) * each for page, each in zip(pages, visits, strict=True)]
    order = sorted(range(len(pages)), key=lambda place: (-urgency[place], place))
    return [pages[place].url for place in order[:room]]


def _fill_rates(pages: Sequence[_Candidate]) -> list[float]:
    """Return the rate of each page. Pages of which nothing is known get the mean of their template, else that of the site."""
    known: Mapping[int | None, list[float]] = defaultdict(list)
    for page in pages:
        if page.rate is not None:
            known[page.cluster_id].append(page.rate)
    means = {cluster_id: _mean(rates) for cluster_id, rates in known.items()}
    every = [page.rate for page in pages if page.rate is not None]
    usual = _mean(every) if every else UNKNOWN_RATE
    return [page.rate if page.rate is not None else means.get(page.cluster_id, usual) for page in pages]


def _mean(rates: Iterable[float]) -> float:
    values = list(rates)
    return sum(values) / len(values)


def _count_present(site: Site) -> int:
    return Page.objects.filter(site=site, gone_at=None).exclude(current=None).count()
