"""A worker that can be killed at a chosen point: `python -m tests.services.killed WORD …`.

It has a database and a storage of its own (VERTEX_VAR_DIR). Words: begin ARCHIVE and crawl URL begin a run; net FILE lets crawls find
what FILE says (tests.services.crawler); watch URL makes a watched site, beat starts what is due, check does it, tell MINUTES sends the
alerts so much later, found prints the result; rule makes a rule for the books that a crawl found, late makes a refresh due, due starts
what is due, feed prints what changed and what was visited; work does what waits, after a sweep; plain does the same without pictures;
die WHERE NTH lets this process kill itself when a function is called for the nth time; state prints all tables as JSON.
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


def begin(archive: str) -> None:
    from django.core.management import call_command

    from extraction.models import Site
    from extraction.services.intake import import_pages

    call_command("migrate", verbosity=0)
    import_pages.start_import(Site.objects.create(name="Books", slug="books"), Path(archive), name="site.zip")


def net(file: str) -> None:
    from extraction.fetching.crawl.process import Crawl
    from extraction.services.intake import crawl_site

    program = (sys.executable, "-m", "tests.services.crawler", file)
    crawl_site.Crawl = partial(Crawl, program=program)  # type: ignore[attr-defined, assignment]  # where crawl_site looks it up
    crawl_site.BATCH_PAGES = 3


def crawl(url: str) -> None:
    from django.core.management import call_command

    from extraction.models import Site, Source
    from extraction.services.intake import crawl_site

    call_command("migrate", verbosity=0)
    source = Source.objects.create(site=Site.objects.create(name="Books", slug="books"), addresses=[url], whole=True)
    crawl_site.start_crawl(source.site)


def watch(hook: str) -> None:
    """A shop with a live rule whose pages have a new design, and a channel for alerts."""
    from django.core.management import call_command

    from extraction.models import AlertChannel, Source
    from tests.services import watched

    call_command("migrate", verbosity=0)
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


def rule() -> None:
    """A live rule for the template of the books, whose records have the title as their key, and a schedule."""
    from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
    from extraction.models import Cluster, RefreshSchedule, Rule
    from extraction.models.rule_report import RuleReport
    from extraction.services.rules import rules
    from tests.services import factory

    kind = factory.record_type({"title": "text", "price": "text"}, mandatory=("title",), multiple=())
    kind.attributes.filter(name="title").update(is_key=True)
    cluster = Cluster.objects.filter(snapshots__page__url__contains="/book/").distinct().get()
    Cluster.objects.filter(pk=cluster.pk).update(record_type=kind)
    cluster.refresh_from_db()
    paths = {"title": "//h1/text()", "price": "//p[@class='price']/b/following-sibling::text()"}
    attributes = (AttributeRule(name, "text", alternatives=(Selector(path),)) for name, path in paths.items())
    rules.publish_rule(rules.add_draft(cluster, RuleDefinition(tuple(attributes)), report=RuleReport(), origin=Rule.Origin.LEARNED))
    RefreshSchedule.objects.create(site=cluster.site, every_hours=24)


def late() -> None:
    from django.utils import timezone

    from extraction.models import RefreshSchedule

    RefreshSchedule.objects.update(next_due_at=timezone.now())


def due() -> None:
    from django.utils import timezone

    from extraction.services.refresh import start_refreshes

    start_refreshes.start_due_refreshes(timezone.now())


def feed() -> None:
    from extraction.models import PageVisits, RecordChange, Refresh, Run, TrackedRecord

    changes = RecordChange.objects.select_related("record").order_by("record", "number")
    runs = {run.pk: run for run in Run.objects.all()}
    visits = PageVisits.objects.select_related("page").order_by("page__url")
    json.dump(
        {
            "changes": [(each.record.key, each.kind, sorted(each.values)) for each in changes],
            "dated": all(each.at >= runs[each.run_id or 0].created_at for each in changes),
            "present": sorted(map(str, TrackedRecord.objects.present())),
            "refreshes": list(Refresh.objects.order_by("pk").values_list("state", "known", "due", "left_out", "note")),
            "runs": sorted((run.kind, run.state) for run in runs.values() if run.kind not in (Run.Kind.ASSETS, Run.Kind.PREVIEW)),
            "visits": [(each.page.url, each.quiet, len(each.changes), each.snapshot_id is None) for each in visits],
        },
        sys.stdout,
    )


def work(*, pictures: bool = True) -> None:
    from extraction import pipeline
    from extraction.models import Run
    from extraction.services.core import lost_runs, runs
    from extraction.services.intake import import_pages

    import_pages.BATCH_PAGES = 5
    runs.HEARTBEAT_S = 0.0
    lost_runs.sweep_runs()
    waiting = Run.objects.filter(state=Run.State.QUEUED).order_by("pk")
    if not pictures:
        waiting = waiting.exclude(kind__in=(Run.Kind.ASSETS, Run.Kind.PREVIEW))
    while run := waiting.first():
        pipeline.execute_run(run.pk)


def plain() -> None:
    work(pictures=False)


def die(where: str, nth: str) -> None:
    module_name, name = where.rsplit(".", 1)
    module = importlib.import_module(module_name)
    living: Callable[..., Any] = getattr(module, name)
    calls: list[None] = []

    def dying(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        if len(calls) == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)
        return living(*args, **kwargs)

    setattr(module, name, dying)


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
        "plain": (plain, 0),
        "die": (die, 2),
        "state": (state, 0),
        "watch": (watch, 1),
        "beat": (beat, 0),
        "check": (check, 0),
        "tell": (tell, 1),
        "found": (found, 0),
        "rule": (rule, 0),
        "late": (late, 0),
        "due": (due, 0),
        "feed": (feed, 0),
    }
    for word in words:
        function, count = arguments[word]
        function(*(next(words) for _ in range(count)))
