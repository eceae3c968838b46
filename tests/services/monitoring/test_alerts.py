"""Alerts are sent once, in words, to the right channels, and again if a service refuses them. No secret is ever shown."""

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.urls import reverse

from extraction.models import Alert, AlertChannel, Breakage, Cluster, Event, RunRelease
from extraction.services.monitoring import alert_words, alerts, breakages
from tests.services import factory, watched
from tests.services.watched import Webhook

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)


@pytest.fixture
def hook() -> Iterator[Webhook]:
    with watched.webhook() as found:
        yield found


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    return watched.cluster()


@pytest.fixture
def channel(db: None, hook: Webhook) -> AlertChannel:
    made = AlertChannel.objects.create(name="Data team", url=hook.url, events=[event.value for event in Event])
    AlertChannel.objects.update(created_at=NOW - timedelta(days=30))
    made.refresh_from_db()
    return made


def deliver_all(now: datetime) -> None:
    for alert_id in Alert.objects.order_by("pk").values_list("pk", flat=True):
        alerts.deliver_alert(alert_id, now)


def test_a_break_is_alerted_once_however_often_it_is_found(cluster: Cluster, channel: AlertChannel, hook: Webhook) -> None:
    watched.check(cluster, NOW - timedelta(days=1))
    for day in range(3):
        watched.check(cluster, NOW + timedelta(days=day), "price")
        deliver_all(NOW + timedelta(days=day))
    assert [each["title"] for each in hook.came] == ["Broken: price of Books, Template 1"]
    said = hook.came[0]["message"]
    for word in ("3 of 4 watched pages", "https://shop.example/book/2", "still worked at 4 January 2026, 04:00 UTC", "0 records", "accept"):
        assert word in said, word
    assert f"http://localhost:8000{Breakage.objects.get().get_absolute_url()}" in said


def test_repairs_and_recoveries_are_alerted_and_dismissals_are_not(cluster: Cluster, channel: AlertChannel) -> None:
    watched.check(cluster, NOW, "price")
    watched.check(cluster, NOW + timedelta(days=1))
    watched.check(cluster, NOW + timedelta(days=2), "title")
    breakages.dismiss_breakage(Breakage.objects.get(state="open"))
    assert list(Alert.objects.order_by("pk").values_list("event", flat=True)) == ["break", "recovery", "break"]


def test_an_unconfirmed_check_sends_no_alert(cluster: Cluster, channel: AlertChannel) -> None:
    watched.check(cluster, NOW, "price", confirmed=False)
    assert not Alert.objects.exists()


def test_a_channel_for_other_events_or_sites_or_a_disabled_one_gets_no_alert(cluster: Cluster, hook: Webhook) -> None:
    other = factory.site("Other")
    wants = {"repairs": ["repair"], "other": ["break"], "off": ["break"], "mine": ["break"]}
    made = {
        name: AlertChannel.objects.create(name=name, url=hook.url, events=events, enabled=name != "off") for name, events in wants.items()
    }
    made["other"].sites.add(other)
    made["mine"].sites.add(other, cluster.site)
    watched.check(cluster, NOW, "price")
    assert [alert.channel.name for alert in Alert.objects.all()] == ["mine"]


def test_a_rolled_back_event_sends_no_alert(cluster: Cluster, channel: AlertChannel) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        watched.check(cluster, NOW, "price")
        raise ZeroDivisionError
    assert not Alert.objects.exists()


def test_a_refused_alert_is_tried_again_after_growing_delays_and_then_given_up(
    cluster: Cluster, channel: AlertChannel, hook: Webhook
) -> None:
    watched.check(cluster, NOW, "price")
    alert, hook.status, now, waits = Alert.objects.get(), 500, NOW, []
    for _ in range(len(alerts.WAITS)):
        assert not alerts.deliver_alert(alert.pk, now)
        alert.refresh_from_db()
        waits.append(alert.next_at - now)
        assert not alerts.deliver_alert(alert.pk, alert.next_at - timedelta(seconds=1)), "not before its time"
        now = alert.next_at
    assert waits == list(alerts.WAITS)
    alerts.deliver_alert(alert.pk, now)
    alert.refresh_from_db()
    assert (alert.state, alert.attempts) == (Alert.State.FAILED, 6)
    hook.status = 200
    assert alerts.send_due_alerts(now + timedelta(days=3)) == 1, "its digest, and nothing that was given up"
    assert alerts.resend_alert(alert, now)
    assert alerts.deliver_alert(alert.pk, now)
    assert not alerts.resend_alert(alert, now)
    assert len(hook.came) == 1


