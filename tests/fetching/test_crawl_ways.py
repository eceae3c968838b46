"""Control of a crawl: delays, limits, samples, pausing and stopping, continuing after a kill, single pages, names whose address changes."""

import asyncio
import hashlib
import itertools
import os
import signal
import sys
import tempfile
import threading
import time
from ipaddress import ip_address
from pathlib import Path

import pytest

from extraction.fetching.crawl import process
from extraction.fetching.crawl.gateway import Gateway
from extraction.fetching.crawl.messages import Address, CrawlPlan, CrawlProgress, Done, EndReason, Fetched, FoundAddresses, Outcome
from extraction.fetching.crawl.process import Crawl, CrawlFailed, fetch_once
from extraction.fetching.crawl.spool import read_ledgers
from extraction.fetching.url_safety import Guard
from tests.fetching.certificates import self_signed
from tests.fetching.crawling import Told, crawl, plan_for, take
from tests.fetching.site_pages import Answer, Site, html
from tests.fetching.site_server import SiteServer

HANGING = """
import asyncio, re
from extraction.fetching.crawl import child, judge

async def hang(self, response, address, shape):
    re.match("(a+)+b", "a" * 60)

judge.Judge.judge = hang
child.main()  # {0}
"""


@pytest.fixture(scope="module")
def server():
    with SiteServer(Site(products=200)) as running:
        yield running


def gaps(server: SiteServer, since: int) -> list[float]:
    times = [seen.at_s for seen in server.requests[since:]]
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def products(server: SiteServer, *numbers: int) -> tuple[str, ...]:
    return tuple(f"{server.address}/product/{number}" for number in numbers)


def test_the_delay_between_two_requests_is_kept(server):
    since = len(server.requests)
    told = crawl(server, start=(), urls=products(server, 1, 2, 3, 4), delay_s=0.3, follow_links=False, concurrency=4)
    assert told.by_outcome() == {Outcome.OK: 4}
    between = gaps(server, since)[1:]  # the first gap is that of robots.txt, for which no page waits
    assert sum(between) >= 0.29 * len(between) and min(between) >= 0.2  # a request may arrive late and the next one in time


def test_a_crawl_delay_in_robots_txt_raises_the_delay():
    with SiteServer(Site(products=9, crawl_delay=0.4)) as slow:
        told = crawl(slow, start=(), urls=products(slow, 1, 2, 3, 4), follow_links=False, soft_404=False, autothrottle=True)
        pages = [seen.at_s for seen in slow.requests if "/product/" in seen.path]
        assert told.by_outcome() == {Outcome.OK: 4}
        assert pages[-1] - pages[0] >= 0.39 * (len(pages) - 1) and min(b - a for a, b in itertools.pairwise(pages)) >= 0.25


def test_a_page_limit_is_kept_exactly(server):
    told = crawl(server, page_limit=7, robots_sitemaps=False)
    assert told.by_outcome()[Outcome.OK] == 7
    assert told.done is not None and told.done.reason is EndReason.PAGE_LIMIT


def test_a_sample_is_spread_over_the_shapes_and_ends_by_itself(server):
    told = crawl(server, sample=True, exclude=("/specials",), robots_sitemaps=False)
    ok = [url for url, each in told.fetched.items() if each.outcome is Outcome.OK]
    kinds = {kind: sum(f"/{kind}" in url for url in ok) for kind in ("product/", "articles/", "list", "calendar/")}
    assert told.done is not None and told.done.reason is EndReason.SETTLED
    assert all(8 <= kinds[kind] <= 60 for kind in ("product/", "articles/", "calendar/")), kinds
    assert len(ok) < 150
    numbers = sorted(int(url.rpartition("/")[2]) for url in ok if "/product/" in url)
    assert numbers[-1] > 100, "the sample has more than the first links"


def test_depth_counts_links_but_not_pages_of_a_list(server):
    told = crawl(server, start=(f"{server.address}/list?page=1",), max_depth=0, robots_sitemaps=False, include=("/list*", "/product/*"))
    assert set(told.fetched) == {f"{server.address}/list?page={number}" for number in range(1, 5)}


def test_patterns_choose_what_is_fetched(server):
    told = crawl(server, include=("/list*", "/product/*1"), exclude=("*/product/11", "*page=4"), robots_sitemaps=False)
    paths = {url.removeprefix(server.address) for url in told.fetched}
    assert "/product/21" in paths and "/list?page=3" in paths
    assert not paths & {"/product/11", "/product/12", "/list?page=4", "/specials"}


