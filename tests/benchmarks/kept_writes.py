"""`python -m tests.benchmarks.kept_writes [--pages 2000]`: what the triggers cost that keep counts, columns and the search up to date.

Pages are imported and their records are extracted, in alternating runs with and without the triggers. Printed: processor time with them as
a multiple of that without them, for imports and for extraction. Pages are small, so the share of writing is larger than with real ones.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from typing import Any
from unittest.mock import patch


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vertex-bench-") as folder:
        os.environ |= {"VERTEX_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "vertex.settings"}
        with patch("celery.current_app.send_task"):
            measure(chosen.pages, chosen.runs)
    return 0


def measure(pages: int, runs: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from extraction.models.kept import installing

    call_command("migrate", verbosity=0)
    taken: dict[tuple[str, bool], list[float]] = {}
    for number in range(runs * 2):
        kept = bool(number % 2)
        (installing.create_triggers if kept else installing.remove_triggers)(connection)
        for what, seconds in write_site(number, pages).items():
            taken.setdefault((what, kept), []).append(seconds)
    for what in ("import", "extraction"):
        with_them, without = (statistics.median(taken[what, kept]) for kept in (True, False))
        each = [f"{seconds / pages * 1e6:.0f} µs" for seconds in (with_them, without)]
        print(f"{what}: {with_them / without:.2f} × ({each[0]} a page with triggers, {each[1]} without)")


def write_site(number: int, pages: int) -> dict[str, float]:
    """Import and extract a site, and return {what: seconds of processor time}."""
    from extraction.fetching.items import PageItem
    from extraction.models import RecordType, Run, Site, Snapshot
    from extraction.services.core.runs import Progress
    from extraction.services.records import extract_records
    from extraction.services.rules import rules
    from extraction.services.sites import page_store
    from tests.services import factory
    from tests.views import world

    site = Site.objects.create(name=f"Site {number}", slug=f"site-{number}")
    run = factory.run(site, Run.Kind.IMPORT)
    items = [
        PageItem(url=f"https://shop.example/book/{n}", name="", content=factory.book_html(f"Book {n}", pad=20), content_type="text/html")
        for n in range(pages)
    ]
    began = time.process_time()
    for at in range(0, pages, 100):
        page_store.store_pages(run, items[at : at + 100])
    import_s = time.process_time() - began
    kind: Any = RecordType.objects.first() or factory.record_type()
    cluster = factory.cluster(site, kind=kind, patterns=["shop.example/book/*"])
    Snapshot.objects.filter(page__site=site).update(cluster=cluster)
    rules.publish_rule(world.draft(cluster))
    extraction = extract_records.start_extraction(cluster)
    Run.objects.filter(pk=extraction.pk).update(state="running", claimed_by="bench", started_at=extraction.created_at, attempts=1)
    extraction.refresh_from_db()
    began = time.process_time()
    extract_records.run_extraction(extraction, Progress(extraction))
    return {"import": import_s, "extraction": time.process_time() - began}


if __name__ == "__main__":
    sys.exit(main())