def test_an_alert_whose_worker_died_is_left_to_people(cluster: Cluster, channel: AlertChannel, hook: Webhook) -> None:
    watched.check(cluster, NOW, "price")
    Alert.objects.update(state=Alert.State.SENDING, claimed_at=NOW, attempts=1)
    alerts.send_due_alerts(NOW + timedelta(minutes=9))
    assert Alert.objects.get().state == Alert.State.SENDING, "somebody may still be at it"
    alerts.send_due_alerts(NOW + timedelta(minutes=11))
    deliver_all(NOW + timedelta(minutes=11))
    assert (Alert.objects.get().state, Alert.objects.get().error, hook.came) == (Alert.State.FAILED, alerts.UNSURE, [])


@pytest.mark.django_db(transaction=True)
def test_two_messages_at_once_send_an_alert_once(sent: list[int], hook: Webhook) -> None:
    AlertChannel.objects.create(name="Data team", url=hook.url, events=["break"])
    with transaction.atomic():
        watched.check(watched.cluster(), NOW, "price")
    (alert_id,) = [pk for pk in sent if Alert.objects.filter(pk=pk).exists()][:1]
    barrier, done = threading.Barrier(4), list[bool]()

    def work() -> None:
        barrier.wait()
        done.append(alerts.deliver_alert(alert_id, NOW))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (sorted(done), len(hook.came)) == ([False, False, False, True], 1)


class TestDigest:
    def test_comes_once_a_day_from_seven_and_a_day_that_was_missed_is_not_made_up(self, cluster: Cluster, channel: AlertChannel) -> None:
        moments = [datetime(2026, 1, *each, tzinfo=UTC) for each in [(5, 6), (5, 8), (5, 8), (5, 23), (6, 6), (8, 9), (8, 10)]]
        for moment in moments:
            alerts.send_due_alerts(moment)
        assert list(Alert.objects.order_by("pk").values_list("key", flat=True)) == ["digest 2026-01-05", "digest 2026-01-08"]

    def test_two_beats_at_once_and_a_clock_put_back_make_no_second(self, cluster: Cluster, channel: AlertChannel) -> None:
        moment = NOW.replace(hour=8)
        for each in (moment, moment, moment + timedelta(hours=5), moment + timedelta(hours=1)):
            alerts._queue_digest(channel, each)
        assert Alert.objects.count() == 1

    def test_names_what_is_broken_and_what_no_longer_is(self, cluster: Cluster, channel: AlertChannel, hook: Webhook) -> None:
        watched.check(cluster, NOW - timedelta(hours=3), "title")
        watched.check(cluster, NOW - timedelta(hours=2))
        watched.check(cluster, NOW - timedelta(hours=1), "price")
        Alert.objects.all().delete()
        alerts.send_due_alerts(NOW.replace(hour=8))
        deliver_all(NOW.replace(hour=8))
        (said,) = hook.came
        assert said["title"] == "Vertex: 1 broken rule"
        assert "3 checks of 1 template" in said["message"]
        assert "- Books, Template 1: price, since 5 January 2026, 03:00 UTC" in said["message"]
        assert "- Books, Template 1: title, recovered without a repair" in said["message"]

    def test_a_channel_made_after_seven_waits_for_tomorrow(self, cluster: Cluster, channel: AlertChannel) -> None:
        AlertChannel.objects.update(created_at=NOW.replace(hour=9))
        alerts.send_due_alerts(NOW.replace(hour=10))
        assert not Alert.objects.exists()


def test_an_alert_written_while_the_clock_was_ahead_is_sent_once_the_clock_is_right(
    cluster: Cluster, channel: AlertChannel, hook: Webhook
) -> None:
    watched.check(cluster, NOW + timedelta(days=400), "price")
    deliver_all(NOW)
    assert len(hook.came) == 1


