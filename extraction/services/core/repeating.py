"""When something that repeats is due: refreshes and deliveries alike."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from extraction.algorithms.refresh import times
from extraction.models.repeating import Repeating
from extraction.services.core.percent import write_number

SHOWN_NEXT = 3
"""How many of the next times are shown."""


@dataclass(frozen=True, slots=True)
class NextTime:
    """A time to come. words: as the clocks in the schedule's zone show it; templates would show it in the zone of the dashboard."""

    at: datetime
    words: str


def find_due_after(schedule: Repeating, now: datetime) -> datetime | None:
    """Return the first due time after now; None if the schedule follows an event. Raises times.ScheduleError."""
    repetition = schedule.repetition
    return times.find_next(repetition, after=now) if repetition else None


def find_next_due(schedule: Repeating, *, due: datetime, now: datetime) -> datetime | None:
    """Return the first due time after now, in the rhythm of `due`; None if the schedule follows an event."""
    repetition = schedule.repetition
    return times.find_following(repetition, due=due, now=now) if repetition else None


def count_missed(schedule: Repeating, *, due: datetime, now: datetime) -> int:
    """Return how many due times have passed after `due`."""
    repetition = schedule.repetition
    return times.count_times(repetition, since=due, until=now) if repetition else 0


def list_next(schedule: Repeating, *, due: datetime | None, now: datetime, number: int = SHOWN_NEXT) -> list[NextTime]:
    """Return the next times. The first may have passed, if what is due waits."""
    repetition = schedule.repetition
    if due is None:
        return []
    later = times.list_next(repetition, after=max(due, now), number=number - 1) if repetition else []
    zone = ZoneInfo(schedule.zone)
    return [NextTime(each, f"{(local := each.astimezone(zone)):%a} {local.day} {local:%b, %H:%M}") for each in (due, *later)]


def describe_repetition(schedule: Repeating) -> str:
    """Return when it repeats, in words; "" if it follows an event."""
    if schedule.mode == schedule.INTERVAL:
        return (
            gettext("every hour")
            if schedule.every_hours == 1
            else gettext("every %(every_hours)s hours") % {"every_hours": write_number(schedule.every_hours)}
        )
    if schedule.mode == schedule.TIMES:
        return f"{_describe_times(schedule.times)} ({schedule.zone})"
    return (
        gettext("by the cron expression %(cron)s (%(zone)s)") % {"cron": schedule.cron, "zone": schedule.zone}
        if schedule.mode == schedule.CRON
        else ""
    )


def _describe_times(texts: list[str]) -> str:
    every_day = [text for text in texts if " " not in text]
    on_days = [text for text in texts if " " in text]
    parts = [gettext("every day at %(every_day)s") % {"every_day": ", ".join(every_day)}] if every_day else []
    return gettext(" and ").join([*parts, gettext("on %(on_days)s") % {"on_days": ", ".join(on_days)}] if on_days else parts)
