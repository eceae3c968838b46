"""Which addresses belong to a crawl, and which URLs are the same address written in different ways."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import SplitResult, parse_qsl, urlsplit

from w3lib.url import canonicalize_url, safe_url_string

from extraction.algorithms.dom.address_noise import PATH_SESSION, is_noise
from extraction.algorithms.rules.url_patterns import SplitAddress
from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.url_safety import MAX_URL

MAX_REPEATS = 2
"""How often a segment may occur in a path. ``/a/b/a/b/a/b`` comes from a relative link that a server answers at any depth."""

FILES = re.compile(
    r"\.(?:7z|apk|avif|avi|bmp|bz2|css|csv|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jpe?g|js|json|m4[av]|mov|mp[34]|mpe?g|msi|og[gv]|otf"
    r"|pdf|png|pptx?|psd|rar|rtf|svg|swf|tar|tgz|tiff?|ttf|txt|wav|web[mp]|wmv|woff2?|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
"""Endings of links that are not pages. Any other link is fetched, and its content type decides."""


@lru_cache(maxsize=32_768)
def key(url: str) -> int:
    """Return a 64-bit number that is the same for all ways to write an address.

    The scheme, the order of the query, the default port, a trailing slash, and tracking and session keys do not matter. Numbers take less
    memory than addresses; two of a million addresses get the same number with a probability below 1 in 10^7.
    """
    parts = urlsplit(canonicalize_url(PATH_SESSION.sub("", url)))
    query = "&".join(f"{name}={value}" for name, value in parse_qsl(parts.query, keep_blank_values=True) if not is_noise(name, value))
    text = f"{host_of(parts)}{parts.path.rstrip('/')}?{query}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def host_of(parts: SplitResult) -> str:
    """Return the host in lower case, with the port unless it is the scheme's default. Raises ValueError for an invalid port."""
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, {"http": 80, "https": 443}.get(parts.scheme)) else f"{host}:{parts.port}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which addresses a crawl follows.

    hosts: as in `CrawlPlan.allowed_hosts`.
    include, exclude: the plan's patterns, split at their stars.
    """

    hosts: frozenset[str]
    include: tuple[tuple[str, ...], ...] = ()
    exclude: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, plan: CrawlPlan) -> "Scope":
        named = (*plan.start, *plan.urls, *plan.sitemaps, *plan.feeds, plan.search.address)
        given = (*filter(None, named), *(address.url for address in plan.queued))
        hosts = plan.allowed_hosts or tuple(_both_ways(given))
        return cls(frozenset(host.strip().lower() for host in hosts), _patterns(plan.include), _patterns(plan.exclude))

    def refusal(self, url: str, *, given: bool = False) -> str:
        """Return why an address is out of scope; empty if it is in scope.

        given: whether the plan itself names the address; it then need not match `include`, and is never taken for a trap.
        """
        try:
            parts = urlsplit(url)
            host = host_of(parts)
        except ValueError:
            return "not an address"
        if parts.scheme not in {"http", "https"} or not host:
            return "not a web address"
        if not self.has_host(host):
            return f"another host: {host}"
        if any(fits(pattern, parts, host) for pattern in self.exclude):
            return "excluded by a pattern"
        if not given and self.include and not any(fits(pattern, parts, host) for pattern in self.include):
            return "no pattern includes it"
        return "" if given else trap(url, parts)

    def has_host(self, host: str) -> bool:
        """Return whether pages of a host are in scope. host: with its port unless that is the scheme's default."""
        name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
        if host in self.hosts or name in self.hosts:
            return True
        labels = name.split(".")
        return any("." + ".".join(labels[start:]) in self.hosts for start in range(len(labels)))


def trap(url: str, parts: SplitResult) -> str:
    """Return why an address looks like a crawler trap or not like a page; empty if it looks like a page."""
    if len(url) > MAX_URL:
        return "a very long address"
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > 3 and any(segments.count(segment) > MAX_REPEATS for segment in set(segments)):
        return "a path that repeats itself"
    return "not a page, judging by its ending" if FILES.search(parts.path) else ""


def fits(pattern: tuple[str, ...], parts: SplitResult, host: str) -> bool:
    """Return whether an address matches a pattern. pattern: its pieces between the stars.

    Each piece is searched for once, from the left, so the time is linear in the length of the address.
    """
    path = parts.path or "/"
    text = f"{path}?{parts.query}" if parts.query else path
    text = text if pattern[0].startswith("/") or (not pattern[0] and len(pattern) > 1) else host + text
    head, *middle = pattern
    if not middle:
        return text == head or text.rstrip("/") == head.rstrip("/")
    *middle, tail = middle
    place = len(head)
    if not text.startswith(head) or not text.endswith(tail):
        return False
    for piece in middle:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return place <= len(text) - len(tail)


def segments_of(url: str) -> SplitAddress:
    """Return the parts of an address, as URL patterns use them."""
    return SplitAddress.parse(url)


def tidy(url: str) -> str:
    """Return a link as a browser requests it: quoted, without surrounding spaces and without its fragment.

    Raises ValueError if it is not an address: ``http://[``, ``http://a:port/``.
    """
    tidied = safe_url_string(url.strip()).partition("#")[0]
    urlsplit(tidied).port  # noqa: B018 - it raises for a port that is no number
    return tidied


def _patterns(texts: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    found = [re.sub(r"^https?://", "", text.strip()) for text in texts]
    return tuple(tuple(re.sub(r"\*+", "*", text).split("*")) for text in found if text)


def _both_ways(urls: Iterable[str]) -> Iterable[str]:
    for url in urls:
        try:
            host = host_of(urlsplit(url))
        except ValueError:
            continue
        bare = host.removeprefix("www.")
        yield from (bare, f"www.{bare}")
