"""Times of day, every day or on named weekdays: "06:30", "Mon 08:00", "Mon-Fri 18:00", "Sat Sun 10:00"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""The names of the weekdays as they are stored and shown."""

MAX_TIMES = 48
"""The most times that a schedule may have."""

_LONG = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY = tuple(range(7))
_GROUPS = {"daily": _EVERY, "weekdays": (0, 1, 2, 3, 4), "weekends": (5, 6), "weekend": (5, 6)}
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_SHORTEST_NAME = 2


class ScheduleError(ValueError):
    """A schedule cannot be read. The message is for the person who typed it."""


@dataclass(frozen=True, slots=True, order=True)
class TimeOfDay:
    """A time on some days of the week.

    days: numbers from 0 for Monday, sorted, each once.
    """

    days: tuple[int, ...]
    hour: int
    minute: int

    def write(self) -> str:
        """Return the time as a person writes it. A time of every day has no weekday in front."""
        clock = f"{self.hour:02}:{self.minute:02}"
        return clock if self.days == _EVERY else f"{_write_days(self.days)} {clock}"

    def write_cron(self) -> str:
        """Return a cron expression that means the same."""
        days = "*" if self.days == _EVERY else ",".join(str((day + 1) % 7) for day in self.days)
        return f"{self.minute} {self.hour} * * {days}"


def read_times(texts: Sequence[str]) -> tuple[str, ...]:
    """Return times of day in the form that `TimeOfDay.write` gives, sorted, each once.

    texts: what a person wrote between commas. A text of weekdays alone belongs to the next one, as in "Mon, Wed 08:00".
    Raises ScheduleError if one cannot be read, if there is none, or if it is not certain on which days a time is meant.
    """
    return tuple(each.write() for each in parse_times(texts))


def parse_times(texts: Sequence[str]) -> tuple[TimeOfDay, ...]:
    """Return the times of day. Those of every day come first. Raises ScheduleError like `read_times`."""
    found: set[TimeOfDay] = set()
    waiting: tuple[int, ...] = ()
    named = False
    for text in texts:
        days, clock = _read_text(text)
        days = _unite(waiting, days)
        if clock is None:
            waiting = days
            continue
        if named and not days:
            raise ScheduleError(
                f"On which days is “{text.strip()[:40]}” meant? Write Mon {text.strip()[:40]} or daily {text.strip()[:40]}."
            )
        named, waiting = named or bool(days), ()
        found.add(TimeOfDay(days or _EVERY, *clock))
    if waiting:
        raise ScheduleError(f"Enter a time of day after {_write_days(waiting)}, such as {_write_days(waiting)} 08:00.")
    if not found:
        raise ScheduleError("Enter at least one time of day, such as 06:30 or Mon 08:00.")
    if len(found) > MAX_TIMES:
        raise ScheduleError(f"Enter at most {MAX_TIMES} times of day.")
    return tuple(sorted(found, key=lambda each: (each.days != _EVERY, each)))


def _read_text(text: str) -> tuple[tuple[int, ...], tuple[int, int] | None]:
    """Return the days that a text names and its time, None if it has none. Raises ScheduleError."""
    words = re.sub(r"\s*[-–]\s*", "-", text.strip().lower()).replace("every day", "daily").replace("/", " ").replace("&", " ").split()
    match = _TIME.fullmatch(words[-1]) if words else None
    names = words[:-1] if match else words
    days = _unite(*(_read_days(name, text) for name in names if name not in ("and", "at", "on")))
    if match is None and not days:
        raise _refuse(text)
    return days, (int(match[1]), int(match[2])) if match else None


def _read_days(name: str, text: str) -> tuple[int, ...]:
    """Return the days of a name, a group of days, or a range such as "fri-mon"."""
    if name in _GROUPS:
        return _GROUPS[name]
    first, dash, last = name.partition("-")
    start = _read_day(first, text)
    end = _read_day(last, text) if dash else start
    return _unite(tuple((start + step) % 7 for step in range((end - start) % 7 + 1)))


def _read_day(name: str, text: str) -> int:
    name = name.removesuffix(".")
    whole = next((day for day, long in enumerate(_LONG) if name in (long, f"{long}s")), None)
    if whole is not None:
        return whole
    fitting = [day for day, long in enumerate(_LONG) if len(name) >= _SHORTEST_NAME and long.startswith(name)]
    if len(fitting) != 1:
        raise _refuse(text)
    return fitting[0]


def _refuse(text: str) -> ScheduleError:
    return ScheduleError(f"“{text.strip()[:40]}” is not a time of day. Write it like 06:30, Mon 08:00 or Mon-Fri 18:00.")


def _unite(*many: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({day for days in many for day in days}))


def _write_days(days: tuple[int, ...]) -> str:
    """Return days as "Mon Wed", or as "Mon-Fri" if they are three or more in a row."""
    first, last = days[0], days[-1]
    if last - first == len(days) - 1 and len(days) > 2:
        return f"{DAYS[first]}-{DAYS[last]}"
    return " ".join(DAYS[day] for day in days)
