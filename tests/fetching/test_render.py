"""Pages that need a browser get one, and the browser reaches nothing that a crawl may not reach."""

import asyncio
import base64
import http.client
import socket
from ipaddress import ip_address

import pytest

from extraction.fetching.crawl.gateway import Gateway
from extraction.fetching.crawl.messages import Outcome, RenderMode
from extraction.fetching.url_safety import Guard
from tests.fetching.crawling import crawl
from tests.fetching.site_pages import Site, html
from tests.fetching.site_server import SiteServer


@pytest.fixture(scope="module")
def rendered():
    """(server, a server that must not be reached, the events of a crawl)."""
    with SiteServer(Site(products=9)) as secret, SiteServer(Site(products=9, secret=secret.address)) as server:
        urls = tuple(f"{server.address}/{path}" for path in ("app/1", "product/1", "attack", "hollow"))
        told = crawl(
            server,
            start=(),
            urls=urls,
            rendered=RenderMode.WHEN_NEEDED,
            screenshots=True,
            include=("/app*",),
            max_depth=1,
            soft_404=False,
            timeout_s=20.0,
            concurrency=2,
        )
        yield server, secret, told


@pytest.mark.e2e
def test_a_page_made_by_scripts_is_kept_as_received_and_as_rendered(rendered):
    server, _, told = rendered
    url = f"{server.address}/app/1"
    assert told.fetched[url].outcome is Outcome.OK
    assert b"<div id='root'></div>" in told.bodies[url]
    assert b'<div id="root"><h1>Built</h1>' in told.rendered[url]
    assert told.screenshots[url].startswith(b"\xff\xd8\xff")
    assert told.fetched[url].screenshot_note == ""


@pytest.mark.e2e
def test_a_page_that_needs_no_browser_says_why_it_has_no_picture(rendered):
    server, _, told = rendered
    assert told.fetched[f"{server.address}/product/1"].screenshot_note == "the page was read without a browser"
    assert f"{server.address}/product/1" not in told.screenshots


@pytest.mark.e2e
def test_the_picture_of_a_long_page_is_cut_off_and_says_so():
    class Long(Site):
        def answer(self, target, headers):
            return html(
                "Long", "<p style='height:20000px;background:linear-gradient(red,blue)'>A long page</p>" if target == "/long" else ""
            )

    with SiteServer(Long()) as server:
        url = f"{server.address}/long"
        told = crawl(server, start=(), urls=(url,), rendered=RenderMode.ALWAYS, screenshots=True, follow_links=False, timeout_s=20.0)
    note, picture = told.fetched[url].screenshot_note, told.screenshots[url]
    assert note.startswith("the page is 20,") and note.endswith("its picture shows the first 6,000")
    assert len(picture) < 2 * 1024**2 and read_jpeg_size(picture) == (1280, 6000)


def read_jpeg_size(picture: bytes) -> tuple[int, int]:
    """Return (width, height) from the frame header of a JPEG."""
    at = 2
    while picture[at + 1] not in (0xC0, 0xC2):
        at += 2 + int.from_bytes(picture[at + 2 : at + 4])
    return int.from_bytes(picture[at + 7 : at + 9]), int.from_bytes(picture[at + 5 : at + 7])


@pytest.mark.e2e
def test_links_that_scripts_made_are_followed(rendered):
    server, _, told = rendered
    assert told.fetched[f"{server.address}/app-link"].outcome is Outcome.OK


@pytest.mark.e2e
def test_the_site_sees_one_request_for_a_rendered_page(rendered):
    server, _, _ = rendered
    assert server.paths().count("/app/1") == 1
    assert server.paths().count("/attack") == 1


@pytest.mark.e2e
def test_a_page_without_scripts_needs_no_browser(rendered):
    server, _, told = rendered
    assert f"{server.address}/product/1" not in told.rendered
    assert told.fetched[f"{server.address}/hollow"].outcome is Outcome.EMPTY


@pytest.mark.e2e
def test_nothing_in_a_rendered_page_can_reach_a_private_address(rendered):
    server, secret, told = rendered
    assert told.fetched[f"{server.address}/attack"].outcome is Outcome.OK
    assert told.fetched[f"{server.address}/attack"].message == ""
    assert {"/fetch", "/ws", "/beacon", "/module"} <= set(server.paths()), "the same steps do reach the page's own site"
    assert secret.paths() == []


