"""A site's source: create it from an address, change it, and turn it into the plan of a crawl."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.rules.url_patterns import SplitAddress as Parsed
from extraction.fetching import tls_probe, url_safety
from extraction.fetching.crawl.messages import Address, CrawlPlan, RenderMode, Search
from extraction.fetching.crawl.sources import read_url_list
from extraction.fetching.sign_in_steps import SignIn
from extraction.models import (
    AuditKind,
    Site,
    SiteFetching,
    Source,
    Team,
)
from extraction.models.team import find_first_team
from extraction.services.core import audit, stored_texts
from extraction.services.core.runs import JobError
from extraction.services.core.sealed_secrets import SecretError
from extraction.services.sites import sites
from extraction.services.sites.fetching import PrivateSettings, get_fetching, read_private, read_sign_in

RESOLVE_S = 4.0
"""How long a person waits for a host's address to be resolved. The crawl resolves it again."""


_SETTINGS = tuple(each.name for each in Source._meta.concrete_fields if each.name not in ("id", "site"))
"""What the audit log compares."""


class AddressError(ValueError):
    """The text is not an address, or it may not be fetched. The message is for the person who typed it.

    reason: why it may not be fetched, for a message about something else than a page; "" if the message does for all.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class KnownFrontier:
    """The state of a crawl.

    queued: addresses still to be fetched.
    known: addresses that are done.
    page_limit: number of pages still to be kept, None for no limit.
    """

    queued: Sequence[Address]
    known: Sequence[str]
    page_limit: int | None


def get_source(site: Site) -> Source:
    """Return the site's source; if it has none, a new one with the site's address, which is not saved yet."""
    found = Source.objects.filter(site=site).first()
    return found or Source(site=site, addresses=[site.address] if site.address else [])


def can_fetch(site: Site) -> bool:
    """Return whether a crawl of the site has anywhere to start."""
    source = Source.objects.filter(site=site).first()
    return source is not None and source.is_set


def follow_address(site: Site) -> bool:
    """Make a site's address the start of its crawls if they have none yet. Return whether that was so.

    Uploaded sites have no start. Without one, their pages can be neither fetched again nor checked.
    """
    if not site.address or can_fetch(site):
        return False
    source = get_source(site)
    source.addresses = [site.address]
    save_source(source)
    return True


def save_source(source: Source) -> None:
    """Save where a site's pages are fetched from, and how."""
    stored = Source.objects.filter(site=source.site_id).first()
    before = audit.read_fields(stored, *_SETTINGS) if stored else {}
    with transaction.atomic():
        source.save()
        if changed := audit.describe_differences(before, audit.read_fields(source, *_SETTINGS)):
            audit.record(AuditKind.SOURCE_CHANGED, source.site, text=changed)


@transaction.atomic
def create_from_address(
    address: str, *, name: str = "", options: dict[str, Any] | None = None, team: Team | None = None, user: User | None = None
) -> Source:
    """Create a site with its source.

    name: empty to make one from the host of the address.
    options: fields of the source.
    """
    site = sites.create_site(name or find_free_name(address, team), address, team=team, user=user)
    return Source.objects.create(site=site, **{"addresses": [address], **(options or {})})


def check_address(address: str) -> str:
    """Return the address in the form in which it is fetched.

    Raises AddressError if it is not a web address, or if its host does not exist or is not on the public internet. The check
    helps the person who types; each connection is checked again when it is made.
    """
    guard = url_safety.Guard.of(settings.VERTEX_CRAWL_PRIVATE_HOSTS)
    hint = gettext("An administrator can allow it with the setting VERTEX_CRAWL_PRIVATE_HOSTS.")
    try:
        url = guard.check_url(address)
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or url_safety.DEFAULT_PORTS[parts.scheme]
        if "." not in host and ":" not in host and host != "localhost" and not guard.permits(host, port):
            raise AddressError(
                gettext("“%(host)s” is not the name of a web site. Give an address such as https://www.example.org.") % {"host": host}
            )
        found = _resolve(host, port)
        if found:
            url_safety.check_addresses(found, guard=guard, host=host, port=port)
    except url_safety.RefusedAddress as error:
        reason = f"{stored_texts.tell(str(error))}." + (f" {hint}" if "public internet" in str(error) else "")
        raise AddressError(gettext("This address cannot be fetched: %(reason)s") % {"reason": reason}, reason) from error
    except OSError as error:
        raise AddressError(gettext("There is no host %(host)s. Check the spelling.") % {"host": host}) from error
    return url


def complete_address(text: str) -> str:
    """Return an address that a person typed, in the form in which it is fetched. Raises AddressError like `check_address`.

    Without a scheme it gets https, or http if the host answers without TLS.
    """
    if "://" in text:
        return check_address(text)
    url = check_address(f"https://{text}")
    return check_address(f"http://{text}") if _speaks_only_http(url) else url


def _speaks_only_http(url: str) -> bool:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    found = [str(each) for each in _resolve(host, port or url_safety.DEFAULT_PORTS["https"])]
    if not found or not tls_probe.refuses_tls(found, port or url_safety.DEFAULT_PORTS["https"], host):
        return False
    return tls_probe.accepts_connections(found, port or url_safety.DEFAULT_PORTS["http"])


