"""A refused request is one line of the log, and an error is a traceback."""

import logging
import sys

import pytest
from django.core.exceptions import PermissionDenied

from vertex.log import Refusals, Tokens


def record(status: int, error: Exception) -> logging.LogRecord:
    try:
        raise error
    except Exception:  # noqa: BLE001 - whatever the test gives
        made = logging.LogRecord("django.request", logging.WARNING, __file__, 1, "Said of %s", ("/sites/",), sys.exc_info())
    made.status_code = status
    return made


@pytest.mark.parametrize("status", [400, 403])
def test_a_refusal_is_one_line_with_its_reason(status: int) -> None:
    found = record(status, PermissionDenied("This needs\nthe role editor."))
    assert Refusals().filter(found)
    assert logging.Formatter("{message}", style="{").format(found) == "Said of /sites/: This needs\\nthe role editor."


def test_an_error_keeps_its_traceback() -> None:
    found = record(500, ValueError("broken"))
    assert Refusals().filter(found)
    assert "Traceback" in logging.Formatter().format(found)


def test_the_tokens_of_readers_are_not_logged() -> None:
    record = logging.LogRecord("django.server", 20, "", 1, '"%s" %s', ("GET /data/book/latest.csv?a=1&token=vxr_x HTTP/1.1", "200"), None)
    assert Tokens().filter(record)
    assert record.getMessage() == '"GET /data/book/latest.csv?a=1&token=… HTTP/1.1" 200'
