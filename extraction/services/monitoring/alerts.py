"""Alerts are an outbox: rows written in the transaction of what happened, which a worker sends afterwards.

A channel is told everything once. No two rows tell it the same thing, and a worker claims a row by compare-and-set before it sends it.
When a service refuses an alert, it is tried again after increasing waits. When a worker dies while it sends, nobody knows whether the alert
arrived. It is then not sent again automatically but shown to people, because people ignore alerts that come twice. The daily digest names
what is still broken, too.
"""

import logging
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import unquote, urlsplit

from apprise import Apprise, AppriseAsset, NotifyFormat
from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone, translation

from extraction.models import Alert, AlertChannel, AuditKind, Breakage, Event, RunRelease, Site
from extraction.services.core import audit
from extraction.services.monitoring import alert_words
from extraction.services.monitoring.alert_words import AlertText

logger = logging.getLogger(__name__)

WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 20, 60, 240))
"""Waits after the first, second, … failed attempt. After the last wait there is one more attempt."""

SENDING_AT_MOST = timedelta(minutes=10)
"""Sending takes less time than this. After it, the worker that claimed the alert is taken to be dead."""

DIGEST_HOUR = 7
"""Hour of the day, in VERTEX_TIME_ZONE, from which the digest is sent."""

UNSURE = "The worker died while sending the alert, so it may or may not have arrived. Vertex does not send it again automatically."

POST_AT_MOST_S = 60.0


def queue_alerts(event: Event, breakage: Breakage, now: datetime) -> int:
    """Queues the alerts about a breakage, in the caller's transaction. Returns how many channels are told."""
    channels = [each for each in list_listening(event) if is_about_site(each, breakage.cluster.site)]
    if not channels:
        return 0
    with translation.override("en"):
        words = alert_words.write_alert(event, breakage)
    return sum(queue_alert(each, event, f"{event} {breakage.pk}", words, now, breakage) for each in channels)


def queue_release_alerts(release: RunRelease, now: datetime) -> int:
    """Queues the alerts about records that break quality rules, in the caller's transaction. Returns how many channels are told.

    What the run before broke, too, is told once: runs of every hour would otherwise say the same every hour. A run that is held back
    after a person has decided about the one before is told of again, since it waits for a new decision.
    """
    event = Event.HELD if release.state == RunRelease.State.HELD else Event.DOUBT
    channels = [each for each in list_listening(event) if is_about_site(each, release.cluster.site)]
    if not channels or not find_news(release):
        return 0
    with translation.override("en"):
        words = alert_words.write_release_alert(event, release)
    return sum(queue_alert(each, event, f"{event} {release.pk}", words, now) for each in channels)


def find_news(release: RunRelease) -> bool:
    """Returns whether the run breaks a rule of which people were not told by the run before."""
    before = RunRelease.objects.settled().filter(cluster=release.cluster, pk__lt=release.pk).order_by("-pk").first()
    if before is None or (release.state == RunRelease.State.HELD and before.state != RunRelease.State.HELD):
        return True
    told, now = (set(each.results.filter(broken=True).exclude(weight="note").values_list("rule", flat=True)) for each in (before, release))
    return not now <= told


def send_due_alerts(now: datetime) -> int:
    """Queues the digests that are due, gives up alerts whose worker died, and hands waiting ones to workers. Returns how many."""
    for channel in list_listening(Event.DIGEST):
        _queue_digest(channel, now)
    dead = Q(claimed_at__lt=now - SENDING_AT_MOST) | Q(claimed_at__gt=now + SENDING_AT_MOST)
    Alert.objects.filter(dead, state=Alert.State.SENDING).update(state=Alert.State.FAILED, error=UNSURE)
    due = list(Alert.objects.filter(_is_due(now), state=Alert.State.QUEUED).order_by("pk").values_list("pk", flat=True))
    for alert_id in due:
        _message(alert_id)
    return len(due)


def deliver_alert(alert_id: int, now: datetime) -> bool:
    """Claims an alert and sends it. Returns False when it is not due, another worker has it, or the service refused it."""
    mine = Alert.objects.filter(_is_due(now), pk=alert_id, state=Alert.State.QUEUED)
    if not mine.update(state=Alert.State.SENDING, claimed_at=now, attempts=F("attempts") + 1):
        return False
    alert = Alert.objects.select_related("channel").get(pk=alert_id)
    if alert.channel.enabled:
        error = post_text(alert.channel, AlertText(alert.title, alert.body))
        again = alert.attempts <= len(WAITS)
    else:
        error, again = "The channel was switched off.", False
    _settle(alert, error, now, again=again)
    return not error


def resend_alert(alert: Alert, now: datetime) -> bool:
    """Queues an alert again that could not be sent, because a person asks for it. Returns False when it is no longer in that state."""
    with transaction.atomic():
        failed = Alert.objects.filter(pk=alert.pk, state=Alert.State.FAILED)
        changed = failed.update(state=Alert.State.QUEUED, next_at=now, attempts=0, error="")
        if changed:
            audit.record(AuditKind.ALERT_RESENT, f"{alert.title} to {alert.channel}")
            _send(alert.pk)
    return bool(changed)


