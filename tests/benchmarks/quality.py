"""`python -m tests.benchmarks.quality [--records 50000] [--pages 400]`: what it costs to judge records, beside extracting them.

A shop of `--pages` small pages is extracted, and its records are copied up to `--records` tracked records, a tenth of them changed since
the last released run. Then they are judged by fourteen rules of all kinds. Printed: processor time of judging a record as a multiple of
extracting one, and by what the peak memory grew with half of the records and with all of them. Ends with 1 if judging costs more than
`MOST` of extraction.
"""

import argparse
import os
import sys
import tempfile
import time
from typing import Any
from unittest.mock import patch

MOST = 0.1
"""Judging a record, as a multiple of extracting it from a page that is far smaller than real ones."""

RULES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("required", "title", {}),
    ("required", "isbn", {}),
    ("required", "price", {}),
    ("pattern", "isbn", {"pattern": r"\d{13}(-\d+)?"}),
    ("unique", "isbn", {}),
    ("length", "title", {"shortest": 3, "longest": 200}),
    ("values", "title", {"values": tuple(f"Book {n}" for n in range(5))}),
    ("language", "title", {"languages": ("en",)}),
    ("range", "price", {"low": "1", "high": "60", "currency": "GBP"}),
    ("length", "stock", {"shortest": 3}),
    ("change", "price", {}),
    ("change", "", {}),
    ("monotony", "price", {"direction": "up"}),
    ("count", "", {"least": 0.5}),
)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--pages", type=int, default=400)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vertex-bench-") as folder:
        os.environ |= {"VERTEX_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "vertex.settings"}
        with patch("celery.current_app.send_task"):
            return measure(chosen.records, chosen.pages)


def measure(records: int, pages: int) -> int:
    import django

    django.setup()
    from django.core.management import call_command

    from extraction.models import QualityRule, Run
    from extraction.services.core.runs import Progress
    from extraction.services.quality import judge_run, releases
    from extraction.services.records import extract_records
    from tests.benchmarks.large_page import Meter
    from tests.services.quality.shop_rules import add_rule
    from tests.services.records.bookshop import open_shop

    call_command("migrate", verbosity=0)
    shop = open_shop(1, count=pages)
    shop.visit()
    run = extract_records.start_extraction(shop.cluster)
    Run.objects.filter(pk=run.pk).update(state="running", claimed_by="bench", started_at=run.created_at, attempts=1)
    run.refresh_from_db()
    began = time.process_time()
    extract_records.run_extraction(run, Progress(run))
    extraction_s = (time.process_time() - began) / pages
    judge_run.judge_template(run, shop.cluster)
    Run.objects.filter(pk=run.pk).update(state="done", finished_at=run.created_at)
    releases.settle_run(run)
    for kind, attribute, limits in RULES:
        add_rule(shop, kind, attribute, allowed=0.5, **limits)
    later = Run.objects.create(site=shop.cluster.site, cluster=shop.cluster, kind="extract")
    meter, grown = Meter(), []
    for count in (records // 2, records):
        copy_records(shop.cluster, later, count)
        meter.since()
        release = judge_run.judge_template(later, shop.cluster)
        memory, judging_s = meter.since()
        grown.append(memory / 1e6)
        broken = release.results.filter(broken=True).count()
        judged = release.results.filter(rule__kind="required").first()
        checked, rules = judged.checked if judged else 0, QualityRule.objects.count()
        print(f"{checked:>8,} records judged by {rules} rules ({broken} broken): {judging_s:.1f} s")
    ratio = judging_s / records / extraction_s
    print(f"judging a record costs {ratio:.3f} of extracting it ({judging_s / records * 1e6:.0f} µs, {extraction_s * 1e6:.0f} µs)")
    print(f"peak memory grew by {grown[0]:.1f} MB with half of the records and by {grown[1]:.1f} MB more with all")
    return 1 if ratio > MOST else 0


def copy_records(cluster: Any, run: Any, count: int) -> None:
    """Copy the first records until there are `count`. Every tenth copy has a new price since the last released run."""
    from django.utils import timezone

    from extraction.models import RecordChange, TrackedRecord

    known = list(TrackedRecord.objects.filter(cluster=cluster).order_by("pk")[:200])
    have, now = TrackedRecord.objects.filter(cluster=cluster).count(), timezone.now()
    for start in range(have, count, 1_000):
        made = []
        for number in range(start, min(count, start + 1_000)):
            one = known[number % len(known)]
            isbn = f"{one.key[0]}-{number}"
            values = one.values | {"isbn": [{"raw": isbn, "value": isbn, "problem": ""}]}
            about = {"page_id": one.page_id, "snapshot_id": one.snapshot_id, "first_seen_at": now, "seen_at": now}
            made.append(TrackedRecord(cluster=cluster, key=[isbn], digest=f"{number:064}", values=values, number=1, **about))
        TrackedRecord.objects.bulk_create(made)
        change = {"cluster": cluster, "number": 1, "kind": "changed", "run": run, "at": now, "cause": "page"}
        changes = (RecordChange(record=each, values={"price": change_of(each)}, **change) for each in made[::10])
        RecordChange.objects.bulk_create(changes)


def change_of(record: Any) -> dict[str, Any]:
    """A change to the record's price from half of it."""
    return {"from": [{"raw": "£0.50", "value": "0.50 GBP", "problem": ""}], "to": record.values["price"], "cause": "page"}


if __name__ == "__main__":
    sys.exit(main())
