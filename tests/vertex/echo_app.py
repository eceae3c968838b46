"""A small application for the tests of the web server: it answers with the length of the body and as many bytes as it was asked for."""

from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request."""
    length = len(environ["wsgi.input"].read())
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"%d\n" % length, b"x" * int(environ.get("QUERY_STRING") or 0)]
