"""Collect the results of a crawl into batches and write them: pages, addresses and, if the crawl extracts, records."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction

from extraction.algorithms.clustering import masked_shingles
from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.sketches import shingles
from extraction.fetching.crawl.messages import Address, CrawlProgress, Event, Fetched, FetchedAsset, FoundAddresses, Outcome, Searched
from extraction.fetching.items import PageItem, RecordedAnswer
from extraction.fetching.names import make_printable
from extraction.models import Run, RunProblem, Snapshot
from extraction.services.intake import crawl_frontier, repeated_pages, search_terms
from extraction.services.intake.crawl_extract import Extractor
from extraction.services.sites import page_store, page_visits

HEADERS = ("content-type", "last-modified", "etag", "content-language")
HEADER_LENGTH = 500

RENDERED_TYPE = "text/html; charset=utf-8"

COUNT_EVERY_S = 3.0
COUNT_PAGES = 3_000
"""How often to count the templates found so far, and up to how many pages. The count is only shown, so it must not slow the
crawl down."""


class Intake:
    """The results of a crawl that are not written yet, and its progress.

    found: addresses not written yet.
    searched: what the search said to terms, not written yet.
    fetched: answers not written yet.
    size_bytes: the size of these answers.
    pages: pages fetched since the run began, including those fetched before a restart.
    queued: addresses still to fetch, as reported by the crawling process.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.found: list[Address] = []
        self.searched: list[Searched] = []
        self.fetched: list[Fetched] = []
        self.size_bytes = 0
        self.pages = 0
        self.queued = 0
        self._extractor = Extractor(run) if run.read_parameters().keeps_no_pages else None
        self._counted = (0, time.monotonic())

    def begin(self, standing: crawl_frontier.Standing) -> None:
        """Begin with the state of the crawl in its rows. Unwritten results of a previous process are dropped."""
        self.found, self.searched, self.fetched, self.size_bytes = [], [], [], 0
        self.pages, self.queued = standing.pages, len(standing.queued)
        self._add(before=standing.pages)

    def take(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, FoundAddresses):
            self.found += event.addresses
        elif isinstance(event, Searched):
            self.searched.append(event)
        elif isinstance(event, Fetched):
            self.fetched.append(event)
            self.size_bytes += event.size_bytes + (Path(event.screenshot).stat().st_size if event.screenshot else 0)
        elif isinstance(event, CrawlProgress):
            self.queued = event.queued
        elif isinstance(event, FetchedAsset):
            Path(event.body).unlink(missing_ok=True)

    def forget_last(self) -> None:
        """Drop the last page, since its links may be missing."""
        if self.fetched:
            self.size_bytes -= self.fetched.pop().size_bytes

    def write(self) -> None:
        """Write all results, in an order that lets another worker continue from any point in between."""
        site = self.run.site
        events = repeated_pages.recognise_repeats(self.run, self.fetched) if self.fetched else []
        crawl_frontier.add_addresses(self.run, self.found)
        search_terms.write_terms(self.run, self.searched)
        items = [_item(event) for event in events if event.outcome is Outcome.OK and event.body]
        if items:
            self._store(items)
        crawl_frontier.note_unchanged(site, events)
        gone = crawl_frontier.note_gone(self.run, events)
        repeated = repeated_pages.note_repeats(self.run, events)
        with transaction.atomic():
            # A visit is counted with the outcome of its address, so that it is counted once even if a worker dies here.
            crawl_frontier.close_addresses(self.run, events)
            page_visits.note_visits(site, {event.final_url or event.url: crawl_frontier.get_moment(event) for event in _visited(events)})
        self.pages += sum(event.outcome in crawl_frontier.PAGES for event in events)
        self._count_pages()
        self._add(gone=(self.run.read_summary().gone or 0) + gone)
        if repeated:
            self._add(repeated=repeated)
        for event in events:
            for name in filter(None, (event.body, event.rendered, event.screenshot)):
                Path(name).unlink(missing_ok=True)
        self.found, self.searched, self.fetched, self.size_bytes = [], [], [], 0
        self._count_templates()

    def _store(self, items: list[PageItem]) -> None:
        stored = page_store.store_pages(self.run, items, keep_new=self._extractor is None)
        problems = (*stored.unreadable, *stored.partly)
        for name, reason in problems:
            RunProblem.objects.get_or_create(run=self.run, name=name[:2000], reason=reason[:500])
        if problems:
            recorded = RunProblem.objects.filter(run=self.run)
            partly = recorded.filter(reason__startswith=page_store.PARTLY).count()
            self._add(unreadable=recorded.count() - partly, partly=partly)
        if self._extractor:
            made = self._extractor.extract(items)
            self._add(records=(self.run.read_summary().records or 0) + made)

    def _add(self, **figures: int) -> None:
        summary = self.run.read_summary()
        changed = {name: value for name, value in figures.items() if (getattr(summary, name) or 0) != value}
        if changed:
            self.run.write_summary(replace(summary, **changed))  # type: ignore[arg-type]

    def _count_pages(self) -> None:
        """Update the run's number of pages together with the table of addresses, so that the two always agree."""
        mine = Run.objects.claimed_as(self.run)
        mine.update(done=self.pages)

    def _count_templates(self) -> None:
        """Estimate how many templates the pages so far have, from their shingle vectors alone."""
        pages, at = self._counted
        if self._extractor or self.pages == pages or time.monotonic() - at < COUNT_EVERY_S or self.pages > COUNT_PAGES:
            return
        rows = Snapshot.objects.of_site(self.run.site).learnable().filter(scheme=shingles.SCHEME).values_list("page", "vector")
        vectors: Mapping[int, int] = {page: int(vector, 16) for page, vector in rows}
        found = masked_shingles.cluster_vectors(vectors, threshold=default_threshold(len(vectors)))
        self._add(templates=len(found.clusters))
        self._counted = (self.pages, time.monotonic())


def _visited(events: Iterable[Fetched]) -> list[Fetched]:
    """Return the answers that say what is at their address: a page, or that there is none."""
    return [event for event in events if event.outcome in crawl_frontier.PAGES or event.outcome in crawl_frontier.LOST]


def _item(event: Fetched) -> PageItem:
    """Return the page of an answer: the rendered tree if there is one, otherwise the received bytes."""
    body = Path(event.body or "").read_bytes()
    headers: dict[str, Any] = {name: make_printable(event.headers[name])[:HEADER_LENGTH] for name in HEADERS if event.headers.get(name)}
    url = event.final_url if 0 < len(event.final_url) <= 2000 else event.url
    content, content_type, received = body, headers.get("content-type", ""), None
    if event.rendered:
        content, content_type, received = Path(event.rendered).read_bytes(), RENDERED_TYPE, body
    answer = RecordedAnswer(
        event.status or 200,
        headers,
        received,
        tuple(make_printable(each) for each in event.notices),
        picture=Path(event.screenshot).read_bytes() if event.screenshot else None,
        picture_note=make_printable(event.screenshot_note),
    )
    return PageItem(url, url, content, content_type[:200], crawl_frontier.get_moment(event), answer)
