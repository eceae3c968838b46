"""A bookshop on the net and a clock that tests set: crawls and checks find what the shop shows at that time."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.fetching.crawl import process
from extraction.fetching.crawl.messages import Address, CrawlPlan, Done, EndReason, Event, Fetched, FoundAddresses, Outcome
from extraction.models import Cluster, Run, Source
from extraction.services.intake import crawl_site
from extraction.services.monitoring import fetch_pages
from tests.services.records.bookshop import Bookshop

HOME = "https://shop.example/"


@dataclass
class Clock:
    """The time, which only tests move on. Each look at it is a little later than the one before."""

    at: datetime
    looks: Iterator[int] = field(default_factory=count)

    def __call__(self) -> datetime:
        return self.at + timedelta(microseconds=next(self.looks))


@dataclass
class OnlineShop:
    """What the shop's server answers. down: it answers with errors. asked: the addresses asked for so far, with what was answered."""

    shop: Bookshop
    clock: Clock
    down: bool = False
    tags: bool = True
    asked: list[tuple[str, Outcome]] = field(default_factory=list)

    def pages(self) -> dict[str, bytes]:
        offered = [(url, book) for book in self.shop.books.values() if book.on_sale for url in book.addresses]
        links = "".join(f'<li><a href="{url}">{book.title}</a></li>' for url, book in offered)
        home = f"<html><head><title>Books</title></head><body><ul>{links}</ul></body></html>".encode()
        return {HOME: home, **{url: self.shop.html(book) for url, book in offered}}

    def answer(self, address: Address, spool: str, pages: Mapping[str, bytes]) -> Fetched:
        """Answer as the crawling process does, with an ETag if the shop uses them."""
        content, at = pages.get(address.url), self.clock().isoformat()
        found = Fetched(url=address.url, final_url=address.url, outcome=Outcome.OK, status=200, depth=address.depth, fetched_at=at)
        if self.down:
            found = replace(found, outcome=Outcome.SERVER_ERROR, status=503)
        elif content is None:
            found = replace(found, outcome=Outcome.NOT_FOUND, status=404)
        else:
            digest = sha256(content).hexdigest()
            headers = {"content-type": "text/html; charset=utf-8"} | ({"etag": f'"{digest[:16]}"'} if self.tags else {})
            found = replace(found, headers=headers, size_bytes=len(content))
            if headers.get("etag", "-") == address.etag or digest == address.sha256:
                found = replace(found, outcome=Outcome.NOT_MODIFIED)
            else:
                body = Path(spool) / f"{digest}-{next(self.clock.looks)}"
                body.write_bytes(content)
                found = replace(found, body=str(body))
        self.asked.append((address.url, found.outcome))
        return found


class ShopCrawl:
    """Takes the place of `Crawl`: the same messages, without a process."""

    def __init__(self, net: OnlineShop, plan: CrawlPlan) -> None:
        self.net, self.plan = net, plan

    def __enter__(self) -> "ShopCrawl":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Event]:
        plan, pages = self.plan, self.net.pages()
        seen, queue = {*plan.known, *(each.url for each in plan.queued)}, deque(plan.queued)
        tried = kept = 0

        def find(urls: Sequence[str], *, depth: int) -> Iterator[Event]:
            new = tuple(Address(url=url, depth=depth) for url in urls if url not in seen)
            seen.update(each.url for each in new)
            queue.extend(new)
            if new:
                yield FoundAddresses(addresses=new)

        yield from find((*plan.start, *plan.urls), depth=0)
        while queue:
            if (plan.most_requests is not None and tried >= plan.most_requests) or (
                plan.page_limit is not None and kept >= plan.page_limit
            ):
                break
            address = queue.popleft()
            found = self.net.answer(address, plan.spool, pages)
            tried, kept = tried + 1, kept + (found.outcome in (Outcome.OK, Outcome.NOT_MODIFIED))
            yield found
            if address.url == HOME and found.outcome is Outcome.OK and plan.follow_links:
                yield from find([url for url in pages if url != HOME], depth=1)
        yield Done(reason=EndReason.PAGE_LIMIT if queue else EndReason.FINISHED)


def connect(net: OnlineShop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let crawls and checks meet this shop at this clock's time."""
    monkeypatch.setattr(timezone, "now", net.clock)
    monkeypatch.setattr(crawl_site, "Crawl", lambda plan, **_: ShopCrawl(net, plan))

    def fetch(urls: Sequence[str], *, plan: CrawlPlan, **_: object) -> list[Fetched]:
        pages = net.pages()
        return [net.answer(Address(url=url), plan.spool, pages) for url in urls]

    monkeypatch.setattr(fetch_pages, "fetch_once", fetch)
    assert process.fetch_once is not fetch


def work() -> list[Run]:
    """Do everything that waits, and return what was done."""
    done = []
    while run := Run.objects.queued().exclude(kind__in=(Run.Kind.ASSETS, Run.Kind.PREVIEW)).order_by("pk").first():
        assert pipeline.execute_run(run.pk)
        run.refresh_from_db()
        done.append(run)
    return done


def find_templates(net: OnlineShop, **source: Any) -> Cluster:
    """Fetch the shop for the first time, and return the template of its books as a search for templates found it."""
    shop = net.shop
    Source.objects.create(site=shop.cluster.site, **({"addresses": [HOME], "whole": True, "delay_s": 0.0} | source))
    crawl_site.start_crawl(shop.cluster.site)
    work()
    found = Cluster.objects.filter(site=shop.cluster.site, snapshots__page__url__contains="/book/").distinct().get()
    assert found.snapshots.count() == min(len(net.pages()), source.get("page_limit", 500)) - 1
    return found
