"""A site for members: its pages need a sign-in, and their rows need scrolling, clicks, shadow roots and frames.

Its sessions end after some pages (`lasts`). Then it refuses in the ways that sites do: with 401, by a redirect, with a page that says so.
"""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fetching import moving_pages

USER, PASSWORD = "ada", "l0velace&byron"
TOTAL = 40
PLACES = {
    "/endless": moving_pages.ENDLESS,
    "/button": moving_pages.BUTTON,
    "/removed": moving_pages.REMOVED,
    "/reused": moving_pages.REUSED,
    "/shadow": moving_pages.SHADOW_LIST,
    "/framed": "<iframe src='/inner'></iframe>",
}
INNER = "<ul>" + "".join(f"<li>Row {n}</li>" for n in range(1, TOTAL + 1)) + "</ul>"
FORM = """<form method=post action=/enter><input id=user name=user><input id=password name=password type=password>
  <button type=submit>Sign in</button></form>"""


def page(title: str, body: str, *, member: bool = True) -> bytes:
    corner = f"<a class=account>{USER}</a>" if member else "<a class=sign-in href='/sign-in'>Sign in</a>"
    shown = f"<h1>{title}</h1>{body.replace('TOTAL', str(TOTAL))}{moving_pages.FILLER}{corner}"
    return f"<!doctype html><html><head><title>{title}</title></head><body>{shown}</body></html>".encode()


class MemberSite:
    """The site on 127.0.0.1.

    lasts: how many pages a session is good for.
    signed_in: how often somebody signed in; wrong: how often with a wrong password.
    seen: (path, cookie) of all requests.
    keys: the header X-Key of all requests for pages.
    """

    def __init__(self, *, lasts: int = 1000, password: str = PASSWORD) -> None:
        self.lasts, self.password = lasts, password
        self.signed_in = self.refused = self.wrong = 0
        self.seen: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self._left: dict[str, int] = {}
        self._tokens = (f"t0ken-{n:06d}" for n in itertools.count(1))
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.keys.append(self.headers["X-Key"] or "")
                self._send(*site.answer(urlsplit(self.path).path, self.path, self.headers["Cookie"] or ""))

            def do_POST(self) -> None:
                sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self._send(*site.enter(sent))

            def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in ({"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def steps(self) -> str:
        """How to sign in."""
        return "\n".join(
            [
                f"open {self.address}/sign-in",
                f"fill #user = {USER}",
                f"fill #password = {PASSWORD}",
                "click button[type=submit]",
                "wait a.account",
            ]
        )

    def __enter__(self) -> "MemberSite":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def enter(self, sent: dict[str, list[str]]) -> tuple[int, dict[str, str], bytes]:
        if (sent.get("user"), sent.get("password")) != ([USER], [self.password]):
            self.wrong += 1
            return 403, {}, page("Wrong", FORM, member=False)
        self.signed_in += 1
        token = next(self._tokens)
        self._left[token] = self.lasts
        return 303, {"Location": "/home", "Set-Cookie": f"member={token}; Path=/; HttpOnly"}, b""

    def answer(self, path: str, target: str, cookie: str) -> tuple[int, dict[str, str], bytes]:
        self.seen.append((path, cookie))
        if path in ("/robots.txt", "/favicon.ico"):
            return 404, {}, b""
        if path == "/sign-in":
            return 200, {}, page("Sign in", FORM, member=False)
        if path == "/rows":
            first = int(parse_qs(urlsplit(target).query)["from"][0])
            return 200, {"Content-Type": "application/json"}, json.dumps(list(range(first + 1, min(first + 11, TOTAL + 1)))).encode()
        token = next((each.partition("=")[2] for each in cookie.split("; ") if each.startswith("member=")), "")
        if path == "/inner":
            return (200, {}, page("Inner", INNER)) if token in self._left else (401, {}, b"no")
        if self._left.get(token, 0) <= 0:
            return self._refuse()
        if path == "/home":
            return 200, {}, page("Home", "".join(f"<p><a href='{each}'>{each}</a></p>" for each in PLACES))
        self._left[token] -= 1
        if path in PLACES:
            return 200, {}, page(path[1:].title(), PLACES[path])
        return 200, {}, page(f"Thing {path}", f"<p>Thing at {path}</p>")

    def _refuse(self) -> tuple[int, dict[str, str], bytes]:
        """Refuse in one way after the other."""
        self.refused += 1
        ways: tuple[tuple[int, dict[str, str], bytes], ...] = (
            (401, {}, page("No", "<p>Please sign in.</p>", member=False)),
            (302, {"Location": "/sign-in?next=here"}, b""),
            (200, {}, page("Members only", "<p>This is for members.</p>", member=False)),
        )
        return ways[self.refused % len(ways)]
