"""Store pages as rows: a page for each address, a snapshot for each content seen there.

Storing is idempotent. What exists stays as it is, so a batch may arrive twice, from two runs at once or after a crash.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from extraction.algorithms.dom import nodes
from extraction.algorithms.dom.content_sniffing import explain_non_page
from extraction.algorithms.dom.parse import ParsedPage, is_unexpected, parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches import shingles
from extraction.fetching.items import PageItem
from extraction.fetching.names import make_printable
from extraction.models import Page, Run, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.sites import page_pictures, quotas
from extraction.services.sites.page_pictures import Content, KeptPicture

logger = logging.getLogger(__name__)

TITLE_LENGTH = 200

PARTLY = "read in part: "
"""The problem of a page that was read in part begins with this. Other problems are of pages that cannot be read."""

CLOCKS_DIFFER = timedelta(minutes=1)
"""The clocks of several machines may differ by this much. A time further in the future was written by a clock that was ahead."""

WRITERS = 4
"""The number of threads that compress and write contents during parsing. Both are C code that releases the GIL, and object stores respond
slowly."""


Look = Callable[[PageItem, ParsedPage], None]


def _ignore_page(_item: PageItem, _page: ParsedPage) -> None:
    """Ignore the page."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A content seen at an address.

    at: when it was seen.
    dated: the source gave that time; otherwise `at` is the time of the import.
    run: the number of the run.
    keep: store the bytes, too.
    """

    url: str
    sha256: str
    at: datetime
    dated: bool
    run: int
    item: PageItem
    keep: bool


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """What a batch changed.

    new, changed: numbers of pages.
    unreadable: (name, reason) of the pages that cannot be read, new or not.
    partly: the same for the pages that were read in part.
    """

    new: int
    changed: int
    unreadable: tuple[tuple[str, str], ...]
    partly: tuple[tuple[str, str], ...]


def store_pages(run: Run, items: Sequence[PageItem], *, keep_new: bool = True, look: Look = _ignore_page) -> StoredCounts:
    """Store a batch of pages, and make each page's newest snapshot its current one.

    The contents go to the storage first, and the rows follow in one transaction. A crash in between leaves whole batches and at
    worst a content without a row.

    run: its summary's `new` and `changed` are increased.
    keep_new: if False, store only the rows, not the bytes, of pages whose bytes were never kept.
    look: called with the trees of new contents, which are parsed here anyway.
    """
    kept = None if keep_new else _find_kept_addresses(run.site, items)
    visits = [_make_visit(run, item, kept) for item in items]
    known = _find_known(run.site, visits)
    fresh = {(visit.url, visit.sha256): visit for visit in visits if (visit.url, visit.sha256, visit.keep) not in known}
    size_bytes = sum(len(visit.item.content) for visit in fresh.values() if visit.keep)
    pictures = page_pictures.choose_new(run.site, {(visit.url, visit.sha256): visit.item for visit in visits if visit.keep})
    quotas.check_batch(run.site, {visit.url for visit in visits}, size_bytes + page_pictures.measure(pictures.values()))
    made = _make_snapshots(list(fresh.values()), look)
    taken = page_pictures.keep_bytes(pictures)
    with transaction.atomic():
        new, changed = _write(run.site, visits, made, taken)
        if new or changed:
            summary = run.read_summary()
            run.write_summary(replace(summary, new=(summary.new or 0) + new, changed=(summary.changed or 0) + changed))
    losses = {(url, sha256): each for (url, sha256, _), each in known.items()} | {key: (row.error, row.notice) for key, row in made.items()}
    every = [(visit.url, *losses[visit.url, visit.sha256]) for visit in visits]
    bad = tuple((url, error) for url, error, _ in every if error)
    return StoredCounts(new, changed, bad, tuple((url, f"{PARTLY}{notice}") for url, error, notice in every if notice and not error))


@dataclass(frozen=True, slots=True)
class GivenContent:
    """A content of a page that is stored without a visit, because another installation visited it."""

    url: str
    content: bytes
    content_type: str = ""


def make_given(contents: Sequence[GivenContent], *, at: datetime) -> list[Snapshot]:
    """Store the bytes of contents, and return their snapshots in the same order, still without their pages.

    at: the time that they get. No run brought them, so this time alone says which content of a page is newer.
    """
    visits = [
        Visit(
            url=each.url,
            sha256=stored_bytes.digest_bytes(each.content),
            at=at,
            dated=True,
            run=0,
            item=PageItem(each.url, each.url, each.content, each.content_type),
            keep=True,
        )
        for each in contents
    ]
    made = _make_snapshots(visits, _ignore_page)
    return [made[visit.url, visit.sha256] for visit in visits]


def add_vectors(snapshots: Sequence[Snapshot], pages: Sequence[bytes]) -> None:
    """Set the shingle vectors of readable snapshots from their contents."""
    readable = [(snapshot, content) for snapshot, content in zip(snapshots, pages, strict=True) if not snapshot.error]
    for (snapshot, _), vector in zip(readable, _compute_vectors(readable), strict=True):
        if vector is not None:
            snapshot.vector, snapshot.scheme = f"{vector:016x}", shingles.SCHEME


def _compute_vectors(pages: Sequence[tuple[Snapshot, bytes]]) -> Sequence[int | None]:
    """Return the vectors of pages. A page that the computation fails on gets None, and the reason as its error."""
    try:
        return shingles.compute_vectors([content for _, content in pages])
    except Exception as failure:
        logger.exception("computing the vectors of %s pages", len(pages))
        if len(pages) > 1:
            return [vector for page in pages for vector in _compute_vectors([page])]
        pages[0][0].error = make_printable(f"reading the page failed: {type(failure).__name__}: {failure}")[:500]
        return [None]


def find_address(item: PageItem) -> str:
    """Return the address of a page: its URL, else its name in the archive."""
    return item.url or item.name


def _find_kept_addresses(site: Site, items: Sequence[PageItem]) -> set[str]:
    """Return the addresses of the pages whose bytes are kept."""
    pages = Page.objects.filter(site=site, url__in={find_address(item) for item in items}, snapshots__kept=True)
    return set(pages.values_list("url", flat=True))


def _make_visit(run: Run, item: PageItem, kept: set[str] | None) -> Visit:
    url = find_address(item)
    now = timezone.now()
    # Ignore a date in the future: the page would stay the newest for good.
    dated = item.fetched_at if item.fetched_at and item.fetched_at <= now else None
    keep = kept is None or url in kept
    at = dated or min(run.created_at, now)
    return Visit(url, stored_bytes.digest_bytes(item.content), at, dated is not None, run.pk, item, keep)


def _find_known(site: Site, visits: Sequence[Visit]) -> dict[tuple[str, str, bool], tuple[str, str]]:
    """Return {(URL, sha256, whether its bytes are wanted): (error, notice)} of the snapshots that already exist as wanted."""
    rows = Snapshot.objects.filter(page__site=site, page__url__in={visit.url for visit in visits})
    found = {}
    for url, sha256, error, notice, kept in rows.values_list("page__url", "sha256", "error", "notice", "kept"):
        found[url, sha256, False] = error, notice
        if kept:
            found[url, sha256, True] = error, notice
    return found


def _make_snapshots(visits: Sequence[Visit], look: Look) -> dict[tuple[str, str], Snapshot]:
    """Return the new snapshots, still without their pages, and store their contents."""
    wanted = [visit.item for visit in visits if visit.keep]
    received = [item.answer.received for item in wanted if item.answer and item.answer.received is not None]
    with ThreadPoolExecutor(WRITERS) as writers:
        kept = writers.map(stored_bytes.put_bytes, [*(item.content for item in wanted), *received])
        made = [_make_snapshot(visit, look) for visit in visits]
        list(kept)  # raise the errors of the writers
    add_vectors(made, [visit.item.content for visit in visits])
    return {(visit.url, visit.sha256): snapshot for visit, snapshot in zip(visits, made, strict=True)}


def _make_snapshot(visit: Visit, look: Look) -> Snapshot:
    content, content_type, answer = visit.item.content, visit.item.content_type, visit.item.answer
    title, error, notice = "", "", ""
    try:
        if reason := explain_non_page(content):
            raise PageError(reason)
        page = parse(content, content_type=content_type or None)
        title, notice = find_title(page), find_notice(page, answer.notices if answer else ())
        look(visit.item, page)
    except PageError as reason:
        if is_unexpected(reason):
            logger.exception("reading %s", visit.url)
        error = str(reason)[:500]
    except Exception as failure:  # a mistake of ours, which one page brought to light, must not end an import of thousands
        logger.exception("reading %s", visit.url)
        error = make_printable(f"reading the page failed: {type(failure).__name__}: {failure}")[:500]
    made = Snapshot(
        sha256=visit.sha256,
        size_bytes=len(content),
        content_type=content_type,
        fetched_at=visit.at,
        title=title,
        error=error,
        notice=notice,
        kept=visit.keep,
        undated_run=None if visit.dated else visit.run,
    )
    if answer:
        made.status, made.headers = answer.status, dict(answer.headers)
        made.received = stored_bytes.digest_bytes(answer.received) if answer.received is not None else ""
    return made


def find_notice(page: ParsedPage, left: Sequence[str] = ()) -> str:
    """Return what could not be read of the page, in the form that is stored. left: what was missing when it was fetched."""
    return "; ".join((*left, *page.notices))[:500]


def find_title(page: ParsedPage) -> str:
    """Return the page's title in the form that is stored; empty if it has none."""
    element = next(page.root.iter("title"), None)
    if element is None and nodes.is_xml(page.root):
        element = next((each for each in page.root.iter("Title", "name", "Name", "headline", "label")), None)
    return make_printable(nodes.clean(nodes.whole_text(element)))[:TITLE_LENGTH] if element is not None else ""