def _resolve(host: str, port: int) -> list[url_safety.IPAddress]:
    """Return the host's addresses; none if resolving takes too long or is left to a proxy."""
    if settings.VERTEX_CRAWL_PROXY:
        return []
    waiter = ThreadPoolExecutor(1)
    try:
        return waiter.submit(url_safety.resolve_host, host, port).result(RESOLVE_S)
    except TooLate:
        return []
    finally:
        waiter.shutdown(wait=False)


def read_list(content: bytes) -> tuple[list[str], list[str]]:
    """Return (addresses, entries that look like addresses and cannot be fetched) of a text or CSV file with one per row.

    Rows without an address, such as a header, are skipped.
    """
    listing = read_url_list(content)
    usable = [url for url in listing.pages if len(url) <= url_safety.MAX_URL]
    return usable, [*listing.unreadable, *(url for url in listing.pages if len(url) > url_safety.MAX_URL)]


def find_free_name(address: str, team: Team | None = None) -> str:
    """Return a name that no site of a team has yet, from the host of an address: example.org, example.org 2. team: None for the oldest."""
    base = (urlsplit(address).hostname or address).removeprefix("www.")[:100]
    names = (name.casefold() for name in Site.objects.filter(team=team or find_first_team()).values_list("name", flat=True))
    taken = {name for name in names if name.startswith(base.casefold())}
    free = (name for n in range(2, len(taken) + 3) if (name := f"{base} {n}").casefold() not in taken)
    return base if base.casefold() not in taken else next(free)


def list_hosts(source: Source) -> tuple[str, ...]:
    """Return the hosts that may be fetched from: those set, else those of the source's addresses, with and without `www.`."""
    if source.hosts:
        return tuple(source.hosts)
    found: dict[str, None] = {}
    for address in source.all_addresses:
        host = get_host(address)
        if host:
            found |= dict.fromkeys((host, host[4:] if host.startswith("www.") else f"www.{host}"))
    return tuple(found)


def get_host(address: str) -> str:
    """Return an address's host in lower case, with the port unless it is the scheme's default; empty if it has none."""
    return Parsed.parse(address).host if "://" in address else ""


def plan_crawl(source: Source, frontier: KnownFrontier, *, spool: Path, sample: bool) -> CrawlPlan:
    """Return the plan for the crawling process.

    spool: the folder that the process writes to.
    sample: take a sample that represents the site, and end when pages bring nothing new.

    Raises JobError if what the site needs for a request cannot be used.
    """
    fetching = get_fetching(source.site)
    private = _read_private(fetching)
    return CrawlPlan(
        spool=str(spool),
        start=tuple(source.addresses),
        sitemaps=tuple(source.sitemaps),
        feeds=tuple(source.feeds),
        urls=tuple(source.listed),
        search=_plan_search(source),
        robots_sitemaps=source.find_sitemaps,
        allowed_hosts=list_hosts(source),
        include=tuple(source.include),
        exclude=tuple(source.exclude),
        max_depth=source.depth,
        page_limit=frontier.page_limit,
        sample=sample,
        queued=tuple(frontier.queued),
        known=tuple(frontier.known),
        delay_s=source.delay_s,
        concurrency=source.concurrency,
        obey_robots=source.obey_robots,
        verify_certificates=source.verify_certificates,
        contact=source.contact or settings.VERTEX_CRAWL_CONTACT,
        proxy=settings.VERTEX_CRAWL_PROXY,
        site_proxy=private.proxy.url,
        headers=private.headers,
        cookies=private.cookies,
        secure_only=is_secure(source),
        permitted=tuple(settings.VERTEX_CRAWL_PRIVATE_HOSTS),
        timeout_s=float(settings.VERTEX_CRAWL_TIMEOUT_S),
        max_bytes=settings.VERTEX_PAGE_MAX_BYTES,
        rendered=RenderMode.ALWAYS if fetching.loads_more else RenderMode(source.rendered),
        screenshots=fetching.pictures,
        load_more=fetching.load_more,
        scrolls=fetching.scrolls,
        most_loads=fetching.most_loads,
        embedded=fetching.embedded,
        frame_hosts=tuple(fetching.frame_hosts),
        sign_in=_read_sign_in(fetching),
    )


def _plan_search(source: Source) -> Search:
    if not source.searches:
        return Search()
    return Search(
        address=source.search_address,
        fields=tuple(source.search_fields),
        terms=tuple(source.search_terms),
        pages=source.search_pages,
    )


def is_secure(source: Source) -> bool:
    """Return whether all addresses of a source are fetched over https."""
    return all(address.startswith("https://") for address in source.all_addresses)


def _read_sign_in(fetching: SiteFetching) -> SignIn:
    """Return how the site is signed in to. A session that cannot be read is none: Vertex signs in again."""
    try:
        return read_sign_in(fetching)
    except SecretError:
        return SignIn(steps=read_private(fetching).steps, marker=fetching.signed_out)


def _read_private(fetching: SiteFetching) -> PrivateSettings:
    """Return what the requests of a site need. Raises JobError."""
    site = fetching.site
    try:
        private = read_private(fetching)
    except SecretError as error:
        raise JobError(gettext("%(error)s It is under Settings, “How pages are fetched”.") % {"error": error}) from error
    if private.proxy.address and settings.VERTEX_CRAWL_PROXY:
        raise JobError(
            gettext(
                "%(site)s has a proxy of its own, but this installation sends all requests through VERTEX_CRAWL_PROXY. Remove "
                "the proxy under Settings, “How pages are fetched”."
            )
            % {"site": site.name}
        )
    return private
