"""How the log is written: one line or one JSON object for each record. Nothing that a stranger wrote can look like another record."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

_TOKEN = re.compile(r"(?<=[?&]token=)[^&\s]+|(?<=/invitations/)[^/\s]+|(?<=/forgotten/)[^/\s]+/[^/\s]+")
"""Tokens of readers, invitations, and links to a new password."""

_MARKS = ("token=", "/invitations/", "/forgotten/")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that end a line or command a terminal."""


def _escape(text: str) -> str:
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


class Lines(logging.Formatter):
    """One line for each record. The lines of a traceback are indented, so that none looks like a record."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}{place}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging calls it so
        """Return the line, with the run during which it was logged."""
        run = getattr(record, "work", {}).get("run")
        record.message, record.place = _escape(record.message), f" [run {run}]" if run else ""
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Return a traceback."""
        return "\n".join(f"  {_escape(line)}" for line in super().formatException(ei).split("\n"))


class JsonLines(logging.Formatter):
    """One JSON object for each record: time, level, logger, message, what the process works on (run, kind, site), and a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "work", {}),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        if status := getattr(record, "status_code", None):
            said["status"] = status
        return json.dumps(said)


class Refusals(logging.Filter):
    """Shortens the log of refused requests to one line. Django adds a whole traceback to 400 and 403, which hides real errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record. Replace the traceback of a record with a status from 400 to 499 by its reason."""
        if record.exc_info and 400 <= getattr(record, "status_code", 500) < 500:
            reason = str(record.exc_info[1] or "")
            record.msg, record.args = "%s: %s", (record.getMessage(), reason.encode("unicode_escape").decode("ascii"))
            record.exc_info = record.exc_text = None
        return True


def hide_tokens(text: str) -> str:
    """Return an address without the tokens in it."""
    return _TOKEN.sub("…", text)


class Tokens(logging.Filter):
    """Takes tokens out of the addresses of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record."""
        if isinstance(record.args, tuple) and any(mark in each for each in record.args if isinstance(each, str) for mark in _MARKS):
            record.args = tuple(hide_tokens(each) if isinstance(each, str) else each for each in record.args)
        return True