def _write(
    site: Site, visits: Sequence[Visit], made: dict[tuple[str, str], Snapshot], pictures: Mapping[Content, KeptPicture]
) -> tuple[int, int]:
    """Write the rows. Return the numbers of new and of changed pages."""
    urls = sorted({visit.url for visit in visits})
    # New pages are sorted by URL and then locked by id, so that two imports of one site wait for each other instead of deadlocking.
    Page.objects.bulk_create([Page(site=site, url=url) for url in urls], ignore_conflicts=True)
    pages = {page.url: page for page in Page.objects.select_for_update().filter(site=site, url__in=urls).order_by("pk")}
    for (url, _), snapshot in made.items():
        snapshot.page = pages[url]
    Snapshot.objects.bulk_create([made[key] for key in sorted(made)], ignore_conflicts=True)
    rows = {(row.page_id, row.sha256): row for row in Snapshot.objects.filter(page__in=pages.values())}
    if pictures:
        page_pictures.write_rows(pictures, {(url, sha256): rows[pages[url].pk, sha256] for url, sha256 in pictures})
    by_id = {row.pk: row for row in rows.values()}
    before = {page.pk: page.current_id for page in pages.values()}
    seen: set[int] = set()
    for visit in visits:
        page = pages[visit.url]
        row = rows[page.pk, visit.sha256]
        if (visit.keep and not row.kept) or row.checked:
            row.kept, row.checked = row.kept or visit.keep, False
            seen.add(row.pk)
        _settle(page, row, by_id, visit, seen)
    Snapshot.objects.bulk_update([by_id[pk] for pk in sorted(seen)], ["fetched_at", "undated_run", "kept", "checked", "headers"])
    back = [page.pk for page in pages.values() if page.gone_at is not None]
    Page.objects.filter(pk__in=back).update(gone_at=None, left_at=None, same_as=None)
    moved = [page for page in pages.values() if page.current_id != before[page.pk]]
    Page.objects.bulk_update(moved, ["current"])
    Snapshot.objects.filter(pk__in=[page.current_id for page in moved], cluster=None).update(unsorted=True)
    new = sum(before[page.pk] is None for page in moved)
    return new, len(moved) - new