def test_a_killed_crawl_continues_where_it_stopped(server):
    with tempfile.TemporaryDirectory() as spool:
        plan = plan_for(server, spool, include=("/list*", "/product/*"), robots_sitemaps=False)
        told = Told()
        with pytest.raises(CrawlFailed), Crawl(plan) as running:
            for event in running:
                take(told, event)
                if len(told.fetched) == 60:
                    os.kill(running.pid, signal.SIGKILL)
        queued = tuple(address for address in told.found if address.url not in told.fetched)
        since = len(server.requests)
        rest = crawl(server, include=plan.include, robots_sitemaps=False, queued=queued, known=tuple(told.fetched))
    assert not set(rest.fetched) & set(told.fetched)
    assert len(rest.fetched) + len(told.fetched) == 1 + 4 + 200
    again = [path for path in server.paths()[since:] if f"{server.address}{path}" in told.fetched]
    assert again == []


def test_a_crawl_can_be_paused_continued_and_stopped(server):
    with tempfile.TemporaryDirectory() as spool, Crawl(plan_for(server, spool, delay_s=0.02)) as running:
        events = iter(running)
        told = Told()
        while len(told.fetched) < 5:
            take(told, next(events))
        running.pause()
        while not (isinstance(event := next(events), CrawlProgress) and event.paused):
            take(told, event)
        time.sleep(1.0)  # for those under way
        asked = len(server.requests)
        time.sleep(0.6)
        assert len(server.requests) == asked
        running.resume()
        before = len(told.fetched)
        while len(told.fetched) < before + 15:
            take(told, next(events))
        running.stop()
        for event in events:
            take(told, event)
    assert told.done is not None and told.done.reason is EndReason.STOPPED
    assert len(told.fetched) < 200


def test_a_child_process_ends_when_its_parent_is_gone(server, monkeypatch):
    monkeypatch.setattr(process, "GRACE_S", 120.0)  # only then it would be killed
    with tempfile.TemporaryDirectory() as spool:
        running = Crawl(plan_for(server, spool, delay_s=0.2))
        with running:
            next(iter(running))
        assert running.exit_code is not None and running.exit_code >= 0, "it ended by itself"


def test_single_pages_are_fetched_in_their_order(server):
    with tempfile.TemporaryDirectory() as spool:
        urls = [*products(server, 7, 3), f"{server.address}/nothing", "ftp://a.example/", *products(server, 7)]
        found = fetch_once(urls, plan=plan_for(server, spool))
    assert [(each.url, each.outcome) for each in found] == [
        (urls[0], Outcome.OK),
        (urls[1], Outcome.OK),
        (urls[2], Outcome.NOT_FOUND),
        (urls[3], Outcome.REFUSED_ADDRESS),
    ]


def test_nothing_on_loopback_is_fetched_unless_it_is_permitted(server):
    since = len(server.requests)
    told = crawl(server, permitted=())
    assert told.by_outcome() == {Outcome.REFUSED_ADDRESS: 1}
    assert len(server.requests) == since


def test_a_name_that_resolves_to_a_private_address_is_refused_at_the_connection(server):
    """The name server of the test answers 127.0.0.1 for every name. Only one name is permitted, whatever its address is."""
    port = server.host.partition(":")[2]
    since = len(server.requests)
    program = [sys.executable, "-m", "tests.fetching.rebinding_child"]
    urls = (f"http://inside.example:{port}/product/1", f"http://named.example:{port}/product/2")
    told = crawl(server, program=program, start=(), urls=urls, permitted=(f"named.example:{port}",), follow_links=False)
    assert told.fetched[urls[0]].outcome is Outcome.REFUSED_ADDRESS
    assert "inside.example is 127.0.0.1" in told.fetched[urls[0]].message
    assert told.fetched[urls[1]].outcome is Outcome.OK
    assert {seen.headers["host"] for seen in server.requests[since:]} == {f"named.example:{port}"}


def test_a_proxy_is_used_for_everything_and_not_for_private_names(server):
    port = server.host.partition(":")[2]
    since = len(server.requests)
    loop = asyncio.new_event_loop()
    proxy = Gateway(Guard.of([f"named.example:{port}"]), max_bytes=10**6, lookup=lambda host, port: [ip_address("127.0.0.1")])
    address = loop.run_until_complete(proxy.start()).replace("http://", f"http://{proxy.user}:{proxy.password}@")
    threading.Thread(target=loop.run_forever, daemon=True).start()
    urls = (f"http://inside.example:{port}/product/1", f"http://named.example:{port}/product/2")
    told = crawl(
        server,
        program=[sys.executable, "-m", "tests.fetching.rebinding_child"],
        start=(),
        urls=urls,
        permitted=(f"named.example:{port}",),
        follow_links=False,
        proxy=address,
    )
    loop.call_soon_threadsafe(loop.stop)
    assert [told.fetched[url].outcome for url in urls] == [Outcome.REFUSED_ADDRESS, Outcome.OK]
    assert {seen.headers["host"] for seen in server.requests[since:]} == {f"named.example:{port}"}
    assert proxy.refusals == []


