"""Crawl a site: fetch its pages, starting from its address.

A child process fetches (`fetching.crawl`). This service starts it, stores the pages, writes the frontier as rows and
reports the progress. Results are written in batches: first the addresses found, then the pages, then the outcomes of
their addresses. If the worker or the process dies, the crawl continues from its rows, and only the last batch is fetched
again.

There are three kinds of crawl. A sample crawl keeps its pages, which are then clustered. An extracting crawl visits the
whole site, extracts records from each page as it is fetched and does not keep the pages. A refresh fetches the pages that are due,
which `services.refresh` has queued, and new ones.
"""

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from extraction.fetching.crawl.messages import (
    CrawlPlan,
    CrawlProgress,
    Done,
    EndReason,
    Event,
    Fetched,
    FetchedAsset,
    FoundAddresses,
    Outcome,
    Searched,
)
from extraction.fetching.crawl.process import Crawl, CrawlFailed
from extraction.fetching.crawl.spool import read_ledgers
from extraction.models import CrawlAddress, Page, Rule, Run, SearchTerm, Site, Snapshot, Source
from extraction.models.run_values import EXTRACT, SAMPLE, RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import Cancelled, JobError, Progress
from extraction.services.intake import crawl_frontier, repeated_pages, search_terms
from extraction.services.intake.crawl_intake import Intake
from extraction.services.intake.outcome_words import WORDS
from extraction.services.records import extract_records
from extraction.services.sites import page_addresses, sources
from extraction.services.sites.fetching import store_session

BATCH_PAGES = 50
BATCH_BYTES = 16 * 1024**2
BATCH_S = 1.0
"""Limits of a batch. They are small, because pages that a killed worker has not yet written are fetched again."""

ORPHAN_AGE_S = 3600.0
"""A spool folder that has not changed for this long is deleted."""

MOST_DOUBTED = 500
"""The most addresses without a page that a sample takes as a sign that a page which is not kept is gone. Databases limit parameters."""

MAX_STRIKES = 2
"""A page is given up when the crawling process has ended this many times while it read the page."""

MAX_DEATHS = 3
"""The crawl fails when the crawling process has died this many times in a row without fetching a page."""


def start_crawl(site: Site, user: User | None = None) -> Run:
    """Start a run that fetches the site's pages, for the first time or again.

    If a crawl of the site is unfinished, that one is returned. Raises JobError when the site has no start address.
    """
    return _start(site, RunParameters(mode=SAMPLE), user)


def start_renewal(site: Site, user: User | None = None) -> Run:
    """Start a run that fetches the site's pages again, finds their templates and then extracts their records.

    If a crawl of the site is unfinished, it is set to extract the records when it ends, and returned. Raises JobError
    when the site has no start address.
    """
    with transaction.atomic():
        # Locked, so that the crawl does not end before its parameters are saved.
        while not (going := Run.objects.unfinished().select_for_update().filter(site=site, kind=Run.Kind.CRAWL).first()):
            _start(site, RunParameters(mode=SAMPLE, then=EXTRACT), user)
        parameters = going.read_parameters()
        if parameters.then != EXTRACT:
            going.parameters = replace(parameters, then=EXTRACT).as_json()
            going.save(update_fields=["parameters"])
        return going


def start_extracting_crawl(site: Site, user: User | None = None) -> Run:
    """Start a crawl of the whole site that extracts records with all live rules while it fetches.

    Raises JobError when the site has no live rule or no start address.
    """
    live = Rule.objects.serving().of_site(site).not_ignored().order_by("pk")
    ids = list(live.values_list("pk", flat=True))
    if not ids:
        raise JobError(gettext("%(site)s has no live rule. Publish one first.") % {"site": site.name})
    return _start(site, RunParameters(mode=EXTRACT, rules=tuple(ids)), user)


def _start(site: Site, parameters: RunParameters, user: User | None) -> Run:
    if not sources.can_fetch(site):
        raise JobError(
            gettext("%(site)s has no start address yet. Check the start addresses under Settings and save them.") % {"site": site.name}
        )
    return runs.start_run(Run.Kind.CRAWL, site, parameters=parameters, user=user)


