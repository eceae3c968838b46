"""How long a crawl waits between two requests to a host: Scrapy's AutoThrottle, corrected, and Crawl-delay of robots.txt, which it ignores.

The delay of a host never falls below its Crawl-delay.
"""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.exceptions import NotConfigured
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response

from extraction.fetching.crawl.settings import PRODUCT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MAX_DELAY_S = 60.0
"""A site that asks for more than a minute between requests gets a minute, because a crawl must end."""


class Throttle(AutoThrottle):
    """AutoThrottle that learns from answers without a body, too. It takes them for errors, and never gets faster by an error."""

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        good = response.status == HTTPStatus.NOT_MODIFIED
        super()._adjust_delay(slot, latency, response.replace(status=HTTPStatus.OK) if good else response)


class CrawlDelay:
    """Keeps the delay of each host at or above its Crawl-delay. It is loaded after AutoThrottle, so it overrides AutoThrottle's delay."""

    def __init__(self, crawler: "Crawler") -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._least_s: dict[str, float] = {}
        crawler.signals.connect(self._robots_parsed, signal=signals.robots_parsed)
        crawler.signals.connect(self._response_downloaded, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "CrawlDelay":
        return cls(crawler)

    def _robots_parsed(self, robotparser: Any, request: Request) -> None:
        delay = robotparser.rp.crawl_delay(PRODUCT)
        host = urlsplit(request.url).hostname or ""
        if delay:
            self._least_s[host] = min(float(delay), MAX_DELAY_S)
            self._apply(host)

    def _response_downloaded(self, response: Response, request: Request) -> None:  # noqa: ARG002
        self._apply(request.meta.get("download_slot", ""))

    def _apply(self, host: str) -> None:
        least = self._least_s.get(host)
        engine = self._crawler.engine
        slot = engine.downloader.slots.get(host) if engine and least else None
        if slot and least:
            slot.delay = max(slot.delay, least)
