"""Store the frontier of a crawl as rows.

What the crawling process finds and fetches is written here, so that any worker can continue the crawl.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from extraction.fetching.crawl.messages import NEARLY_SAME, Address, Fetched, Outcome
from extraction.fetching.names import MAX_LENGTH, make_printable
from extraction.models import AddressCount, CrawlAddress, Page, Run, Site, Snapshot
from extraction.services.intake import left_addresses, stored_versions
from extraction.services.intake.stored_versions import StoredVersion

PAGES = (Outcome.OK, Outcome.NOT_MODIFIED)
"""Outcomes of addresses that have a page."""

LOST = (Outcome.NOT_FOUND, Outcome.GONE, Outcome.SOFT_404)
"""Outcomes of addresses that have no page."""

HARMLESS = frozenset({*PAGES, Outcome.DUPLICATE})
"""Outcomes that need no attention. Addresses with other outcomes are shown as not fetched."""

SEEDED = "an earlier fetch"
"""The source (`via`) of the addresses of pages that are known already, all of which a crawl asks for again."""

VALIDATORS = ("etag", "last-modified")
"""The headers with which a page is requested only if it has changed."""

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
    rows, refreshes = CrawlAddress.objects.filter(run=run), run.read_parameters().refreshes
    stored = stored_versions.read_versions(run.site, refreshes=refreshes) if conditional else {}
    waiting = rows.queued().order_by("pk").values_list("url", "depth", "via")
    queued = tuple(_make_address(url, depth, via, stored.get(url)) for url, depth, via in waiting.iterator(chunk_size=10_000))
    done = rows.done()
    pages = done.filter(outcome__in=PAGES).count()
    known = tuple(done.values_list("url", flat=True).iterator(chunk_size=10_000))
    if refreshes:
        known += left_addresses.list_left_alone(run, waiting={address.url for address in queued}, done=set(known))
    return Standing(queued, known, pages)


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


def note_gone(run: Run, events: Sequence[Fetched]) -> int:
    """Mark pages that are gone or redirect to another address as gone, and return how many are newly marked.

    The records of a page that an earlier run found missing, too, leave (`Page.left_at`).
    """
    lost = [event.url for event in events if event.outcome in LOST or (event.final_url and event.final_url != event.url)]
    here = {event.final_url or event.url for event in events if event.outcome in PAGES}
    pages = Page.objects.filter(site=run.site, url__in=[url for url in lost if url not in here])
    pages.filter(gone_at__lt=run.created_at, left_at=None).update(left_at=timezone.now())
    return pages.filter(gone_at=None).update(gone_at=timezone.now())


def note_unchanged(site: Site, events: Sequence[Fetched]) -> None:
    """Update the fetch time and the headers of pages that have not changed. Such pages are no longer gone.

    The earliest of the times is noted for all, since one statement for all pages costs much less. A batch is about a second long.
    """
    same = {event.final_url or event.url: event for event in events if event.outcome is Outcome.NOT_MODIFIED}
    if not same:
        return
    at = min(get_moment(event) for event in same.values())
    current = list(Page.objects.filter(site=site, url__in=same).values_list("url", "current", "current__headers"))
    Snapshot.objects.filter(pk__in=[pk for _, pk, _ in current], fetched_at__lt=at).update(fetched_at=at)
    for url, pk, headers in current:
        # A server may give the same content another ETag.
        new = {name: same[url].headers[name] for name in VALIDATORS if same[url].headers.get(name)}
        if pk and new and headers != headers | new:
            Snapshot.objects.filter(pk=pk).update(headers=headers | new)
    Page.objects.filter(site=site, url__in=same, gone_at__isnull=False).update(gone_at=None, left_at=None, same_as=None)


def count_unmatched(run: Run) -> int:
    """Return how many pages that the run fetched have no template and no record, though they can be read."""
    fetched = run.addresses.filter(outcome__in=PAGES).values("url")
    without = Page.objects.filter(site=run.site, cluster=None, reading=Page.Reading.WHOLE, url__in=fetched)
    return without.exclude(current__in=run.records.values("snapshot")).count()


def count_by_outcome(run: Run) -> dict[str, int]:
    """Return {outcome: number of addresses}."""
    return AddressCount.objects.filter(run=run, state=CrawlAddress.State.DONE).totals("outcome")


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
        final_url=_find_other(event),
        message=make_printable(event.message)[: CrawlAddress.MESSAGE_LENGTH],
        fetched_at=get_moment(event),
    )


def _find_other(event: Fetched) -> str:
    """Return the address that an address leads to, or whose page it repeats exactly; "" if it does neither."""
    repeats = event.outcome is Outcome.DUPLICATE and event.message != NEARLY_SAME
    other = event.same_as if repeats and event.same_as else event.final_url
    return other[:MAX_LENGTH] if other != event.url else ""


def _make_address(url: str, depth: int, via: str, stored: StoredVersion | None) -> Address:
    if stored is None:
        return Address(url=url, depth=depth, via=via, wanted=via == SEEDED)
    etag, last_modified = stored.headers.get("etag", ""), stored.headers.get("last-modified", "")
    return Address(url=url, depth=depth, via=via, etag=etag, last_modified=last_modified, sha256=stored.sha256, wanted=via == SEEDED)
