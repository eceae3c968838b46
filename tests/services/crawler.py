"""A crawling process without a network: `python -m tests.services.crawler FILE` speaks `fetching.crawl.messages`.

FILE is JSON: {"pages": {url: {"html", "links", "outcome", "status", "headers", "final_url", "rendered", "same_as",
"message"}}, "log": a file that
gets a line for each address fetched, "die_after": pages after which it dies, once, "hold_after": pages after which it does nothing more
until it is told something, once, "hang_on": the address of a page that hangs it}. An address that is not
among the pages is not found. A page whose ETag the plan names is not modified.
"""

import json
import os
import select
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from extraction.fetching.crawl.messages import (
    Address,
    CrawlPlan,
    CrawlProgress,
    Done,
    EndReason,
    Event,
    Fetched,
    FoundAddresses,
    Outcome,
    event_to_json,
)
from extraction.fetching.crawl.spool import Ledger


def write(path: Path, pages: Mapping[str, Mapping[str, Any]], **others: Any) -> Sequence[str]:
    """Write the file, and return the program to run."""
    path.write_text(json.dumps({"pages": pages, "log": str(path.with_suffix(".log")), **others}))
    return (sys.executable, "-m", "tests.services.crawler", str(path))


def fetched(path: Path) -> list[str]:
    """The addresses that were fetched, in their order, by all processes with this file."""
    log = path.with_suffix(".log")
    return log.read_text().split() if log.exists() else []


def say(event: Event) -> None:
    sys.stdout.write(event_to_json(event) + "\n")
    sys.stdout.flush()


def commands(*, wait: bool = False) -> str:
    """Return the next command of the parent, "" if there is none yet. Exit if the parent has ended."""
    if not wait and not select.select([sys.stdin], [], [], 0)[0]:
        return ""
    line = sys.stdin.readline()
    if not line:
        sys.exit(1)
    return str(json.loads(line)["command"])


def answer(site: Mapping[str, Any], spool: Path, address: Address) -> Fetched:
    page = site["pages"].get(address.url)
    at = datetime.now(UTC).isoformat()
    if page is None:
        return Fetched(url=address.url, outcome=Outcome.NOT_FOUND, status=404, fetched_at=at, message="404 Not Found")
    outcome = Outcome(page.get("outcome", "ok"))
    headers = {"content-type": "text/html; charset=utf-8", **page.get("headers", {})}
    if outcome is Outcome.OK and headers.get("etag") and headers["etag"] == address.etag:
        return Fetched(url=address.url, final_url=address.url, outcome=Outcome.NOT_MODIFIED, status=304, headers=headers, fetched_at=at)
    files = {}
    for kind in ("html", "rendered"):
        if kind in page:
            path = spool / f"{abs(hash(address.url))}.{kind}"
            path.write_text(page[kind], encoding="utf-8")
            files[kind] = str(path)
    return Fetched(
        url=address.url,
        final_url=page.get("final_url", address.url),
        outcome=outcome,
        status=page.get("status", 200),
        headers=headers,
        fetched_at=at,
        body=files.get("html"),
        rendered=files.get("rendered"),
        size_bytes=len(page.get("html", "")),
        depth=address.depth,
        same_as=page.get("same_as", ""),
        message=page.get("message", ""),
    )


def main(path: Path) -> None:
    site = json.loads(path.read_text())
    plan = CrawlPlan.from_json(sys.stdin.readline())
    died, held = path.with_suffix(".died"), path.with_suffix(".held")
    known = set(plan.known)
    queue = deque(plan.queued)
    seen = known | {address.url for address in queue}

    def find(addresses: Sequence[Address]) -> None:
        new = [each for each in addresses if each.url not in seen]
        seen.update(each.url for each in new)
        queue.extend(new)
        if new:
            say(FoundAddresses(addresses=tuple(new)))

    find([Address(url=url) for url in (*plan.start, *plan.urls)])
    pages = 0
    with path.with_suffix(".log").open("a") as log:
        while True:
            hold = site.get("hold_after") == pages and not held.exists()
            if hold:
                held.touch()
            stopped = commands(wait=hold) == "stop"
            if stopped or not queue or (plan.page_limit is not None and pages >= plan.page_limit):
                break
            address = queue.popleft()
            if site.get("hang_on") == address.url:
                with Ledger(Path(plan.spool)).reading(address.url):
                    time.sleep(600)
            event = answer(site, Path(plan.spool), address)
            log.write(f"{address.url}\n")
            log.flush()
            links = site["pages"].get(address.url, {}).get("links", [])
            say(event)
            pages += event.outcome in {Outcome.OK, Outcome.NOT_MODIFIED}
            if site.get("die_after") == pages and not died.exists():
                died.touch()
                os.abort()
            find([Address(url=url, depth=address.depth + 1, via=address.url) for url in links])
            say(CrawlProgress(fetched=pages, queued=len(queue), bytes=0, by_outcome={}))
    reason = EndReason.STOPPED if stopped else EndReason.FINISHED if not queue else EndReason.PAGE_LIMIT
    say(Done(reason=reason, ignored=tuple(site.get("ignored", ()))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
