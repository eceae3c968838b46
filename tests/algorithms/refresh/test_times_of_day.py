"""Times of day with weekdays: how they are written, and when they are."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.refresh import times
from extraction.algorithms.refresh.times import TimesOfDay
from extraction.algorithms.refresh.times_of_day import DAYS, ScheduleError, TimeOfDay, parse_times, read_times


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Mon 08:00", ["Mon 08:00"]),
        ("monday 8:00", ["Mon 08:00"]),
        ("Mondays at 8:00", ["Mon 08:00"]),
        ("Mo 08:00, mon 08:00", ["Mon 08:00"]),
        ("Mon-Fri 18:00", ["Mon-Fri 18:00"]),
        ("Mon – Fri 18:00", ["Mon-Fri 18:00"]),
        ("weekdays 18:00", ["Mon-Fri 18:00"]),
        ("Sat Sun 10:00", ["Sat Sun 10:00"]),
        ("Sat/Sun 10:00", ["Sat Sun 10:00"]),
        ("Mon, Wed and Fri 08:00", ["Mon Wed Fri 08:00"]),
        ("Sat-Mon 07:30", ["Mon Sat Sun 07:30"]),
        ("Mon-Sun 07:30", ["07:30"]),
        ("every day 07:30", ["07:30"]),
        ("Tue 09:00, 06:30 daily", None),
        ("Fri 16:00, Mon 08:00, daily 06:30", ["06:30", "Mon 08:00", "Fri 16:00"]),
        ("06:30, Mon 08:00", ["06:30", "Mon 08:00"]),
    ],
)
def test_weekdays_can_be_written_in_several_ways(written: str, read: list[str] | None) -> None:
    if read is None:
        with pytest.raises(ScheduleError, match="is not a time of day"):
            read_times(written.split(","))
    else:
        assert list(read_times(written.split(","))) == read


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Mon 08:00, 12:00", "On which days is “12:00” meant? Write Mon 12:00 or daily 12:00."),
        ("Mon", "Enter a time of day after Mon, such as Mon 08:00."),
        ("Moon 08:00", "is not a time of day"),
        ("T 08:00", "is not a time of day"),
        ("Mon 25:00", "is not a time of day"),
        ("Mon-Fri-Sun 08:00", "is not a time of day"),
        ("08:00 Mon", "is not a time of day"),
    ],
)
def test_what_is_not_certain_is_refused_with_a_reason(written: str, said: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        read_times(written.split(","))
    assert said in str(refused.value)


def test_every_monday_at_eight_is_in_the_zone_in_summer_and_in_winter() -> None:
    found = times.list_next(TimesOfDay(("Mon 08:00",), "Europe/Berlin"), after=datetime(2026, 10, 17, tzinfo=UTC), number=3)
    assert found == [datetime(2026, 10, day, hour, tzinfo=UTC) for day, hour in ((19, 6), (26, 7))] + [datetime(2026, 11, 2, 7, tzinfo=UTC)]


one_time = st.builds(
    TimeOfDay, st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))), st.integers(0, 23), st.integers(0, 59)
)


@settings(max_examples=60)
@given(st.sets(one_time, min_size=1, max_size=4), st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_what_is_written_is_read_again_and_the_next_time_is_the_first_that_a_calendar_shows(found: set[TimeOfDay], now: datetime) -> None:
    texts = read_times([each.write() for each in sorted(found, key=lambda each: len(each.days), reverse=True)])
    assert set(parse_times(texts)) == found
    assert read_times(", ".join(texts).split(",")) == texts
    minutes = (now.replace(second=0, microsecond=0) + timedelta(minutes=step) for step in range(1, 8 * 24 * 60))
    wanted = {(day, each.hour, each.minute) for each in found for day in each.days}
    first = next(each for each in minutes if (each.weekday(), each.hour, each.minute) in wanted)
    assert times.find_next(TimesOfDay(texts, "UTC"), after=now.replace(tzinfo=UTC)) == first.replace(tzinfo=UTC)


def test_the_days_have_the_names_of_the_calendar() -> None:
    assert [f"{datetime(2026, 11, 30 - 7 + day):%a}" for day in range(7)] == list(DAYS)
