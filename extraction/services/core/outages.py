"""Failures of the machine that may pass: a full disk, a database that is locked or away."""

import errno

from django.db import InterfaceError, OperationalError


def describe_outage(error: BaseException) -> str | None:
    """Return, in words, which part of the machine failed; None if the error is not of that kind."""
    text = str(error).lower()
    if "disk is full" in text or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full"
    if isinstance(error, OperationalError | InterfaceError):
        return "The database is locked" if "locked" in text else "The database did not answer"
    return describe_outage(error.__cause__) if error.__cause__ else None