def save_channel(channel: AlertChannel, sites: Iterable[Site]) -> None:
    """Saves a channel with the sites that it is about. Its address, which contains secrets, is not in the audit log."""
    chosen = list(sites)
    stored = AlertChannel.objects.filter(pk=channel.pk).first()
    before = _describe(stored, stored.sites.all()) if stored else {}
    changed = audit.describe_differences(before, _describe(channel, chosen))
    if stored and stored.url != channel.url:
        changed = f"{changed}\naddress changed".strip()
    with transaction.atomic():
        channel.save()
        channel.sites.set(chosen)
        audit.record(AuditKind.CHANNEL_SAVED, channel, text=changed)


def _describe(channel: AlertChannel, sites: Iterable[Site]) -> dict[str, object]:
    """Return what the audit log compares."""
    with translation.override("en"):
        return {"name": channel.name, "events": channel.event_labels, "enabled": channel.enabled, "sites": list(map(str, sites))}


def delete_channel(channel: AlertChannel) -> None:
    """Deletes a channel and the list of its alerts."""
    with transaction.atomic():
        audit.record(AuditKind.CHANNEL_DELETED, channel)
        channel.delete()


def send_test_alert(channel: AlertChannel) -> str:
    """Sends a test at once. Returns why it failed, or "" if the service accepted it."""
    return post_text(channel, alert_words.write_test(channel))


def is_usable_address(url: str) -> bool:
    """Whether Apprise can send to the address."""
    return Apprise.instantiate(url, suppress_exceptions=True) is not None


def post_text(channel: AlertChannel, words: AlertText) -> str:
    """Sends a text to a channel. Returns why the service refused it (without the channel's secrets), or "" if it accepted it."""
    warnings: list[str] = []
    sender = Apprise(asset=AppriseAsset(app_id="Vertex", app_desc="Vertex", app_url="", async_mode=False))
    if not sender.add(channel.url):
        return "The address cannot be used."
    taken = sender.notify(
        body=words.body,
        title=words.title,
        body_format=NotifyFormat.TEXT,
        timeout=POST_AT_MOST_S,
        log_callback=lambda entry, _: warnings.append(str(entry.message)),
        log_level=logging.WARNING,
    )
    if taken:
        return ""
    return redact_address(warnings[0] if warnings else "The service did not accept the alert.", channel.url)[:500]


def redact_address(text: str, url: str) -> str:
    """The text without any part of the address except its scheme and host."""
    rest = url.partition("://")[2]
    parts = {part for form in (rest, unquote(rest)) for part in re.split(r"[/?&=:@,;#]+", form)}
    host = urlsplit(url).hostname or ""
    for part in sorted({rest, *parts} - {"", host}, key=len, reverse=True):
        if len(part) >= 4:
            text = re.sub(re.escape(part), AlertChannel.HIDDEN, text, flags=re.IGNORECASE)
    return text


def list_listening(event: Event) -> list[AlertChannel]:
    """Return the channels that are switched on and want to hear of an event."""
    return [each for each in AlertChannel.objects.filter(enabled=True).prefetch_related("sites") if event in each.events]


def is_about_site(channel: AlertChannel, site: Site) -> bool:
    """Whether a channel gets the alerts about a site."""
    sites = {each.pk for each in channel.sites.all()}
    return channel.team_id == site.team_id and (not sites or site.pk in sites)


def queue_alert(channel: AlertChannel, event: Event, key: str, words: AlertText, now: datetime, breakage: Breakage | None = None) -> bool:
    """Queues an alert, in the caller's transaction. Returns False if the channel was told before. key: identifies what happened."""
    defaults = {"event": event, "breakage": breakage, "title": words.title, "body": words.body, "created_at": now, "next_at": now}
    alert, new = Alert.objects.get_or_create(channel=channel, key=key, defaults=defaults)
    if new:
        _send(alert.pk)
    return new


def _queue_digest(channel: AlertChannel, now: datetime) -> None:
    today = timezone.localtime(now)
    begins = today.replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    key = f"digest {today.date()}"
    if today < begins or channel.created_at > begins or channel.alerts.filter(key=key).exists():
        return
    with transaction.atomic():
        queue_alert(channel, Event.DIGEST, key, alert_words.write_digest(channel, now), now)


def _is_due(now: datetime) -> Q:
    """Return the alerts that are due. A time further away than any wait was written by a wrong clock, so it counts as due."""
    return Q(next_at__lte=now) | Q(next_at__gt=now + max(WAITS))


def _settle(alert: Alert, error: str, now: datetime, *, again: bool) -> None:
    mine = Alert.objects.filter(pk=alert.pk, state=Alert.State.SENDING, attempts=alert.attempts)
    if not error:
        mine.update(state=Alert.State.SENT, sent_at=now, error="")
    elif again:
        mine.update(state=Alert.State.QUEUED, next_at=now + WAITS[alert.attempts - 1], error=error)
    else:
        mine.update(state=Alert.State.FAILED, error=error)
    if error:
        logger.warning("alert %s to channel %s was not sent: %s", alert.pk, alert.channel_id, error)


def _send(alert_id: int) -> None:
    # If the broker is away, `send_due_alerts` sends the message later.
    transaction.on_commit(lambda: _message(alert_id), robust=True)


def _message(alert_id: int) -> None:
    current_app.send_task("extraction.tasks.deliver", args=[alert_id])
