"""The spider: it requests one address after the other, reports each result and follows the links of pages.

The module is longer than others because Scrapy wants all callbacks in one class.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from twisted.python.failure import Failure

from extraction.algorithms.dom.address_noise import strip_tracking
from extraction.algorithms.errors import PageError
from extraction.fetching.crawl import outcomes, sources
from extraction.fetching.crawl.equipment import Equipment
from extraction.fetching.crawl.failures import DOWNLOAD_ERRORS, Dropped, judge_failure, now
from extraction.fetching.crawl.frontier import TRIES_PER_PAGE, Frontier
from extraction.fetching.crawl.judge import Judge, JudgedPage
from extraction.fetching.crawl.messages import (
    KEPT_HEADERS,
    Address,
    CrawlPlan,
    CrawlProgress,
    Fetched,
    FetchedAsset,
    FoundAddresses,
    Outcome,
    Searched,
    SignedIn,
)
from extraction.fetching.crawl.own_hosts import OwnHosts
from extraction.fetching.crawl.pages import MAX_LINKS, ParsedView, view
from extraction.fetching.crawl.repeats import without
from extraction.fetching.crawl.searching import SearchError, Searching
from extraction.fetching.crawl.session import REFUSALS, Session
from extraction.fetching.crawl.sign_in_setup import SignInSetup
from extraction.fetching.crawl.soft_404 import ProbeAnswer, Soft404
from extraction.fetching.crawl.spool import Ledger
from extraction.fetching.hidden_texts import hide_secrets

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from extraction.fetching.crawl.shapes import Shape

FOUND_AT_ONCE = 500
"""The largest number of addresses in one event."""

MAX_SITEMAPS = 2_000
SITEMAP_BYTES = 64 * 1024**2
"""The sitemap protocol allows 50 MB."""

MAX_ASSETS = 5_000
ASSET_BYTES = 8 * 1024**2


class SiteSpider(Spider):
    """One crawl. equipment: the plan and the objects that the child created for it."""

    name = "site"

    def __init__(self, equipment: Equipment) -> None:
        super().__init__()
        self.plan: CrawlPlan = equipment.plan
        self.guard, self.resolver = equipment.guard, equipment.resolver
        self.events, self.spool = equipment.events, equipment.spool
        self.ledger = Ledger(Path(self.plan.spool))
        self.frontier = Frontier(self.plan)
        self.own_hosts = OwnHosts(self.plan)
        self.has_private_cookies = bool(self.plan.cookies or self.plan.sign_in.steps)
        self._secrets = self.plan.list_secrets()
        self.session = self._make_session(equipment)
        self._renderer = equipment.renderer
        self.judge = Judge(self.plan, self.frontier, Soft404(self._ask_made_up), equipment.renderer)
        self.tally: Counter[Outcome] = Counter()
        self.bytes = self._under_way = self._tried = self._sitemaps = 0
        if self.session:
            self.judge.is_signed_out = self.session.is_marked
        self.searching = Searching(self.plan, self.frontier, self._download, equipment.renderer) if self.plan.search.address else None
        self._next: tuple[Address, Shape] | None = None
        self._trapped: set[Shape] = set()
        self._assets: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: "Crawler", *args: Any, **kwargs: Any) -> "SiteSpider":
        spider: SiteSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._headers_received, signal=signals.headers_received)
        crawler.signals.connect(spider._callback_failed, signal=signals.spider_error)
        if renderer := spider._renderer:
            renderer.cookies = spider._read_cookies
            renderer.session = lambda: spider.session.state if spider.session else ""
        return spider

    def _make_session(self, equipment: Equipment) -> Session | None:
        sign_in = self.plan.sign_in
        return Session(sign_in, equipment.renderer, self._keep_session) if sign_in.steps and equipment.renderer else None

    def _keep_session(self, state: str) -> None:
        self.events.say(SignedIn(session=state))
        self.take_session()

    def take_session(self) -> None:
        """Use the cookies of the session from now on."""
        if self.session:
            self._secrets |= self.session.list_secrets()
            for cookie in self.session.read_cookies():
                self.jar.set_cookie(cookie)

    @property
    def jar(self) -> CookieJar:
        """The cookies of the crawl."""
        found = self.crawler.get_downloader_middleware(CookiesMiddleware)
        if found is None:
            raise RuntimeError("the settings switch cookies on")
        jar: CookieJar = found.jars[None]
        return jar

    def _read_cookies(self) -> list[dict[str, Any]]:
        """Return the cookies for a browser. Without private ones, each page that is rendered begins without cookies."""
        return self.own_hosts.to_browser(self.jar) if self.has_private_cookies else []

    async def start(self) -> AsyncIterator[Request]:
        """Queue the addresses in the plan, and yield requests for its sitemaps, feeds, lists, files and robots.txt."""
        if self.plan.tries_sign_in or self.plan.lists_forms:
            if self._renderer:
                await SignInSetup(self.plan, self._renderer, self.events.say).run()
            return
        if self.session:
            await self.session.begin()
        if self.searching:
            await self._begin_search(self.searching)
        self._report_found(self.frontier.give(self.plan.start))
        self._queue_listed(self.plan.urls)
        for url in self.plan.sitemaps:
            yield self._source(url, self._sitemap)
        for url in self.plan.feeds:
            yield self._source(url, self._feed)
        for url in self.plan.url_lists:
            yield self._source(url, self._list)
        for url in self.plan.files:
            yield self._file(url, page_url="")
        if self.plan.robots_sitemaps:
            for site in dict.fromkeys("{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in self.plan.start):
                yield self._source(f"{site}/robots.txt", self._robots, guessed=True, dont_obey_robotstxt=True)

    async def _begin_search(self, searching: Searching) -> None:
        """Queue the result pages of the search, or report why there are none."""
        try:
            terms, found = await searching.begin()
        except SearchError as error:
            self.events.say(Searched(problem=hide_secrets(str(error), self._secrets)))
            return
        self.judge.repeats.keep(searching.keys)
        for start in range(0, len(terms), FOUND_AT_ONCE):
            self.events.say(Searched(terms=tuple(terms[start : start + FOUND_AT_ONCE])))
        self._report_found(found)

    async def _download(self, request: Request) -> Response:
        """Return the answer for a request that is not for a page of the crawl. If it looks signed out, sign in and ask once more."""
        engine, session = self.crawler.engine, self.session
        if engine is None:
            raise RuntimeError("the crawl has not started")
        response = await engine.download_async(request)
        signed_out = session is not None and (response.status in REFUSALS or session.is_marked(response.body))
        if session and signed_out and await session.renew(session.generation):
            response = await engine.download_async(Request(request.url, dont_filter=True))
        return response

    # Called by the scheduler

    def wants_more(self) -> bool:
        """Return whether there is an address to fetch now."""
        if self._next is None and not self.at_limit:
            self._next = self._draw()
        return self._next is not None and not self.at_limit

    def next_page(self) -> Request | None:
        """Return the next request for a page; None if there is none."""
        if not self.wants_more() or self._next is None:
            return None
        (address, shape), self._next = self._next, None
        self._under_way += 1
        self._tried += 1
        headers = {}
        is_first = bool(self.searching and self.searching.is_first(address.url))
        if address.etag and not is_first:
            headers["If-None-Match"] = address.etag
        if address.last_modified and not is_first:
            headers["If-Modified-Since"] = address.last_modified
        meta = {"page": address, "shape": shape, "generation": self.session.generation if self.session else 0}
        return Request(address.url, callback=self.page, errback=self.failed, headers=headers, meta=meta, dont_filter=True)

    @property
    def at_limit(self) -> bool:
        """Whether enough pages are kept or under way, or too many addresses were tried."""
        limit, most = self.plan.page_limit, self.plan.most_requests
        if most is not None and self._tried >= most:
            return True
        if limit is None:
            return False
        kept = self.tally[Outcome.OK] + self.tally[Outcome.NOT_MODIFIED]
        return kept + self._under_way >= limit or self._tried >= TRIES_PER_PAGE * limit + 100

    # Answers

    async def page(self, response: Response) -> None:
        """Handle the answer for a page, whatever its status."""
        address, shape = response.meta["page"], response.meta["shape"]
        # The results of a search are read in any case: whether it found something is not stored.
        is_first = bool(self.searching and self.searching.is_first(address.url))
        if not is_first and (same := self._find_sameness(response, address)):
            with self.ledger.reading(address.url):
                judged = self.judge.judge_unchanged(response, same)
            self._report_page(response, address, judged)
            return
        with self.ledger.reading(address.url):
            response, judged = await self._judge_signed_in(response, address, shape)
            if judged.outcome is Outcome.OK:
                self.judge.keep(response, shape)
            # Its links are reported first. If the child or the parent dies in between, the page is fetched again and no link is lost.
            left_out = self._follow(response, address, judged, self.frontier.shapes.now(shape))
        self._report_page(response, address, replace(judged, message="; ".join(filter(None, (judged.message, left_out)))))

    async def _judge_signed_in(self, response: Response, address: Address, shape: "Shape") -> tuple[Response, JudgedPage]:
        """Return an answer and what it is. If it looks signed out, sign in and ask once more."""
        generation = self.session.generation if self.session else 0
        judged = await self.judge.judge(response, address, shape)
        if self.session is None or not self.session.looks_signed_out(response, judged):
            return response, judged
        # The answer may be older than a sign-in that ended while it was under way.
        if await self.session.renew(response.meta.get("generation", generation)):
            again = Request(address.url, meta={"page": address, "shape": shape, "generation": self.session.generation}, dont_filter=True)
            try:
                response = await self.crawler.engine.download_async(again)
            except (IgnoreRequest, OSError, *DOWNLOAD_ERRORS) as error:
                return response, replace(judged, outcome=Outcome.SIGNED_OUT, message=f"asked again after signing in: {error}", page=None)
            judged = await self.judge.judge(response, address, shape)
            if not self.session.looks_signed_out(response, judged):
                return response, judged
        return response, JudgedPage(Outcome.SIGNED_OUT, self.session.explain())

    def failed(self, failure: Failure) -> None:
        """Report a request for a page that had no answer."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if isinstance(failure.value, Dropped):
            return
        address: Address = request.meta["page"]
        told = judge_failure(failure.value or RuntimeError("no reason"), address=address, url=request.url)
        self._report(told)

    def _find_sameness(self, response: Response, address: Address) -> str:
        """Return in words how it is known that the stored page at this address has not changed; "" if that is not known.

        The links of such an answer are not followed: it has no bytes, or those of the stored page, and there was no redirect.
        """
        if not self.frontier.is_same(response.url, address.url):
            return ""
        if response.status == HTTPStatus.NOT_MODIFIED:
            return "304 Not Modified"
        same = address.sha256 and response.status == HTTPStatus.OK and hashlib.sha256(response.body).hexdigest() == address.sha256
        return "its content is the same" if same else ""

    def _report_page(self, response: Response, address: Address, judged: JudgedPage) -> None:
        keep = judged.page is not None
        body = self.spool.put(response.body, kind="body") if keep else None
        rendered = self.spool.put(judged.rendered.content, kind="rendered") if judged.rendered else None
        picture = judged.rendered.screenshot if judged.rendered else None
        # A page that is stored keeps the address under which it is known.
        is_new = bool(address.via) and not address.sha256
        self._report(
            Fetched(
                url=address.url,
                outcome=judged.outcome,
                final_url=self.judge.repeats.strip(judged.page, response.url) if judged.page and is_new else response.url,
                status=response.status,
                headers=_kept_headers(response),
                fetched_at=now(),
                body=body,
                rendered=rendered,
                screenshot=self.spool.put(picture, kind="jpg") if picture else None,
                screenshot_note=self._explain_picture(judged) if keep else "",
                size_bytes=len(response.body),
                depth=address.depth,
                elapsed_s=round(response.meta.get("download_latency", 0.0), 3),
                same_as=judged.same_as,
                message=judged.message,
                notices=judged.rendered.notices if judged.rendered else (),
            ),
            page=judged.page,
        )

    def _explain_picture(self, judged: JudgedPage) -> str:
        """Return why a page has no picture although the plan asks for one, or what is missing in it."""
        if not self.plan.screenshots:
            return ""
        if judged.rendered:
            return judged.rendered.screenshot_note
        return judged.message if judged.message.startswith("not rendered") else "the page was read without a browser"

    def _report(self, told: Fetched, *, asked: bool = True, page: ParsedView | None = None) -> None:
        if self.searching and self.searching.is_first(told.url):
            concluded = self.searching.conclude(told, page)
            self.events.say(Searched(terms=tuple(replace(each, message=hide_secrets(each.message, self._secrets)) for each in concluded)))
        self._under_way -= asked
        self.tally[told.outcome] += 1
        self.bytes += told.size_bytes
        self.events.say(replace(told, message=hide_secrets(told.message, self._secrets)) if self._secrets else told)

    def _follow(self, response: Response, address: Address, judged: JudgedPage, shape: "Shape") -> str:
        """Queue the links of a page. Return in words which were left out; "" if none were."""
        page, overflow = judged.page, self.frontier.overflow
        if page is None or judged.outcome in {Outcome.LOGIN_OR_BOT, Outcome.SIGNED_OUT, Outcome.SOFT_404}:
            return ""
        onward, links = self._choose_links(page, address.url)
        is_result = bool(self.searching and self.searching.find_term(address.url))
        if self.searching and is_result:
            repeats = judged.outcome is Outcome.DUPLICATE
            found = self.searching.follow(onward, url=address.url, depth=address.depth, repeats=repeats)
            onward = []
        else:
            found = []
        onward += [page.refresh] if judged.outcome is Outcome.MOVED else []
        found += self.frontier.follow(onward, depth=address.depth, via=response.url)
        if self.plan.follow_links:
            found += self.frontier.follow(links, depth=address.depth + 1, via=response.url)
        self._report_found(found)
        brought = any(self.frontier.shapes.shape(each.url) != shape for each in found)
        chained = bool(address.via) and self.frontier.shapes.shape(address.via) == shape
        if not is_result and self.judge.repeats.is_trap(shape, page, url=response.url, brought=brought, chained=chained):
            self._trapped.add(shape)
        if self.plan.assets and judged.outcome is Outcome.OK:
            self._ask_assets((*page.stylesheets, *page.pictures), page_url=response.url)
        if self.frontier.overflow > overflow:
            return (
                f"{self.frontier.overflow - overflow:,} of its links were not queued, because {self.frontier.room:,} addresses are waiting"
            )
        return f"it has more than {MAX_LINKS:,} links; the others were not read" if page.links_left_out and self.plan.follow_links else ""

    def _choose_links(self, page: ParsedView, url: str) -> tuple[list[str], list[str]]:
        """Return (links to the next page of a list, all links to follow) of a page."""
        if self.searching:
            onward, links = self.searching.choose_links(page, url)
        else:
            onward, links = [link.url for link in page.links if link.is_next], [link.url for link in page.links]
        return onward if self.plan.follow_pagination else [], links

    # Sources

    def _source(self, url: str, callback: Any, *, guessed: bool = False, **meta: Any) -> Request:
        """Return a request for a sitemap, feed or list. guessed: whether it may not exist; then its failure is not reported."""
        meta |= {"source": url, "guessed": guessed, "download_maxsize": SITEMAP_BYTES}
        return Request(url, callback=callback, errback=self._source_failed, meta=meta, dont_filter=True)

    def _robots(self, response: Response) -> Iterable[Request]:
        named = sources.robots_sitemaps(response.body)[:MAX_SITEMAPS] if response.status == 200 else []
        for url in named or [urljoin(response.url, "/sitemap.xml")]:
            yield self._source(url, self._sitemap, guessed=not named)

    def _sitemap(self, response: Response) -> Iterable[Request]:
        if not self._is_answered(response):
            return
        try:
            listing = sources.read_sitemap(response.body, url=response.url, max_bytes=SITEMAP_BYTES)
        except OSError as error:
            self._report_source(response.request, Outcome.TOO_LARGE, str(error), status=response.status)
            return
        if not (listing.pages or listing.sitemaps or listing.unreadable):
            self._report_source(response.request, Outcome.EMPTY, "no addresses can be read from it", status=response.status)
        chosen = listing.sitemaps[: MAX_SITEMAPS - self._sitemaps] if len(self.frontier.queue) < self.frontier.room else ()
        self._take_listing(response, listing, sitemaps_left_out=len(listing.sitemaps) - len(chosen))
        self._sitemaps += len(chosen)
        for url in chosen:
            yield self._source(url, self._sitemap)

    def _feed(self, response: Response) -> None:
        if self._is_answered(response):
            self._take_listing(response, sources.read_feed(response.body, url=response.url))

    def _list(self, response: Response) -> None:
        if self._is_answered(response):
            self._take_listing(response, sources.read_url_list(response.body))

    def _take_listing(self, response: Response, listing: sources.Listing, *, sitemaps_left_out: int = 0) -> None:
        """Queue the pages of a sitemap, feed or list, and report what is left out."""
        chosen = self.frontier.choose(listing.pages)
        self._report_found(self.frontier.give(chosen, via=response.url))
        left_out = []
        if len(chosen) < len(listing.pages):
            left_out.append(f"{len(chosen):,} of its {len(listing.pages):,} addresses were queued; they are spread over the list")
        if sitemaps_left_out:
            left_out.append(f"{sitemaps_left_out:,} of its sitemaps were not read")
        if left_out:
            left_out.append(f"{self.frontier.room:,} addresses may wait in a crawl for this number of pages")
        if listing.unreadable:
            left_out.append(f"{len(listing.unreadable):,} of its addresses cannot be read, such as {listing.unreadable[0][:80]}")
        if left_out:
            outcome = Outcome.TOO_LARGE if len(left_out) > bool(listing.unreadable) else Outcome.UNREADABLE
            told = Fetched(url=response.meta["source"], outcome=outcome, final_url=response.url, status=response.status)
            self._report(replace(told, message="; ".join(left_out)), asked=False)

    def _is_answered(self, response: Response) -> bool:
        """Return whether a sitemap, feed or list was received. If not, report why."""
        verdict = outcomes.judge_status(response.status, headers={name.decode("latin-1").lower(): "" for name in response.headers})
        if verdict is not None:
            self._report_source(response.request, verdict.outcome, verdict.message, status=response.status)
        return verdict is None

    def _source_failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined]
        told = judge_failure(failure.value or RuntimeError("no reason"), address=Address(url=request.meta["source"]), url=request.url)
        self._report_source(request, told.outcome, told.message)

    def _report_source(self, request: Request | None, outcome: Outcome, message: str, *, status: int | None = None) -> None:
        if request is not None and not request.meta["guessed"]:
            words = "; ".join(filter(None, ("it should contain addresses", message)))
            self._report(
                Fetched(url=request.meta["source"], outcome=outcome, final_url=request.url, status=status, message=words), asked=False
            )

    # Progress, queueing and assets

    def drop_waiting(self) -> None:
        """Drop the requests that wait for their turn at a host. With a long delay, the crawl would otherwise take minutes to stop."""
        slots = self.crawler.engine.downloader.slots if self.crawler.engine else {}
        for slot in slots.values():
            while slot.queue:
                _, waiting = slot.queue.popleft()
                waiting.errback(Dropped("the crawl was stopped"))

    def progress(self, *, paused: bool) -> CrawlProgress:
        """Return the progress of the crawl."""
        by_outcome = {outcome.value: number for outcome, number in self.tally.items()}
        waiting = len(self.frontier) + (self._next is not None) + self._under_way
        return CrawlProgress(fetched=self.tally.total(), queued=waiting, bytes=self.bytes, by_outcome=by_outcome, paused=paused)

    def _queue_listed(self, urls: Iterable[str]) -> None:
        """Queue the addresses in the plan's list. Those that are not fetched are reported too."""
        new = {address.url for address in self.frontier.give(urls)}
        self._report_found([Address(url=url) for url in new])
        goes_on = bool(self.plan.known or self.plan.queued)
        for url in urls:
            reason = self.frontier.refusal(url)
            if reason:
                self._report(Fetched(url=url, outcome=Outcome.REFUSED_ADDRESS, message=reason), asked=False)
            elif url not in new and not goes_on:
                self._report(Fetched(url=url, outcome=Outcome.DUPLICATE, message="the same address is in the list"), asked=False)

    def _report_found(self, addresses: list[Address]) -> None:
        for start in range(0, len(addresses), FOUND_AT_ONCE):
            self.events.say(FoundAddresses(addresses=tuple(addresses[start : start + FOUND_AT_ONCE])))

    def _draw(self) -> "tuple[Address, Shape] | None":
        """Return the next address that has not been fetched in another way and is not in a trap. Report those that are skipped."""
        while drawn := self.frontier.queue.pop():
            address, shape = drawn
            is_result = bool(self.searching and self.searching.find_term(address.url))
            same_as = ""
            if self._trapped and not is_result and self.frontier.shapes.now(shape) in self._trapped:
                message = "of a part of the site that repeats itself without end"
            elif not self.frontier.arrive(address.url):
                message, same_as = "its page was fetched under another address", self._shorten(address.url)
            else:
                return drawn
            told = Fetched(url=address.url, outcome=Outcome.DUPLICATE, depth=address.depth, same_as=same_as, message=message)
            self._report(told, asked=False)
        return None

    def _shorten(self, url: str) -> str:
        """Return an address without what says nothing about its page; "" if it has nothing of the kind."""
        short = strip_tracking(without(url, self.judge.repeats.ignored))
        return short if short != url else ""

    async def _ask_made_up(self, url: str) -> ProbeAnswer:
        """Request an address that does not exist."""
        try:
            response = await self.crawler.engine.download_async(Request(url, meta={"dont_retry": True}, dont_filter=True))
            content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
            if response.status == 200 and outcomes.is_page(response.body, content_type=content_type):
                return ProbeAnswer(view(response.body, url=response.url, content_type=content_type), response.url)
        except (IgnoreRequest, PageError, OSError, *DOWNLOAD_ERRORS):
            pass  # without an answer there is nothing to learn
        return ProbeAnswer(None, url)

    def _ask_assets(self, urls: Iterable[str], *, page_url: str) -> None:
        for url in urls:
            if url not in self._assets and len(self._assets) < MAX_ASSETS:
                self._assets.add(url)
                self.crawler.engine.crawl(self._file(url, page_url=page_url))

    def _file(self, url: str, *, page_url: str) -> Request:
        meta = {"asset": page_url, "file": url, "download_maxsize": ASSET_BYTES}
        return Request(url, callback=self._asset, errback=self._asset_failed, meta=meta)

    def _asset(self, response: Response) -> None:
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        page_url, url = response.meta["asset"], response.meta["file"]
        # The parent checks the content type of the plan's own files.
        if response.status == 200 and (not page_url or kind.lower().startswith(("text/css", "image/"))):
            body = self.spool.put(response.body, kind="asset")
            self.events.say(FetchedAsset(url=url, page_url=page_url, content_type=kind, body=body, size_bytes=len(response.body)))

    def _asset_failed(self, failure: Failure) -> None:
        self.logger.debug("asset: %s", failure.value)

    def _headers_received(self, headers: Any, request: Request) -> None:
        """Stop the download of an answer that cannot be a page."""
        content_type = (headers.get("Content-Type") or b"").decode("latin-1")
        if "page" in request.meta and "Location" not in headers and not outcomes.may_be_page(content_type):
            raise StopDownload(fail=True)

    def _callback_failed(self, failure: Failure, response: Response) -> None:
        """Report an address on which Vertex itself failed. It counts as done; otherwise a resumed crawl would fail on it for ever."""
        if response is not None and "page" in response.meta:
            address = response.meta["page"]
            message = f"the crawler failed on it: {failure.getErrorMessage()}"
            self._report(Fetched(url=address.url, outcome=Outcome.NOT_HTML, status=response.status, depth=address.depth, message=message))


def _kept_headers(response: Response) -> dict[str, str]:
    return {name: value.decode("latin-1") for name in KEPT_HEADERS if (value := response.headers.get(name))}
