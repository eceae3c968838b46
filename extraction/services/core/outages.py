"""Failures of the machine that may pass: a full disk, a database that is locked or away, a storage that does not answer."""

import errno

from django.db import InterfaceError, OperationalError

DISK_FULL = "The disk is full"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_UNREACHABLE = {errno.EIO, errno.ESTALE, errno.ENODEV, errno.ENXIO, errno.ENOTDIR, errno.EACCES, errno.EPERM}
"""What a disk or a network folder answers when it fails, is mounted in another way or is taken away."""


def describe_outage(error: BaseException) -> str | None:
    """Return, in words, which part of the machine failed; None if the error is not of that kind."""
    if isinstance(error, OperationalError | InterfaceError):
        return _describe_database(str(error).lower())
    number = error.errno if isinstance(error, OSError) else None
    if number in _FULL or "disk is full" in str(error).lower():
        return DISK_FULL
    if number == errno.EROFS:
        return "The disk can only be read"
    if number in _UNREACHABLE:
        return "The disk or the folder of the stored pages cannot be used"
    if any(each.__module__.startswith("botocore.") for each in type(error).__mro__):
        return "The object storage did not answer"
    return describe_outage(error.__cause__) if error.__cause__ else None


def _describe_database(text: str) -> str:
    if "full" in text or "no space left" in text:
        return DISK_FULL
    if "locked" in text:
        return "The database is locked"
    if "readonly" in text or "read-only" in text:
        return "The database can only be read"
    if "disk i/o" in text or "unable to open database file" in text:
        return "The disk of the database is full or does not work"
    return "The database did not answer"
