"""When something that repeats happens next: every so many hours, at times of day, or by a cron expression.

Times of day and cron expressions are read in a time zone. What happens when clocks change is what Debian's cron does, and
`cronsim` does it for us: a time that does not exist on a day happens at the moment when the clocks go forward, and a time that
exists twice happens the first time. An expression whose minute or hour begins with ``*`` follows real time instead, so it happens
in both hours that have the same name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from extraction.algorithms.refresh.times_of_day import ScheduleError, parse_times, read_times

__all__ = [
    "CronTimes",
    "Interval",
    "Repetition",
    "ScheduleError",
    "TimesOfDay",
    "count_times",
    "find_following",
    "find_next",
    "list_next",
    "read_cron",
    "read_times",
    "read_zone",
]

MAX_COUNTED = 1_000
"""Missed times are counted up to this number."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Every `hours` hours, counted from the last time."""

    hours: int


@dataclass(frozen=True, slots=True)
class TimesOfDay:
    """At these times in a time zone: every day ("06:30") or on weekdays ("Mon 08:00")."""

    times: tuple[str, ...]
    zone: str


@dataclass(frozen=True, slots=True)
class CronTimes:
    """By a cron expression of five fields, in a time zone."""

    expression: str
    zone: str


Repetition = Interval | TimesOfDay | CronTimes


def find_next(repetition: Repetition, *, after: datetime) -> datetime:
    """Return the first time after a moment, in UTC.

    after: an aware time. For an interval it is the last time.
    Raises ScheduleError.
    """
    if isinstance(repetition, Interval):
        return after.astimezone(UTC) + timedelta(hours=repetition.hours)
    zone = read_zone(repetition.zone)
    texts = [repetition.expression] if isinstance(repetition, CronTimes) else [each.write_cron() for each in parse_times(repetition.times)]
    return min(_find_next_cron(text, zone, after) for text in texts)


def find_following(repetition: Repetition, *, due: datetime, now: datetime) -> datetime:
    """Return the first time after now. An interval keeps its rhythm: the times are `due` plus whole intervals."""
    if not isinstance(repetition, Interval):
        return find_next(repetition, after=max(due, now))
    step = timedelta(hours=repetition.hours)
    return due + step * (max(timedelta(0), now - due) // step + 1)


def count_times(repetition: Repetition, *, since: datetime, until: datetime) -> int:
    """Return how many times lie after `since` and not after `until`, at most `MAX_COUNTED`. Raises ScheduleError."""
    if isinstance(repetition, Interval):
        return min(MAX_COUNTED, max(timedelta(0), until - since) // timedelta(hours=repetition.hours))
    found = 0
    while found < MAX_COUNTED and (since := find_next(repetition, after=since)) <= until:
        found += 1
    return found


def list_next(repetition: Repetition, *, after: datetime, number: int) -> list[datetime]:
    """Return the next times, in UTC. Raises ScheduleError."""
    found: list[datetime] = []
    while len(found) < number:
        found.append(find_next(repetition, after=found[-1] if found else after))
    return found


@lru_cache(maxsize=256)
def read_zone(name: str) -> ZoneInfo:
    """Return the time zone with this name. Raises ScheduleError."""
    if name != "UTC" and name not in available_timezones():
        raise ScheduleError(f"“{name[:60]}” is not a time zone. Write it like Europe/Berlin or UTC.")
    return ZoneInfo(name)


def read_cron(text: str) -> str:
    """Return a cron expression with single spaces between its five fields.

    Raises ScheduleError if it cannot be read, or if there is no time that it means.
    """
    expression = " ".join(text.split())
    if len(expression.split()) != 5:
        raise ScheduleError(
            "A cron expression has five fields: minute, hour, day of the month, month, day of the week. Example: 30 6 * * 1-5"
        )
    _find_next_cron(expression, ZoneInfo("UTC"), datetime(2024, 1, 1, tzinfo=UTC))
    return expression


def _find_next_cron(expression: str, zone: ZoneInfo, after: datetime) -> datetime:
    """Return the first time after a moment that an expression means."""
    for found in _run_cron(expression, zone, after):
        # Where clocks go back, the library may begin with an earlier moment that the clock shows again.
        if found > after:
            return found
    raise ScheduleError(f"There is no time that “{expression}” means.")


def _run_cron(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    try:
        for found in CronSim(expression, after.astimezone(zone)):
            yield found.astimezone(UTC)
    except CronSimError as error:
        raise ScheduleError(f"“{expression[:60]}” is not a cron expression: {str(error).lower()}.") from error