def test_an_unchanged_page_is_not_sent_again(server):
    with SiteServer(_Tagged()) as tagged:
        address = Address(url=f"{tagged.address}/tagged", etag='"1"')
        told = crawl(tagged, start=(), queued=(address,), robots_sitemaps=False)
        assert told.fetched[address.url].outcome is Outcome.NOT_MODIFIED


def test_a_plan_that_cannot_start_says_why():
    with Crawl(CrawlPlan(spool="/there/is/none")) as running:
        assert list(running) == [Done(reason=EndReason.FAILED, message="spool: there is no folder /there/is/none")]


def test_the_last_words_of_a_child_that_crashes_are_reported(server):
    with tempfile.TemporaryDirectory() as spool:
        program = [sys.executable, "-c", "import sys; sys.exit('it broke')"]
        with pytest.raises(CrawlFailed, match="it broke"), Crawl(plan_for(server, spool), program=program) as running:
            list(running)


def test_a_child_that_a_page_hangs_is_ended_and_the_page_is_known(server, monkeypatch):
    monkeypatch.setattr(process, "SILENT_S", 4.0)
    monkeypatch.setattr(process, "GRACE_S", 0.5)
    program = [sys.executable, "-c", HANGING.format(server.address)]
    with tempfile.TemporaryDirectory() as spool:
        with pytest.raises(CrawlFailed, match="no sign of life for 4 seconds"), Crawl(plan_for(server, spool), program=program) as running:
            list(running)
        assert read_ledgers(Path(spool)) == {f"{server.address}/"}


def test_stylesheets_and_pictures_come_when_asked_for():
    with SiteServer(_Pictured()) as pictured:
        told = crawl(pictured, start=(f"{pictured.address}/pictured",), assets=True, robots_sitemaps=False, follow_links=False)
    kinds = {asset.url.removeprefix(pictured.address): (asset.content_type, asset.size_bytes) for asset in told.assets}
    assert kinds == {"/a.css": ("text/css", 4), "/b.png": ("image/png", 4)}


def test_addresses_are_reported_before_they_are_fetched_and_links_before_their_page(server):
    with tempfile.TemporaryDirectory() as spool, Crawl(plan_for(server, spool, page_limit=20, robots_sitemaps=False)) as running:
        known: set[str] = set()
        done: set[str] = set()
        for event in running:
            if isinstance(event, FoundAddresses):
                assert not done & {address.via for address in event.addresses}
                known |= {address.url for address in event.addresses}
            elif isinstance(event, Fetched):
                assert event.url in known
                done.add(event.url)


class _Tagged(Site):
    def at_tagged(self, rest, query, headers):
        return Answer(b"", 304) if headers.get("if-none-match") == '"1"' else html("Tagged", "<p>new</p>")


class _Pictured(Site):
    def answer(self, target, headers):
        found = {
            "/pictured": html(
                "Pictured", "<p>See this</p><img src='/b.png'><img src='/b.png'>", head="<link rel=stylesheet href='/a.css'>"
            ),
            "/a.css": Answer(b"a{ }", headers=(("Content-Type", "text/css"),)),
            "/b.png": Answer(b"\x89PNG", headers=(("Content-Type", "image/png"),)),
        }
        return found.get(target) or super().answer(target, headers)


def test_a_host_with_an_untrusted_certificate_is_unreachable_unless_certificates_are_not_verified(tmp_path):
    with SiteServer(Site(products=3), tls=self_signed(tmp_path)) as server:
        strict = crawl(server, start=(), urls=products(server, 1), robots_sitemaps=False)
        lenient = crawl(server, start=(), urls=products(server, 1), robots_sitemaps=False, follow_links=False, verify_certificates=False)
    told = strict.fetched[f"{server.address}/product/1"]
    assert told.outcome is Outcome.UNREACHABLE and told.message.startswith("its certificate is not valid")
    assert lenient.by_outcome() == {Outcome.OK: 1}


def test_named_sitemaps_feeds_and_lists_that_fail_are_reported(server):
    dead = "http://127.0.0.1:9/sitemap.xml"
    named = (f"{server.address}/no-sitemap.xml", f"{server.address}/product/1", dead)
    told = crawl(server, sitemaps=named, feeds=(f"{server.address}/no-feed",), permitted=(server.host, "127.0.0.1:9"), page_limit=1)
    found = {url: told.fetched[url].outcome for url in (*named, f"{server.address}/no-feed")}
    assert list(found.values()) == [Outcome.NOT_FOUND, Outcome.EMPTY, Outcome.UNREACHABLE, Outcome.NOT_FOUND]
    assert all("it should contain addresses" in told.fetched[url].message for url in found)


