"""The addresses that a refresh leaves alone, and those that it owes from the time before."""

from collections.abc import Collection

from extraction.fetching.crawl.messages import Outcome
from extraction.models import Cluster, CrawlAddress, Page, Run, Site, Snapshot, Source
from extraction.models.run import UNFINISHED
from extraction.models.run_values import EXTRACT, REFRESH

PASSING = (Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.UNREACHABLE, Outcome.LOGIN_OR_BOT, Outcome.SIGNED_OUT)
"""Outcomes that may be others next time."""


def is_whole(site: Site) -> bool:
    """Return whether all pages of a site are wanted, and not only a sample of them."""
    whole = Source.objects.filter(site=site, whole=True).exists()
    return whole or Snapshot.objects.of_site(site).filter(kept=False).exists()


def list_left_alone(run: Run, *, waiting: Collection[str], done: Collection[str]) -> tuple[str, ...]:
    """Return the addresses that a refresh neither fetches nor follows links to, besides those that it has done.

    These are the site's pages that are not due and, if the site is a sample, the addresses that its last crawl found and left out.
    A sample stays a sample.

    waiting: the addresses that it still fetches.
    done: the addresses that it has done.
    """
    pages = Page.objects.filter(site=run.site, gone_at=None).values_list("url", flat=True)
    found = dict.fromkeys(pages.iterator(chunk_size=10_000))
    if not is_whole(run.site):
        crawl = _find_last_sample(run.site)
        if crawl:
            found |= dict.fromkeys(crawl.addresses.queued().values_list("url", flat=True).iterator(chunk_size=10_000))
    return tuple(url for url in found if url not in waiting and url not in done)


def list_owed(site: Site, cluster: Cluster | None) -> list[str]:
    """Return the new addresses that the last refresh found and could not fetch: it reached its limit, or the site did not answer.

    The page that named them may not have changed since. Then it is not read again and does not name them again.

    cluster: the template that is refreshed, None for the site.
    """
    refreshes = Run.objects.filter(refresh__site=site, refresh__cluster=cluster, addresses__isnull=False)
    last = refreshes.exclude(state__in=UNFINISHED).order_by("-pk").first()
    if last is None:
        return []
    rows = CrawlAddress.objects.filter(run=last)
    urls = (rows.queued() | rows.done().filter(outcome__in=PASSING)).order_by("pk").values_list("url", flat=True)
    pages = set(Page.objects.filter(site=site).values_list("url", flat=True).iterator(chunk_size=10_000))
    sources = {url for source in Source.objects.filter(site=site) for url in (*source.sitemaps, *source.feeds)}
    return [url for url in urls.iterator(chunk_size=10_000) if url not in pages and url not in sources]


def _find_last_sample(site: Site) -> Run | None:
    """Return the site's last crawl that has ended and was no refresh and no extracting crawl."""
    ended = Run.objects.filter(site=site, kind=Run.Kind.CRAWL).exclude(state__in=UNFINISHED)
    return ended.exclude(parameters__mode__in=(REFRESH, EXTRACT)).order_by("-pk").first()