def run_crawl(run: Run, progress: Progress) -> RunSummary:
    """Crawl until no address is left, the limit is reached or pages show nothing new.

    The summary has these figures:

    pages: pages fetched; of these new, changed, unchanged and unreadable.
    gone: pages that no longer exist.
    repeated: pages that were found to be the same as others, and left.
    missed: addresses without a page.
    outcomes: {outcome: number of addresses}.
    terms: terms of the site's search; of these empty_terms, which found nothing, and unasked_terms, which got no answer.
    reason: why the crawl ended.

    An extracting crawl also counts its records by state. Raises JobError when no page could be fetched or the crawling
    process keeps dying.
    """
    source = Source.objects.filter(site=run.site).first()
    if source is None or not source.is_set:
        raise JobError(gettext("%(site)s no longer has a start address. Enter one under Settings.") % {"site": run.site.name})
    intake = Intake(run)
    if run.attempts == 1 and not run.addresses.exists() and not run.read_parameters().refreshes:
        crawl_frontier.seed_addresses(run, _known_pages(run, source), via=crawl_frontier.SEEDED)
    search_terms.forget_terms(run, source)
    reason, deaths, before = None, 0, -1
    strikes: Counter[str] = Counter()
    while reason is None:
        try:
            reason = _crawl(run, source, intake, progress, strikes)
        except CrawlFailed as error:
            _close_deadly_pages(run, strikes)
            deaths = deaths + 1 if intake.pages == before else 1
            before = intake.pages
            if deaths == MAX_DEATHS:
                raise JobError(
                    gettext("The crawling process died %(deaths)s times: %(error)s") % {"deaths": deaths, "error": error}
                ) from error
            progress(intake.pages, message="The crawling process died; starting it again")
    progress(intake.pages, total=intake.pages, now=True)
    return _ended(run, intake, reason)


def _close_deadly_pages(run: Run, strikes: Counter[str]) -> None:
    """Close the addresses whose pages were being read each time the crawling process ended, so that the crawl goes on without them."""
    message = f"the crawling process died or hung {MAX_STRIKES} times while it read this page"
    deadly = [url for url, number in strikes.items() if number >= MAX_STRIKES]
    crawl_frontier.close_addresses(run, [Fetched(url=url, outcome=Outcome.UNREADABLE, message=message) for url in deadly])


def _crawl(run: Run, source: Source, intake: Intake, progress: Progress, strikes: Counter[str]) -> EndReason:
    """Run the crawling process once. Raises CrawlFailed when it dies, JobError when it cannot continue, and Cancelled.

    strikes: {address: how often the process ended while it read this page}; updated here.
    """
    parameters = run.read_parameters()
    extracting = parameters.keeps_no_pages
    now = crawl_frontier.read_standing(run, conditional=not extracting)
    intake.begin(now)
    limit = _limit(run, source)
    progress(intake.pages, total=min(limit, intake.pages + intake.queued), message="Starting")
    if now.pages >= limit:
        return EndReason.PAGE_LIMIT
    frontier = sources.KnownFrontier(now.queued, now.known, limit - now.pages)
    with _spool(run) as spool:
        plan = sources.plan_crawl(source, frontier, spool=spool, sample=not (extracting or source.whole or parameters.refreshes))
        if parameters.refreshes:
            plan = _narrow(plan, run)
        with Crawl(plan, keep_session=partial(store_session, run.site)) as crawl:
            try:
                return _consume(iter(crawl), intake, progress, limit)
            except CrawlFailed:
                strikes.update(read_ledgers(spool))
                raise
            except Cancelled:
                if Run.objects.filter(pk=run.pk, state=Run.State.PAUSED).exists():
                    # Take in the pages that are being fetched, so that they need not be fetched again.
                    crawl.stop()
                    _consume(iter(crawl), intake, None, limit)
                    run.done, run.total = intake.pages, min(limit, intake.pages + intake.queued)
                raise


