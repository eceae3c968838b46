"""Store the pages of a folder with their contents, and what people said about their templates."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from extraction.models import Cluster, Page, Placement, Site, Snapshot
from extraction.services.folders import layout
from extraction.services.folders.documents import ContentDocument, PageDocument
from extraction.services.folders.entries import Key
from extraction.services.sites import page_store
from extraction.services.sites.page_store import GivenContent

BATCH_BYTES = 16 * 1024**2
BATCH_PAGES = 100

Read = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class StoredPages:
    """What was stored: numbers of new pages and of new contents."""

    pages: int
    contents: int


def store_pages(site: Site, pages: Sequence[PageDocument], clusters: Mapping[int, Cluster], read: Read) -> StoredPages:
    """Store pages and contents that are not here yet. The caller holds the transaction.

    The content of a page that is here already stays the current one; that of the folder becomes an earlier one.

    clusters: {number: template}.
    read: returns the bytes of a file of the folder.
    """
    known = set(Page.objects.filter(site=site).values_list("url", flat=True))
    new = [page.url for page in pages if page.url not in known]
    Page.objects.bulk_create([Page(site=site, url=url) for url in new], batch_size=BATCH_PAGES)
    contents = sum(_store_batch(batch, clusters) for batch in _cut(site, pages, read))
    return StoredPages(len(new), contents)


def write_placements(
    site: Site, pages: Sequence[PageDocument], clusters: Mapping[int, Cluster], chosen: Sequence[Key], user: User | None
) -> None:
    """Store what people said about the templates of pages. Other statements about the same page stay unless they contradict it."""
    wanted = {key[1] for key in chosen if key[0] == "page"}
    rows = {page.url: page for page in Page.objects.filter(site=site, url__in=wanted)}
    for document in pages:
        if document.url not in wanted:
            continue
        page = rows[document.url]
        if document.belongs_to is not None:
            Placement.objects.filter(page=page, belongs=True).delete()
        said = dict.fromkeys(document.not_in, False) | ({document.belongs_to: True} if document.belongs_to is not None else {})
        for number, belongs in said.items():
            values = {"belongs": belongs, "created_by": user}
            Placement.objects.update_or_create(page=page, cluster=clusters[number], defaults=values)


def remove_placements(site: Site, removed: Sequence[Key]) -> None:
    """Forget what people said about the templates of pages."""
    urls = [key[1] for key in removed if key[0] == "page"]
    Placement.objects.filter(page__site=site, page__url__in=urls).delete()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A content to store. earlier: how many contents of its page in the folder are newer. last: how many contents the page has there."""

    page: Page
    document: ContentDocument
    content: bytes
    earlier: int


def _cut(site: Site, pages: Sequence[PageDocument], read: Read) -> Iterator[list[_Wanted]]:
    """Yield batches of the contents that are not here yet."""
    batch: list[_Wanted] = []
    size = 0
    for start in range(0, len(pages), BATCH_PAGES):
        part = pages[start : start + BATCH_PAGES]
        rows = {page.url: page for page in Page.objects.filter(site=site, url__in=[each.url for each in part]).select_related("current")}
        stored = set(Snapshot.objects.filter(page__in=rows.values(), kept=True).values_list("page__url", "sha256"))
        for each in part:
            for place, document in enumerate(each.contents):
                if (each.url, document.sha256) in stored:
                    continue
                content = read(layout.name_content(document.sha256))
                batch.append(_Wanted(rows[each.url], document, content, len(each.contents) - place - 1))
                size += len(content)
        if size >= BATCH_BYTES or len(batch) >= BATCH_PAGES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _store_batch(batch: Sequence[_Wanted], clusters: Mapping[int, Cluster]) -> int:
    now = timezone.now()
    given = [GivenContent(each.page.url, each.content, each.document.type) for each in batch]
    made = page_store.make_given(given, at=now)
    there = {
        (row.page_id, row.sha256): row
        for row in Snapshot.objects.filter(page__in=[each.page for each in batch], sha256__in=[each.document.sha256 for each in batch])
    }
    rows = []
    for each, snapshot in zip(batch, made, strict=True):
        held = there.get((each.page.pk, snapshot.sha256))
        if held is not None:  # it was seen, but its bytes were not kept
            Snapshot.objects.filter(pk=held.pk).update(kept=True)
            continue
        snapshot.page, snapshot.fetched_at = each.page, _choose_time(each, now)
        snapshot.cluster = clusters.get(each.document.template or 0)
        rows.append(snapshot)
    Snapshot.objects.bulk_create(rows)
    _set_current(rows)
    return len(rows)


def _choose_time(wanted: _Wanted, now: datetime) -> datetime:
    """Return a time before that of the content that is current here; without one, now. The order of the folder is kept."""
    current = wanted.page.current
    last = current.fetched_at - timedelta(microseconds=1) if current else now
    return last - timedelta(microseconds=wanted.earlier)


def _set_current(rows: Sequence[Snapshot]) -> None:
    """Make the newest content of each page without one its current one."""
    newest: dict[int, Snapshot] = {}
    for row in sorted(rows, key=lambda row: (row.fetched_at, row.sha256)):
        newest[row.page_id] = row
    pages = list(Page.objects.filter(pk__in=newest, current=None))
    for page in pages:
        page.current = newest[page.pk]
    Page.objects.bulk_update(pages, ["current"])