class TestSecrets:
    def test_stand_in_no_page_no_log_no_error_and_no_name(
        self, signed_in: Any, cluster: Cluster, channel: AlertChannel, hook: Webhook, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        hook.status = 403
        watched.check(cluster, NOW, "price")
        deliver_all(NOW)
        client = signed_in("admin")
        client.post(reverse("alert_channel_test", args=[channel.pk]))
        user = client.get("/").context["user"]
        user.is_staff = user.is_superuser = True
        user.save()
        addresses = [
            reverse("alerts"),
            reverse("alert_channel", args=[channel.pk]),
            reverse("admin:extraction_alertchannel_changelist"),
            reverse("admin:extraction_alertchannel_change", args=[channel.pk]),
        ]
        answers = [client.get(address) for address in addresses]
        assert [answer.status_code for answer in answers] == [200] * 4
        shown = [answer.content.decode() for answer in answers] + [caplog.text, Alert.objects.get().error, str(channel), repr(channel)]
        for text in shown:
            for secret in ("hunter2secret", "T0ken"):
                assert secret not in text
        assert "json://••••" in shown[0]

    @pytest.mark.parametrize("text", ["failed for https://x.example/hooks/AbCd1234", "token abcd1234 of p%40ss is p@ssword"])
    def test_are_taken_out_of_what_a_service_says(self, text: str) -> None:
        said = alerts.redact_address(text, "json://bob:p%40ssword@x.example/hooks/AbCd1234")
        assert "abcd1234" not in said.lower()
        assert "p@ssword" not in said


class TestChannels:
    DATA = {"name": "Chat", "url": "json://localhost/", "events": ["break", "digest"], "enabled": "on"}

    def test_an_address_is_written_once_and_kept_when_the_field_is_empty(self, signed_in: Any) -> None:
        client = signed_in("admin")
        assert client.post(reverse("alert_channel_new"), self.DATA).status_code == 302
        channel = AlertChannel.objects.get()
        changed = self.DATA | {"url": "", "name": "Other", "events": ["repair"]}
        assert client.post(reverse("alert_channel", args=[channel.pk]), changed).status_code == 302
        channel.refresh_from_db()
        assert channel.created_by is not None
        assert (channel.url, channel.name, channel.events, channel.created_by.username) == (
            "json://localhost/",
            "Other",
            ["repair"],
            "admin",
        )

    @pytest.mark.parametrize("wrong", [{"url": ""}, {"url": "nonsense:pa55word"}, {"events": []}, {"events": ["x"]}, {"name": ""}])
    def test_a_bad_one_is_not_made_and_its_address_not_repeated(self, signed_in: Any, wrong: dict[str, Any]) -> None:
        answer = signed_in("admin").post(reverse("alert_channel_new"), self.DATA | wrong)
        assert (answer.status_code, AlertChannel.objects.count()) == (400, 0)
        assert b"field-error" in answer.content
        assert b"pa55word" not in answer.content

    def test_the_test_button_says_what_became_of_it(self, signed_in: Any, channel: AlertChannel, hook: Webhook) -> None:
        client, address = signed_in("admin"), reverse("alert_channel_test", args=[channel.pk])
        assert b"was sent" in client.post(address, follow=True).content
        assert hook.came[0]["title"] == "Vertex: a test of “Data team”"
        hook.status = 500
        assert b"was not sent" in client.post(address, follow=True).content

    def test_sending_again_and_deleting(self, signed_in: Any, cluster: Cluster, channel: AlertChannel) -> None:
        watched.check(cluster, NOW, "price")
        Alert.objects.update(state=Alert.State.FAILED)
        with time_machine.travel(NOW, tick=False):
            client = signed_in("admin")
            client.post(reverse("alert_again", args=[Alert.objects.get().pk]))
            assert (Alert.objects.get().state, Alert.objects.get().next_at) == (Alert.State.QUEUED, NOW)
            client.post(reverse("alert_channel_delete", args=[channel.pk]))
        assert not Alert.objects.exists()


def test_a_channel_that_was_switched_off_meanwhile_gets_nothing_and_nobody_tries_again(
    cluster: Cluster, channel: AlertChannel, hook: Webhook
) -> None:
    watched.check(cluster, NOW, "price")
    AlertChannel.objects.update(enabled=False)
    deliver_all(NOW)
    alert = Alert.objects.get()
    assert (alert.state, alert.error, hook.came) == (Alert.State.FAILED, "The channel was switched off.", [])


def test_an_address_that_apprise_does_not_know_is_named(db: None) -> None:
    words = alert_words.AlertText.of("Broken", ["price"])
    assert alerts.post_text(AlertChannel(name="x", url="nowhere://secret"), words) == "The address cannot be used."


def test_each_kind_of_event_has_its_own_words_and_others_are_a_mistake(cluster: Cluster) -> None:
    watched.check(cluster, NOW, "price")
    breakage = Breakage.objects.get()
    release = RunRelease.objects.get(run=factory.released_run(cluster).pk)
    release.reasons = [f"rule {n}" for n in range(alert_words.MAX_LINES + 2)]
    for event in Event:
        if event in (Event.BREAK, Event.REPAIR, Event.RECOVERY):
            continue
        with pytest.raises(ValueError, match="no alert about a breakage is sent for"):
            alert_words.write_alert(event, breakage)
        if event in (Event.HELD, Event.DOUBT):
            said = alert_words.write_release_alert(event, release).body
            assert "- rule 0" in said and "- and 2 more" in said
            assert ("stay delivered" in said) == (event == Event.HELD)
            continue
        with pytest.raises(ValueError, match="no alert about records is sent for"):
            alert_words.write_release_alert(event, release)
