"""Which addresses belong to a crawl, and which are one address written in two ways."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import SplitResult, parse_qsl, urlsplit

from w3lib.url import canonicalize_url, safe_url_string

from extraction.algorithms.rules.url_patterns import Address as PatternAddress
from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.url_safety import MAX_URL

TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|_ga|_gl|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|twclid|ttclid|mkt_tok|_hs(enc|mi)|vero_id|oly_\w+_id"
    r"|pk_(campaign|source|medium|kwd)|matomo_\w+|ref_?src|spm",
    re.IGNORECASE,
)
"""Query keys that tell where a visitor came from and nothing about the page; each is documented by the tool that adds it."""

SESSION = re.compile(
    r"(php|asp\.?net_?|j|cf)?_?sess(ion)?_?(id)?|phpsessid|jsessionid|aspsessionid\w*|sid|cfid|cftoken|oscsid|zenid", re.IGNORECASE
)
"""Query keys that hold a session, when the value looks like one."""

SESSION_VALUE = re.compile(r"[0-9a-zA-Z_.,-]{8,}")

PATH_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/;?]*", re.IGNORECASE)

MAX_REPEATS = 2
"""How often one segment may stand in a path: ``/a/b/a/b/a/b`` is a relative link that a server answers at any depth."""

FILES = re.compile(
    r"\.(?:7z|apk|avif|avi|bmp|bz2|css|csv|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jpe?g|js|json|m4[av]|mov|mp[34]|mpe?g|msi|og[gv]|otf"
    r"|pdf|png|pptx?|psd|rar|rtf|svg|swf|tar|tgz|tiff?|ttf|txt|wav|web[mp]|wmv|woff2?|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
"""Endings of links that are no pages; a link without one of them is fetched and its content type decides."""


@lru_cache(maxsize=32_768)
def key(url: str) -> int:
    """64 bits that are the same for all writings of one address: scheme, order of the query, default port, trailing slash, tracking
    and session keys do not matter. A number, since many are kept: that two of a million agree by chance is less likely than 1 in 10^7."""
    parts = urlsplit(canonicalize_url(PATH_SESSION.sub("", url)))
    query = "&".join(f"{name}={value}" for name, value in parse_qsl(parts.query, keep_blank_values=True) if not is_noise(name, value))
    text = f"{host_of(parts)}{parts.path.rstrip('/')}?{query}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def is_noise(name: str, value: str) -> bool:
    """Whether a query pair says nothing about the page."""
    return bool(TRACKING.fullmatch(name) or (SESSION.fullmatch(name) and SESSION_VALUE.fullmatch(value)))


def host_of(parts: SplitResult) -> str:
    """The host in lower case, with the port unless it is the scheme's own. Raises ValueError for a port that is none."""
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, {"http": 80, "https": 443}.get(parts.scheme)) else f"{host}:{parts.port}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which addresses a crawl follows. hosts: see `CrawlPlan.allowed_hosts`; include, exclude: patterns, taken apart at their stars."""

    hosts: frozenset[str]
    include: tuple[tuple[str, ...], ...] = ()
    exclude: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, plan: CrawlPlan) -> "Scope":
        given = (*plan.start, *plan.urls, *plan.sitemaps, *plan.feeds, *(address.url for address in plan.queued))
        hosts = plan.allowed_hosts or tuple(_both_ways(given))
        return cls(frozenset(host.strip().lower() for host in hosts), _patterns(plan.include), _patterns(plan.exclude))

    def refusal(self, url: str, *, given: bool = False) -> str:
        """Why an address is out of scope; empty when it is in. given: it is one of the plan's own, which need not fit `include`."""
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
        """Whether pages of a host, given with its port unless that is the scheme's own, are in scope."""
        name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
        if host in self.hosts or name in self.hosts:
            return True
        labels = name.split(".")
        return any("." + ".".join(labels[start:]) in self.hosts for start in range(len(labels)))


def trap(url: str, parts: SplitResult) -> str:
    """Why an address looks made up by a server without end; empty when it does not."""
    if len(url) > MAX_URL:
        return "a very long address"
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > 3 and any(segments.count(segment) > MAX_REPEATS for segment in set(segments)):
        return "a path that repeats itself"
    return "not a page, judging by its ending" if FILES.search(parts.path) else ""


def fits(pattern: tuple[str, ...], parts: SplitResult, host: str) -> bool:
    """Whether an address fits a pattern, of which the pieces between the stars are given. Linear: each piece is sought once, leftmost."""
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


def segments_of(url: str) -> PatternAddress:
    """An address's parts, as URL patterns see them."""
    return PatternAddress.parse(url)


def tidy(url: str) -> str:
    """A link as a browser would ask for it: quoted, without blanks around it and without its fragment."""
    return safe_url_string(url.strip()).partition("#")[0]


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
