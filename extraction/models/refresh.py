"""Refreshing records on schedule: when it is due, what was started, and what visits of pages saw."""

from typing import ClassVar, Self, TypeAlias

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from extraction.algorithms.refresh.change_rates import PageHistory
from extraction.models.cluster import Cluster
from extraction.models.page import Page
from extraction.models.repeating import MAX_HOURS, Repeating
from extraction.models.run import Run
from extraction.models.site import Site
from extraction.models.snapshot import Snapshot

MAX_QUIET_S = 90 * 86_400.0
"""How much time without a change counts for the rate of change, so that a page that begins to change is soon visited more often."""


class RefreshMode(models.TextChoices):
    INTERVAL = "interval", gettext_lazy("Every so many hours")
    TIMES = "times", gettext_lazy("At times of day")
    CRON = "cron", gettext_lazy("By a cron expression")
    CHECKS = "checks", gettext_lazy("After each check of the rules")


class RefreshScheduleQuerySet(models.QuerySet["RefreshSchedule"]):
    """Common queries on schedules."""

    def active(self) -> Self:
        """Schedules that are not paused."""
        return self.filter(paused_at=None)

    def meant_for(self, site: Site, cluster: Cluster | None) -> Self:
        """The schedule of a template or, without one, of the site. A site's schedule covers its templates that have none of their own."""
        return self.filter(site=site, cluster=cluster)


class RefreshSchedule(Repeating):
    """When the records of a site, or of one of its templates, are refreshed.

    cluster: None for the site. Its schedule leaves out the pages of templates that have their own.
    max_pages: the most pages that a refresh asks for; None if only politeness limits it.
    next_due_at: None while it is paused, and for CHECKS until a check has ended. It is moved by compare-and-set when a refresh starts.
    skipped_until: `next_due_at` after a person skipped refreshes. A later due time can only be a mistake of the clock.
    skip_next: for CHECKS, do not refresh after the next check.
    """

    Mode: TypeAlias = RefreshMode

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="refresh_schedules")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="refresh_schedules")
    mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.INTERVAL)
    max_pages = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    paused_at = models.DateTimeField(null=True, blank=True)
    next_due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    skipped_until = models.DateTimeField(null=True, blank=True)
    skip_next = models.BooleanField(default=False)

    objects = RefreshScheduleQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["site"], condition=Q(cluster=None), name="one_refresh_schedule_per_site"),
            models.UniqueConstraint(fields=["cluster"], condition=Q(cluster__isnull=False), name="one_refresh_schedule_per_template"),
            models.CheckConstraint(condition=Q(mode__in=RefreshMode.values), name="a_refresh_schedule_has_a_known_mode"),
            models.CheckConstraint(condition=Q(every_hours__gte=1, every_hours__lte=MAX_HOURS), name="a_refresh_schedule_has_an_interval"),
            models.CheckConstraint(condition=Q(paused_at=None) | Q(next_due_at=None), name="a_paused_refresh_schedule_is_never_due"),
        ]

    def __str__(self) -> str:
        return f"refreshes of {self.cluster or self.site}"


class RefreshCause(models.TextChoices):
    SCHEDULE = "schedule", gettext_lazy("On schedule")
    CHECK = "check", gettext_lazy("After a check")
    PERSON = "person", gettext_lazy("By a person")


class RefreshState(models.TextChoices):
    STARTED = "started", gettext_lazy("Started")
    SKIPPED = "skipped", gettext_lazy("Skipped")
    REFUSED = "refused", gettext_lazy("Not started")


class Refresh(models.Model):
    """One refresh, or one that a person skipped or that could not start.

    schedule: None if there is none, or none any more.
    due_at: when it was due. Unique for each schedule, so that no due time starts two refreshes.
    run: fetches the pages. What follows it names this row in its parameters.
    missed: how many later due times passed before it could start. They are made up for by this one refresh.
    known: how many pages it could have fetched; of these
    due: how many it asked for, and
    left_out: how many had to wait, because the budget of requests did not allow more.
    note: what was left out, or why it did not start.
    """

    Cause: TypeAlias = RefreshCause
    State: TypeAlias = RefreshState

    NOTE_LENGTH: ClassVar[int] = 500

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="refreshes")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="refreshes")
    schedule = models.ForeignKey(RefreshSchedule, null=True, blank=True, on_delete=models.SET_NULL, related_name="refreshes")
    cause = models.CharField(max_length=10, choices=Cause.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.STARTED)
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    run = models.OneToOneField(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="refresh")
    missed = models.PositiveIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)
    due = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=NOTE_LENGTH, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "refreshes"
        constraints = [
            models.UniqueConstraint(fields=["schedule", "due_at"], name="a_due_time_starts_one_refresh"),
            models.CheckConstraint(condition=Q(cause__in=RefreshCause.values), name="a_refresh_has_a_known_cause"),
            models.CheckConstraint(condition=Q(state__in=RefreshState.values), name="a_refresh_has_a_known_state"),
        ]

    def __str__(self) -> str:
        return f"refresh of {self.cluster or self.site} at {self.due_at:%Y-%m-%d %H:%M}"


class PageVisits(models.Model):
    """What visits of a page saw, from which its rate of change is estimated.

    snapshot: the content at the last visit; None if the page was gone.
    visited_at: the last visit.
    changed_at: the last visit that saw a change, or the first visit.
    quiet: how many visits saw no change.
    quiet_s: seconds between visits without a change, up to `changed_at`.
    changes: the seconds between visits with a change, oldest first. Only the newest are kept.
    """

    MAX_CHANGES: ClassVar[int] = 20

    page = models.OneToOneField(Page, on_delete=models.CASCADE, related_name="visits")
    snapshot = models.ForeignKey(Snapshot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    visited_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    quiet = models.PositiveIntegerField(default=0)
    quiet_s = models.FloatField(default=0.0)
    changes: models.JSONField[list[float], list[float]] = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "page visits"
        constraints = [models.CheckConstraint(condition=Q(quiet_s__gte=0), name="no_page_is_quiet_for_negative_time")]

    def __str__(self) -> str:
        return f"visits of {self.page}"

    @property
    def history(self) -> PageHistory:
        """What the visits saw. Of the time without a change, at most `MAX_QUIET_S` counts."""
        quiet_s = self.quiet_s + max(0.0, (self.visited_at - self.changed_at).total_seconds())
        share = min(1.0, MAX_QUIET_S / quiet_s) if quiet_s else 1.0
        return PageHistory(tuple(self.changes), quiet_s * share, max(1, round(self.quiet * share)) if self.quiet else 0)
