"""What gathers around a site over years: runs with what they could not use, verdicts, corrections, comments, joins, checks, deliveries,
alerts and the audit log. The lists of these rows are long, too.
"""

import hashlib
import json
import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from extraction.demo.many.writing import RowWriter, find_next_id, make_time, reset_sequences
from extraction.models import (
    Attribute,
    AuditEntry,
    AuditKind,
    AuditSource,
    Breakage,
    Check,
    Cluster,
    Comment,
    Correction,
    CrawlAddress,
    Join,
    JoinedRecord,
    JoinListing,
    Page,
    Record,
    RecordChange,
    Rule,
    Run,
    RunProblem,
    RunRelease,
    Site,
    TrackedRecord,
)
from extraction.models.join import JoinColumn, JoinFigures, JoinResult

SHARES = {
    "runs": 0.002,
    "problems": 0.05,
    "addresses": 0.05,
    "changes": 0.1,
    "corrections": 0.02,
    "comments": 0.0002,
    "checks": 0.002,
    "joined records": 0.2,
    "log entries": 0.1,
}
"""Rows of each kind, as shares of the pages of all sites."""

PEOPLE = ("ann", "bo", "cy", "di", "eve")


def fill_past(site: Site, *, pages: int, seed: int) -> dict[str, int]:
    """Add to the first template of a site that `fill_database` made what gathers over years. Return {kind of row: number}.

    pages: of all sites; the numbers of rows follow from it.
    """
    cluster, number = Cluster.objects.get(site=site, number=1), {name: max(1, round(share * pages)) for name, share in SHARES.items()}
    filler = _Filler(cluster, random.Random(f"past {seed}"))
    with transaction.atomic():
        runs = filler.add_runs(number["runs"])
        filler.add_problems(number["problems"])
        filler.add_addresses(number["addresses"])
        filler.add_changes(number["changes"], runs)
        filler.add_corrections(number["corrections"])
        filler.add_comments(number["comments"])
        filler.add_checks(number["checks"])
        filler.add_joined(number["joined records"])
        filler.add_log(number["log entries"])
    reset_sequences(*filler.written)
    return {str(table._meta.verbose_name_plural).replace("_", " "): n for table, n in filler.written.items()}


