"""`python -m tests.benchmarks.dashboard [--pages 1000000] [--sites 200] [--folder FOLDER] [--only NAME ...] [--json]`: how long the pages
of the dashboard take when the database is large.

Each page of the dashboard is asked for several times, with the arguments of the largest site. Printed: the 95th percentile of its time as a
multiple of the median of a bare page of the dashboard, which has the layout and an empty form; its milliseconds; and its queries. Ends with
1 if a page takes more than `MOST` times a bare page.

Files, tables and parts that a screen loads later are pages like the others. Times are of the processor on SQLite. On PostgreSQL
(VERTEX_DATABASE_URL names an empty database) they are of the clock, because another process does the work.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

MOST = 10.0
"""The time of a page as a multiple of a bare one."""

BARE = "site_new"

LEAST_TIMES, ENOUGH_S = 3, 4.0
"""A page is asked for this often at least, and not again once its requests have taken so long."""

WHOLE_FILES = {"site_warc", "site_bundle", "records_csv", "records_export", "record_type_export", "joined_export", "site_lab_paths"}
"""Files with all pages or records. They are as long as the table."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--times", type=int, default=12, help="requests of each page (default: 12)")
    parser.add_argument("--folder", type=Path, help="fill a database here if there is none, and keep it")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="only the pages whose name begins like this")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    found = measure_dashboard(chosen.pages, chosen.sites, times=chosen.times, folder=chosen.folder, only=chosen.only, quiet=chosen.json)
    if chosen.json:
        print(json.dumps(found, indent=1))
    return 0 if found["passed"] else 1


def measure_dashboard(
    pages: int, sites: int, *, times: int = 12, folder: Path | None = None, only: Any = (), quiet: bool = False
) -> dict[str, Any]:
    """Measure the pages of the dashboard in a database of that size."""
    with _open_database(folder):
        from django.core.management import call_command

        from extraction.models import Page

        call_command("migrate", verbosity=0)
        if not Page.objects.exists():
            call_command("fill_for_tests", pages=pages, sites=sites, verbosity=0 if quiet else 1)
        addresses = list_addresses()
        return _measure({name: each for name, each in addresses.items() if not only or name.startswith(tuple(only))}, times, quiet)


@contextmanager
def _open_database(folder: Path | None) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="vertex-bench-") as own:
        used = folder or Path(own)
        used.mkdir(parents=True, exist_ok=True)
        os.environ |= {"VERTEX_VAR_DIR": str(used), "DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_ALLOWED_HOSTS": "testserver"}
        import django

        django.setup()
        with patch("celery.current_app.send_task"):
            yield


def list_addresses() -> dict[str, str]:
    """Return {name: address} of all pages that can be looked at, and of the long lists with filters, searches and far pages."""
    from django.urls import reverse

    from tests.views.core.test_access import LOOK

    world = make_world()
    found = {name: reverse(name, args=world.address(name)) for name in LOOK if name not in WHOLE_FILES}
    for name, query in VARIANTS:
        found[f"{name}?{query}"] = f"{reverse(name, args=world.address(name))}?{query}"
    return found


VARIANTS = (
    ("sites", "q=shop+1"),
    ("site_pages", "part=1"),
    ("site_pages", "part=gone"),
    ("site_pages", "part=unreadable"),
    ("site_pages", "part=unclustered"),
    ("site_pages", "q=silver-otter"),
    ("site_pages", "q=castle"),
    ("site_pages", "q=nothing-like-it"),
    ("records", "state=incomplete"),
    ("records", "state=failed"),
    ("records", "q=silver-otter"),
    ("records", "q=castle"),
    ("records", "q=nothing-like-it"),
    ("records", "sort=title"),
    ("records", "sort=-price"),
    ("records", "missing=price"),
    ("changes", "kind=added"),
    ("changes", "q=silver-otter"),
    ("changes", "q=nothing-like-it"),
    ("run_addresses", "q=silver-otter"),
)