def _narrow(plan: CrawlPlan, run: Run) -> CrawlPlan:
    """Return the plan of a refresh: with its own patterns, and with what is left of its budget of requests."""
    parameters = run.read_parameters()
    asked = run.addresses.done().count()
    most = None if parameters.requests is None else max(0, parameters.requests - asked)
    return replace(plan, include=parameters.include or plan.include, most_requests=most)


def _consume(events: Iterator[Event], intake: Intake, progress: Progress | None, limit: int) -> EndReason:
    """Take all events and write them in batches; return why the crawl ended.

    The addresses found on a page follow directly after it. A batch is therefore written only when another kind of event
    arrives. Otherwise, a worker that dies in between would lose the links of a page that is marked as done.
    """
    written = time.monotonic()
    try:
        for event in events:
            if not isinstance(event, FoundAddresses | Searched | FetchedAsset) and _due(intake, written):
                intake.write()
                written = time.monotonic()
            if isinstance(event, Done):
                return _last(event, intake)
            intake.take(event)
            if progress and isinstance(event, CrawlProgress):
                _show(intake, progress, limit)
            elif progress:
                progress(intake.pages)
    except CrawlFailed:
        # The pages that it fetched before it died are complete in the spool.
        intake.forget_last()
        intake.write()
        raise
    raise CrawlFailed(gettext("its events ended without the final one"))


def _last(event: Done, intake: Intake) -> EndReason:
    intake.write()
    if event.reason is EndReason.FAILED:
        raise JobError(gettext("The crawl could not go on: %(message)s") % {"message": event.message})
    page_addresses.shorten_addresses(intake.run, event.ignored)
    return event.reason


def _due(intake: Intake, written: float) -> bool:
    full = len(intake.fetched) >= BATCH_PAGES or intake.size_bytes >= BATCH_BYTES
    return full or (bool(intake.fetched or intake.found or intake.searched) and time.monotonic() - written >= BATCH_S)


def _show(intake: Intake, progress: Progress, limit: int) -> None:
    left = f"{intake.queued:,} address{'' if intake.queued == 1 else 'es'} waiting" if intake.queued else "no address waiting"
    progress(intake.pages, total=min(limit, intake.pages + intake.queued), message=f"Fetching, {left}")


def _limit(run: Run, source: Source) -> int:
    """Return the maximum number of pages of a crawl.

    A refresh was given its limit.
    For a sample crawl it is the site's limit or the number of known pages that it asks for (`_known_pages`), whichever is
    larger. It is never more than VERTEX_CRAWL_MAX_PAGES, which is the limit of an extracting crawl.
    """
    most: int = settings.VERTEX_CRAWL_MAX_PAGES
    parameters = run.read_parameters()
    if parameters.keeps_no_pages:
        return most
    if parameters.refreshes:
        return min(most, parameters.limit or most)
    seeded = run.addresses.filter(via=crawl_frontier.SEEDED).count()
    return min(most, max(source.page_limit, seeded))


def _known_pages(run: Run, source: Source) -> Iterator[str]:
    """Yield the addresses of the pages that a crawl asks for in any case, on hosts that may be fetched from.

    These are the kept pages, also those that are gone. If the crawl is for the whole site, or the page limit has room for all pages, they
    are those that are not kept, too, until they have left: no link may lead to a page that the site has deleted. Otherwise they are those
    of which the last crawl found another address, which differs in the query, without a page.
    """
    hosts = frozenset(sources.list_hosts(source))
    pages = run.site.pages.filter(repeated_pages.not_repeated()).exclude(current=None)
    kept, others = Q(pk__in=Snapshot.objects.of_site(run.site).filter(kept=True).values("page")), Q(left_at=None)
    takes_all = run.read_parameters().keeps_no_pages or source.whole or pages.filter(kept | others).count() <= source.page_limit
    wanted = others if takes_all else others & Q(url__in=_list_doubted(run))
    found = pages.filter(kept | wanted).order_by("pk").values_list("url", flat=True)
    for url in found.iterator(chunk_size=10_000):
        if sources.get_host(url) in hosts:
            yield url


