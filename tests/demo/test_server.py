"""The demo server serves the pages of the site, and another design on request."""

import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.demo.server import DemoServer
from extraction.demo.site import pages

BOOK = "/book/10573/moby-dick"


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with DemoServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: DemoServer, target: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, target, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_every_page_is_served_with_its_bytes_and_type(server: DemoServer) -> None:
    for page in pages(base_url=server.address):
        answer, body = ask(server, page.path)
        assert (answer.status, answer.getheader("Content-Type"), body) == (200, page.content_type, page.content), page.path


def test_only_the_named_pages_exist(server: DemoServer) -> None:
    for target in ("/nowhere", "/subject/gothic?page=99", BOOK + "?session=1", BOOK + "/"):
        assert ask(server, target)[0].status == 404


@pytest.mark.parametrize("design", [1, 2])
def test_every_link_picture_and_stylesheet_of_every_page_is_served(server: DemoServer, design: int) -> None:
    server.switch(design=design)
    wanted = set()
    for page in pages(design=design, base_url=server.address):
        root = parse(page.content, content_type=page.content_type).root
        wanted |= {urljoin(page.url, str(value)) for value in root.xpath("//a/@href | //img/@src | //link/@href")}
    targets = {target.removeprefix(server.address) for target in wanted}
    missing = {urlsplit(target).path for target in targets if not server.answer(target.split("#")[0])}
    assert missing <= {"/search", "/basket"}, "robots.txt forbids these two, so nobody has to serve them"


def test_robots_and_sitemap_lead_a_crawler_to_all_pages(server: DemoServer) -> None:
    robots = ask(server, "/robots.txt")[1].decode()
    assert "Disallow: /search" in robots
    assert f"Sitemap: {server.address}/sitemap.xml" in robots
    tree = ElementTree.fromstring(ask(server, "/sitemap.xml")[1])
    found = [str(loc.text) for loc in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert found == [page.url for page in pages(base_url=server.address)]


def test_the_design_can_change_while_the_server_runs(server: DemoServer) -> None:
    before = ask(server, BOOK)[1]
    server.switch(design=2, day=4)
    expected = {page.path: page.content for page in pages(design=2, day=4, base_url=server.address)}
    assert before != ask(server, BOOK)[1] == expected[BOOK]


def test_a_post_switches_and_refuses_a_design_that_does_not_exist(server: DemoServer) -> None:
    assert ask(server, "/-/switch?design=1&partial=1", "POST")[0].status == 200
    assert b'<section class="panel"' in ask(server, BOOK)[1]
    assert ask(server, "/-/switch?design=7", "POST")[0].status == 400
    assert ask(server, "/-/switch?design=x", "POST")[0].status == 400
    assert b'<section class="panel"' in ask(server, BOOK)[1]
    assert ask(server, "/contact", "POST")[0].status == 404
    assert ask(server, "/-/switch?design=2")[0].status == 404


def test_head_requests_and_unchanged_pages_get_no_body(server: DemoServer) -> None:
    answer, body = ask(server, BOOK, "HEAD")
    assert (answer.status, body) == (200, b"")
    again, body = ask(server, BOOK, If_None_Match=answer.getheader("ETag") or "")
    assert (again.status, body) == (304, b"")