def make_world() -> Any:
    """Return the largest site with something of everything, as the tests of the screens have it. It is made once."""
    from extraction.models import Alert, Breakage, Cluster, Clustering, Delivery, JoinedRecord, Page, Rule, Run, Site
    from tests.views import world as worlds

    site = Site.objects.get(slug="shop-001")
    cluster = Cluster.objects.select_related("site", "record_type").get(site=site, number=1)
    assert cluster.record_type
    rule = Rule.objects.serving().get(cluster=cluster)
    page = Page.objects.filter(current__cluster=cluster, current__error="").order_by("pk")[20]
    if not Breakage.objects.exists():
        _mark(cluster)
        worlds.broken(rule, page)
        worlds.joined(page, cluster)
        worlds.delivered(cluster.record_type, Run.objects.filter(site=site).latest("pk"))
        worlds.alert()
        _try_clustering(site)
    run = Run.objects.filter(cluster=cluster, kind=Run.Kind.EXTRACT).latest("pk")
    alert = Alert.objects.latest("pk")
    return worlds.World(
        site,
        cluster,
        page,
        rule,
        run,
        crawl=Run.objects.filter(site=site, kind=Run.Kind.CRAWL).latest("pk"),
        breakage=Breakage.objects.latest("pk"),
        record_type=cluster.record_type,
        alert=alert,
        clustering=Clustering.objects.filter(method="lsh").latest("pk"),
        joined=JoinedRecord.objects.latest("pk"),
        delivery=Delivery.objects.latest("pk"),
    )


def _mark(cluster: Any) -> None:
    """Mark the titles of three sample pages."""
    from extraction.models import Attribute, SamplePage
    from extraction.services.core import stored_bytes
    from tests.services import factory

    title = Attribute.objects.get(record_type=cluster.record_type, name="title")
    for sample in SamplePage.objects.filter(cluster=cluster).select_related("snapshot")[:3]:
        content = stored_bytes.get_bytes(sample.snapshot.sha256)
        factory.label(cluster, sample.snapshot, title, [factory.text_at(content, sample.snapshot.title.split(" | ")[0])])


def _try_clustering(site: Any) -> None:
    """A finished comparison of clusterings on as many pages as the lab takes."""
    from extraction.models import Clustering, Page, Run
    from extraction.models.run_values import RunParameters
    from extraction.services.core import runs

    pages = list(Page.objects.filter(site=site).order_by("pk").values_list("pk", flat=True)[:600])
    run = runs.start_run(Run.Kind.LAB, site, parameters=RunParameters(methods=("lsh",)), unit="clusterings")
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=run.created_at, summary={"methods": 1, "pages": len(pages)})
    Clustering.objects.create(site=site, run=run, groups=[pages], bits=9000.0)
    Clustering.objects.create(
        site=site, run=run, method="lsh", groups=[pages[:-9], pages[-9:]], bits=8000.0, seconds=1.5, peak_bytes=2_000_000
    )


def _measure(addresses: dict[str, str], times: int, quiet: bool) -> dict[str, Any]:
    from django.contrib.auth.models import Group, User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    user, _ = User.objects.get_or_create(username="bench")
    user.groups.add(Group.objects.get_or_create(name="admin")[0])
    client = Client()
    client.force_login(user)
    clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter

    def ask(address: str, part: bool = False) -> float:
        began = clock()
        response = client.get(address, headers={"HX-Request": "true"} if part else {})
        if response.streaming:
            for _ in response:
                pass
        assert response.status_code == 200, f"{address}: {response.status_code}"
        return clock() - began

    from tests.views.core.test_access import PARTS

    bare, found = reverse(BARE), {}
    for _ in range(5):
        ask(bare)
    bares: list[float] = []
    for name, address in addresses.items():
        part = name in PARTS
        ask(address, part)
        with CaptureQueriesContext(connection) as captured:
            taken = [ask(address, part)]
            queries = len(captured)
        while len(taken) < LEAST_TIMES or (len(taken) < times and sum(taken) < ENOUGH_S):
            bares.append(ask(bare))
            taken.append(ask(address, part))
        found[name] = (_percentile(taken), queries, statistics.median(taken))
        if not quiet:
            usual = statistics.median(bares)
            print(f"{found[name][0] / usual:7.1f} ×  {found[name][0] * 1000:8.0f} ms  {queries:3} queries  {name}", flush=True)
    usual = statistics.median(bares)
    ratios = {name: round(p95 / usual, 1) for name, (p95, _, _) in found.items()}
    worst = sorted(ratios.items(), key=lambda each: -each[1])
    if not quiet:
        print(f"bare page: {usual * 1000:.0f} ms; {sum(each > MOST for each in ratios.values())} of {len(ratios)} pages over {MOST:.0f} ×")
    return {
        "ratio": worst[0][1],
        "most": MOST,
        "page": worst[0][0],
        "bare_ms": round(usual * 1000, 1),
        "pages": len(ratios),
        "over": {name: ratio for name, ratio in worst if ratio > MOST},
        "database": connection.vendor,
        "passed": worst[0][1] <= MOST,
    }


def _percentile(taken: list[float], share: float = 0.95) -> float:
    """The 95th percentile, between the two nearest."""
    ordered, place = sorted(taken), share * (len(taken) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


if __name__ == "__main__":
    sys.exit(main())
