"""The frontier of a crawl as rows: what the crawling process finds and fetches is written here, so that any worker can go on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from extraction.fetching.crawl.messages import Address, Fetched, Outcome
from extraction.fetching.names import MAX_LENGTH, make_printable
from extraction.models import CrawlAddress, Page, Run, Site

PAGES = (Outcome.OK, Outcome.NOT_MODIFIED)
"""Outcomes that say that a page is there."""

LOST = (Outcome.NOT_FOUND, Outcome.GONE, Outcome.SOFT_404)
"""Outcomes that say that no page is there."""

HARMLESS = frozenset({*PAGES, Outcome.DUPLICATE})
"""Outcomes of addresses that are as they should be; the others are shown as what could not be fetched."""

SEEDED = "an earlier fetch"
"""What named the pages that are kept already: a sample fetches all of them again."""

CHUNK = 500
"""Rows a statement; databases bound the number of parameters."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a crawl stands: addresses still to be fetched, those done, and how many of these are pages."""

    queued: tuple[Address, ...]
    known: tuple[str, ...]
    pages: int


def read_standing(run: Run, *, conditional: bool) -> Standing:
    """What the rows say. conditional: pages that are kept are asked for with what their server said of them, so that it need not
    send again what has not changed.
    """
    rows = CrawlAddress.objects.filter(run=run)
    said = _said(run.site) if conditional else {}
    waiting = rows.queued().order_by("pk").values_list("url", "depth", "via")
    queued = tuple(_address(url, depth, via, said.get(url, {})) for url, depth, via in waiting.iterator(chunk_size=10_000))
    done = rows.done()
    pages = done.filter(outcome__in=PAGES).count()
    return Standing(queued, tuple(done.values_list("url", flat=True).iterator(chunk_size=10_000)), pages)


def seed_addresses(run: Run, urls: Iterable[str], *, via: str = "") -> None:
    """Queues addresses that are known before the crawl begins; those that stand there already stay as they are."""
    add_addresses(run, (Address(url=url, via=via) for url in urls))


def add_addresses(run: Run, addresses: Iterable[Address]) -> None:
    """Queues addresses; those that stand there already stay as they are."""
    rows = [
        CrawlAddress(run=run, url=each.url, depth=min(each.depth, 32_767), via=make_printable(each.via)[:MAX_LENGTH])
        for each in addresses
        if len(each.url) <= MAX_LENGTH
    ]
    CrawlAddress.objects.bulk_create(rows, ignore_conflicts=True, batch_size=CHUNK)


def close_addresses(run: Run, events: Sequence[Fetched]) -> None:
    """Writes what came of addresses. One that was never queued, such as a start address, is written all the same."""
    fields = ["state", "outcome", "status", "final_url", "message", "fetched_at"]
    rows = {event.url: _row(run, event) for event in events if len(event.url) <= MAX_LENGTH}
    CrawlAddress.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["run", "url"], update_fields=fields, batch_size=CHUNK
    )


def note_gone(site: Site, events: Sequence[Fetched]) -> int:
    """Notes the pages that are not there any more, and those that lead to another address; how many more these are."""
    lost = [event.url for event in events if event.outcome in LOST or (event.final_url and event.final_url != event.url)]
    here = {event.final_url or event.url for event in events if event.outcome in PAGES}
    pages = Page.objects.filter(site=site, gone_at=None, url__in=[url for url in lost if url not in here])
    return pages.update(gone_at=timezone.now())


def note_unchanged(site: Site, events: Sequence[Fetched]) -> None:
    """Pages whose server said that they are as before: what is kept of them is what stands there now."""
    times = {event.final_url or event.url: get_moment(event) for event in events if event.outcome is Outcome.NOT_MODIFIED}
    pages = Page.objects.filter(site=site, url__in=times).select_related("current")
    for page in pages:
        if page.current and page.current.fetched_at < times[page.url]:
            type(page.current).objects.filter(pk=page.current.pk).update(fetched_at=times[page.url])
    pages.filter(gone_at__isnull=False).update(gone_at=None)


def count_by_outcome(run: Run) -> dict[str, int]:
    """{outcome: addresses that came to it}."""
    done = CrawlAddress.objects.done().filter(run=run).order_by()
    return dict(done.values_list("outcome").annotate(n=Count("pk")))


def get_moment(event: Fetched) -> datetime:
    """When it was fetched; now where the process did not say so in a way that can be read."""
    try:
        found = datetime.fromisoformat(event.fetched_at)
    except ValueError:
        return timezone.now()
    return found if found.tzinfo else timezone.now()


def _row(run: Run, event: Fetched) -> CrawlAddress:
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


def _said(site: Site) -> dict[str, Mapping[str, str]]:
    """{address: headers} of the pages whose bytes are kept and whose server gave them a mark of version."""
    kept = Page.objects.filter(site=site, current__kept=True, current__status__isnull=False)
    return dict(kept.values_list("url", "current__headers").iterator(chunk_size=10_000))


def _address(url: str, depth: int, via: str, headers: Mapping[str, str]) -> Address:
    etag, last_modified = headers.get("etag", ""), headers.get("last-modified", "")
    return Address(url=url, depth=depth, via=via, etag=etag, last_modified=last_modified, wanted=via == SEEDED)
