"""Whether checks, alerts and lost runs are looked after: beat must send a tick every minute, and a worker must be free to take it.

A process that was killed cannot say so. The tick writes when it ran, and the dashboard tells operators when it has been silent.
"""

from datetime import timedelta

from django.utils import timezone

from extraction.models import Heartbeat, Run

TICK = "tick"

SILENT_AFTER = timedelta(minutes=5)
"""A tick comes every minute. One or two may be lost while the processes start again."""

ALIVE_WITHIN = timedelta(minutes=1)
"""A worker whose run reported progress in this time is alive."""

_STARTED = timezone.now()


def record_tick() -> None:
    """Record that beat sent a tick and a worker took it."""
    Heartbeat.objects.update_or_create(name=TICK, defaults={"at": timezone.now()})


def describe_silence() -> str:
    """Return in words what does not run any more, and what that means; empty if all is well.

    Where there was never a tick, the time since this process started counts.
    """
    now = timezone.now()
    last = Heartbeat.objects.filter(name=TICK).values_list("at", flat=True).first()
    silent = now - (last or _STARTED)
    if silent < SILENT_AFTER:
        return ""
    since = f"for {silent // timedelta(minutes=1):,} minutes" if last else "since the dashboard was started"
    if Run.objects.running().filter(heartbeat_at__gt=now - ALIVE_WITHIN).exists():
        reason = "All workers are busy, or beat does not run"
    else:
        reason = "No worker or no beat runs"
    return f"{reason}: nothing was scheduled {since}. Checks and alerts wait. Start the processes again (make run), or add workers."
