"""python -m tests.benchmarks.crawling [--pages 3000] [--long 20000]: the crawler against bare Scrapy, and its memory on a long crawl.

Both crawl the test site, served by a process of its own, from its first page: bare Scrapy with a CrawlSpider that follows every link, obeys
robots.txt and keeps each body as a file; ours with all that it does (outcomes, repetitions, shapes, events). Both use the same server and
concurrency without delay, in turn, within one run. Printed: pages a second of both by the clock and by the child's own processor time
(others on the machine do not count there), and their ratio; then the crawler's memory while it fetches 20,000 pages.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from extraction.fetching.crawl.messages import CrawlPlan, Fetched, Outcome
from extraction.fetching.crawl.process import Crawl

CONCURRENCY = 8

EXCLUDED = ("/specials", "/articles", "/calendar", "/session", "/visit", "/shared", "/soft", "/private")

BARE = """
import sys, pathlib, hashlib
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

address, folder, excluded, concurrency = sys.argv[1:]

class Bare(CrawlSpider):
    name = "bare"
    start_urls = [address + "/"]
    rules = [Rule(LinkExtractor(deny=excluded.split(",")), callback="keep", follow=True)]
    count = 0
    def keep(self, response):
        Bare.count += 1
        name = hashlib.sha1(response.url.encode()).hexdigest()
        pathlib.Path(folder, name).write_bytes(response.body)

process = CrawlerProcess({"ROBOTSTXT_OBEY": True, "CONCURRENT_REQUESTS_PER_DOMAIN": int(concurrency), "LOG_LEVEL": "ERROR",
    "DOWNLOAD_DELAY": 0, "TELNETCONSOLE_ENABLED": False})
process.crawl(Bare)
process.start()
print(Bare.count)
"""


@dataclass(frozen=True)
class Speed:
    """pages kept, seconds by the clock, seconds of the crawling process's own time (its start is in both)."""

    pages: int
    clock_s: float
    cpu_s: float


@contextmanager
def served(products: int) -> Iterator[str]:
    """The test site in a process of its own; its address."""
    command = [sys.executable, "-m", "tests.fetching.site_server", "--products", str(products)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.communicate("\n", timeout=20)


def plan(address: str, spool: str) -> CrawlPlan:
    host = address.removeprefix("http://")
    return CrawlPlan(
        spool=spool,
        start=(f"{address}/",),
        permitted=(host,),
        exclude=tuple(f"{path}*" for path in EXCLUDED),
        robots_sitemaps=False,
        delay_s=0.0,
        autothrottle=False,
        concurrency=CONCURRENCY,
    )


def ours(address: str) -> Speed:
    before, begin, pages = _children_cpu_s(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as spool, Crawl(plan(address, spool)) as crawl:
        for event in crawl:
            pages += isinstance(event, Fetched) and event.outcome is Outcome.OK
    return Speed(pages, time.monotonic() - begin, _children_cpu_s() - before)


def bare(address: str) -> Speed:
    before, begin = _children_cpu_s(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        arguments = [address, folder, ",".join(EXCLUDED), str(CONCURRENCY)]
        done = subprocess.run([sys.executable, "-c", BARE, *arguments], capture_output=True, text=True, check=True)
    return Speed(int(done.stdout), time.monotonic() - begin, _children_cpu_s() - before)


def compare(products: int, rounds: int) -> None:
    ratios_clock, ratios_cpu = [], []
    with served(products) as address:
        for _ in range(rounds):
            one, other = bare(address), ours(address)
            ratios_clock.append(other.pages / other.clock_s / (one.pages / one.clock_s))
            ratios_cpu.append(other.pages / other.cpu_s / (one.pages / one.cpu_s))
            for name, each in (("bare Scrapy", one), ("ours", other)):
                rates = f"{each.pages / each.clock_s:.0f} a second, {each.pages / each.cpu_s:.0f} a second of its own time"
                print(f"  {name:12} {each.pages:,} pages: {rates}", flush=True)
    clock, cpu = statistics.median(ratios_clock), statistics.median(ratios_cpu)
    print(f"pages a second, ours to bare Scrapy's: {clock:.2f} by the clock, {cpu:.2f} by processor time (wanted: 0.8)")


def memory(products: int) -> None:
    """The child's resident memory at every tenth of a long crawl."""
    with served(products) as address, tempfile.TemporaryDirectory() as spool, Crawl(plan(address, spool)) as crawl:
        process, done, sizes = psutil.Process(crawl.pid), 0, []
        for event in crawl:
            if isinstance(event, Fetched):
                done += 1
                if event.body:
                    Path(event.body).unlink()
                if done % max(1, products // 10) == 0:
                    sizes.append(process.memory_info().rss / 1e6)
                    print(f"  {done:6,} pages {sizes[-1]:.0f} MB", flush=True)
    growth = f"{sizes[1]:.0f} to {sizes[9]:.0f} MB, {sizes[9] / sizes[1]:.2f} times"
    print(f"memory from the second tenth of {products:,} pages to the last: {growth}")


def _children_cpu_s() -> float:
    used = os.times()
    return used.children_user + used.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=20_000)
    options = parser.parse_args()
    compare(options.pages, options.rounds)
    memory(options.long)


if __name__ == "__main__":
    main()
