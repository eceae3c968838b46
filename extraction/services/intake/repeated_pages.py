"""Pages that a crawl meets under a second address: the same page must not give a second record.

The crawling process recognises such addresses by the words and pictures of the pages that it has read. It cannot compare them with pages
that it did not read: those that the server called unchanged, that did not answer, or that were not due. So answers are compared with what
is stored, too. A page that was stored under two addresses stays under the one that was known first, and the other leaves the records.

Two pages repeat each other only if their addresses differ in nothing but the query and what is stored of them shows that they are the same,
or two crawls find it. That they get the same answer once is not enough: a site that asks for a sign-in gives the same answer everywhere.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from django.db.models import Q, QuerySet
from django.utils import timezone

from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.messages import NEARLY_SAME, Fetched, Outcome
from extraction.fetching.crawl.pages import view
from extraction.models import CrawlAddress, Page, Run, Site, Snapshot
from extraction.services.core import stored_bytes

PAGES = (Outcome.OK, Outcome.NOT_MODIFIED)

MOST_REPEATS = 5
"""More known pages than this that repeat one page are no repetitions that a site's links make."""

SHOWS_SAME = "it shows the same"

FIELDS = ("pk", "url", "gone_at", "current", "current__sha256", "current__kept", "current__content_type")


@dataclass(frozen=True, slots=True)
class _Known:
    """A page that is stored. stands: it is not gone."""

    pk: int
    url: str
    stands: bool
    sha256: str
    kept: bool
    content_type: str

    @property
    def place(self) -> tuple[str, str]:
        return find_place(self.url)


def not_repeated() -> Q:
    """Return the condition for pages that repeat no other page that is there."""
    return Q(same_as=None) | Q(same_as__gone_at__isnull=False)


def find_place(url: str) -> tuple[str, str]:
    """Return the host and the path of an address."""
    parts = urlsplit(url)
    return parts.netloc, parts.path


def recognise_repeats(run: Run, events: Sequence[Fetched]) -> list[Fetched]:
    """Return the answers of a batch, judged by what is stored. Call it before they are stored.

    - A new page that shows what another page of the site shows is a duplicate of that.
    - A known page that the crawl took for a duplicate of a newer one, because that answered first, is a page, and not the duplicate.
    """
    addresses = {each.final_url or each.url for each in events} | {each.url for each in events} | {each.same_as for each in events}
    known = _read_pages(run.site, Q(url__in=addresses | {url.partition("?")[0] for url in addresses}))
    digests = {each.url: stored_bytes.digest_bytes(_read_content(each)) for each in events if _is_new(each, known)}
    twins = defaultdict(list)
    for page in _read_pages(run.site, Q(current__sha256__in=set(digests.values()))).values():
        twins[page.sha256].append(page)
    met = _find_met(run, events, [page.url for pages in twins.values() for page in pages])
    return [_judge(event, known, twins[digests[event.url]] if event.url in digests else (), met) for event in events]


def note_repeats(run: Run, events: Iterable[Fetched]) -> int:
    """Let pages that repeat an older page leave the records. Call it after the answers are stored.

    Return how many pages the run has found so far; 0 if there are none among these.
    """
    told = {each.url: each.same_as for each in events if _repeats_exactly(each)}
    met = {each.final_url or each.url for each in events if each.outcome in PAGES}
    known = _read_pages(run.site, Q(url__in={*told, *told.values(), *met}))
    found: dict[int, int] = {}
    for url, other in told.items():
        page, first = known.get(url), known.get(other)
        if page and first and _may_repeat(page, first) and _is_same(page, first, run):
            found[page.pk] = first.pk
    groups = defaultdict(list)
    for page in _read_pages(run.site, Q(current__sha256__in={known[url].sha256 for url in met if url in known})).values():
        if page.stands:
            groups[page.sha256, page.place].append(page.pk)
    for first_pk, *others in map(sorted, groups.values()):
        found |= dict.fromkeys(others, first_pk)
    for page_id, first_id in sorted(found.items()):
        now = timezone.now()
        Page.objects.filter(pk=page_id, gone_at=None).update(gone_at=now, left_at=now, same_as=first_id)
    if not found:
        return 0
    # Counted anew each time, because a page may be found before it answers itself, and again when it does.
    return Page.objects.filter(site=run.site, gone_at__isnull=False, left_at__gte=run.created_at).exclude(same_as=None).count()


