"""A worker killed at any moment of a refresh: no change is lost, doubled or dated wrongly, and no visit is counted twice."""

import signal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.services import crawler, factory
from tests.services.core.test_killed_worker import Worker, state

HOME = "https://shop.example/"

MOMENTS = [
    ("extraction.services.refresh.start_refreshes._start", "1", "due"),
    ("extraction.services.refresh.plan_refresh.plan_refresh", "1", "plain"),
    ("extraction.services.intake.crawl_frontier.note_unchanged", "2", "plain"),
    ("extraction.services.sites.page_visits._note_change", "2", "plain"),
    ("extraction.services.monitoring.imported_pages.start_import_check", "1", "plain"),
    ("extraction.services.monitoring.check_template.settle_check", "1", "plain"),
    ("extraction.services.refresh.place_pages._write", "1", "plain"),
    ("extraction.services.refresh.extract_refreshed.start_extraction", "1", "plain"),
    ("extraction.services.records.settled.vouch_for", "1", "plain"),
    ("extraction.services.records.tracking._write_batch", "1", "plain"),
    ("extraction.services.records.finish_tracking.prune_changes", "1", "plain"),
]


def pages(prices: dict[int, str]) -> dict[str, dict[str, Any]]:
    """A shop of these books."""
    books = {n: factory.book_html(f"Book {n}", price=price).decode() for n, price in prices.items()}
    found: dict[str, dict[str, Any]] = {f"{HOME}book/{n}": {"html": html} for n, html in books.items()}
    found[HOME] = {"html": f"<html><p>Welcome to {len(found)} books", "links": [*found]}
    for page in found.values():
        page["headers"] = {"etag": sha256(page["html"].encode()).hexdigest()[:12]}
    return found


@pytest.mark.django_db
def test_killed_refreshes_leave_the_same_as_an_undisturbed_one(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    crawler.write(before, pages({n: f"£{n}.50" for n in range(14)}))
    crawler.write(after, pages({n: f"£{n}.75" if n % 3 == 0 else f"£{n}.50" for n in range(2, 17)}))
    undisturbed, worker = Worker(tmp_path / "a"), Worker(tmp_path / "b")
    for each in (undisturbed, worker):
        for words in (("crawl", HOME, "net", str(before), "plain", "rule"), ("net", str(before), "late", "due", "plain", "late")):
            assert each(*words).returncode == 0
    calm = state(undisturbed("net", str(after), "due", "plain", "feed"))
    kinds = [(kind, names) for _, kind, names in calm["changes"]]
    assert kinds.count(("added", [])) == 17
    assert kinds.count(("changed", ["price"])) == 4
    assert calm["dated"]
    for where, nth, word in MOMENTS:
        died = worker("net", str(after), "die", where, nth, word)
        assert died.returncode == -signal.SIGKILL, (where, died.stderr)
        if word == "due":
            assert state(worker("feed"))["refreshes"] == calm["refreshes"][:1], "the due time is still to come"
            assert worker("net", str(after), "due").returncode == 0
    assert state(worker("net", str(after), "plain", "due", "plain", "feed")) == calm