class _Filler:
    """Writes rows of one template and its site."""

    def __init__(self, cluster: Cluster, chance: random.Random) -> None:
        self._cluster, self._site, self._chance = cluster, cluster.site, chance
        self._rule = Rule.objects.get(cluster=cluster)
        self._crawl = Run.objects.filter(site=cluster.site, kind=Run.Kind.CRAWL).earliest("pk")
        self._now = timezone.now()
        self.written: dict[type[models.Model], int] = {}

    def add_runs(self, count: int) -> list[int]:
        """Add extractions with their released records, older than the one that is there. Return their ids."""
        first, done = find_next_id(Run), Run.State.DONE.value
        rows = [(first + n, "done" if n % 9 else "failed", self._at(n), self._at(n), self._at(n), f"{n:064}") for n in range(count)]
        names = ("id", "state", "created_at", "started_at", "finished_at", "target")
        self._write(Run, names, rows, site_id=self._site.pk, cluster_id=self._cluster.pk, kind=Run.Kind.EXTRACT.value, done=9, total=9)
        released = [(run, at, at) for run, state, at, *_ in rows if state == done]
        state = RunRelease.State.RELEASED.value
        self._write_numbered(RunRelease, ("run_id", "judged_at", "decided_at"), released, cluster_id=self._cluster.pk, state=state)
        return [run for run, *_ in released]

    def add_problems(self, count: int) -> None:
        """Add what the crawl could not use."""
        rows = ((f"https://{self._site.slug}.example/lost/{n}",) for n in range(count))
        self._write_numbered(RunProblem, ("name",), rows, run_id=self._crawl.pk, reason="the server said 404")

    def add_addresses(self, count: int) -> None:
        """Add addresses of the crawl that gave no page of their own: most were not found, some repeat another one, some wait."""
        pages = list(Page.objects.filter(site=self._site).order_by("pk").values_list("url", flat=True)[:count])
        rows = []
        for n in range(count):
            url, kind = f"https://{self._site.slug}.example/lost/{n}", n % 10
            outcome, final = ("", "") if kind == 9 else ("duplicate", pages[n % len(pages)]) if kind > 6 else ("not_found", "")
            rows.append((url, "queued" if kind == 9 else "done", outcome, final, None if kind == 9 else self._at(n)))
        self._write_numbered(CrawlAddress, ("url", "state", "outcome", "final_url", "fetched_at"), rows, run_id=self._crawl.pk)

    def add_changes(self, count: int, runs: list[int]) -> None:
        """Add changed prices: before, each was ten pounds more."""
        things = list(TrackedRecord.objects.filter(cluster=self._cluster).order_by("pk").values_list("pk", "values")[:count])
        rows = []
        for n, (thing, values) in enumerate(things):
            now = values.get("price", [])
            before = [{"raw": f"£{n % 90 + 10}.00", "value": f"{n % 90 + 10}.00 GBP", "problem": ""}]
            change = json.dumps({"price": {"from": before, "to": now, "cause": "page"}})
            rows.append((thing, 2, runs[n % len(runs)], self._at(n), change))
        same = {"cluster_id": self._cluster.pk, "kind": "changed", "cause": "page", "rule_id": self._rule.pk}
        self._write_numbered(RecordChange, ("record_id", "number", "run_id", "at", "values"), rows, **same)
        TrackedRecord.objects.filter(cluster=self._cluster, pk__lte=things[-1][0]).update(number=2)

    def add_corrections(self, count: int) -> None:
        """Add corrected titles: a third have ended, some wait for a review."""
        title = Attribute.objects.of_cluster(self._cluster).get(name="title")
        pages = Record.objects.filter(cluster=self._cluster).now().given().order_by("pk").values_list("snapshot__page", flat=True)[:count]
        rows = []
        for n, page in enumerate(pages):
            state = "ended" if n % 3 == 0 else "review" if n % 50 == 1 else "active"
            found = json.dumps(["Another"]) if state == "review" else None
            rows.append((page, state, found, PEOPLE[n % len(PEOPLE)], self._at(n), self._at(n) if state == "ended" else None))
        texts, values = json.dumps(["Emma"]), json.dumps([{"raw": "Emma", "value": "Emma", "problem": ""}])
        same = {
            "attribute_id": title.pk,
            "kind": "corrected",
            "type": "text",
            "texts": texts,
            "values": values,
            "basis": json.dumps(["Ema"]),
        }
        self._write_numbered(Correction, ("page_id", "state", "found", "by_name", "at", "ended_at"), rows, **same)

    def add_comments(self, count: int) -> None:
        """Add comments on the template."""
        rows = ((f"Comment {n} on this template", PEOPLE[n % len(PEOPLE)], self._at(n)) for n in range(count))
        self._write_numbered(Comment, ("text", "by_name", "at"), rows, cluster_id=self._cluster.pk)

    def add_checks(self, count: int) -> None:
        """Add checks that found a broken price, and their breakages, which have ended; other sites have an open one each."""
        rules = {rule.cluster_id: rule for rule in Rule.objects.filter(cluster__number=1).exclude(cluster=self._cluster)}
        rows = [(self._cluster.pk, self._rule.pk, self._at(n)) for n in range(count)]
        rows += [(cluster, rule.pk, self._at(n)) for n, (cluster, rule) in enumerate(sorted(rules.items()))]
        finding = json.dumps({"price": {"kind": "null", "pages": 1, "fraction": 1.0, "null_fraction": 1.0}})
        same = {"verdict": "null", "asked": 1, "reached": 1, "covered_fraction": 1.0, "attributes": finding}
        first = self._write_numbered(Check, ("cluster_id", "rule_id", "checked_at"), rows, **same)
        found = [
            (first + n, cluster, rule, at, "repaired" if n < count else "open", at if n < count else None, float(n % 97))
            for n, (cluster, rule, at) in enumerate(rows)
        ]
        names = ("check_found_id", "cluster_id", "rule_id", "opened_at", "state", "closed_at", "importance")
        self._write_numbered(Breakage, names, found, attributes=json.dumps(["price"]))

    def add_joined(self, count: int) -> None:
        """Add a join of the template, with a record for each of its first pages."""
        columns = (JoinColumn(name="title", source="title"), JoinColumn(name="price", source="price", type="price"))
        result = JoinResult(columns=columns, figures=JoinFigures(joined=count - count // 7, page_alone=count // 7)).as_json()
        join = Join.objects.create(site=self._site, name="Offers with articles", detail=self._cluster, made_at=self._now, result=result)
        JoinListing.objects.create(join=join, cluster=self._cluster)
        pages = (
            Record.objects.filter(cluster=self._cluster)
            .now()
            .given()
            .order_by("pk")
            .values_list("snapshot__page", "values", "text")[:count]
        )
        rows = []
        for n, (page, values, text) in enumerate(pages.iterator(chunk_size=5_000)):
            state = "joined" if n % 7 else "page"
            rows.append((hashlib.sha256(f"{n}".encode()).hexdigest(), page, state, json.dumps(values), text.casefold(), n % 11 > 0))
        self._write_numbered(JoinedRecord, ("digest", "page_id", "state", "values", "text", "complete"), rows, join_id=join.pk)

    def add_log(self, count: int) -> None:
        """Add entries of the audit log, of all people and many kinds."""
        kinds, sources = [each.value for each in AuditKind], [each.value for each in AuditSource]
        rows = (
            (self._at(count - n), sources[n % len(sources)], PEOPLE[n % len(PEOPLE)], self._chance.choice(kinds), f"Template {n}")
            for n in range(count)
        )
        same = {"site_id": self._site.pk, "site_name": self._site.name}
        self._write_numbered(AuditEntry, ("at", "source", "by_name", "kind", "what"), rows, **same)

    def _write_numbered(self, table: type[models.Model], names: Iterable[str], rows: Iterable[tuple[Any, ...]], **same: Any) -> int:
        """Write rows with the next ids. Return the first of these."""
        first = find_next_id(table)
        self._write(table, ("id", *names), ((first + n, *row) for n, row in enumerate(rows)), **same)
        return first

    def _write(self, table: type[models.Model], names: tuple[str, ...], rows: Iterable[tuple[Any, ...]], **same: Any) -> None:
        self.written[table] = self.written.get(table, 0) + RowWriter(table, names, **same).write(rows)

    def _at(self, place: int) -> Any:
        """Return a time of the years before; a larger place is earlier."""
        return make_time(_before(self._now, place))


def _before(now: datetime, place: int) -> datetime:
    return now - timedelta(days=25, minutes=place)
