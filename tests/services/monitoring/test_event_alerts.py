"""Channels hear once of each run that ended, and of values that go missing little by little."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from extraction import tasks
from extraction.models import Alert, AlertChannel, Cluster, Event, Run, Site
from extraction.services.monitoring import event_alerts
from tests.services import factory
from tests.services.monitoring import test_drifting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

shop = test_drifting.shop


@pytest.fixture
def site() -> Site:
    return factory.site("Books")


def listen(*events: Event, since: datetime = NOW - timedelta(days=30)) -> AlertChannel:
    channel = AlertChannel.objects.create(name=f"Programs {AlertChannel.objects.count()}", url="json://localhost/x", events=list(events))
    AlertChannel.objects.filter(pk=channel.pk).update(created_at=since)
    channel.refresh_from_db()
    return channel


def ended(site: Site, state: Run.State = Run.State.DONE, kind: Run.Kind = Run.Kind.EXTRACT, at: datetime = NOW, **fields: Any) -> Run:
    return Run.objects.create(site=site, kind=kind, state=state, finished_at=at, **fields)


def titles() -> list[str]:
    return list(Alert.objects.order_by("pk").values_list("title", flat=True))


def test_the_end_of_a_run_is_told_once(site: Site) -> None:
    listen(Event.RUN_DONE, Event.RUN_FAILED)
    done = ended(site, message="12 records")
    ended(site, Run.State.FAILED, Run.Kind.CRAWL, error="books.example does not answer.")
    assert event_alerts.queue_run_alerts(NOW + timedelta(seconds=30)) == 2
    assert titles() == ["Done: Extract records: Books", "Failed: Fetch pages: Books"]
    bodies = list(Alert.objects.order_by("pk").values_list("body", flat=True))
    assert "12 records" in bodies[0] and done.get_absolute_url() in bodies[0]
    assert "books.example does not answer." in bodies[1]
    assert event_alerts.queue_run_alerts(NOW + timedelta(minutes=5)) == 0


def test_each_channel_hears_what_it_chose(site: Site) -> None:
    done, failed = listen(Event.RUN_DONE), listen(Event.RUN_FAILED)
    elsewhere = listen(Event.RUN_DONE)
    elsewhere.sites.add(factory.site("Films"))
    ended(site)
    ended(site, Run.State.FAILED, error="no")
    event_alerts.queue_run_alerts(NOW)
    assert [alert.event for alert in done.alerts.all()] == [Event.RUN_DONE]
    assert [alert.event for alert in failed.alerts.all()] == [Event.RUN_FAILED]
    assert not elsewhere.alerts.exists()


@pytest.mark.parametrize("kind", [Run.Kind.PREVIEW, Run.Kind.ASSETS, Run.Kind.COMPARE])
def test_what_follows_from_other_runs_is_not_told(site: Site, kind: Run.Kind) -> None:
    listen(*Event)
    ended(site, kind=kind)
    assert event_alerts.queue_run_alerts(NOW) == 0


def test_a_cancelled_run_is_not_told(site: Site) -> None:
    listen(*Event)
    ended(site, Run.State.CANCELLED)
    assert event_alerts.queue_run_alerts(NOW) == 0


def test_a_new_channel_hears_nothing_of_earlier_runs(site: Site) -> None:
    ended(site, at=NOW - timedelta(hours=1))
    listen(Event.RUN_DONE, since=NOW)
    assert event_alerts.queue_run_alerts(NOW) == 0


def test_runs_of_long_ago_are_not_told(site: Site) -> None:
    listen(Event.RUN_DONE)
    ended(site, at=NOW - event_alerts.LOOK_BACK - timedelta(seconds=1))
    assert event_alerts.queue_run_alerts(NOW) == 0


def test_a_run_that_is_continued_and_fails_again_is_told_again(site: Site) -> None:
    listen(Event.RUN_FAILED)
    run = ended(site, Run.State.FAILED, error="no")
    assert event_alerts.queue_run_alerts(NOW) == 1
    Run.objects.filter(pk=run.pk).update(finished_at=NOW + timedelta(minutes=3))
    assert event_alerts.queue_run_alerts(NOW + timedelta(minutes=3)) == 1


def test_many_runs_that_were_told_take_no_more_queries(site: Site) -> None:
    listen(Event.RUN_DONE)

    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            event_alerts.queue_run_alerts(NOW)
        return len(queries)

    ended(site)
    event_alerts.queue_run_alerts(NOW)
    few = count()
    for number in range(30):
        ended(site, target=str(number))
    event_alerts.queue_run_alerts(NOW)
    assert count() == few


def test_fewer_values_are_told_when_they_are_first_found(shop: Cluster) -> None:
    listen(Event.DRIFT, since=test_drifting.START)
    for day, lost in enumerate((1, 2, 3, 4, 5, 5), 2):
        test_drifting.check(shop, day, lost=lost)
    assert titles() == ["Fewer values: price of Books, Template 1"]
    body = Alert.objects.get().body
    assert "price: on 64% of the watched pages, usually on 100%" in body
    assert "accept the check" in body


def test_the_clock_of_the_installation_looks_for_ended_runs(site: Site) -> None:
    channel = listen(Event.RUN_DONE)
    ended(site, at=timezone.now())
    tasks.tick()
    assert [alert.title for alert in channel.alerts.all()] == ["Done: Extract records: Books"]
