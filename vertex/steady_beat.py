"""Celery's beat, which goes on when the clock of the machine is set back.

Celery keeps when each task was last sent and sends it again when its interval has passed since. After a clock was set back by a day, it
would send nothing for a day, and lost runs, checks and alerts would wait. So a time in the future is replaced by the present.
"""

import time
from typing import Any

from celery.beat import PersistentScheduler

STEP_S = 5.0
"""The clock was set if it moved by this much more or less than the time that passed."""


class SteadyScheduler(PersistentScheduler):
    """A scheduler that corrects its times when it starts and whenever the clock was set."""

    _offset_s: float | None = None

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Do one turn of the loop and return how long to wait for the next."""
        offset_s = time.time() - time.monotonic()
        if self._offset_s is None or abs(offset_s - self._offset_s) > STEP_S:
            self._forget_future()
        self._offset_s = offset_s
        wait_s: float = super().tick(*arguments, **options)
        return wait_s

    def _forget_future(self) -> None:
        for entry in self.schedule.values():
            now = entry.default_now()
            entry.last_run_at = min(entry.last_run_at or now, now)
        self._heap = None
