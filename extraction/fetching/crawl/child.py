"""The crawling child: it reads its plan and its commands, runs the spider and reports how the crawl ended."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from twisted.internet import asyncioreactor

from extraction.algorithms.json_values import JsonShapeError
from extraction.fetching.crawl.equipment import Equipment
from extraction.fetching.crawl.messages import Command, CrawlPlan, Done, EndReason, RenderMode
from extraction.fetching.crawl.resolver import CheckedResolver, Lookup
from extraction.fetching.crawl.settings import settings, user_agent
from extraction.fetching.crawl.spider import SiteSpider
from extraction.fetching.crawl.spool import Events, Spool
from extraction.fetching.url_safety import Guard, resolve_host

if TYPE_CHECKING:
    from extraction.fetching.crawl.render import Renderer

PROGRESS_S = 2.0

ORPHAN_S = 10.0
"""How long a child may take to end properly after its parent is gone."""

log = logging.getLogger(__name__)


def main(*, lookup: Lookup = resolve_host) -> None:
    """Run one crawl. lookup: returns the addresses of a host; tests replace it."""
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR, format="%(name)s: %(message)s")
    events = Events(_private_stdout())
    stdin = sys.stdin.buffer
    try:
        plan = CrawlPlan.from_json(stdin.readline())
        if not Path(plan.spool).is_dir():
            raise JsonShapeError(f"spool: there is no folder {plan.spool}")
    except JsonShapeError as error:
        events.say(Done(reason=EndReason.FAILED, message=str(error)))
        events.close(timeout_s=ORPHAN_S)
        return
    reactor, loop = _reactor()
    guard = Guard.of(plan.permitted)
    resolver = CheckedResolver(reactor, guard, trusted=_proxy_of(plan), lookup=lookup)
    reactor.installNameResolver(resolver)
    equipment = Equipment(plan, guard, resolver, events, Spool(Path(plan.spool)), _renderer(plan, guard))
    reactor.callWhenRunning(lambda: loop.create_task(_Run(equipment, stdin, reactor).run()))
    reactor.run(installSignalHandlers=False)
    events.close(timeout_s=ORPHAN_S)


class _Run:
    """One crawl in a running reactor."""

    def __init__(self, equipment: Equipment, stdin: BinaryIO, reactor: Any) -> None:
        self._equipment = equipment
        self._stdin = stdin
        self._reactor = reactor
        self._loop = asyncio.get_event_loop()
        self._stopped = False
        self._crawler: Crawler = AsyncCrawlerRunner(settings(equipment.plan)).create_crawler(SiteSpider)

    async def run(self) -> None:
        self._crawler.signals.connect(self._hear, signal=signals.engine_started)
        progress = self._loop.create_task(self._report())
        try:
            await self._crawler.crawl_async(self._equipment)
            reason = self._reason()
            self._say_progress()
            self._equipment.events.say(Done(reason=reason, ignored=tuple(sorted(self._spider.judge.repeats.ignored))))
        finally:
            progress.cancel()
            if self._equipment.renderer:
                await self._equipment.renderer.close()
            self._reactor.stop()

    def _reason(self) -> EndReason:
        spider = self._spider
        if self._stopped:
            return EndReason.STOPPED
        if spider.at_limit:
            return EndReason.PAGE_LIMIT
        return EndReason.SETTLED if len(spider.frontier) else EndReason.FINISHED

    @property
    def _spider(self) -> SiteSpider:
        return self._crawler.spider  # type: ignore[return-value]

    def _hear(self) -> None:
        """Start to take commands, now that there is an engine to pause and to stop."""
        threading.Thread(target=self._listen, name="commands", daemon=True).start()

    def _listen(self) -> None:
        """Take commands, in a separate thread, until the parent closes the pipe or is gone."""
        acts: dict[Command, Callable[[], None]] = {Command.PAUSE: self._pause, Command.RESUME: self._resume, Command.STOP: self._stop}
        for line in self._stdin:
            try:
                self._loop.call_soon_threadsafe(acts[Command.from_json(line)])
            except JsonShapeError as error:
                log.error("%s", error)
        self._loop.call_soon_threadsafe(self._stop)
        threading.Timer(ORPHAN_S, os._exit, (1,)).start()

    def _pause(self) -> None:
        if self._crawler.engine:
            self._crawler.engine.pause()
            self._say_progress()

    def _resume(self) -> None:
        if self._crawler.engine:
            self._crawler.engine.unpause()
            self._say_progress()

    def _stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._spider.drop_waiting()
            self._loop.create_task(self._crawler.stop_async())

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(PROGRESS_S)
            self._say_progress()

    def _say_progress(self) -> None:
        engine = self._crawler.engine
        if self._crawler.spider:
            self._equipment.events.say(self._spider.progress(paused=bool(engine and engine.paused)))


def _reactor() -> tuple[Any, asyncio.AbstractEventLoop]:
    """Install Twisted's asyncio reactor and return it with its loop. It must be installed before the first import of the reactor."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)  # type: ignore[no-untyped-call]
    from twisted.internet import reactor

    return reactor, loop


def _renderer(plan: CrawlPlan, guard: Guard) -> "Renderer | None":
    """Return a renderer if the plan may need one. It is only imported then, because importing Playwright takes long."""
    if plan.rendered is RenderMode.NEVER and not plan.sign_in.steps:
        return None
    from extraction.fetching.crawl.render import Renderer

    return Renderer(plan, guard, user_agent=user_agent(plan))


def _private_stdout() -> int:
    """Return a descriptor of standard output for events only. Anything else that is printed goes to standard error."""
    private = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return private


def _proxy_of(plan: CrawlPlan) -> tuple[str, int] | None:
    if not plan.proxy:
        return None
    parts = urlsplit(plan.proxy if "://" in plan.proxy else f"http://{plan.proxy}")
    return parts.hostname or "", parts.port or 80
