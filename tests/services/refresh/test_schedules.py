"""Schedules start refreshes once, catch up once, and can be paused, resumed and skipped."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.models import Monitor, Page, PageVisits, Refresh, RefreshSchedule, Run, Site, Source
from extraction.services.core.runs import JobError
from extraction.services.intake import crawl_site
from extraction.services.refresh import plan_refresh, schedules, start_refreshes
from extraction.services.sites import page_visits
from tests.services import factory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def site(sent: list[int]) -> Site:
    """A shop with an address and a live rule."""
    cluster = factory.shop(6)
    Source.objects.create(site=cluster.site, addresses=["https://shop.example/"], delay_s=0.0)
    factory.rule(cluster, state="live")
    return cluster.site


def make(site: Site, **values: Any) -> RefreshSchedule:
    schedule = RefreshSchedule(site=site, **values)
    schedules.change_schedule(schedule, now=NOW)
    return schedule


def end_runs(state: str = Run.State.DONE) -> None:
    factory.put(Run.objects.unfinished(), state)


def test_a_due_time_starts_one_refresh_and_two_ticks_start_no_second(site: Site) -> None:
    schedule = make(site, every_hours=24)
    assert [start_refreshes.start_due_refreshes(NOW) for _ in range(3)] == [1, 0, 0]
    end_runs()
    stale = RefreshSchedule.objects.get(pk=schedule.pk)
    stale.next_due_at = NOW  # what another worker had read before
    assert not start_refreshes._move(stale, NOW + HOUR)
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOW + 24 * HOUR
    assert start_refreshes.start_due_refreshes(NOW + 24 * HOUR) == 1
    assert Run.objects.filter(kind=Run.Kind.CRAWL).count() == 2


def test_missed_times_are_made_up_for_once(site: Site) -> None:
    make(site, mode="times", times=["06:00", "18:00"])
    assert start_refreshes.start_due_refreshes(NOW + timedelta(days=3)) == 1
    refresh = Refresh.objects.get()
    assert (refresh.due_at, refresh.missed) == (NOW.replace(hour=18), 5)
    end_runs()
    assert start_refreshes.start_due_refreshes(NOW + timedelta(days=3, hours=1)) == 0


def test_a_refresh_waits_for_the_crawl_under_way_and_for_one_that_is_paused(site: Site) -> None:
    schedule = make(site, every_hours=1)
    crawl = crawl_site.start_crawl(site)
    assert start_refreshes.start_due_refreshes(NOW) == 0
    factory.put(Run.objects.filter(pk=crawl.pk), Run.State.PAUSED)
    assert start_refreshes.start_due_refreshes(NOW + 2 * HOUR) == 0
    assert not Refresh.objects.exists()
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOW
    with pytest.raises(JobError, match="being fetched already"):
        start_refreshes.start_refresh(site, now=NOW)
    end_runs()
    assert start_refreshes.start_due_refreshes(NOW + 3 * HOUR) == 1
    assert Refresh.objects.get().missed == 3


def test_pause_resume_and_skip(site: Site) -> None:
    schedule = make(site, mode="cron", cron="0 6 * * *")
    assert schedules.pause_schedule(schedule, now=NOW)
    assert not schedules.skip_refresh(schedule, now=NOW)
    assert start_refreshes.start_due_refreshes(NOW + timedelta(days=5)) == 0
    assert schedules.resume_schedule(schedule, now=NOW + timedelta(days=5))
    schedule.refresh_from_db()
    assert schedule.next_due_at == datetime(2026, 3, 7, 6, tzinfo=UTC), "what was missed while it was paused is not made up for"
    now = NOW + timedelta(days=5)
    assert schedules.skip_refresh(schedule, now=now)
    assert schedules.skip_refresh(schedule, now=now)
    assert start_refreshes.start_due_refreshes(datetime(2026, 3, 8, 7, tzinfo=UTC)) == 0
    assert list(Refresh.objects.values_list("state", flat=True)) == ["skipped", "skipped"]
    assert start_refreshes.start_due_refreshes(datetime(2026, 3, 9, 7, tzinfo=UTC)) == 1


def test_a_schedule_after_checks_becomes_due_when_a_check_of_watched_pages_has_ended(site: Site) -> None:
    schedule = make(site, mode="checks")
    assert start_refreshes.start_due_refreshes(NOW + timedelta(days=300)) == 0
    check = factory.run(site, Run.Kind.CHECK, Run.State.DONE)
    pipeline.start_successors(check)
    assert start_refreshes.start_due_refreshes(timezone.now()) == 1
    assert Refresh.objects.get().cause == "check"
    end_runs()
    schedules.skip_refresh(schedule, now=NOW)
    pipeline.start_successors(check)
    assert start_refreshes.start_due_refreshes(timezone.now()) == 0
    imported = factory.run(site, Run.Kind.CHECK, Run.State.DONE, parameters={"snapshots": [1]})
    pipeline.start_successors(imported)
    assert start_refreshes.start_due_refreshes(timezone.now()) == 0


def test_a_due_time_far_ahead_that_nobody_asked_for_is_put_right(site: Site) -> None:
    schedule = make(site, every_hours=24)
    RefreshSchedule.objects.update(next_due_at=NOW + timedelta(days=4000))
    assert start_refreshes.start_due_refreshes(NOW) == 0
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOW + 24 * HOUR


def test_what_cannot_be_refreshed_says_why_and_does_not_block_the_schedule(site: Site) -> None:
    schedule = make(site, every_hours=24)
    site.clusters.get().rules.all().delete()
    assert start_refreshes.start_due_refreshes(NOW) == 0
    (refresh,) = Refresh.objects.all()
    assert (refresh.state, refresh.note) == ("refused", "Books has no live rule. Publish one first.")
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOW + 24 * HOUR


def test_a_new_interval_counts_from_the_last_refresh(site: Site) -> None:
    schedule = make(site, every_hours=24)
    start_refreshes.start_due_refreshes(NOW)
    schedule.every_hours = 6
    schedules.change_schedule(schedule, now=NOW + HOUR)
    assert schedule.next_due_at == NOW + 6 * HOUR


def visit(site: Site, days: int, changing: set[str]) -> None:
    """Note a visit of all pages, of which some have new content."""
    at = NOW - timedelta(days=days)
    for page in Page.objects.filter(site=site, url__in=changing):
        factory.snapshot(site, page.url, f"<html><h1 class='name'>{page.url} on day {days}".encode(), cluster=site.clusters.get())
    page_visits.note_visits(site, dict.fromkeys(Page.objects.filter(site=site).values_list("url", flat=True), at))


def test_a_tight_budget_goes_to_the_pages_that_change_often_and_leaves_none_out_for_ever(site: Site) -> None:
    source = Source.objects.get()
    often = {"https://shop.example/book/0", "https://shop.example/book/1"}
    for days in range(30, 0, -1):
        visit(site, days, often)
    schedule = make(site, every_hours=24, max_pages=3)
    refresh = Refresh.objects.create(site=site, schedule=schedule, cause="schedule", due_at=NOW, created_at=NOW)
    asked: dict[str, int] = {}
    for day in range(40):
        now = NOW + timedelta(days=day)
        plan = plan_refresh.plan_refresh(refresh, source, now=now)
        assert (plan.known, plan.requests, plan.left_out) == (6, 3, 6 - len(plan.due))
        assert len(plan.due) + len(plan.owed) <= 3
        for url in plan.due:
            asked[url] = asked.get(url, 0) + 1
        PageVisits.objects.filter(page__url__in=plan.due).update(visited_at=now)
    rare = [number for url, number in asked.items() if url not in often]
    assert len(rare) == 4, "no page is given up"
    assert min(asked[url] for url in often) >= 2 * max(rare)


def test_the_budget_follows_from_the_delay_and_from_what_a_person_allows(site: Site) -> None:
    source = Source(delay_s=2.0)
    assert plan_refresh.compute_budget(source, None, interval_s=3600) == 900
    assert plan_refresh.compute_budget(source, RefreshSchedule(max_pages=100), interval_s=3600) == 100
    assert plan_refresh.compute_budget(Source(delay_s=0.0), None, interval_s=3600) is None
    schedule = RefreshSchedule(site=site, mode="checks")
    Monitor.objects.create(site=site, every_hours=12, next_due_at=NOW)
    assert schedules.measure_interval_s(schedule, NOW) == 12 * 3600


def test_a_site_leaves_the_pages_of_a_template_with_its_own_schedule_alone(site: Site) -> None:
    cluster = site.clusters.get()
    own = make(site, cluster=cluster, every_hours=1)
    refresh = Refresh(site=site, cause="person", due_at=NOW, created_at=NOW)
    assert plan_refresh.plan_refresh(refresh, Source.objects.get(), now=NOW).known == 0
    refresh = Refresh(site=site, cluster=cluster, schedule=own, cause="schedule", due_at=NOW, created_at=NOW)
    plan = plan_refresh.plan_refresh(refresh, Source.objects.get(), now=NOW)
    assert (plan.known, plan.include) == (6, ("shop.example/book/*",))


def test_visits_are_noted_by_content_and_once(site: Site) -> None:
    url = "https://shop.example/book/0"
    for days in (9, 8, 8, 6):
        visit(site, days, {url} if days == 6 else set())
    (changed,) = PageVisits.objects.filter(page__url=url)
    assert (changed.quiet, changed.changes) == (1, [2 * 86_400.0])
    assert changed.history.quiet_s == 86_400.0
    quiet = PageVisits.objects.exclude(page__url=url)[0]
    assert (quiet.quiet, quiet.changes, quiet.history.quiet_s) == (2, [], 3 * 86_400.0)


def test_what_a_person_asks_for_is_refused_with_the_same_words(site: Site) -> None:
    cluster = site.clusters.get()
    for spoil, reason in (
        (lambda: site.clusters.update(ignored=True), "Template 1 is ignored. Stop ignoring it first."),
        (lambda: Source.objects.all().delete(), "Books has no start address yet. Check the start addresses under Settings and save them."),
    ):
        spoil()
        cluster.refresh_from_db()
        with pytest.raises(JobError) as caught:
            start_refreshes.start_refresh(site, cluster, now=NOW)
        assert str(caught.value) == reason and not Refresh.objects.exists()


def test_a_refresh_gives_way_to_one_that_was_started_at_the_same_moment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    other = crawl_site.start_crawl(site)
    monkeypatch.setattr(start_refreshes, "find_crawl_under_way", lambda _: None)
    with pytest.raises(start_refreshes.CrawlUnderWayError, match="Books is being fetched already"):
        start_refreshes.start_refresh(site, now=NOW)
    assert not Refresh.objects.exists() and Run.objects.get() == other
    schedule = make(site, every_hours=24)
    assert start_refreshes.start_due_refreshes(NOW) == 0
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOW, "it stays due"


def test_a_schedule_that_another_tick_has_moved_starts_nothing(site: Site) -> None:
    schedule = make(site, every_hours=24)
    RefreshSchedule.objects.update(next_due_at=NOW + HOUR)
    schedule.next_due_at = NOW
    assert not start_refreshes._start_due(schedule, NOW, NOW) and not Refresh.objects.exists()


def test_pausing_and_resuming_twice_does_nothing_the_second_time(site: Site) -> None:
    schedule = make(site, every_hours=24)
    assert not schedules.resume_schedule(schedule, now=NOW)
    assert [schedules.pause_schedule(schedule, now=NOW) for _ in range(2)] == [True, False]
    assert not schedules.skip_refresh(schedule, now=NOW)
    assert [schedules.resume_schedule(schedule, now=NOW) for _ in range(2)] == [True, False]


def test_a_schedule_that_was_never_set_is_asked_for(site: Site) -> None:
    with pytest.raises(JobError, match=r"Books has no schedule\. Set one first"):
        schedules.require_schedule(site, None)
    with pytest.raises(JobError, match=r"Template 1 has no schedule"):
        schedules.require_schedule(site, site.clusters.get())
    made = make(site, every_hours=24)
    assert schedules.require_schedule(site, None) == made


def test_a_run_whose_refresh_is_gone_fails_with_the_reason(site: Site) -> None:
    run = start_refreshes.start_refresh(site, now=NOW).run
    assert run is not None
    Refresh.objects.all().delete()
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, "The refresh of this run no longer exists. Start a new one.")
