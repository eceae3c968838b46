"""Which requests get the site's headers and cookies: those for its own hosts and no others."""

import re
from collections.abc import Iterable, Iterator
from http.cookiejar import Cookie
from typing import Any
from urllib.parse import urlsplit

from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.crawl.scope import Scope, host_of
from extraction.fetching.url_safety import parse_literal_address


class OwnHosts:
    """The hosts of a site, as its scope has them.

    If all addresses of the site begin with https://, nothing private is sent over plain http.
    """

    def __init__(self, plan: CrawlPlan) -> None:
        self._scope = Scope.of(plan)
        self._secure = plan.secure_only
        self._cookies = plan.cookies
        names = {re.sub(r":\d+$", "", host).strip("[]") for host in self._scope.hosts}
        self._names = sorted(name for name in names if not parse_literal_address(name.removeprefix("www.")) or not name.startswith("www."))

    def has(self, url: str) -> bool:
        """Return whether a request for this address may carry the site's headers and cookies."""
        return not (self._secure and not url.startswith("https:")) and self.is_own(url)

    def is_own(self, url: str) -> bool:
        """Return whether an address is on a host of the site."""
        try:
            parts = urlsplit(url)
            host = host_of(parts)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and self._scope.has_host(host)

    def make_cookies(self) -> Iterator[Cookie]:
        """Yield the cookies that a person set, for each host of the site."""
        for host in self._names:
            for name, value in self._cookies.items():
                yield self._make_cookie(name, value, host)

    def to_browser(self, cookies: Iterable[Cookie]) -> list[dict[str, Any]]:
        """Return cookies in the form in which a browser takes them."""
        return [
            {
                "name": each.name,
                "value": each.value or "",
                "domain": self._bare(each.domain),
                "path": each.path,
                "secure": each.secure,
                "httpOnly": each.has_nonstandard_attr("HttpOnly"),
                "expires": float(each.expires) if each.expires else -1,
            }
            for each in cookies
        ]

    def _bare(self, domain: str) -> str:
        """Return the domain of a cookie without the ending that http.cookiejar gives to hosts without a dot."""
        bare = domain.removesuffix(".local")
        bare = bare if bare in self._names else domain
        return f"[{bare}]" if ":" in bare else bare

    def _make_cookie(self, name: str, value: str, host: str) -> Cookie:
        wide = host.startswith(".")  # it includes subdomains
        # http.cookiejar gives hosts without a dot this ending, like the `localhost` of a test.
        domain = host if wide or "." in host or ":" in host else f"{host}.local"
        return Cookie(
            version=0,
            name=name,
            value=value,
            port=None,
            port_specified=False,
            domain=domain,
            domain_specified=wide,
            domain_initial_dot=wide,
            path="/",
            path_specified=True,
            secure=self._secure,
            expires=None,
            discard=True,
            comment=None,
            comment_url=None,
            rest={},
        )
