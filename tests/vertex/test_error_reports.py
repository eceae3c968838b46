"""Errors are reported to a server that speaks Sentry's protocol, without what is secret."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import brotli
import pytest

UNPACK = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import django
django.setup()
import logging, sentry_sdk
from django.test import RequestFactory
from extraction.services.core.log_context import working_on
from vertex import error_reports

def work():
    password = "a-secret-value"
    raise ValueError("the page has no root")

with working_on(run=7, kind="crawl", site="books"):
    try:
        work()
    except ValueError:
        logging.getLogger("extraction").exception("run failed")
logging.getLogger("extraction").warning("only a warning")
sentry_sdk.flush(10)
"""


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[Any]]]:
    """(a DSN, the events that arrive there)."""
    events: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = UNPACK[self.headers.get("Content-Encoding", "")](body)
            events.extend(each for each in map(json.loads, body.splitlines()) if "level" in each)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://key@127.0.0.1:{server.server_port}/1", events
    server.shutdown()
    server.server_close()


def test_an_error_is_reported_with_its_run_and_without_values(receiver: tuple[str, list[Any]], tmp_path: Path) -> None:
    address, events = receiver
    variables = {"VERTEX_SENTRY_DSN": address, "VERTEX_SENTRY_ENVIRONMENT": "shelf", "VERTEX_VAR_DIR": str(tmp_path)}
    variables |= {"DJANGO_SETTINGS_MODULE": "vertex.settings", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", SCRIPT], env=variables, check=True, capture_output=True, timeout=120)
    (event,) = events
    assert (event["environment"], event["level"]) == ("shelf", "error")
    assert event["tags"] == {"run": "7", "kind": "crawl", "site": "books"}
    assert event["exception"]["values"][0]["value"] == "the page has no root"
    assert "a-secret-value" not in json.dumps(event)
    assert "vars" not in json.dumps(event)


def test_tokens_are_taken_out_of_addresses() -> None:
    from vertex.error_reports import prepare

    event = {"request": {"url": "https://vertex.example.org/invitations/vxi_x/", "query_string": "a=1&token=vxr_x"}}
    assert prepare(event, {})["request"] == {"url": "https://vertex.example.org/invitations/…/", "query_string": "a=1&token=…"}
