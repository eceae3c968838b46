"""Refreshes as people see them: the next times, and for each refresh what it asked for, what it found and what came of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils.translation import gettext, ngettext

from extraction.fetching.crawl.messages import Outcome
from extraction.models import Cluster, RecordChange, Refresh, RefreshSchedule, Rule, Run, Site
from extraction.services.core.percent import write_number
from extraction.services.core.repeating import NextTime, describe_repetition, list_next
from extraction.services.core.stored_texts import tell
from extraction.services.refresh import plan_refresh, schedules, start_refreshes
from extraction.services.sites import sources

SHOWN = 30
"""How many refreshes are listed."""

SOON = timedelta(minutes=1)
"""The page looks again by itself if a refresh is due within this time."""

NOT_ASKED = frozenset({Outcome.DUPLICATE, Outcome.REFUSED_BY_ROBOTS, Outcome.REFUSED_ADDRESS})
"""Outcomes of addresses that were found but not asked for. A duplicate is a further address of a page that is counted once."""


@dataclass(frozen=True, slots=True)
class RefreshRow:
    """A refresh with its figures. They are None while they are unknown.

    state: a state for the badge; word: the state in words.
    asked: addresses asked for, without further addresses of the same pages. unmodified, changed, new, gone: pages.
    waiting: known pages and new addresses for which the budget did not suffice.
    failed: addresses that gave no page although they were asked for and are not gone.
    changes: changes of records.
    problem: what went wrong or was left out.
    """

    refresh: Refresh
    state: str
    word: str
    asked: int | None = None
    unmodified: int | None = None
    changed: int | None = None
    new: int | None = None
    gone: int | None = None
    waiting: int | None = None
    failed: int | None = None
    changes: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TemplateSchedule:
    """A template with a live rule, and its schedule if it has one of its own. words: when it refreshes."""

    cluster: Cluster
    schedule: RefreshSchedule | None
    words: str


@dataclass(frozen=True, slots=True)
class RefreshesView:
    """What the page shows.

    words: when it refreshes, in words; "" without a schedule.
    next_times: when it refreshes next.
    waits_for: the crawl that a due refresh waits for.
    going: whether a refresh is under way.
    moves: whether the list changes soon, because one is under way or about to start.
    budget: how many requests one refresh may send; None if nothing limits it.
    obstacle: why nothing can be refreshed; "" if it can.
    """

    schedule: RefreshSchedule
    words: str
    next_times: Sequence[NextTime]
    waits_for: Run | None
    going: bool
    moves: bool
    budget: int | None
    obstacle: str
    rows: Sequence[RefreshRow]
    templates: Sequence[TemplateSchedule]


def show_refreshes(site: Site, cluster: Cluster | None, schedule: RefreshSchedule, now: datetime) -> RefreshesView:
    """Return what the page of a site or of a template shows."""
    rows = list_refreshes(site, cluster)
    going = any(row.state in (Run.State.QUEUED, Run.State.RUNNING) for row in rows)
    due = schedule.next_due_at is not None and schedule.next_due_at <= now
    soon = schedule.next_due_at is not None and schedule.next_due_at <= now + SOON
    source = sources.get_source(site)
    return RefreshesView(
        schedule=schedule,
        words=describe_schedule(schedule) if schedule.pk else "",
        next_times=list_next(schedule, due=schedule.next_due_at, now=now),
        waits_for=start_refreshes.find_crawl_under_way(site) if due else None,
        going=going,
        moves=going or soon,
        budget=plan_refresh.compute_budget(source, schedule, interval_s=schedules.measure_interval_s(schedule, now)),
        obstacle=start_refreshes.find_obstacle(site, cluster),
        rows=rows,
        templates=[] if cluster else _list_templates(site),
    )


def describe_schedule(schedule: RefreshSchedule) -> str:
    """Return when a schedule refreshes, in words."""
    return describe_repetition(schedule) or gettext("after each check of the rules")


def list_refreshes(site: Site, cluster: Cluster | None) -> list[RefreshRow]:
    """Return the newest refreshes of a site or of a template, the newest first."""
    found = Refresh.objects.filter(site=site, cluster=cluster).select_related("run", "created_by")[:SHOWN]
    refreshes = list(found)
    runs: dict[int, list[Run]] = defaultdict(list)
    mine = Run.objects.filter(site=site, parameters__refresh__in=[each.pk for each in refreshes]).order_by("pk")
    for run in mine:
        runs[run.read_parameters().refresh or 0].append(run)
    extracted = [run.pk for many in runs.values() for run in many if run.kind == Run.Kind.EXTRACT]
    counts = RecordChange.objects.filter(run__in=extracted).order_by().values_list("run").annotate(n=Count("pk"))
    changes = dict(counts)
    return [_make_row(each, runs.get(each.pk, []), changes) for each in refreshes]


def _make_row(refresh: Refresh, runs: Sequence[Run], changes: Mapping[int | None, int]) -> RefreshRow:
    if refresh.state != Refresh.State.STARTED or refresh.run is None:
        word = refresh.get_state_display() if refresh.state != Refresh.State.STARTED else gettext("Run deleted")
        state = "retired" if refresh.state == Refresh.State.SKIPPED else "suspect"
        return RefreshRow(refresh, state, word, problem=refresh.note)
    state, word, problem = _judge_runs(runs or [refresh.run])
    summary = refresh.run.read_summary()
    outcomes = dict(summary.outcomes or {})
    if not refresh.run.finished or not outcomes:
        return RefreshRow(refresh, state, word, problem=problem or refresh.note)
    asked = sum(count for outcome, count in outcomes.items() if outcome not in NOT_ASKED)
    gone = sum(outcomes.get(each, 0) for each in (Outcome.NOT_FOUND, Outcome.GONE, Outcome.SOFT_404))
    pages = outcomes.get(Outcome.OK, 0) + outcomes.get(Outcome.NOT_MODIFIED, 0)
    extracted = [run for run in runs if run.kind == Run.Kind.EXTRACT]
    return RefreshRow(
        refresh,
        state,
        word,
        asked=asked,
        unmodified=summary.unchanged,
        changed=summary.changed or 0,
        new=summary.new or 0,
        gone=gone,
        waiting=refresh.left_out + (summary.left or 0),
        failed=asked - gone - pages,
        changes=sum(changes.get(run.pk, 0) for run in extracted) if extracted else None,
        problem=" ".join(filter(None, (problem, refresh.note, _tell_disallowed(outcomes.get(Outcome.REFUSED_BY_ROBOTS, 0))))),
    )


def _tell_disallowed(count: int) -> str:
    """Say how many addresses robots.txt disallows."""
    if not count:
        return ""
    return ngettext(
        "robots.txt disallows %(count)s address of the site. They were not asked for.",
        "robots.txt disallows %(count)s addresses of the site. They were not asked for.",
        count,
    ) % {"count": write_number(count)}


def _judge_runs(runs: Sequence[Run]) -> tuple[str, str, str]:
    """Return (state, in words, what went wrong) of the runs of a refresh: fetching, checking, sorting and extracting."""
    for run in runs:
        if not run.finished:
            doing = f": {run.get_kind_display().lower()}" if run.state == Run.State.RUNNING else ""
            return run.state, f"{run.get_state_display()}{doing}", ""
    for run in runs:
        if run.state != Run.State.DONE:
            return run.state, run.get_state_display(), f"{run.get_kind_display()}: {tell(run.error) or run.get_state_display().lower()}"
    return Run.State.DONE, gettext("Done"), ""


def _list_templates(site: Site) -> list[TemplateSchedule]:
    own = {each.cluster_id: each for each in RefreshSchedule.objects.filter(site=site) if each.cluster_id is not None}
    serving = Rule.objects.serving().not_ignored().values("cluster")
    clusters = Cluster.objects.filter(site=site, pk__in=serving) | Cluster.objects.filter(pk__in=own)
    found = clusters.select_related("site").order_by("number")
    return [TemplateSchedule(each, own.get(each.pk), _describe_own(own.get(each.pk))) for each in found]


def _describe_own(schedule: RefreshSchedule | None) -> str:
    if schedule is None:
        return ""
    return (
        gettext("%(schedule)s, paused") % {"schedule": describe_schedule(schedule)} if schedule.paused_at else describe_schedule(schedule)
    )
