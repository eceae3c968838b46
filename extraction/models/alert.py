"""Alert channels, and the outbox of alerts that are sent to them through Apprise."""

from typing import ClassVar, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from extraction.models.monitor import Breakage
from extraction.models.site import Site
from extraction.models.team import Team, find_first_team


class Event(models.TextChoices):
    BREAK = "break", gettext_lazy("A rule breaks")
    REPAIR = "repair", gettext_lazy("A rule is repaired")
    RECOVERY = "recovery", gettext_lazy("A rule works again without a repair")
    HELD = "held", gettext_lazy("Records are held back because of their quality")
    DOUBT = "doubt", gettext_lazy("Records are released but break a quality rule")
    DRIFT = "drift", gettext_lazy("A rule finds a value on fewer pages than usual")
    RUN_FAILED = "run_failed", gettext_lazy("A run fails")
    RUN_DONE = "run_done", gettext_lazy("A run is done")
    DIGEST = "digest", gettext_lazy("Daily digest")


class AlertChannel(models.Model):
    """Where alerts are sent.

    url: an Apprise URL. It holds passwords and tokens, so it is never shown, logged or printed; `service` is shown instead.
    events: values of `Event`.
    sites: the sites whose alerts the channel gets; empty for all sites of its team.
    """

    HIDDEN: ClassVar[str] = "••••"

    team = models.ForeignKey(Team, on_delete=models.PROTECT, default=find_first_team, related_name="channels")
    name = models.CharField(max_length=80)
    url = models.CharField(max_length=2000)
    events: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    sites = models.ManyToManyField(Site, blank=True, related_name="+")
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_channel_per_team_and_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def service(self) -> str:
        """The kind of service, which is the only part of the address that is not secret: "slack://••••"."""
        return f"{self.url.partition('://')[0]}://{self.HIDDEN}"

    @property
    def event_labels(self) -> list[str]:
        """The labels of the channel's events."""
        return [str(event.label) for event in Event if event in self.events]


class AlertState(models.TextChoices):
    QUEUED = "queued", gettext_lazy("Waiting")
    SENDING = "sending", gettext_lazy("Sending")
    SENT = "sent", gettext_lazy("Sent")
    FAILED = "failed", gettext_lazy("Not sent")


class Alert(models.Model):
    """A message for one channel. It is written in the transaction of the event and sent later.

    key: identifies the event. A channel gets at most one alert for each key.
    state: while it is SENDING, a worker has been sending the alert since claimed_at.
    next_at: the earliest time of the next attempt.
    """

    State: TypeAlias = AlertState

    channel = models.ForeignKey(AlertChannel, on_delete=models.CASCADE, related_name="alerts")
    event = models.CharField(max_length=10, choices=Event.choices)
    breakage = models.ForeignKey(Breakage, null=True, blank=True, on_delete=models.CASCADE, related_name="alerts")
    key = models.CharField(max_length=60)
    title = models.CharField(max_length=250)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    next_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "next_at"])]
        constraints = [
            models.UniqueConstraint(fields=["channel", "key"], name="a_channel_is_told_a_thing_once"),
            models.CheckConstraint(condition=Q(event__in=Event.values), name="an_alert_is_of_a_known_event"),
            models.CheckConstraint(
                condition=Q(state__in=(AlertState.QUEUED, AlertState.FAILED))
                | Q(state=AlertState.SENDING, claimed_at__isnull=False)
                | Q(state=AlertState.SENT, sent_at__isnull=False),
                name="an_alert_that_is_sent_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"alert {self.pk}: {self.title}"
