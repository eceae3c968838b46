"""What a crawl brings, gathered into batches and written: pages, addresses, and records where the crawl extracts."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from extraction.algorithms.clustering import masked_shingles
from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.sketches import shingles
from extraction.fetching.crawl.messages import Address, Asset, Event, Fetched, Found, Outcome, Progress
from extraction.fetching.items import Answer, PageItem
from extraction.fetching.names import make_printable
from extraction.models import Run, RunProblem, Snapshot
from extraction.services.intake import crawl_frontier
from extraction.services.intake.crawl_extract import Extractor
from extraction.services.sites import page_store

HEADERS = ("content-type", "last-modified", "etag", "content-language")
HEADER_LENGTH = 500

RENDERED_TYPE = "text/html; charset=utf-8"

COUNT_EVERY_S = 3.0
COUNT_PAGES = 3_000
"""How often the templates so far are counted, and up to how many pages: the number is to be looked at, not to hold up the crawl."""


class Intake:
    """What has come and is not written yet, and how far the crawl is.

    pages: pages that are there, in all lives of the crawl. queued: addresses still to be fetched, as the process says. size_bytes:
    of the pages in hand.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.found: list[Address] = []
        self.fetched: list[Fetched] = []
        self.size_bytes = 0
        self.pages = 0
        self.queued = 0
        self._extractor = Extractor(run) if run.read_parameters().keeps_no_pages else None
        self._counted = (0, time.monotonic())

    def begin(self, standing: crawl_frontier.Standing) -> None:
        """A process begins where the rows say the crawl stands; what was in hand went with the one before."""
        self.found, self.fetched, self.size_bytes = [], [], 0
        self.pages, self.queued = standing.pages, len(standing.queued)
        self._add(before=standing.pages)

    def take(self, event: Event) -> None:
        """Takes one event in hand."""
        if isinstance(event, Found):
            self.found += event.addresses
        elif isinstance(event, Fetched):
            self.fetched.append(event)
            self.size_bytes += event.size_bytes
        elif isinstance(event, Progress):
            self.queued = event.queued
        elif isinstance(event, Asset):
            Path(event.body).unlink(missing_ok=True)

    def forget_last(self) -> None:
        """Lets go of the page that came last: its links may not have come."""
        if self.fetched:
            self.size_bytes -= self.fetched.pop().size_bytes

    def write(self) -> None:
        """Writes what is in hand, in the order that lets another worker go on from any point between."""
        site, events = self.run.site, self.fetched
        crawl_frontier.add_addresses(self.run, self.found)
        items = [_item(event) for event in events if event.outcome is Outcome.OK and event.body]
        if items:
            self._store(items)
        crawl_frontier.note_unchanged(site, events)
        gone = crawl_frontier.note_gone(site, events)
        crawl_frontier.close_addresses(self.run, events)
        self.pages += sum(event.outcome in crawl_frontier.PAGES for event in events)
        self._count_pages()
        self._add(gone=(self.run.read_summary().gone or 0) + gone)
        for event in events:
            for name in filter(None, (event.body, event.rendered, event.screenshot)):
                Path(name).unlink(missing_ok=True)
        self.found, self.fetched, self.size_bytes = [], [], 0
        self._count_templates()

    def _store(self, items: list[PageItem]) -> None:
        stored = page_store.store_pages(self.run, items, keep_new=self._extractor is None)
        problems = (*stored.unreadable, *stored.partly)
        for name, reason in problems:
            RunProblem.objects.get_or_create(run=self.run, name=name[:2000], reason=reason[:500])
        if problems:
            told = RunProblem.objects.filter(run=self.run)
            partly = told.filter(reason__startswith=page_store.PARTLY).count()
            self._add(unreadable=told.count() - partly, partly=partly)
        if self._extractor:
            made = self._extractor.extract(items)
            self._add(records=(self.run.read_summary().records or 0) + made)

    def _add(self, **figures: int) -> None:
        summary = self.run.read_summary()
        changed = {name: value for name, value in figures.items() if (getattr(summary, name) or 0) != value}
        if changed:
            self.run.write_summary(replace(summary, **changed))  # type: ignore[arg-type]

    def _count_pages(self) -> None:
        """The pages done stand beside the table of their addresses, so both say the same at any moment."""
        mine = Run.objects.claimed_as(self.run)
        mine.update(done=self.pages)

    def _count_templates(self) -> None:
        """How many templates the pages so far would make, roughly: by their vectors alone."""
        pages, at = self._counted
        if self._extractor or self.pages == pages or time.monotonic() - at < COUNT_EVERY_S or self.pages > COUNT_PAGES:
            return
        rows = Snapshot.objects.of_site(self.run.site).learnable().filter(scheme=shingles.SCHEME).values_list("page", "vector")
        vectors: Mapping[int, int] = {page: int(vector, 16) for page, vector in rows}
        found = masked_shingles.cluster_vectors(vectors, threshold=default_threshold(len(vectors)))
        self._add(templates=len(found.clusters))
        self._counted = (self.pages, time.monotonic())


def _item(event: Fetched) -> PageItem:
    """The page of an answer: the rendered tree where there is one, else the bytes as received."""
    body = Path(event.body or "").read_bytes()
    headers: dict[str, Any] = {name: make_printable(event.headers[name])[:HEADER_LENGTH] for name in HEADERS if event.headers.get(name)}
    url = event.final_url if 0 < len(event.final_url) <= 2000 else event.url
    content, content_type, received = body, headers.get("content-type", ""), None
    if event.rendered:
        content, content_type, received = Path(event.rendered).read_bytes(), RENDERED_TYPE, body
    answer = Answer(event.status or 200, headers, received)
    return PageItem(url, url, content, content_type[:200], crawl_frontier.get_moment(event), answer)
