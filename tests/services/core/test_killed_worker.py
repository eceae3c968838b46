"""A worker killed during an import, a crawl, a clustering or a check: the next one finishes, and nothing is duplicated or lost."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.services import crawler, watched
from tests.services.importing import manifest, site_files, zip_at


class Worker:
    """Processes with one database and one storage of their own."""

    def __init__(self, folder: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("VERTEX_")}
        self._environment = kept | {"VERTEX_VAR_DIR": str(folder), "VERTEX_BROKER_URL": "memory://", "VERTEX_LOG_LEVEL": "ERROR"}
        self._environment["VERTEX_CONFIRM_AFTER_S"] = "0"

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.services.killed", *words]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=120, check=False)


pytestmark = pytest.mark.simulation


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    files = manifest(site_files(24, 12)) | {"empty.html": b"", "inner.zip": b"PK", "about.html": b"<html><p>About"}
    return zip_at(tmp_path / "site.zip", files)


def state(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_killed_workers_leave_the_same_result_as_an_undisturbed_one(archive: Path, tmp_path: Path) -> None:
    undisturbed = state(Worker(tmp_path / "a")("begin", str(archive), "work", "state"))
    assert [run[:2] for run in undisturbed["runs"]] == [["import", "done"], ["cluster", "done"], ["compare", "done"]]
    assert len(undisturbed["pages"]) == 38
    assert len(undisturbed["clusters"]) == 2

    worker = Worker(tmp_path / "b")
    deaths = [
        worker("begin", str(archive), "die", "extraction.services.sites.page_store._settle", "33", "work"),
        worker("die", "extraction.services.intake.import_pages._delete", "1", "work"),
        worker("die", "extraction.services.templates.cluster_pages._forget", "1", "work"),
        worker("die", "extraction.services.templates.sample_pages._read", "3", "work"),
    ]
    assert [death.returncode for death in deaths] == [-signal.SIGKILL] * 4, [death.stderr for death in deaths]
    assert state(worker("work", "state")) == undisturbed


def test_killed_crawls_leave_the_same_result_as_an_undisturbed_one(tmp_path: Path) -> None:
    home, files = "https://shop.example/", site_files(24, 12)
    pages = {f"{home}{name}": {"html": content.decode()} for name, content in files.items()}
    lists = [url for url in pages if "/list/" in url]
    for number, url in enumerate(lists):
        pages[url]["links"] = [book for book in pages if "/book/" in book][number::12]  # type: ignore[assignment]
    pages[home] = {"html": "<html><p>Welcome", "links": [*lists, f"{home}missing"]}  # type: ignore[dict-item]
    calm, net = tmp_path / "calm.json", tmp_path / "net.json"
    crawler.write(calm, pages)
    crawler.write(net, pages)
    undisturbed = state(Worker(tmp_path / "a")("crawl", home, "net", str(calm), "work", "state"))
    assert [run[:2] for run in undisturbed["runs"]][:2] == [["crawl", "done"], ["cluster", "done"]]
    assert (len(undisturbed["pages"]), len(undisturbed["addresses"])) == (37, 38)

    worker = Worker(tmp_path / "b")
    deaths = [
        worker("crawl", home, "net", str(net), "die", "extraction.services.intake.crawl_frontier.close_addresses", "2", "work"),
        worker("net", str(net), "die", "extraction.services.sites.page_store._settle", "9", "work"),
        worker("net", str(net), "die", "extraction.services.intake.crawl_frontier.add_addresses", "3", "work"),
        worker("net", str(net), "die", "extraction.services.templates.cluster_pages.start_clustering", "1", "work"),
    ]
    assert [death.returncode for death in deaths] == [-signal.SIGKILL] * 4, [death.stderr for death in deaths]
    found = state(worker("net", str(net), "work", "state"))
    for kept in ("pages", "snapshots", "clusters", "addresses", "problems", "samples"):
        assert found[kept] == undisturbed[kept], kept
    assert [run[:2] for run in found["runs"]] == [run[:2] for run in undisturbed["runs"]]
    assert found["runs"][0][2]["pages"] == 37
    written = Counter(crawler.fetched(net))
    assert set(written) == set(crawler.fetched(calm)), "nothing is lost"
    assert max(written.values()) <= 1 + len(deaths), "only what was in hand when a worker died is fetched again"


def test_killed_checks_leave_the_same_result_as_an_undisturbed_one_and_alert_once(tmp_path: Path) -> None:
    with watched.webhook() as calm, watched.webhook() as hook:
        undisturbed = state(Worker(tmp_path / "a")("watch", calm.url, "beat", "check", "tell", "0", "found"))
        assert undisturbed["checks"] == [["null", True, 6, 6]]
        assert undisturbed["breakages"] == [["open", ["title"], 2]]
        assert undisturbed["alerts"] == [["break", "sent", 1]]

        worker = Worker(tmp_path / "b")
        deaths = [
            worker("watch", hook.url, "die", "extraction.services.monitoring.monitors._run", "1", "beat"),
            worker("beat", "die", "extraction.services.monitoring.judge_pages._revisit", "3", "check"),
            worker("beat", "die", "extraction.services.monitoring.alerts.queue_alerts", "1", "check"),
            worker("beat", "die", "extraction.services.monitoring.breakages.propose_repair", "1", "check"),
            worker("beat", "die", "extraction.services.rules.rules.add_draft", "1", "check"),
            worker("beat", "check", "die", "extraction.services.monitoring.alerts._settle", "1", "tell", "0"),
        ]
        assert [death.returncode for death in deaths] == [-signal.SIGKILL] * 6, [death.stderr for death in deaths]
        found = state(worker("beat", "check", "tell", "11", "tell", "30", "found"))
        assert len(hook.came) == 1, "told, but the worker died before it could write so: nobody is told twice"
    assert found["alerts"] == [["break", "failed", 1]]
    assert {**found, "alerts": 0} == {**undisturbed, "alerts": 0}


@pytest.mark.parametrize(
    ("begun", "where", "nth", "work"),
    [
        ("import", "sites.page_store._make_visit", "7", "work"),
        ("import", "templates.cluster_pages._forget", "1", "work"),
        ("import", "templates.sample_pages._read", "3", "work"),
        ("crawl", "sites.page_store._make_visit", "2", "work"),
        ("crawl", "intake.crawl_frontier.add_addresses", "3", "work"),
        ("learn", "rules.rules.add_draft", "1", "work"),
        ("check", "monitoring.judge_pages._revisit", "3", "check"),
        ("check", "monitoring.breakages.propose_repair", "1", "check"),
    ],
)
def test_a_worker_whose_site_is_deleted_stops_without_an_error_and_leaves_nothing(
    archive: Path, tmp_path: Path, begun: str, where: str, nth: str, work: str
) -> None:
    home, net = "https://shop.example/", tmp_path / "net.json"
    crawler.write(
        net,
        {home: {"html": "<html><p>Hi", "links": [f"{home}{n}" for n in range(9)]}} | {f"{home}{n}": {"html": f"<p>{n}"} for n in range(9)},
    )
    words = {
        "import": ["begin", str(archive)],
        "crawl": ["crawl", home, "net", str(net)],
        "learn": ["learn"],
        "check": ["watch", "json://127.0.0.1:9/", "beat"],
    }
    done = Worker(tmp_path / "var")(*words[begun], "delete", f"extraction.services.{where}", nth, work, "left")
    assert state(done) == {"rows": [], "deleted": 1}
    assert done.stderr == ""
