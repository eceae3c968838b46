"""Gives Scrapy's engine one request after the other: first its own retries and redirects, then pages from the frontier.

A Request is created when the engine wants one, not when a link is found: an address takes a tenth of the memory of a Request.
"""

from collections import deque
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from extraction.fetching.crawl.spider import SiteSpider


class FrontierScheduler(BaseScheduler):
    """Scrapy's scheduler interface over the spider's frontier."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._requests: deque[Request] = deque()

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "FrontierScheduler":
        return cls(crawler)

    def has_pending_requests(self) -> bool:
        return bool(self._requests) or self._spider.wants_more()

    def enqueue_request(self, request: Request) -> bool:
        self._requests.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request.

        Returns None while the parent has fallen behind or the site is being signed in to; the engine asks again every few seconds. Pages
        wait until the form of a search is read, because only then it is known which of them are its results.
        """
        if self._spider.events.is_full or (self._spider.session and self._spider.session.is_renewing):
            return None
        if self._requests:
            return self._requests.popleft()
        return None if self._spider.searching and self._spider.searching.is_reading else self._spider.next_page()

    @property
    def _spider(self) -> "SiteSpider":
        return self._crawler.spider  # type: ignore[return-value]
