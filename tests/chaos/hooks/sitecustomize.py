"""Lets a test disturb an installation's processes from inside. Python imports this file when a process starts, as it is on PYTHONPATH.

The folder that CHAOS_HOOKS names may have two files. `clock` has the seconds by which the clock is ahead; what measures durations is not
affected. `read-only` has the name of the folder in which no file can be made or written.
"""

import errno
import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

HOOKS = os.environ.get("CHAOS_HOOKS", "")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _read(name: str) -> str:
    try:
        return Path(HOOKS, name).read_text()
    except OSError:
        return ""


def _read_offset_s() -> float:
    try:
        return float(_read("clock") or 0)
    except ValueError:
        return 0.0


def _set_clock() -> None:
    from django.utils import timezone

    true_time, true_now = time.time, timezone.now

    def now() -> datetime:
        return true_now() + timedelta(seconds=_read_offset_s())

    time.time = lambda: true_time() + _read_offset_s()
    timezone.now = now
    if "celery" in sys.orig_argv:
        from celery.app.base import Celery

        true_celery_now = Celery.now

        def celery_now(app: Celery) -> Any:
            return true_celery_now(app) + timedelta(seconds=_read_offset_s())

        Celery.now = celery_now  # type: ignore[method-assign,assignment]
        _set_clock_of_messages()


def _set_clock_of_messages() -> None:
    """Let workers find out by the same clock whether a message is too old."""
    from celery.worker import request

    class Datetime(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(seconds=_read_offset_s())

    request.datetime = Datetime  # type: ignore[assignment,attr-defined]


def _refuse_writing() -> None:
    true_open = os.open

    def refusing_open(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if flags & WRITING and (folder := _read("read-only")) and str(Path(os.fsdecode(path)).absolute()).startswith(folder):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return true_open(path, flags, *arguments, **options)

    os.open = refusing_open


if HOOKS:
    _set_clock()
    _refuse_writing()
