"""Runs a crawl and records all of its events."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extraction.fetching.crawl.messages import (
    Address,
    CrawlPlan,
    CrawlProgress,
    Done,
    Fetched,
    FetchedAsset,
    FoundAddresses,
    Outcome,
    Searched,
    SearchedTerm,
)
from extraction.fetching.crawl.process import PROGRAM, Crawl
from tests.fetching.site_server import SiteServer


@dataclass
class Told:
    """The events of a crawl. bodies, rendered, screenshots: contents by address. terms: the last that was said of each term of a search."""

    fetched: dict[str, Fetched] = field(default_factory=dict)
    found: list[Address] = field(default_factory=list)
    assets: list[FetchedAsset] = field(default_factory=list)
    progress: list[CrawlProgress] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    rendered: dict[str, bytes] = field(default_factory=dict)
    screenshots: dict[str, bytes] = field(default_factory=dict)
    terms: dict[str, SearchedTerm] = field(default_factory=dict)
    problem: str = ""
    twice: list[str] = field(default_factory=list)
    done: Done | None = None

    def by_outcome(self) -> Counter[Outcome]:
        return Counter(each.outcome for each in self.fetched.values())


def plan_for(server: SiteServer, spool: str, **changes: object) -> CrawlPlan:
    """A quick plan for a server, from its first page."""
    quick = {"delay_s": 0.0, "concurrency": 8, "autothrottle": False, "timeout_s": 5.0, "max_bytes": 2 * 1024**2, "retries": 2}
    given = {"start": (f"{server.address}/",), "permitted": (server.host,)}
    return CrawlPlan(spool=spool, **(quick | given | changes))  # type: ignore[arg-type]


def crawl(server: SiteServer, *, program: Sequence[str] = PROGRAM, **changes: object) -> Told:
    told = Told()
    with tempfile.TemporaryDirectory() as spool, Crawl(plan_for(server, spool, **changes), program=program) as running:
        for event in running:
            take(told, event)
    return told


def take(told: Told, event: object) -> None:
    if isinstance(event, Fetched):
        if event.url in told.fetched:
            told.twice.append(event.url)
        told.fetched[event.url] = event
        for kept, name in ((told.bodies, event.body), (told.rendered, event.rendered), (told.screenshots, event.screenshot)):
            if name:
                kept[event.url] = Path(name).read_bytes()
                Path(name).unlink()
    elif isinstance(event, FoundAddresses):
        told.found += event.addresses
    elif isinstance(event, Searched):
        told.terms |= {each.term: each for each in event.terms}
        told.problem = told.problem or event.problem
    elif isinstance(event, FetchedAsset):
        told.assets.append(event)
    elif isinstance(event, CrawlProgress):
        told.progress.append(event)
    elif isinstance(event, Done):
        told.done = event
