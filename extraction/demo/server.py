"""Serves the demo site on this machine, so that Vertex can crawl it and meet a change of its design.

Start it with ``python -m extraction.demo.server --port 8100 --design 1``. To change what it serves, a test calls `switch`, and a person
sends ``POST /-/switch?design=2&day=3&partial=1``.
"""

import argparse
import threading
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from extraction.demo.site import files, pages

ROBOTS = "User-agent: *\nDisallow: /search\nDisallow: /basket\nSitemap: {address}/sitemap.xml\n"

MISSING = b"<!doctype html><title>Not found</title><h1>We do not have that</h1><p><a href='/'>Back to the shop</a></p>"


@dataclass(frozen=True, slots=True)
class _Answer:
    content: bytes
    content_type: str


class DemoServer(ThreadingHTTPServer):
    """The demo shop on 127.0.0.1. port: 0 for any free port; `address` contains the port used."""

    daemon_threads = True

    def __init__(self, *, port: int = 0, design: int = 1, day: int = 0, partial: bool = False) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self._lock = threading.Lock()
        self._answers: dict[str, _Answer] = {}
        self.switch(design=design, day=day, partial=partial)

    def switch(self, *, design: int = 1, day: int = 0, partial: bool = False) -> None:
        """Serve another design or day from now on. Raises ValueError like `site.pages` and then changes nothing."""
        found = list(pages(design=design, day=day, partial=partial, base_url=self.address))
        answers = {file.path: _Answer(file.content, file.content_type) for file in files()}
        answers |= {page.path: _Answer(page.content, page.content_type) for page in found}
        answers["/robots.txt"] = _Answer(ROBOTS.format(address=self.address).encode(), "text/plain")
        answers["/sitemap.xml"] = _Answer(_sitemap([page.url for page in found]), "application/xml")
        with self._lock:
            self._answers = answers

    def answer(self, target: str) -> _Answer | None:
        """Return the answer for a request target: the page with this query, or a picture or stylesheet with any query; None for 404."""
        with self._lock:
            answers = self._answers
        path = urlsplit(target).path
        return answers.get(target) or (answers.get(path) if path.startswith(("/img/", "/css/")) else None)


class _Handler(BaseHTTPRequestHandler):
    server: DemoServer
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        found = self.server.answer(self.path)
        if not found:
            self._send(HTTPStatus.NOT_FOUND, MISSING, "text/html; charset=utf-8")
            return
        tag = f'"{sha256(found.content).hexdigest()[:20]}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, b"", found.content_type, tag)
        else:
            self._send(HTTPStatus.OK, found.content, found.content_type, tag)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 65_536))
        target = urlsplit(self.path)
        if target.path != "/-/switch":
            self._send(HTTPStatus.NOT_FOUND, MISSING, "text/html; charset=utf-8")
            return
        query = {key: values[-1] for key, values in parse_qs(target.query).items()}
        try:
            self.server.switch(
                design=int(query.get("design", 1)), day=int(query.get("day", 0)), partial=query.get("partial", "0") not in {"", "0"}
            )
        except ValueError as error:
            self._send(HTTPStatus.BAD_REQUEST, f"{error}\n".encode(), "text/plain; charset=utf-8")
        else:
            self._send(HTTPStatus.OK, b"switched\n", "text/plain")

    def log_message(self, *_: object) -> None:
        """Log nothing, because a crawl of the demo makes many requests."""

    def _send(self, status: HTTPStatus, content: bytes, content_type: str, tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(content)))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _sitemap(urls: list[str]) -> bytes:
    rows = "".join(f"<url><loc>{escape(url)}</loc></url>\n" for url in urls)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'.encode()
    )


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serves the demo bookshop on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=8100)
    parser.add_argument("--design", type=int, choices=(1, 2), default=1)
    parser.add_argument("--day", type=int, default=0)
    parser.add_argument("--partial", action="store_true")
    options = parser.parse_args()
    with DemoServer(port=options.port, design=options.design, day=options.day, partial=options.partial) as server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.shutdown()


if __name__ == "__main__":
    main()