def _settle(page: Page, snapshot: Snapshot, by_id: dict[int, Snapshot], visit: Visit, seen: set[int]) -> None:
    """Make the snapshot current if the visit is the newest (`_is_newer`), so the order of visits does not matter.

    Seeing the same content again without a date changes nothing.
    """
    held = by_id.get(page.current_id) if page.current_id else None
    if held is snapshot and not visit.dated:
        return
    now = timezone.now()
    if visit.at > snapshot.fetched_at or _is_ahead(snapshot.fetched_at, now):
        snapshot.fetched_at, snapshot.undated_run = visit.at, None if visit.dated else visit.run
        if visit.item.answer:
            snapshot.headers = dict(visit.item.answer.headers)  # a server may give the same content another ETag
        seen.add(snapshot.pk)
    elif not visit.dated and snapshot.undated_run is not None and visit.run > snapshot.undated_run:
        snapshot.undated_run = visit.run
        seen.add(snapshot.pk)
    if held is None or _is_newer(snapshot, held, now):
        page.current = snapshot


def _is_newer(snapshot: Snapshot, held: Snapshot, now: datetime) -> bool:
    """Return whether a snapshot is newer than another of the same page. Of equals, the greater sha256 counts as newer.

    Contents without a date of their own are ordered by the numbers of their runs, because the clock may have been set in between. For the
    same reason a time in the future is no longer believed.
    """
    if snapshot.undated_run is not None and held.undated_run is not None:
        return (snapshot.undated_run, snapshot.sha256) > (held.undated_run, held.sha256)
    if _is_ahead(held.fetched_at, now):
        return snapshot is not held
    return (snapshot.fetched_at, snapshot.sha256) > (held.fetched_at, held.sha256)


def _is_ahead(at: datetime, now: datetime) -> bool:
    return at > now + CLOCKS_DIFFER
