"""A worker that can be killed at a chosen point: `python -m tests.services.killed WORD …`.

It has a database and a storage of its own (VERTEX_VAR_DIR). Words: begin ARCHIVE and crawl URL begin a run; net FILE lets crawls find
what FILE says (tests.services.crawler); watch URL makes a watched site, beat starts what is due, check does it, tell MINUTES sends the
alerts so much later, found prints the result; work does what waits, after a sweep; die WHERE NTH lets this process kill itself when
a function is called for the nth time; delete WHERE NTH deletes the site then, and the worker hears of it only by the rows that it
misses; learn makes a site with a mark whose rule is to be learned; left prints the tables that still have rows of a site; state prints all
tables as JSON.
"""

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import django

from tests import migrated


def begin(archive: str) -> None:
    from extraction.models import Site
    from extraction.services.intake import import_pages

    migrated.copy_database(Path(os.environ["VERTEX_VAR_DIR"]))
    import_pages.start_import(Site.objects.create(name="Books", slug="books"), Path(archive), name="site.zip")


def net(file: str) -> None:
    from extraction.fetching.crawl.process import Crawl
    from extraction.services.intake import crawl_site

    program = (sys.executable, "-m", "tests.services.crawler", file)
    crawl_site.Crawl = partial(Crawl, program=program)  # type: ignore[attr-defined, assignment]  # where crawl_site looks it up
    crawl_site.BATCH_PAGES = 3


def crawl(url: str) -> None:
    from extraction.models import Site, Source
    from extraction.services.intake import crawl_site

    migrated.copy_database(Path(os.environ["VERTEX_VAR_DIR"]))
    source = Source.objects.create(site=Site.objects.create(name="Books", slug="books"), addresses=[url], whole=True)
    crawl_site.start_crawl(source.site)


def watch(hook: str) -> None:
    """A shop with a live rule whose pages have a new design, and a channel for alerts."""
    from extraction.models import AlertChannel, Source
    from tests.services import watched

    migrated.copy_database(Path(os.environ["VERTEX_VAR_DIR"]))
    Source.objects.create(site=watched.cluster(6).site, addresses=["https://shop.example/"])
    AlertChannel.objects.create(name="Data team", url=hook, events=["break"])


def beat() -> None:
    from django.utils import timezone

    from extraction.services.monitoring import monitors

    monitors.start_due_checks(timezone.now())


def check() -> None:
    from extraction.fetching.crawl.messages import Outcome
    from extraction.models import Site, Snapshot
    from extraction.services.core import stored_bytes
    from extraction.services.monitoring import fetch_pages

    def fetch(urls: Sequence[str]) -> Mapping[str, fetch_pages.PageAnswer]:
        old = {url: Snapshot.objects.filter(page__url=url).order_by("pk")[0].sha256 for url in urls}
        return {
            url: fetch_pages.PageAnswer(Outcome.OK, stored_bytes.get_bytes(sha256).replace(b"h1", b"h2")) for url, sha256 in old.items()
        }

    def make_fetcher(site: Site, *, spool: str) -> fetch_pages.Fetch:
        return fetch

    fetch_pages.make_fetcher = make_fetcher
    work()


def tell(minutes: str) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from extraction.models import Alert
    from extraction.services.monitoring import alerts

    now = timezone.now() + timedelta(minutes=int(minutes))
    alerts.send_due_alerts(now)
    for alert_id in Alert.objects.values_list("pk", flat=True):
        alerts.deliver_alert(alert_id, now)


def found() -> None:
    from extraction.models import Alert, Breakage, Check, Rule, Run

    rows = {
        "runs": Run.objects.order_by("pk").values_list("kind", "state", "summary"),
        "checks": Check.objects.order_by("pk").values_list("verdict", "confirmed", "asked", "reached"),
        "breakages": Breakage.objects.order_by("pk").values_list("state", "attributes", "proposal__version"),
        "rules": Rule.objects.order_by("pk").values_list("version", "state"),
        "alerts": Alert.objects.order_by("pk").values_list("event", "state", "attempts"),
    }
    json.dump({name: list(values) for name, values in rows.items()}, sys.stdout)


