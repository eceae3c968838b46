"""One shop of `tests.benchmarks.refreshing`, in a process with a database and a storage of its own: PAGES TAGS."""

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

WANTED_BYTES_FRACTION = 0.15
WANTED_CPU_FRACTION = 0.25


@dataclass(frozen=True)
class Cost:
    """What a step cost: bytes that the server sent, and seconds of processor time of this process and its children."""

    sent: int
    cpu_s: float


class Server:
    """The shop's server, in a process of its own, so that its time does not count."""

    def __init__(self, pages: int, *, tags: bool) -> None:
        command = [sys.executable, "-m", "tests.benchmarks._refreshing_server", str(pages), str(int(tags))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self._read()

    def count_sent(self) -> int:
        """Return the bytes that it has sent so far."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._read())

    def stop(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(20)

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


def cpu_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def work(server: Server) -> Cost:
    """Do all runs that wait, without drawing previews, and return what that cost."""
    from extraction import pipeline
    from extraction.models import Run

    sent, used = server.count_sent(), cpu_s()
    while run := Run.objects.queued().exclude(kind__in=(Run.Kind.ASSETS, Run.Kind.PREVIEW)).order_by("pk").first():
        pipeline.execute_run(run.pk)
        run.refresh_from_db()
        assert run.state == Run.State.DONE, (run, run.error)
    return Cost(server.count_sent() - sent, cpu_s() - used)


def fetch_first(server: Server, pages: int) -> tuple[Any, Cost]:
    """Crawl the shop, and return its site and what the crawl alone cost."""
    from extraction import pipeline
    from extraction.models import Site, Source
    from extraction.services.intake import crawl_site

    source = Source.objects.create(
        site=Site.objects.create(name="Shop", slug="shop"),
        addresses=[f"{server.address}/"],
        whole=True,
        page_limit=pages + 1000,
        delay_s=0.0,
    )
    sent, used = server.count_sent(), cpu_s()
    run = crawl_site.start_crawl(source.site)
    pipeline.execute_run(run.pk)
    cost = Cost(server.count_sent() - sent, cpu_s() - used)
    run.refresh_from_db()
    assert (run.read_summary().new or 0) >= pages, (run.error, run.summary)
    return source.site, cost


def publish(site: Any) -> None:
    """Publish a rule for the books and extract their records."""
    from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
    from extraction.models import Cluster, RecordType, Rule
    from extraction.models.rule_report import RuleReport
    from extraction.services.records import extract_records
    from extraction.services.rules import rules
    from tests.services import factory

    kind: RecordType = factory.record_type({"isbn": "text", "title": "text", "price": "price"}, mandatory=("title",), multiple=())
    cluster = Cluster.objects.filter(site=site, snapshots__page__url__contains="/book/").distinct().first()
    assert cluster
    Cluster.objects.filter(pk=cluster.pk).update(record_type=kind)
    cluster.refresh_from_db()
    paths = {"isbn": "//dd[@class='isbn']/text()", "title": "//h1/text()", "price": "//p[@class='price']/text()"}
    attributes = (AttributeRule(name, "text", alternatives=(Selector(path),)) for name, path in paths.items())
    draft = rules.add_draft(cluster, RuleDefinition(tuple(attributes)), report=RuleReport(), origin=Rule.Origin.LEARNED)
    rules.publish_rule(draft)
    extract_records.start_site_extraction(site)


def main(pages: int, *, tags: bool) -> int:
    from django.core.management import call_command
    from django.utils import timezone

    from extraction.models import RecordChange, Run, TrackedRecord
    from extraction.services.refresh import start_refreshes

    call_command("migrate", verbosity=0)
    server = Server(pages, tags=tags)
    try:
        site, first = fetch_first(server, pages)
        work(server)
        publish(site)
        work(server)
        changes = RecordChange.objects.count()
        refresh = start_refreshes.start_refresh(site, now=timezone.now())
        again = work(server)
    finally:
        server.stop()
    assert TrackedRecord.objects.present().count() == pages
    assert RecordChange.objects.count() == changes, "nothing changed"
    outcomes = dict(Run.objects.get(refresh=refresh).read_summary().outcomes or {})
    assert outcomes["not_modified"] >= pages, outcomes
    by_bytes, by_cpu = again.sent / first.sent, again.cpu_s / first.cpu_s
    print(f"{pages:,} unchanged pages, {'with' if tags else 'without'} ETags:")
    print(f"  first fetch {first.sent / 1e6:6.1f} MB {first.cpu_s:6.1f} s of processor time")
    print(f"  refresh     {again.sent / 1e6:6.1f} MB {again.cpu_s:6.1f} s of processor time")
    wanted = f"wanted: {WANTED_BYTES_FRACTION:.0%}" if tags else "bodies come again, so no wish"
    print(f"  refresh to first fetch: {by_bytes:.1%} of the bytes ({wanted}),")
    print(f"    {by_cpu:.1%} of the time (wanted: {WANTED_CPU_FRACTION:.0%})", flush=True)
    return 0 if by_cpu <= WANTED_CPU_FRACTION and (by_bytes <= WANTED_BYTES_FRACTION or not tags) else 1


if __name__ == "__main__":
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "vertex.settings"
    os.environ["VERTEX_CRAWL_PRIVATE_HOSTS"] = "127.0.0.1"
    django.setup()
    sys.exit(main(int(sys.argv[1]), tags=sys.argv[2] == "1"))
