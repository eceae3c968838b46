"""Crawl: a site's pages from its address.

A process of its own fetches (`fetching.crawl`); this service starts it, keeps the pages it brings, writes its frontier as rows and
shows how far it is. What came is written in batches: first the addresses found, then the pages, then what became of their addresses.
So a crawl whose worker or process died goes on from its rows, and at most what was in hand is fetched again.

Two kinds: a sample, whose pages are kept and then clustered; or the whole site, whose pages give their records as they come by and
are not kept.
"""

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from extraction.fetching.crawl.messages import Asset, Done, EndReason, Event, Found
from extraction.fetching.crawl.process import Crawl, CrawlFailed
from extraction.models import Rule, Run, Site, Source
from extraction.models.run_values import EXTRACT, SAMPLE, RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import Cancelled, JobError, Progress
from extraction.services.intake import crawl_frontier
from extraction.services.intake.crawl_intake import Intake
from extraction.services.intake.outcome_words import WORDS
from extraction.services.records import extract_records
from extraction.services.sites import sources

BATCH_PAGES = 50
BATCH_BYTES = 16 * 1024**2
BATCH_S = 1.0
"""When a batch is written: what a killed worker has fetched and not written is fetched again, so it is small."""

ORPHAN_AGE_S = 3600.0
"""A folder in which nothing was fetched for so long belongs to nobody any more."""

MAX_DEATHS = 3
"""How often the crawling process may die in a row without having brought a page."""


def start_crawl(site: Site, user: User | None = None) -> Run:
    """Fetches the site's pages, or fetches them again. Raises JobError when nothing is known to begin with.

    While a crawl of the site is unfinished, that one is given back.
    """
    return _start(site, RunParameters(mode=SAMPLE), user)


def start_renewal(site: Site, user: User | None = None) -> Run:
    """Fetches the site's pages again, finds their templates and then extracts their records. Raises JobError.

    A crawl that is under way does it as well: what it ends with is asked of its row when it ends.
    """
    with transaction.atomic():
        # Locked, so that the crawl does not end before it is written what it ends with.
        while not (going := Run.objects.unfinished().select_for_update().filter(site=site, kind=Run.Kind.CRAWL).first()):
            _start(site, RunParameters(mode=SAMPLE, then=EXTRACT), user)
        parameters = going.read_parameters()
        if parameters.then != EXTRACT:
            going.parameters = replace(parameters, then=EXTRACT).as_json()
            going.save(update_fields=["parameters"])
        return going


def start_extracting_crawl(site: Site, user: User | None = None) -> Run:
    """Crawls the whole site and extracts its records with all its live rules as the pages come by. Raises JobError."""
    live = Rule.objects.serving().of_site(site).not_ignored().order_by("pk")
    ids = list(live.values_list("pk", flat=True))
    if not ids:
        raise JobError(f"{site.name} has no live rule. Publish one first.")
    return _start(site, RunParameters(mode=EXTRACT, rules=tuple(ids)), user)


def _start(site: Site, parameters: RunParameters, user: User | None) -> Run:
    if not sources.can_fetch(site):
        raise JobError(f"{site.name} has no start address. Enter one under Settings.")
    return runs.start_run(Run.Kind.CRAWL, site, parameters=parameters, user=user)


def run_crawl(run: Run, progress: Progress) -> RunSummary:
    """Crawls until nothing is left, the limit is reached or pages bring nothing new; then has the templates found.

    Summary: pages fetched, of these new, changed, unchanged and unreadable; gone: pages that are not there any more; missed:
    addresses that brought no page; outcomes: {outcome: addresses}; reason: why it ended; for an extraction its records by state.
    """
    source = Source.objects.filter(site=run.site).first()
    if source is None or not source.is_set:
        raise JobError(f"{run.site.name} no longer has a start address. Enter one under Settings.")
    intake = Intake(run)
    if run.attempts == 1 and not run.addresses.exists():
        crawl_frontier.seed_addresses(run, _kept_pages(run.site, source), via=crawl_frontier.SEEDED)
    reason, deaths, before = None, 0, -1
    while reason is None:
        try:
            reason = _crawl(run, source, intake, progress)
        except CrawlFailed as error:
            deaths = deaths + 1 if intake.pages == before else 1
            before = intake.pages
            if deaths == MAX_DEATHS:
                raise JobError(f"The crawling process died {deaths} times: {error}") from error
            progress(intake.pages, message="The crawling process died; starting it again")
    progress(intake.pages, total=intake.pages, now=True)
    return _ended(run, intake, reason)


