"""The downloader middlewares that Vertex adds to Scrapy's own.

`ScopeMiddleware` comes first and checks that the target of a redirect is in scope and new. `PrivateMiddleware` comes before the cookies are
added and gives the site's headers only to its own hosts. `SafetyMiddleware` is next to the downloader: a refused address is neither
requested nor tried again.
"""

from http import HTTPStatus
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

    def process_request(self, request: Request) -> Request | Response | None:
        """Replace a request that has a user and a password by one without. Raises Ended for a refused address or redirect.

        A redirect to the address where people sign in is not followed; it is answered as if it were forbidden.
        """
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        try:
            clean = spider.guard.check_url(request.url)
        except RefusedAddress as error:
            raise Ended(Outcome.REFUSED_ADDRESS, str(error), final_url=request.url) from error
        if "@" in urlsplit(request.url).netloc:
            return request.replace(url=clean)
        if request.meta.get("page") and request.meta.get("redirect_times"):
            if spider.plan.sign_in.is_sign_in_address(request.url):
                return Response(request.url, status=HTTPStatus.UNAUTHORIZED, request=request)
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


class PrivateMiddleware:
    """Adds the site's own headers and cookies to requests for its hosts, and takes them away from all others.

    A redirect copies the headers of the request before, and a cookie applies to all ports of its host. So both are taken away, not only
    left out.
    """

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._filled = False

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "PrivateMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Set the headers and cookies that this request may carry."""
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        self._fill_jar(spider)
        own = spider.own_hosts.has(request.url)
        for name, value in spider.plan.headers.items():
            request.headers.pop(name, None)
            if own:
                request.headers[name] = value
        if not own and spider.has_private_cookies:
            request.headers.pop("Cookie", None)
        request.meta["dont_merge_cookies"] = not own and spider.has_private_cookies

    def _fill_jar(self, spider: "SiteSpider") -> None:
        if not self._filled:
            self._filled = True
            for cookie in spider.own_hosts.make_cookies():
                spider.jar.set_cookie(cookie)
            spider.take_session()


class SafetyMiddleware:
    """Sets the proxy of the operator or of the site instead of one from the environment, and ends requests that the resolver refused."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "SafetyMiddleware":
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Set the proxy. Raises Ended for a host that must not be requested through it."""
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        if spider.plan.proxy or spider.plan.site_proxy:
            parts = urlsplit(request.url)
            try:
                await spider.resolver.judge(parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme])
            except RefusedAddress as error:
                raise Ended(Outcome.REFUSED_ADDRESS, str(error), final_url=request.url) from error
        request.meta["proxy"] = await self._site_proxy(spider) or spider.plan.proxy or None

    async def _site_proxy(self, spider: "SiteSpider") -> str:
        """Return the site's proxy, "" if it has none. A checked address stands in place of its name, so that nothing resolves it again."""
        if not spider.plan.site_proxy:
            return ""
        parts = urlsplit(spider.plan.site_proxy)
        host, port = parts.hostname or "", parts.port or DEFAULT_PORTS["http"]
        try:
            address = (await spider.resolver.find_checked(host, port))[0]
        except RefusedAddress as error:
            raise Ended(Outcome.UNREACHABLE, f"the proxy of the site may not be used: {error}") from error
        except (OSError, IndexError) as error:
            raise Ended(Outcome.UNREACHABLE, f"the proxy of the site has no address: {host}") from error
        login, at, _ = parts.netloc.rpartition("@")
        return f"http://{login}{at}{f'[{address}]' if address.version == 6 else address}:{port}"

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """Raise Ended for a host whose addresses were refused, so that it is not tried again."""
        if isinstance(exception, CannotResolveHostError):
            spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
            parts = urlsplit(request.url)
            port = parts.port or DEFAULT_PORTS[parts.scheme]
            if reason := spider.resolver.refusals.get((parts.hostname or "", port)):
                raise Ended(Outcome.REFUSED_ADDRESS, reason, final_url=request.url) from exception
        return None
