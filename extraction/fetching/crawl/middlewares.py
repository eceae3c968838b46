"""The downloader middlewares that Vertex adds to Scrapy's own.

`ScopeMiddleware` comes first and checks that the target of a redirect is in scope and new. `SafetyMiddleware` is next to the downloader:
a refused address is neither requested nor tried again.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from extraction.fetching.crawl.failures import Ended
from extraction.fetching.crawl.messages import Outcome
from extraction.fetching.url_safety import DEFAULT_PORTS, RefusedAddress

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from extraction.fetching.crawl.spider import SiteSpider


class ScopeMiddleware:
    """Ends redirects that leave the crawl's scope, lead to a private address, or lead to a page that was fetched before."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "ScopeMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        """Replace a request that has a user and a password by one without. Raises Ended for a refused address or redirect."""
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        try:
            clean = spider.guard.check_url(request.url)
        except RefusedAddress as error:
            raise Ended(Outcome.REFUSED_ADDRESS, str(error), final_url=request.url) from error
        if "@" in urlsplit(request.url).netloc:
            return request.replace(url=clean)
        if request.meta.get("page") and request.meta.get("redirect_times"):
            self._check_redirect(spider, request)
        return None

    def _check_redirect(self, spider: "SiteSpider", request: Request) -> None:
        if reason := spider.frontier.refusal(request.url):
            raise Ended(Outcome.MOVED, f"it leads to {request.url}: {reason}", final_url=request.url)
        before = request.meta["redirect_urls"]
        if request.meta.get("arrived") == request.url or request.url in before:
            return  # a retry, or a loop, which ends at the limit of redirects
        request.meta["arrived"] = request.url
        if not spider.frontier.arrive(request.url) and not spider.frontier.is_same(request.url, before[-1]):
            raise Ended(Outcome.DUPLICATE, f"it leads to {request.url}, which was fetched before", final_url=request.url)


class SafetyMiddleware:
    """Sets the operator's proxy instead of one from the environment, and ends requests that the resolver refused."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "SafetyMiddleware":
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Set the proxy. Raises Ended for a host that must not be requested through it."""
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        if spider.plan.proxy:
            parts = urlsplit(request.url)
            try:
                await spider.resolver.judge(parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme])
            except RefusedAddress as error:
                raise Ended(Outcome.REFUSED_ADDRESS, str(error), final_url=request.url) from error
        request.meta.setdefault("proxy", spider.plan.proxy or None)

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """Raise Ended for a host whose addresses were refused, so that it is not tried again."""
        if isinstance(exception, CannotResolveHostError):
            spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
            parts = urlsplit(request.url)
            port = parts.port or DEFAULT_PORTS[parts.scheme]
            if reason := spider.resolver.refusals.get((parts.hostname or "", port)):
                raise Ended(Outcome.REFUSED_ADDRESS, reason, final_url=request.url) from exception
        return None
