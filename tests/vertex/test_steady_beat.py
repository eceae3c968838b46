"""Beat goes on when the clock is set back or forth."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.schedules import schedule

from vertex import steady_beat
from vertex.celery import app


class Clock:
    """The time of day, which can be set. What passes, passes for the monotonic clock, too."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.set_s, self.passed_s, self._began = 0.0, 0.0, app.now()
        monkeypatch.setattr(time, "time", lambda: 1e9 + self.passed_s + self.set_s)
        monkeypatch.setattr(time, "monotonic", lambda: 1e3 + self.passed_s)
        monkeypatch.setattr(schedule, "now", lambda _: self._began + timedelta(seconds=self.passed_s + self.set_s))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Scheduler(steady_beat.SteadyScheduler):
    """Notes what it would send."""

    sent: list[str]

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        self.sent.append(entry.name)

    producer: Any = None


def start(folder: Path) -> Scheduler:
    scheduler = Scheduler(app=app, schedule_filename=str(folder / "schedule"))
    scheduler.sent = []
    return scheduler


def run_for(scheduler: Scheduler, clock: Clock, seconds: int) -> list[str]:
    scheduler.sent = []
    for _ in range(seconds):
        clock.passed_s += 1
        while scheduler.tick() == 0:
            pass
    return scheduler.sent


@pytest.mark.parametrize("set_s", [-86_400, -3_600, 3_600])
def test_sweep_and_tick_are_sent_after_the_clock_was_set(set_s: int, clock: Clock, tmp_path: Path) -> None:
    scheduler = start(tmp_path)
    assert run_for(scheduler, clock, 130).count("tick") == 2
    clock.set_s = set_s
    sent = run_for(scheduler, clock, 130)
    assert sent.count("tick") in (2, 3)
    assert sent.count("sweep") in (12, 13, 14)
    scheduler.close()


def test_beat_that_starts_with_times_of_the_future_sends(clock: Clock, tmp_path: Path) -> None:
    scheduler = start(tmp_path)
    clock.set_s = 86_400
    run_for(scheduler, clock, 130)
    scheduler.close()
    clock.set_s = 0
    sent = run_for(again := start(tmp_path), clock, 130)
    assert sent.count("tick") in (2, 3)
    assert sent.count("sweep") >= 12
    again.close()
