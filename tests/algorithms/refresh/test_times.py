"""Schedules: the next time, also where clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.refresh import times
from extraction.algorithms.refresh.times import CronTimes, Interval, ScheduleError, TimesOfDay

BERLIN = "Europe/Berlin"


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def local(moments: list[datetime], zone: str = BERLIN) -> list[str]:
    return [f"{each.astimezone(ZoneInfo(zone)):%d %H:%M %z}" for each in moments]


def test_times_of_day_are_those_of_the_zone_in_summer_and_in_winter() -> None:
    schedule = TimesOfDay(("18:00", "06:30"), BERLIN)
    assert times.list_next(schedule, after=at("2026-07-01T03:00"), number=3) == [
        at("2026-07-01T04:30"),
        at("2026-07-01T16:00"),
        at("2026-07-02T04:30"),
    ]
    assert times.find_next(schedule, after=at("2026-12-01T03:00")) == at("2026-12-01T05:30")


def test_a_time_that_does_not_exist_happens_when_the_clocks_go_forward() -> None:
    found = times.list_next(TimesOfDay(("02:30",), BERLIN), after=at("2026-03-28T00:00", BERLIN), number=3)
    assert local(found) == ["28 02:30 +0100", "29 03:00 +0200", "30 02:30 +0200"]


def test_a_time_that_exists_twice_happens_once_at_the_first() -> None:
    found = times.list_next(TimesOfDay(("02:30",), BERLIN), after=at("2026-10-24T12:00", BERLIN), number=2)
    assert local(found) == ["25 02:30 +0200", "26 02:30 +0100"]
    between = at("2026-10-25T01:10")  # 02:10 for the second time
    assert local([times.find_next(TimesOfDay(("02:30",), BERLIN), after=between)]) == ["26 02:30 +0100"]


def test_an_expression_for_every_hour_follows_real_time() -> None:
    found = times.list_next(CronTimes("0 * * * *", BERLIN), after=at("2026-10-24T23:30"), number=3)
    assert local(found) == ["25 02:00 +0200", "25 02:00 +0100", "25 03:00 +0100"]


def test_a_cron_expression_follows_weekdays() -> None:
    found = times.list_next(CronTimes("0 7 * * MON-FRI", "UTC"), after=at("2026-11-27T08:00"), number=2)  # a Friday
    assert found == [at("2026-11-30T07:00"), at("2026-12-01T07:00")]


def test_an_interval_keeps_its_rhythm_after_missed_times() -> None:
    due, now = at("2026-01-01T00:00"), at("2026-01-03T01:00")
    assert times.find_following(Interval(24), due=due, now=now) == at("2026-01-04T00:00")
    assert times.count_times(Interval(24), since=due, until=now) == 2
    assert times.find_following(Interval(24), due=due, now=due) == at("2026-01-02T00:00")


@pytest.mark.parametrize("text", ["", "* * * *", "61 * * * *", "0 0 30 2 *", "@daily", "0 0 0 * * *", "a b c d e", "0 0 * * 9"])
def test_a_wrong_expression_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ScheduleError, match=r"cron expression|There is no time"):
        times.read_cron(text)


def test_wrong_times_and_zones_are_refused_with_a_reason() -> None:
    for wrong in ("24:00", "6", "6:5", "half past six", "06:30:00", ""):
        with pytest.raises(ScheduleError, match="is not a time of day"):
            times.read_times([wrong])
    with pytest.raises(ScheduleError, match="at least one"):
        times.read_times([])
    with pytest.raises(ScheduleError, match="is not a time zone"):
        times.read_zone("../../etc/passwd")
    assert times.read_times(["18:00", " 6:30 ", "06:30"]) == ("06:30", "18:00")


@settings(max_examples=40)
@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
    st.tuples(st.integers(0, 23), st.integers(0, 59)),
)
def test_each_day_has_one_time_and_the_next_is_after_now(now: datetime, zone: str, clock: tuple[int, int]) -> None:
    schedule = TimesOfDay((f"{clock[0]:02}:{clock[1]:02}",), zone)
    found = times.list_next(schedule, after=now, number=4)
    assert now < found[0]
    assert found[0] - now <= timedelta(hours=25)
    days = [each.astimezone(ZoneInfo(zone)).date() for each in found]
    assert [each - days[0] for each in days] == [timedelta(days=n) for n in range(4)]


def test_times_are_counted_after_the_first_moment_and_up_to_the_last() -> None:
    start = at("2026-07-01T00:00")
    assert times.count_times(Interval(6), since=start, until=start + timedelta(hours=12)) == 2
    assert times.count_times(Interval(6), since=start, until=start + timedelta(hours=11)) == 1
    assert times.count_times(Interval(6), since=start, until=start - timedelta(hours=11)) == 0
    assert times.count_times(Interval(1), since=start, until=start + timedelta(days=400)) == times.MAX_COUNTED
    daily = TimesOfDay(("06:00",), "UTC")
    assert times.count_times(daily, since=start, until=at("2026-07-03T06:00")) == 3
    assert times.count_times(daily, since=start, until=at("2026-07-03T05:59")) == 2
    assert times.count_times(CronTimes("* * * * *", "UTC"), since=start, until=start + timedelta(days=1)) == times.MAX_COUNTED


def test_an_interval_follows_the_last_time_and_a_schedule_the_later_of_its_time_and_now() -> None:
    assert times.list_next(Interval(36), after=at("2026-07-01T00:00"), number=2) == [at("2026-07-02T12:00"), at("2026-07-04T00:00")]
    daily = TimesOfDay(("06:00",), "UTC")
    assert times.find_following(daily, due=at("2026-07-01T06:00"), now=at("2026-07-03T07:00")) == at("2026-07-04T06:00")
    assert times.find_following(daily, due=at("2026-07-05T06:00"), now=at("2026-07-03T07:00")) == at("2026-07-06T06:00")


def test_the_31st_of_february_is_refused_and_spaces_do_not_matter() -> None:
    with pytest.raises(ScheduleError, match="31 2"):
        times.read_cron("0 0 31 2 *")
    assert times.read_cron("  30  6 * * 1-5 ") == "30 6 * * 1-5"