class _Unmapped(Site):
    def at_robots_txt(self, rest, query, headers):
        return None

    def at_sitemap_xml(self, rest, query, headers):
        return None


def test_a_guessed_sitemap_that_fails_is_not_reported():
    with SiteServer(_Unmapped(products=3)) as server:
        told = crawl(server, page_limit=3)
    assert not [url for url in told.fetched if "sitemap" in url or "robots" in url]


def test_xml_pages_are_followed_and_kept_feeds_only_on_request_and_sitemaps_never():
    with SiteServer(_OfXml()) as server:
        address = server.address
        linked = crawl(server, start=(f"{address}/index.xml",))
        mapped = crawl(server, start=(), sitemaps=(f"{address}/things.xml",), follow_links=False, robots_sitemaps=False)
        asked = crawl(server, urls=(f"{address}/news.rss", f"{address}/sitemap-b.xml"), start=(), follow_links=False)
    kept = {url.removeprefix(address) for url, each in linked.fetched.items() if each.outcome is Outcome.OK}
    assert {"/index.xml", "/thing/1.xml", "/thing/2.xml", "/thing/3"} <= kept
    assert {url.removeprefix(address): each.outcome for url, each in mapped.fetched.items()} == {"/thing/5.xml": Outcome.OK}
    refused = {url.removeprefix(address): each.message for url, each in linked.fetched.items() if each.outcome is Outcome.NOT_HTML}
    assert refused == {"/news.rss": "a feed that a page links to", "/sitemap-b.xml": "a sitemap", "/style.xsl": "a file beside pages"}
    assert {url.removeprefix(address): each.outcome for url, each in asked.fetched.items()} == {
        "/news.rss": Outcome.OK,
        "/sitemap-b.xml": Outcome.NOT_HTML,
    }


class _OfXml(Site):
    def answer(self, target, headers):
        if target == "/index.xml":
            links = "<thing href='/thing/1.xml'/><link>thing/2.xml</link><seen-at>http://HOST/thing/3</seen-at><href>/news.rss</href>"
            links += "<url>/sitemap-b.xml</url><url>/style.xsl</url><text>/thing/4 is no address</text>"
            return _of_xml(f"<things>{links.replace('http://HOST', self.address)}</things>", "text/xml")
        if target.startswith("/thing/"):
            number = target.removeprefix("/thing/")[0]
            return _of_xml(f"<thing><name>Thing {number}</name><words>{'word ' * int(number)}</words></thing>", "application/vnd.thing+xml")
        if target == "/things.xml":
            space = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
            return _of_xml(f"<urlset {space}><url><loc>{self.address}/thing/5.xml</loc></url></urlset>", "application/xml")
        if target == "/news.rss":
            return _of_xml("<rss><channel><item><title>News of today</title></item></channel></rss>", "application/rss+xml")
        if target == "/style.xsl":
            return _of_xml("<xsl:stylesheet xmlns:xsl='x'/>", "text/xml")
        return super().answer(target, headers)


def _of_xml(text: str, content_type: str) -> Answer:
    return Answer(f"<?xml version='1.0'?>{text}".encode(), headers=(("Content-Type", content_type),))


def test_a_second_address_of_a_page_that_has_not_changed_is_recognised(server):
    """The page is not stored again, but what it shows is known. From the fourth on, the key is known to say nothing, too."""
    urls = products(server, 11, 12, 13, 14, 15)
    first = crawl(server, start=(), urls=urls, follow_links=False)
    stored = [Address(url=url, sha256=hashlib.sha256(first.bodies[url]).hexdigest()) for url in urls]
    others = [Address(url=f"{url}?ref=tile", depth=1, via=server.address) for url in urls]
    told = crawl(server, start=(), queued=(*stored, *others), follow_links=False, concurrency=1)
    assert {told.fetched[url].outcome for url in urls} == {Outcome.NOT_MODIFIED}
    assert {told.fetched[each.url].outcome for each in others} == {Outcome.DUPLICATE}
    assert [told.fetched[each.url].same_as for each in others] == list(urls)


def test_a_stored_page_that_repeats_another_says_so(server):
    (url,) = products(server, 21)
    first = crawl(server, start=(), urls=(url,), follow_links=False)
    digest = hashlib.sha256(first.bodies[url]).hexdigest()
    queued = (Address(url=url, sha256=digest), Address(url=f"{url}?ref=tile", sha256=digest))
    told = crawl(server, start=(), queued=queued, follow_links=False, concurrency=1)
    assert [told.fetched[each.url].outcome for each in queued] == [Outcome.NOT_MODIFIED] * 2
    assert [told.fetched[each.url].same_as for each in queued] == ["", url]