class _Calls(Site):
    """A site whose page opens a WebRTC connection by way of a UDP port of this machine."""

    def __init__(self, port: int) -> None:
        super().__init__(products=3)
        self.port = port

    def at_call(self, rest, query, headers):
        servers = f"[{{urls: 'stun:127.0.0.1:{self.port}'}}, {{urls: 'turn:127.0.0.1:{self.port}', username: 'a', credential: 'b'}}]"
        script = f"""const call = new RTCPeerConnection({{iceServers: {servers}}}); call.createDataChannel('x');
          call.createOffer().then(offer => call.setLocalDescription(offer)).then(() => new Promise(done => setTimeout(done, 2500)))
          .then(() => {{ document.getElementById('root').textContent = 'gathered ' + 'words '.repeat(60) }})"""
        return html("Call", f"<div id='root'></div><script>{script}</script>")


@pytest.mark.e2e
def test_webrtc_sends_no_datagram_past_the_gateway():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        with SiteServer(_Calls(listener.getsockname()[1])) as server:
            url = f"{server.address}/call"
            told = crawl(server, start=(), urls=(url,), rendered=RenderMode.ALWAYS, timeout_s=20.0, soft_404=False, follow_links=False)
        assert b"gathered" in told.rendered[url], "the script ran to its end"
        with pytest.raises(BlockingIOError):
            listener.recvfrom(2000)


class _Names:
    """A name server that answers 127.0.0.1 and counts its queries."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, host: str, port: int):
        self.asked.append(host)
        return [ip_address("127.0.0.1")]


def through(gateway: Gateway, method: str, target: str, *, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    """(status, body) of what the gateway answers."""

    async def run() -> tuple[int, bytes]:
        address = await gateway.start()
        try:
            return await asyncio.to_thread(_ask, address, method, target, headers if headers is not None else _known(gateway))
        finally:
            await gateway.close()

    return asyncio.run(run())


def _known(gateway: Gateway) -> dict[str, str]:
    return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{gateway.user}:{gateway.password}".encode()).decode()}


def _ask(address: str, method: str, target: str, headers: dict[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    return response.status, b"" if method == "CONNECT" and response.status == 200 else response.read()


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:1/", "http://2130706433/", "http://[::1]/", "http://inside.example/", "ftp://a.example/", "http://a.example:22/"],
)
def test_the_gateway_refuses_addresses_that_are_not_public(target):
    names = _Names()
    status, body = through(Gateway(Guard(), max_bytes=1000, lookup=names), "GET", target)
    assert status == 403, body
    assert len(names.asked) <= 1


@pytest.mark.parametrize("target", ["127.0.0.1:443", "inside.example:443", "[::ffff:10.0.0.1]:443", "169.254.169.254:80"])
def test_the_gateway_opens_no_tunnel_to_addresses_that_are_not_public(target):
    assert through(Gateway(Guard(), max_bytes=1000, lookup=_Names()), "CONNECT", target)[0] == 403


def test_the_gateway_fetches_from_permitted_hosts_and_hides_its_password():
    with SiteServer(Site(products=3)) as server:
        port = server.host.partition(":")[2]
        gateway = Gateway(Guard.of([f"named.example:{port}"]), max_bytes=10**6, lookup=_Names())
        status, body = through(gateway, "GET", f"http://named.example:{port}/product/1")
        assert status == 200 and b"<h1>" in body
        assert not any("proxy-authorization" in seen.headers for seen in server.requests)


def test_the_gateway_serves_nobody_else():
    with SiteServer(Site(products=3)) as server:
        gateway = Gateway(Guard.of([server.host]), max_bytes=10**6)
        assert through(gateway, "GET", f"{server.address}/product/1", headers={})[0] == 407
        wrong = {"Proxy-Authorization": "Basic dmVydGV4Ong="}
        assert through(gateway, "GET", f"{server.address}/product/1", headers=wrong)[0] == 407
        assert server.requests == []


def test_the_gateway_closes_a_connection_that_sends_too_much():
    with SiteServer(Site(products=3)) as server:
        gateway = Gateway(Guard.of([server.host]), max_bytes=100_000)
        status, body = through(gateway, "GET", f"{server.address}/huge-chunked")
        assert status == 200
        assert len(body) < 300_000


def test_the_gateway_names_a_host_that_does_not_answer():
    status, body = through(Gateway(Guard.of(["127.0.0.1:9"]), max_bytes=1000), "GET", "http://127.0.0.1:9/")
    assert status == 502 and body
