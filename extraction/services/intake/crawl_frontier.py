"""Store the frontier of a crawl as rows.

What the crawling process finds and fetches is written here, so that any worker can continue the crawl.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from extraction.fetching.crawl.messages import Address, Fetched, Outcome
from extraction.fetching.names import MAX_LENGTH, make_printable
from extraction.models import CrawlAddress, Page, Run, Site

PAGES = (Outcome.OK, Outcome.NOT_MODIFIED)
"""Outcomes of addresses that have a page."""

LOST = (Outcome.NOT_FOUND, Outcome.GONE, Outcome.SOFT_404)
"""Outcomes of addresses that have no page."""

HARMLESS = frozenset({*PAGES, Outcome.DUPLICATE})
"""Outcomes that need no attention. Addresses with other outcomes are shown as not fetched."""

SEEDED = "an earlier fetch"
"""The source (`via`) of the addresses of pages that are already kept. A sample crawl fetches all of them again."""

CHUNK = 500
"""The number of rows per statement. Databases limit the number of parameters."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a crawl.

    queued: addresses still to fetch.
    known: addresses that are done.
    pages: how many of the done addresses are pages.
    """

    queued: tuple[Address, ...]
    known: tuple[str, ...]
    pages: int


def read_standing(run: Run, *, conditional: bool) -> Standing:
    """Read the state of a crawl from its rows.

    conditional: request kept pages with their ETag and Last-Modified, so that the server need not send unchanged pages.
    """
    rows = CrawlAddress.objects.filter(run=run)
    headers = _read_headers(run.site) if conditional else {}
    waiting = rows.queued().order_by("pk").values_list("url", "depth", "via")
    queued = tuple(_make_address(url, depth, via, headers.get(url, {})) for url, depth, via in waiting.iterator(chunk_size=10_000))
    done = rows.done()
    pages = done.filter(outcome__in=PAGES).count()
    return Standing(queued, tuple(done.values_list("url", flat=True).iterator(chunk_size=10_000)), pages)


def seed_addresses(run: Run, urls: Iterable[str], *, via: str = "") -> None:
    """Queue addresses that are known before the crawl begins. Existing rows are not changed."""
    add_addresses(run, (Address(url=url, via=via) for url in urls))


def add_addresses(run: Run, addresses: Iterable[Address]) -> None:
    """Queue addresses. Existing rows are not changed; addresses that are too long are skipped."""
    rows = [
        CrawlAddress(run=run, url=each.url, depth=min(each.depth, 32_767), via=make_printable(each.via)[:MAX_LENGTH])
        for each in addresses
        if len(each.url) <= MAX_LENGTH
    ]
    CrawlAddress.objects.bulk_create(rows, ignore_conflicts=True, batch_size=CHUNK)


def close_addresses(run: Run, events: Sequence[Fetched]) -> None:
    """Write the outcomes of addresses. An address that was never queued, such as a start address, gets a row, too."""
    fields = ["state", "outcome", "status", "final_url", "message", "fetched_at"]
    rows = {event.url: _make_row(run, event) for event in events if len(event.url) <= MAX_LENGTH}
    CrawlAddress.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["run", "url"], update_fields=fields, batch_size=CHUNK
    )


def note_gone(site: Site, events: Sequence[Fetched]) -> int:
    """Mark pages that are gone or redirect to another address as gone, and return how many are newly marked."""
    lost = [event.url for event in events if event.outcome in LOST or (event.final_url and event.final_url != event.url)]
    here = {event.final_url or event.url for event in events if event.outcome in PAGES}
    pages = Page.objects.filter(site=site, gone_at=None, url__in=[url for url in lost if url not in here])
    return pages.update(gone_at=timezone.now())


def note_unchanged(site: Site, events: Sequence[Fetched]) -> None:
    """Update the fetch time of pages that have not changed according to their server. Such pages are no longer gone."""
    times = {event.final_url or event.url: get_moment(event) for event in events if event.outcome is Outcome.NOT_MODIFIED}
    pages = Page.objects.filter(site=site, url__in=times).select_related("current")
    for page in pages:
        if page.current and page.current.fetched_at < times[page.url]:
            type(page.current).objects.filter(pk=page.current.pk).update(fetched_at=times[page.url])
    pages.filter(gone_at__isnull=False).update(gone_at=None)


def count_by_outcome(run: Run) -> dict[str, int]:
    """Return {outcome: number of addresses}."""
    done = CrawlAddress.objects.done().filter(run=run).order_by()
    return dict(done.values_list("outcome").annotate(n=Count("pk")))


def get_moment(event: Fetched) -> datetime:
    """Return when the address was fetched, or the current time if the event has no readable time."""
    try:
        found = datetime.fromisoformat(event.fetched_at)
    except ValueError:
        return timezone.now()
    return found if found.tzinfo else timezone.now()


def _make_row(run: Run, event: Fetched) -> CrawlAddress:
    return CrawlAddress(
        run=run,
        url=event.url,
        depth=min(event.depth, 32_767),
        state=CrawlAddress.State.DONE,
        outcome=event.outcome.value,
        status=event.status,
        final_url=event.final_url[:MAX_LENGTH] if event.final_url != event.url else "",
        message=make_printable(event.message)[: CrawlAddress.MESSAGE_LENGTH],
        fetched_at=get_moment(event),
    )


def _read_headers(site: Site) -> dict[str, Mapping[str, str]]:
    """Return {address: headers} of the pages whose bytes are kept and came in an HTTP answer."""
    kept = Page.objects.filter(site=site, current__kept=True, current__status__isnull=False)
    return dict(kept.values_list("url", "current__headers").iterator(chunk_size=10_000))


def _make_address(url: str, depth: int, via: str, headers: Mapping[str, str]) -> Address:
    etag, last_modified = headers.get("etag", ""), headers.get("last-modified", "")
    return Address(url=url, depth=depth, via=via, etag=etag, last_modified=last_modified, wanted=via == SEEDED)
