"""Logging of requests."""

import logging
import re

_TOKEN = re.compile(r"(?<=[?&]token=)[^&\s]+|(?<=/invitations/)[^/\s]+|(?<=/forgotten/)[^/\s]+/[^/\s]+")
"""Tokens of readers, invitations, and links to a new password."""

_MARKS = ("token=", "/invitations/", "/forgotten/")


class Refusals(logging.Filter):
    """Shortens the log of refused requests to one line. Django adds a whole traceback to 400 and 403, which hides real errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record. Replace the traceback of a record with a status from 400 to 499 by its reason."""
        if record.exc_info and 400 <= getattr(record, "status_code", 500) < 500:
            reason = str(record.exc_info[1] or "")
            record.msg, record.args = "%s: %s", (record.getMessage(), reason.encode("unicode_escape").decode("ascii"))
            record.exc_info = record.exc_text = None
        return True


class Tokens(logging.Filter):
    """Takes tokens out of the addresses of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record."""
        if isinstance(record.args, tuple) and any(mark in each for each in record.args if isinstance(each, str) for mark in _MARKS):
            record.args = tuple(_TOKEN.sub("…", each) if isinstance(each, str) else each for each in record.args)
        return True