def _judge(event: Fetched, known: Mapping[str, _Known], twins: Collection[_Known], met: Collection[str]) -> Fetched:
    url = event.final_url or event.url
    if event.outcome is Outcome.OK:
        place = find_place(url)
        standing = sorted((each for each in twins if each.stands and each.url != url), key=lambda each: each.pk)
        first = next((each.url for each in standing if each.place == place or each.url in met), "")
        bare = known.get(url.partition("?")[0])
        if not first and _is_new(event, known) and bare and bare.stands and bare.url != url and _shows_words(event, bare):
            first = bare.url
        return replace(event, outcome=Outcome.DUPLICATE, same_as=first, message=SHOWS_SAME) if first else event
    page, other = known.get(event.url), known.get(event.same_as)
    if event.outcome is not Outcome.DUPLICATE or not _repeats_exactly(event) or event.status is None or page is None or not page.stands:
        return event
    if find_place(event.same_as) != page.place or (other is not None and other.pk < page.pk):
        return event
    return replace(event, outcome=Outcome.OK if event.body else Outcome.NOT_MODIFIED, same_as="", message="")


def _is_new(event: Fetched, known: Mapping[str, _Known]) -> bool:
    """Return whether an answer would bring a page that the site does not have now."""
    page = known.get(event.final_url or event.url)
    return event.outcome is Outcome.OK and bool(event.body) and (page is None or not page.stands)


def _repeats_exactly(event: Fetched) -> bool:
    return bool(event.same_as) and event.message != NEARLY_SAME and event.outcome in (Outcome.DUPLICATE, Outcome.NOT_MODIFIED)


def _read_content(event: Fetched) -> bytes:
    return Path(event.rendered or event.body or "").read_bytes()


def _find_met(run: Run, events: Iterable[Fetched], urls: Collection[str]) -> set[str]:
    """Return which of the addresses this crawl has found to have a page."""
    rows = CrawlAddress.objects.filter(run=run, url__in=urls, outcome__in=PAGES).values_list("url", flat=True)
    return {*rows, *(each.final_url or each.url for each in events if each.outcome is Outcome.NOT_MODIFIED)}


def _read_pages(site: Site, condition: Q) -> dict[str, _Known]:
    rows: QuerySet[Page, tuple[object, ...]] = Page.objects.filter(condition, site=site, current__error="").values_list(*FIELDS)
    return {
        str(url): _Known(int(str(pk)), str(url), gone_at is None, str(sha256), bool(kept), str(kind))
        for pk, url, gone_at, _, sha256, kept, kind in rows
    }


def _may_repeat(page: _Known, first: _Known) -> bool:
    return page.stands and first.stands and page.place == first.place and first.pk < page.pk


def _is_same(page: _Known, first: _Known, run: Run) -> bool:
    """Return whether two pages are the same: what is stored of them shows it, or an earlier crawl found it, too."""
    if Snapshot.objects.filter(page=first.pk, sha256=page.sha256).exists():
        return True
    words = _hash_words(page)
    return (words is not None and words == _hash_words(first)) or _was_same(page, first, run)


def _was_same(page: _Known, first: _Known, run: Run) -> bool:
    """Return whether an earlier crawl found a page to repeat another, and the page has shown nothing of its own since.

    It does not count if the crawl found that of more than `MOST_REPEATS` pages, which is how a site looks that asks for a sign-in.
    """
    earlier = CrawlAddress.objects.filter(run__site=run.site_id, run__lt=run.pk, final_url=first.url, outcome=Outcome.DUPLICATE)
    before = earlier.filter(url=page.url).order_by("-run").select_related("run").first()
    if before is None or not Snapshot.objects.filter(page=page.pk, sha256=page.sha256, fetched_at__lt=before.run.created_at).exists():
        return False
    repeated = Page.objects.filter(site=run.site_id, gone_at=None, url__in=earlier.filter(run=before.run).values("url"))
    return repeated.count() <= MOST_REPEATS


def _shows_words(event: Fetched, page: _Known) -> bool:
    words = _hash_words(page)
    kind = "text/html; charset=utf-8" if event.rendered else event.headers.get("content-type", "")
    return words is not None and words == _view_words(_read_content(event), url=page.url, content_type=kind)


def _hash_words(page: _Known) -> int | None:
    """Return a number for the words and pictures of a stored page; None if they cannot be read."""
    if not page.kept:
        return None
    try:
        content = stored_bytes.get_bytes(page.sha256)
    except FileNotFoundError:
        return None
    return _view_words(content, url=page.url, content_type=page.content_type)


def _view_words(content: bytes, *, url: str, content_type: str) -> int | None:
    try:
        seen = view(content, url=url, content_type=content_type)
    except PageError:
        return None
    return seen.content if seen.words else None