def _list_doubted(run: Run) -> list[str]:
    """Return, without their queries, the addresses that the site's last crawl found to have no page; at most `MOST_DOUBTED`."""
    last = Run.objects.filter(site=run.site, kind=Run.Kind.CRAWL, pk__lt=run.pk).order_by("-pk").first()
    rows = CrawlAddress.objects.filter(run=last, outcome__in=crawl_frontier.LOST, url__contains="?").order_by("pk")
    return list(dict.fromkeys(url.partition("?")[0] for url in rows.values_list("url", flat=True)[:MOST_DOUBTED]))


@contextmanager
def _spool(run: Run) -> Iterator[Path]:
    """Make a folder for fetched pages, and delete old ones that dead workers left.

    Each start of the process has a folder of its own, because a worker that was paused may still use the previous one.
    """
    parent = Path(settings.VAR_DIR) / "spool"
    parent.mkdir(parents=True, exist_ok=True)
    for left in parent.iterdir():  # left by workers that died; the rows say what they had done
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < time.time() - ORPHAN_AGE_S:
                shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix=f"crawl-{run.pk}-", dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _ended(run: Run, intake: Intake, reason: EndReason) -> RunSummary:
    outcomes = Counter(crawl_frontier.count_by_outcome(run))
    missed = sum(number for outcome, number in outcomes.items() if outcome not in crawl_frontier.HARMLESS)
    if not intake.pages:
        raise JobError(_explain_no_pages(run, outcomes))
    so_far = run.read_summary()
    summary = replace(
        so_far,
        pages=intake.pages,
        unchanged=max(0, intake.pages - (so_far.new or 0) - (so_far.changed or 0)),
        missed=missed,
        outcomes=dict(outcomes),
        reason=reason.value,
    )
    summary = _count_terms(run, summary)
    if run.read_parameters().refreshes or reason in (EndReason.SETTLED, EndReason.PAGE_LIMIT):
        summary = replace(summary, left=_count_left(run))
    if not run.read_parameters().keeps_no_pages:
        return summary
    extract_records.finish_crawl(run)
    return replace(extract_records.add_states(summary, run), unmatched=crawl_frontier.count_unmatched(run))


def _count_left(run: Run) -> int:
    """Return how many addresses were found and not fetched. Those whose pages are stored are left out, unless this is a refresh."""
    queued = run.addresses.queued()
    if not run.read_parameters().refreshes:
        queued = queued.exclude(url__in=Page.objects.filter(site=run.site).exclude(current=None).values("url"))
    return queued.count()


def _count_terms(run: Run, summary: RunSummary) -> RunSummary:
    """Return the summary with the figures about the terms of the search; unchanged if there is no search."""
    counts = search_terms.count_by_state(run)
    if not counts:
        return summary
    unasked = counts.get(SearchTerm.State.FAILED, 0) + counts.get(SearchTerm.State.WAITING, 0)
    empty = counts.get(SearchTerm.State.NOTHING, 0)
    return replace(summary, terms=sum(counts.values()), empty_terms=empty, unasked_terms=unasked)


def _explain_no_pages(run: Run, outcomes: Counter[str]) -> str:
    """Return why no page was fetched: the most common outcome, with an example address and its message."""
    if not outcomes and (problem := search_terms.find_problem(run)):
        return f"No page was found. The search: {problem}"
    if not outcomes and (term := search_terms.select_terms(run, SearchTerm.State.FAILED).first()):
        return f"No page was found. The search for “{term.term}” had no answer: {term.message}."
    if not outcomes:
        return "No page was found: none of the addresses leads to a page that may be fetched."
    outcome = outcomes.most_common(1)[0][0]
    example = run.addresses.filter(outcome=outcome).order_by("pk")[0]
    message = f" ({example.message})" if example.message else ""
    return f"No page could be fetched. {example.url}: {WORDS[outcome].lower()}{message}."
