"""What repeats: the fields that the schedules of refreshes and of deliveries share."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from extraction.algorithms.refresh.times import CronTimes, Interval, Repetition, TimesOfDay

MAX_HOURS = 24 * 365
"""The longest interval: a year."""


class Repeating(models.Model):
    """When something happens again and again. The mode says which of the other fields counts.

    mode: `INTERVAL`, `TIMES`, `CRON`, or a word of the class for what follows an event and not the clock. Each class names its own.
    every_hours: for INTERVAL.
    times: for TIMES, as "06:30" or "Mon 08:00".
    cron: for CRON.
    zone: the time zone of times and cron.
    """

    INTERVAL: ClassVar[str] = "interval"
    TIMES: ClassVar[str] = "times"
    CRON: ClassVar[str] = "cron"
    REPETITIONS: ClassVar[tuple[str, ...]] = (INTERVAL, TIMES, CRON)
    DEFAULT_HOURS: ClassVar[int] = 24

    mode: str
    every_hours = models.PositiveIntegerField(default=DEFAULT_HOURS, validators=[MinValueValidator(1), MaxValueValidator(MAX_HOURS)])
    times: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    cron = models.CharField(max_length=100, blank=True)
    zone = models.CharField(max_length=60, default="UTC")

    class Meta:
        abstract = True

    @property
    def repetition(self) -> Repetition | None:
        """When it repeats; None if it follows an event."""
        if self.mode == self.TIMES:
            return TimesOfDay(tuple(self.times), self.zone)
        if self.mode == self.CRON:
            return CronTimes(self.cron, self.zone)
        return Interval(self.every_hours) if self.mode == self.INTERVAL else None