def _crawl(run: Run, source: Source, intake: Intake, progress: Progress) -> EndReason:
    """One life of the crawling process. Raises CrawlFailed when it dies, JobError when it cannot go on, Cancelled."""
    extracting = run.read_parameters().keeps_no_pages
    now = crawl_frontier.read_standing(run, conditional=not extracting)
    intake.begin(now)
    limit = _limit(run, source)
    progress(intake.pages, total=min(limit, intake.pages + intake.queued), message="Starting")
    if now.pages >= limit:
        return EndReason.PAGE_LIMIT
    frontier = sources.Frontier(now.queued, now.known, limit - now.pages)
    with _spool(run) as spool:
        plan = sources.plan_crawl(source, frontier, spool=spool, sample=not (extracting or source.whole))
        with Crawl(plan) as crawl:
            try:
                return _consume(iter(crawl), intake, progress, limit)
            except Cancelled:
                if Run.objects.filter(pk=run.pk, state=Run.State.PAUSED).exists():
                    # What is under way comes in, so that it need not be fetched again.
                    crawl.stop()
                    _consume(iter(crawl), intake, None, limit)
                    run.done, run.total = intake.pages, min(limit, intake.pages + intake.queued)
                raise


def _consume(events: Iterator[Event], intake: Intake, progress: Progress | None, limit: int) -> EndReason:
    """Takes events until the last and writes them every so often.

    The addresses found on a page come right behind it. So it is written that a page is done only when something else has come, or
    its links would be lost with a worker that dies in between.
    """
    written = time.monotonic()
    try:
        for event in events:
            if not isinstance(event, Found | Asset) and _due(intake, written):
                intake.write()
                written = time.monotonic()
            if isinstance(event, Done):
                return _last(event, intake)
            intake.take(event)
            if progress:
                _show(intake, progress, limit)
    except CrawlFailed:
        # What it brought before it died stands whole in the spool.
        intake.forget_last()
        intake.write()
        raise
    raise CrawlFailed("its events ended without the final one")


def _last(event: Done, intake: Intake) -> EndReason:
    intake.write()
    if event.reason is EndReason.FAILED:
        raise JobError(f"The crawl could not go on: {event.message}")
    return event.reason


def _due(intake: Intake, written: float) -> bool:
    full = len(intake.fetched) >= BATCH_PAGES or intake.size_bytes >= BATCH_BYTES
    return full or (bool(intake.fetched or intake.found) and time.monotonic() - written >= BATCH_S)


def _show(intake: Intake, progress: Progress, limit: int) -> None:
    left = f"{intake.queued:,} addresses waiting" if intake.queued else "no address waiting"
    progress(intake.pages, total=min(limit, intake.pages + intake.queued), message=f"Fetching, {left}")


def _limit(run: Run, source: Source) -> int:
    """Pages at most: those set, but no fewer than are kept already, so that fetching again reaches all of them."""
    most: int = settings.VERTEX_CRAWL_MAX_PAGES
    if run.read_parameters().keeps_no_pages:
        return most
    seeded = run.addresses.filter(via=crawl_frontier.SEEDED).count()
    return min(most, max(source.page_limit, seeded))


def _kept_pages(site: Site, source: Source) -> Iterator[str]:
    """The addresses of the pages whose bytes are kept, on hosts that may be fetched from; those gone already come again, too."""
    known = frozenset(sources.list_hosts(source))
    for url in site.pages.filter(snapshots__kept=True).order_by("pk").distinct().values_list("url", flat=True).iterator(chunk_size=10_000):
        if sources.get_host(url) in known:
            yield url


@contextmanager
def _spool(run: Run) -> Iterator[Path]:
    """A folder for what is fetched, of this life of the process only: a worker that was told to pause may still be busy with another."""
    parent = Path(settings.VAR_DIR) / "spool"
    parent.mkdir(parents=True, exist_ok=True)
    for left in parent.iterdir():  # by workers that died: their rows say what they had done
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < time.time() - ORPHAN_AGE_S:
                shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix=f"crawl-{run.pk}-", dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _ended(run: Run, intake: Intake, reason: EndReason) -> RunSummary:
    outcomes = Counter(crawl_frontier.count_by_outcome(run))
    missed = sum(number for outcome, number in outcomes.items() if outcome not in crawl_frontier.HARMLESS)
    if not intake.pages:
        raise JobError(_nothing(run, outcomes))
    so_far = run.read_summary()
    summary = replace(
        so_far,
        pages=intake.pages,
        unchanged=max(0, intake.pages - (so_far.new or 0) - (so_far.changed or 0)),
        missed=missed,
        outcomes=dict(outcomes),
        reason=reason.value,
    )
    return extract_records.add_states(summary, run) if run.read_parameters().keeps_no_pages else summary


def _nothing(run: Run, outcomes: Counter[str]) -> str:
    """Why no page came at all: the commonest outcome, with an address and what it said."""
    if not outcomes:
        return "No page was found: none of the addresses leads to a page that may be fetched."
    outcome = outcomes.most_common(1)[0][0]
    example = run.addresses.filter(outcome=outcome).order_by("pk")[0]
    said = f" ({example.message})" if example.message else ""
    return f"No page could be fetched. {example.url}: {WORDS[outcome].lower()}{said}."
