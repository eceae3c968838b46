"""The headers, cookies and proxy of a site: they reach its own hosts and nobody else, in plain requests and in rendered pages."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from extraction.fetching.crawl.gateway import Gateway
from extraction.fetching.crawl.messages import CrawlPlan, Outcome, RenderMode
from extraction.fetching.crawl.own_hosts import OwnHosts
from extraction.fetching.request_headers import check_cookie, check_header, read_proxy
from extraction.fetching.url_safety import Guard, RefusedAddress
from tests.fetching.certificates import self_signed
from tests.fetching.crawling import Told
from tests.fetching.crawling import take as take_event

KEY = "Bearer s3cret-k3y"
COOKIE = "c00kie-value"
WORDS = "amber basalt cedar delta ember fjord garnet harbour indigo juniper kelp lagoon maple nectar opal pebble quartz river " * 2


class Door:
    """A web server that shows its pages only to requests with the key and the cookie, and notes all requests.

    other: the address of another server, to which some of its pages lead.
    """

    def __init__(self, *, is_open: bool = False, context: Any = None) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.other = ""
        self.open = is_open
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                door.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                status, headers, body = door.answer(self.path, self.headers)
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.address = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> "Door":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path: str, headers: Any) -> tuple[int, dict[str, str], bytes]:
        if path.startswith("/away"):
            return 302, {"Location": f"{self.other}/landed{path}"}, b""
        if path.startswith("/robots"):
            return 404, {}, b""
        if not self.open and (headers["Authorization"] != KEY or f"pass={COOKIE}" not in (headers["Cookie"] or "")):
            return 401, {}, b"no"
        if path == "/api":
            return 200, {"Content-Type": "text/plain"}, b"private rows"
        if path == "/app":
            script = f"""
              const blind = {{mode: 'no-cors'}}
              Promise.all([fetch('/api').then(a => a.text()), fetch('/away-fetch', blind), fetch('{self.other}/direct', blind)])
                .then(all => document.getElementById('root').textContent = all[0] + ' {WORDS}')"""
            return 200, {}, f"<html><title>App</title><div id=root></div><img src='/away-picture'><script>{script}</script></html>".encode()
        return 200, {}, f"<html><title>{path}</title><p>{path} {WORDS}</p></html>".encode()

    def got(self, path: str) -> dict[str, str]:
        return next(headers for each, headers in self.seen if each == path)

    def got_nothing_private(self) -> bool:
        return not any("authorization" in headers or "cookie" in headers for _, headers in self.seen)


@pytest.fixture
def doors() -> Iterator[tuple[Door, Door]]:
    with Door() as own, Door(is_open=True) as other:
        own.other = f"http://localhost:{other.port}"
        yield own, other


def crawl(tmp_path: Path, *permitted: str, **changes: Any) -> Told:
    from extraction.fetching.crawl.process import Crawl

    told = Told()
    quick = {"delay_s": 0.0, "autothrottle": False, "timeout_s": 20.0, "retries": 0, "soft_404": False, "robots_sitemaps": False}
    plan = CrawlPlan(spool=str(tmp_path), permitted=permitted, **(quick | changes))
    with Crawl(plan) as running:
        for event in running:
            take_event(told, event)
    return told


PRIVATE = {"headers": {"Authorization": KEY}, "cookies": {"pass": COOKIE}}


def test_headers_and_cookies_open_the_pages_of_the_site(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, _ = doors
    url = f"{own.address}/deep/page"
    told = crawl(tmp_path, f"127.0.0.1:{own.port}", start=(url,), **PRIVATE)
    assert told.fetched[url].outcome is Outcome.OK
    assert own.got("/deep/page")["cookie"] == f"pass={COOKIE}"


def test_nothing_private_follows_a_redirect_to_another_host(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, other = doors
    url = f"{own.address}/away"
    # The other host is in the crawl's list of permitted hosts, but not of the site's.
    told = crawl(tmp_path, "127.0.0.1", "localhost", start=(url,), files=(f"{own.address}/away.css", f"{own.other}/sheet.css"), **PRIVATE)
    assert told.fetched[url].outcome is Outcome.MOVED
    assert {path for path, _ in other.seen} >= {"/landed/away.css", "/sheet.css"}
    assert other.got_nothing_private()
    assert own.got("/away.css")["authorization"] == KEY


def test_a_port_of_the_same_machine_is_another_host(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, other = doors
    own.other = other.address
    crawl(tmp_path, "127.0.0.1", start=(f"{own.address}/page",), files=(f"{own.address}/away.css", f"{other.address}/sheet.css"), **PRIVATE)
    assert {path for path, _ in other.seen} >= {"/landed/away.css", "/sheet.css"}
    assert other.got_nothing_private()


@pytest.mark.e2e
def test_a_rendered_page_and_its_own_requests_get_them_and_other_hosts_do_not(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, other = doors
    url = f"{own.address}/app"
    told = crawl(tmp_path, "127.0.0.1", "localhost", start=(url,), rendered=RenderMode.ALWAYS, follow_links=False, **PRIVATE)
    assert told.fetched[url].message == ""
    assert b"private rows" in told.rendered[url]
    assert own.got("/api")["cookie"] == f"pass={COOKIE}"
    assert own.got("/away-picture")["authorization"] == KEY
    assert {path for path, _ in other.seen} >= {"/landed/away-picture", "/landed/away-fetch", "/direct"}
    assert other.got_nothing_private()


def test_a_secret_that_comes_back_in_an_error_is_hidden(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, _ = doors
    own.other = f"http://localhost:1/{COOKIE}?key=s3cret-k3y"
    url = f"{own.address}/away"
    told = crawl(tmp_path, "127.0.0.1", "localhost", start=(url,), **PRIVATE)
    assert "leads to" in told.fetched[url].message
    assert COOKIE not in told.fetched[url].message and "s3cret-k3y" not in told.fetched[url].message


def test_a_site_with_secure_addresses_sends_nothing_private_in_the_clear() -> None:
    plan = CrawlPlan(spool="", start=("https://a.example/",), secure_only=True)
    assert OwnHosts(plan).has("https://www.a.example/x")
    assert not OwnHosts(plan).has("http://a.example/x")
    assert not OwnHosts(plan).has("https://b.example/x")
    assert not OwnHosts(plan).has("https://a.example.evil.example/x")
    assert not OwnHosts(plan).has("https://a.example@evil.example/x")


def test_the_plan_shows_no_secret_when_it_is_printed() -> None:
    plan = CrawlPlan(spool="", headers={"Authorization": KEY}, cookies={"pass": COOKIE}, site_proxy="http://u:pr0xy-word@p.example:1")
    assert not any(secret in repr(plan) for secret in (KEY, COOKIE, "pr0xy-word"))


@pytest.mark.e2e
@pytest.mark.parametrize("verify", [True, False])
def test_a_rendered_page_trusts_an_invalid_certificate_only_if_the_site_allows_it(tmp_path: Path, verify: bool) -> None:
    (tmp_path / "spool").mkdir()
    with Door(is_open=True, context=self_signed(tmp_path)) as secure, Door(is_open=True) as own:
        own.other = secure.address
        crawl(
            tmp_path / "spool",
            "127.0.0.1",
            start=(f"{own.address}/app",),
            rendered=RenderMode.ALWAYS,
            follow_links=False,
            verify_certificates=verify,
        )
        assert ("/direct" in {path for path, _ in secure.seen}) is not verify


@contextmanager
def proxy(*hosts: str) -> Iterator[tuple[Gateway, str]]:
    """A proxy that reaches these hosts, and its address with user and password."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    gateway = Gateway(Guard.of(hosts), max_bytes=10**6)
    address = asyncio.run_coroutine_threadsafe(gateway.start(), loop).result(10)
    yield gateway, address.replace("http://", f"http://{gateway.user}:{gateway.password}@")
    asyncio.run_coroutine_threadsafe(gateway.close(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)


def test_a_sites_proxy_on_a_private_address_is_refused(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, _ = doors
    url = f"{own.address}/page"
    with proxy("127.0.0.1") as (_, address):
        told = crawl(tmp_path, f"127.0.0.1:{own.port}", start=(url,), site_proxy=address, **PRIVATE)
    assert told.fetched[url].outcome is Outcome.UNREACHABLE
    assert told.fetched[url].message.startswith("the proxy of the site may not be used: 127.0.0.1, not an address of the public internet")
    assert own.seen == []


def test_a_proxy_that_the_operator_permits_is_used(doors: tuple[Door, Door], tmp_path: Path) -> None:
    own, _ = doors
    url = f"{own.address}/page"
    with proxy(f"127.0.0.1:{own.port}") as (gateway, address):
        told = crawl(tmp_path, "127.0.0.1", start=(url,), site_proxy=address, **PRIVATE)
        refused = crawl(tmp_path, "127.0.0.1:1", address.rpartition("@")[2], start=(f"{own.address}/other",), site_proxy=address)
    assert told.fetched[url].outcome is Outcome.OK
    assert own.got("/page")["authorization"] == KEY
    # A proxy is no way around the guard: the site itself is checked as without one.
    assert refused.fetched[f"{own.address}/other"].outcome is Outcome.REFUSED_ADDRESS
    assert gateway.refusals == []


def test_the_browser_uses_the_sites_proxy_only_if_its_address_is_allowed(doors: tuple[Door, Door]) -> None:
    own, _ = doors
    with proxy(f"127.0.0.1:{own.port}") as (_, address):
        for permitted, works in ((["127.0.0.1"], True), ([f"127.0.0.1:{own.port}"], False)):
            gateway = Gateway(Guard.of(permitted), max_bytes=10**6, upstream=address, checks_upstream=True)
            if works:
                reader, writer = asyncio.run(_connect(gateway, own.port))
                assert reader and writer
            else:
                with pytest.raises(RefusedAddress, match="not an address of the public internet"):
                    asyncio.run(_connect(gateway, own.port))


async def _connect(gateway: Gateway, port: int) -> Any:
    reader, writer = await gateway._connect("127.0.0.1", port)
    writer.close()
    return reader, writer


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("X-Key", "a\r\nHost: evil.example", "line break"),
        ("X-Key", "a\nb", "line break"),
        ("X-Key", "ä", "printable ASCII"),
        ("X-Key", "  ", "no value"),
        ("X-Key", "a" * 5000, "5,000 characters"),
        ("X Key", "s3cr3t", "not the name"),
        ("X-Key:", "s3cr3t", "not the name"),
        ("", "s3cr3t", "not the name"),
        ("Host", "evil.example", "follows from the address"),
        ("content-LENGTH", "0", "no content"),
        ("Transfer-Encoding", "chunked", "connection"),
        ("Proxy-Authorization", "Basic s3cr3t", "connection"),
        ("Sec-Fetch-Site", "none", "connection"),
        ("Cookie", "a=b", "their own field"),
        ("User-Agent", "Mozilla", "names Vertex"),
    ],
)
def test_headers_that_would_change_the_request_are_refused(name: str, value: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        check_header(name, value)
    assert not value.strip() or value not in str(refused.value), "the message does not repeat a value, which may be secret"


@pytest.mark.parametrize("value", ["a b", "a;b", "a,b", 'a"b', "a\\b", "a\nb", ""])
def test_cookies_with_more_than_a_value_are_refused(value: str) -> None:
    with pytest.raises(ValueError):
        check_cookie("pass", value)


@pytest.mark.parametrize(
    ("check", "name", "value"),
    [
        (check_header, "Accept-Language", "de-CH, de;q=0.9"),
        (check_header, "X-Api-Key", "abc 123 ~!"),
        (check_cookie, "session", "eyJhbGciOi.x-y_z="),
        (check_cookie, "q", '"quoted"'),
    ],
)
def test_ordinary_headers_and_cookies_are_accepted(check: Callable[[str, str], None], name: str, value: str) -> None:
    try:
        check(name, value)
    except ValueError as error:
        pytest.fail(f"{name} was refused: {error}")


@pytest.mark.parametrize(
    ("text", "address", "login"),
    [
        ("", "", ""),
        ("proxy.example:3128", "http://proxy.example:3128", ""),
        ("http://proxy.example", "http://proxy.example:80", ""),
        ("http://ada:p%40ss@proxy.example:3128/", "http://proxy.example:3128", "ada:p@ss"),
        ("http://[2001:db8::1]:3128", "http://[2001:db8::1]:3128", ""),
    ],
)
def test_a_proxy_is_read(text: str, address: str, login: str) -> None:
    found = read_proxy(text)
    assert (found.address, found.login) == (address, login)
    assert read_proxy(found.url) == found


@pytest.mark.parametrize("text", ["socks5://p.example:1", "https://p.example", "http://", "http://p.example:port", "http://p.example/path"])
def test_what_is_no_proxy_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_proxy(text)
