"""A refused request is one line of the log, and an error is a traceback."""

import json
import logging
import sys

import pytest
from django.core.exceptions import PermissionDenied

from extraction.services.core.log_context import Work, working_on
from vertex.log import JsonLines, Lines, Refusals, Tokens


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


def make_record(text: str, *arguments: object, error: Exception | None = None) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    return logging.LogRecord("extraction.crawl", logging.WARNING, __file__, 1, text, arguments, info)


HOSTILE = "shop\n2026-11-29 10:00:00,000 INFO root: backup done\r\x1b[2K\x85\u2028end"


@pytest.mark.parametrize("where", ["argument", "error", "reason"])
def test_no_text_of_a_stranger_looks_like_a_line_of_its_own(where: str) -> None:
    error = ValueError(HOSTILE) if where == "error" else None
    record = make_record("fetched %s", HOSTILE if where == "argument" else "a page", error=error)
    if where == "reason":
        record.msg, record.args = HOSTILE, ()
    Work().filter(record)
    first, *more = Lines().format(record).splitlines()
    assert "WARNING extraction.crawl: " in first
    assert all(line.startswith("  ") for line in more)
    assert "\x1b" not in Lines().format(record)
    assert bool(more) == (where == "error")


def test_a_line_names_the_run_during_which_it_was_written() -> None:
    record = make_record("fetched %s", "a page")
    with working_on(run=7, kind="crawl", site="books"), working_on(site="films"):
        Work().filter(record)
    assert " WARNING extraction.crawl [run 7]: fetched a page" in Lines().format(record)
    said = json.loads(JsonLines().format(record))
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "WARNING",
        "logger": "extraction.crawl",
        "message": "fetched a page",
        "run": 7,
        "kind": "crawl",
        "site": "films",
    }
    later = make_record("idle")
    Work().filter(later)
    assert " [run" not in Lines().format(later)


def test_an_error_is_one_json_object() -> None:
    record = make_record("fetched %s", HOSTILE, error=ValueError(HOSTILE))
    record.status_code = 500
    (line,) = JsonLines().format(record).split("\n")
    said = json.loads(line)
    assert (said["message"], said["status"]) == (f"fetched {HOSTILE}", 500)
    assert HOSTILE in said["traceback"]
    assert line.isascii()
