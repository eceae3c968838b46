"""Whether checks, alerts and lost runs are looked after: beat must send a tick every minute, and a worker must be free to take it.

A process that was killed cannot say so. The tick writes when it ran, and the dashboard tells operators when it has been silent.
"""

import time
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import Heartbeat, Run
from extraction.services.core.percent import write_number

TICK = "tick"

SILENT_AFTER = timedelta(minutes=5)
"""A tick comes every minute. One or two may be lost while the processes start again."""

ALIVE_WITHIN = timedelta(minutes=1)
"""A worker whose run reported progress in this time is alive."""

_STARTED_S = time.monotonic()


def record_tick() -> None:
    """Record that beat sent a tick and a worker took it."""
    Heartbeat.objects.update_or_create(name=TICK, defaults={"at": timezone.now()})


def describe_silence() -> str:
    """Return in words what does not run any more, and what that means; empty if all is well.

    Where there was never a tick, or the last one is dated in the future because the clock was set back, the time since this process started
    counts.
    """
    now = timezone.now()
    last = Heartbeat.objects.filter(name=TICK).values_list("at", flat=True).first()
    known = last is not None and last <= now + ALIVE_WITHIN
    silent = now - last if last is not None and known else timedelta(seconds=time.monotonic() - _STARTED_S)
    if silent < SILENT_AFTER:
        return ""
    since = (
        gettext("for %(silent)s minutes") % {"silent": write_number(silent // timedelta(minutes=1))}
        if known
        else gettext("since the dashboard was started")
    )
    if Run.objects.running().filter(heartbeat_at__range=(now - ALIVE_WITHIN, now + ALIVE_WITHIN)).exists():
        reason = gettext("All workers are busy, or beat does not run")
    else:
        reason = gettext("No worker or no beat runs")
    again = gettext("Start the processes again (%(start_command)s), or add workers.") % {"start_command": settings.START_COMMAND}
    return gettext("%(reason)s: nothing was scheduled %(since)s. Checks and alerts wait. %(again)s") % {
        "reason": reason,
        "since": since,
        "again": again,
    }