def work() -> None:
    from extraction import pipeline
    from extraction.models import Run
    from extraction.services.core import lost_runs, runs
    from extraction.services.intake import import_pages

    import_pages.BATCH_PAGES = 5
    runs.HEARTBEAT_S = 0.0
    lost_runs.sweep_runs()
    while run := Run.objects.filter(state=Run.State.QUEUED).order_by("pk").first():
        pipeline.execute_run(run.pk)


def learn() -> None:
    from extraction.services.learning import learn_rule
    from tests.services import factory

    migrated.copy_database(Path(os.environ["VERTEX_VAR_DIR"]))
    cluster = factory.shop(6)
    factory.mark(cluster, 0, title=["Book 0"])
    learn_rule.start_learning(cluster)


def die(where: str, nth: str) -> None:
    _do_before(where, int(nth), lambda: os.kill(os.getpid(), signal.SIGKILL))


def delete(where: str, nth: str) -> None:
    from extraction.models import Site
    from extraction.services.core import runs
    from extraction.services.sites import sites

    def delete_unheard() -> None:
        sites.delete_site(Site.objects.get())
        runs.HEARTBEAT_S = 60.0

    _do_before(where, int(nth), delete_unheard)


def _do_before(where: str, nth: int, act: Callable[[], None]) -> None:
    module_name, name = where.rsplit(".", 1)
    module = importlib.import_module(module_name)
    plain: Callable[..., Any] = getattr(module, name)
    calls: list[None] = []

    def changed(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        if len(calls) == nth:
            act()
        return plain(*args, **kwargs)

    setattr(module, name, changed)


def left() -> None:
    from django.apps import apps

    from extraction import tasks
    from extraction.models import AuditEntry, AuditKind
    from tests.views.sites.test_deleted_site import belongs_to_site

    tasks.tidy()
    owned = [model for model in apps.get_app_config("extraction").get_models() if belongs_to_site(model)]
    rows = sorted(model.__name__ for model in owned if model._default_manager.exists())
    json.dump({"rows": rows, "deleted": AuditEntry.objects.filter(kind=AuditKind.SITE_DELETED).count()}, sys.stdout)


def state() -> None:
    from django.core.files.storage import default_storage

    from extraction.models import CrawlAddress, Run, RunProblem, SamplePage, Site
    from extraction.services.core import stored_bytes
    from tests.services.importing import tables

    site = Site.objects.get()
    found = tables(site, times=False)
    for url, *_ in found["snapshots"]:
        for sha256 in site.pages.get(url=url).snapshots.values_list("sha256", flat=True):
            assert stored_bytes.digest_bytes(stored_bytes.get_bytes(sha256)) == sha256
    # Pictures of templates are drawn where there is a browser.
    found["runs"] = list(Run.objects.exclude(kind=Run.Kind.PREVIEW).order_by("pk").values_list("kind", "state", "summary", "done", "total"))
    found["problems"] = list(RunProblem.objects.order_by("name").values_list("name", "reason"))
    found["samples"] = list(
        SamplePage.objects.order_by("cluster", "position").values_list("cluster__number", "snapshot__page__url", "covered_fraction")
    )
    found["uploads"] = default_storage.listdir("uploads")[1] if default_storage.exists("uploads") else []
    found["addresses"] = list(CrawlAddress.objects.order_by("url").values_list("url", "state", "outcome", "depth"))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "vertex.settings"
    django.setup()
    words = iter(sys.argv[1:])
    arguments: dict[str, tuple[Callable[..., None], int]] = {
        "begin": (begin, 1),
        "net": (net, 1),
        "crawl": (crawl, 1),
        "work": (work, 0),
        "die": (die, 2),
        "delete": (delete, 2),
        "learn": (learn, 0),
        "left": (left, 0),
        "state": (state, 0),
        "watch": (watch, 1),
        "beat": (beat, 0),
        "check": (check, 0),
        "tell": (tell, 1),
        "found": (found, 0),
    }
    for word in words:
        function, count = arguments[word]
        function(*(next(words) for _ in range(count)))
