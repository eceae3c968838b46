"""Fill the database with sites, pages and records, from a seed.

One site has two fifths of the pages; the others share the rest. Each site has five templates, four of them with a live rule and records.
A tenth of the pages have an earlier content. Some pages cannot be read, are gone or are in no template, and some records are incomplete
or failed. Every record has its row over time, the page it stands on and its first change. The first site has a long past, too
(`past.fill_past`). Addresses share a few hundred contents, so that all pages can be looked at and little is stored.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from extraction.algorithms.rules import xslt
from extraction.demo.many import shop_pages
from extraction.demo.many.past import fill_past
from extraction.demo.many.shop_pages import DESIGNS, SHARES, Content
from extraction.demo.many.writing import RowWriter, find_next_id, make_time, reset_sequences
from extraction.models import (
    Cluster,
    CrawlAddress,
    Page,
    Record,
    RecordChange,
    RecordSource,
    RecordType,
    Rule,
    Run,
    RunProblem,
    RunRelease,
    SamplePage,
    Site,
    Snapshot,
    Source,
    TrackedRecord,
)
from extraction.models.kept import installing

LARGE_SHARE = 0.4
"""The share of all pages that the first site has."""

NAME = "Shop {number:03}"

TABLES = (Page, Snapshot, Record, TrackedRecord, RecordSource, RecordChange, CrawlAddress)


@dataclass(frozen=True, slots=True)
class FilledCounts:
    """How many rows were written, by table."""

    rows: dict[str, int]


@dataclass(slots=True)
class _Template:
    """A template that is being filled. rule, run: None if it has no record type."""

    cluster: Cluster
    contents: list[Content]
    rule: Rule | None
    run: Run | None
    samples: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Rows:
    """The rows of one site that are to be written, by table."""

    pages: list[Any] = field(default_factory=list)
    snapshots: list[Any] = field(default_factory=list)
    records: list[Any] = field(default_factory=list)
    things: list[Any] = field(default_factory=list)
    sources: list[Any] = field(default_factory=list)
    changes: list[Any] = field(default_factory=list)
    addresses: list[Any] = field(default_factory=list)


def fill_database(*, pages: int, sites: int, seed: int, say: Callable[[str], None] = lambda _: None) -> FilledCounts:
    """Add `sites` sites with `pages` pages in all. Raises ValueError if a site would have no page.

    say: is told of each site.
    """
    if sites < 1 or pages < sites:
        raise ValueError(f"{pages} pages cannot be shared by {sites} sites")
    chance = random.Random(seed)
    kind = shop_pages.make_record_type()
    contents = {design: shop_pages.make_contents(design, chance) for design in DESIGNS}
    filler = _Filler(chance, kind, contents)
    with _without_triggers(say):
        for number, count in enumerate(_share_pages(pages, sites, chance), 1):
            with transaction.atomic():
                filler.fill_site(number, count)
            say(f"{NAME.format(number=number)}: {count:,} pages")
        reset_sequences(*TABLES)
        past = fill_past(Site.objects.get(slug=slug_site(1)), pages=pages, seed=seed)
        say("The rows are written. Counts and search indexes follow.")
    return FilledCounts(filler.written | {f"more {name}" if name in filler.written else name: n for name, n in past.items()})


@contextmanager
def _without_triggers(say: Callable[[str], None]) -> Iterator[None]:
    """Write rows without the triggers of kept counts, which take most of the time; afterwards, count everything once."""
    installing.remove_triggers(connection)
    try:
        yield
    finally:
        installing.finish_migration(using=connection.alias)
        with connection.cursor() as cursor:
            # PostgreSQL reads an index alone only where a table was vacuumed, which it does by itself some time after so many rows.
            cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
        say("All is in place.")


def slug_site(number: int) -> str:
    """Return the slug of a site by its number from 1."""
    return NAME.format(number=number).lower().replace(" ", "-")


def _share_pages(pages: int, sites: int, chance: random.Random) -> list[int]:
    """Return the number of pages of each site: one large site, the others of various sizes, none without a page."""
    if sites == 1:
        return [pages]
    large = max(1, round(pages * LARGE_SHARE))
    left = pages - large - (sites - 1)
    if left < 0:
        large, left = pages - (sites - 1), 0
    weights = [chance.random() + 0.1 for _ in range(sites - 1)]
    others = [1 + int(left * weight / sum(weights)) for weight in weights]
    return [pages - sum(others), *others]


class _Filler:
    """Writes one site after another. It gives the ids itself, so that rows can refer to rows that are written later."""

    def __init__(self, chance: random.Random, kind: RecordType, contents: dict[str, list[Content]]) -> None:
        self._chance = chance
        self._kind = kind
        self._contents = contents
        rules = {design: shop_pages.make_rule(design) for design in DESIGNS}
        self._rules = {design: (rule.as_json(), xslt.write_stylesheet(rule)) for design, rule in rules.items()}
        self._ids = {table: find_next_id(table) for table in TABLES}
        self._now = timezone.now()
        self.written: dict[str, int] = {}

    def fill_site(self, number: int, count: int) -> None:
        name = NAME.format(number=number)
        site, _ = Site.objects.get_or_create(slug=slug_site(number), defaults={"name": name})
        if site.pages.exists():
            raise ValueError(f"{name} has pages already")
        Source.objects.get_or_create(site=site, defaults={"addresses": [f"https://{site.slug}.example/"]})
        crawl = self._add_run(site, Run.Kind.CRAWL, days=20, done=count)
        self._add_run(site, Run.Kind.CLUSTER, days=19, done=count)
        templates = [self._add_template(site, design, place) for place, design in enumerate(DESIGNS, 1)]
        rows = _Rows()
        for place in range(count):
            self._add_page(rows, site, templates, crawl, place)
        self._write(rows)
        for template in templates:
            SamplePage.objects.bulk_create(
                SamplePage(cluster=template.cluster, snapshot_id=pk, position=position, covered_fraction=min(1.0, 0.8 + position / 40))
                for position, pk in enumerate(template.samples)
            )

    def _add_template(self, site: Site, design: str, number: int) -> _Template:
        typed = design != DESIGNS[-1]
        cluster = Cluster.objects.create(
            site=site, number=number, url_patterns=[f"{site.slug}.example/{design}/*"], record_type=self._kind if typed else None
        )
        if not typed:
            return _Template(cluster, self._contents[design], None, None)
        definition, stylesheet = self._rules[design]
        rule = Rule.objects.create(
            cluster=cluster,
            version=1,
            state=Rule.State.LIVE,
            origin=Rule.Origin.EDITED,
            definition=definition,
            stylesheet=stylesheet,
            published_at=self._now,
        )
        run = self._add_run(site, Run.Kind.EXTRACT, days=18, cluster=cluster)
        RunRelease.objects.create(cluster=cluster, run=run, state=RunRelease.State.RELEASED, judged_at=self._now, decided_at=self._now)
        return _Template(cluster, self._contents[design], rule, run)

    def _add_run(self, site: Site, kind: Run.Kind, *, days: int, done: int = 0, cluster: Cluster | None = None) -> Run:
        at = self._now - timedelta(days=days)
        run = Run.objects.create(
            site=site,
            kind=kind,
            cluster=cluster,
            state=Run.State.DONE,
            started_at=at,
            finished_at=at + timedelta(hours=1),
            done=done,
            total=done,
        )
        Run.objects.filter(pk=run.pk).update(created_at=at)
        RunProblem.objects.bulk_create(
            RunProblem(run=run, name=f"https://{site.slug}.example/none/{n}", reason="the server said 404") for n in range(10)
        )
        return run

    def _add_page(self, rows: _Rows, site: Site, templates: list[_Template], crawl: Run, place: int) -> None:
        chance, page_id = self._chance, self._take(Page)
        drawn = chance.random()
        template = chance.choices(templates, SHARES)[0]
        design = DESIGNS[template.cluster.number - 1]
        url = f"https://{site.slug}.example/{design}/{shop_pages.draw_slug(chance, place)}"
        gone = self._time(3) if drawn > 0.995 else None
        rows.addresses.append((self._take(CrawlAddress), crawl.pk, url, chance.randint(0, 6), "done", "ok", 200, self._time(20)))
        content = chance.choice(template.contents)
        if chance.random() < 0.1:
            other = chance.choice(template.contents)
            if other is not content:
                self._add_snapshot(rows, page_id, other, template, days=40)
        error = "it is not HTML" if drawn < 0.005 else ""
        unclustered = error or drawn < 0.01
        snapshot = self._add_snapshot(rows, page_id, content, None if unclustered else template, days=20, error=error)
        text = f"{url}\n{'' if error else content.title}".lower()
        sorted_into, reading = None if unclustered else template.cluster.pk, "unreadable" if error else "whole"
        rows.pages.append((page_id, site.pk, url, gone, self._time(20), snapshot, sorted_into, reading, text, True))
        if unclustered:
            return
        if len(template.samples) < 10:
            template.samples.append(snapshot)
        if template.rule and template.run:
            self._add_record(rows, page_id, url, snapshot, content, template.cluster.pk, template.rule.pk, template.run.pk)

    def _add_snapshot(self, rows: _Rows, page_id: int, content: Content, template: _Template | None, *, days: int, error: str = "") -> int:
        pk, vector = self._take(Snapshot), "" if error else content.vector
        cluster = template.cluster.pk if template else None
        rows.snapshots.append(
            (pk, page_id, content.sha256, content.size_bytes, self._time(days), vector, "" if error else content.title, error, cluster)
        )
        return pk

    def _add_record(self, rows: _Rows, page_id: int, url: str, snapshot: int, content: Content, cluster: int, rule: int, run: int) -> None:
        drawn, at = self._chance.random(), self._time(18)
        state = Record.State.FAILED if drawn < 0.01 else Record.State.INCOMPLETE if drawn < 0.05 else Record.State.COMPLETE
        failed = state == Record.State.FAILED
        reason, values, text = ("no attribute was found", "{}", "") if failed else ("", content.values, content.text)
        rows.records.append((self._take(Record), snapshot, cluster, rule, run, state.value, reason, values, text, at))
        if failed:
            return
        thing, (key, digest, key_text) = self._take(TrackedRecord), shop_pages.make_digest(url)
        rows.things.append((thing, cluster, key, digest, key_text, values, page_id, snapshot, rule, at, at))
        rows.sources.append((self._take(RecordSource), thing, page_id, snapshot, at))
        rows.changes.append((self._take(RecordChange), cluster, thing, run, at, rule, snapshot))

    def _write(self, rows: _Rows) -> None:
        page = RowWriter(
            Page,
            ("id", "site_id", "url", "gone_at", "created_at", "current_id", "cluster_id", "reading", "search_text", "kept"),
        )
        snapshot = RowWriter(
            Snapshot,
            ("id", "page_id", "sha256", "size_bytes", "fetched_at", "vector", "title", "error", "cluster_id"),
            content_type="text/html",
            scheme="shingles",
            status=200,
        )
        record = RowWriter(
            Record, ("id", "snapshot_id", "cluster_id", "rule_id", "run_id", "state", "reason", "values", "text", "extracted_at")
        )
        thing = RowWriter(
            TrackedRecord,
            ("id", "cluster_id", "key", "digest", "text", "values", "page_id", "snapshot_id", "rule_id", "first_seen_at", "seen_at"),
            by_address=True,
            number=1,
        )
        source = RowWriter(RecordSource, ("id", "record_id", "page_id", "snapshot_id", "seen_at"))
        change = RowWriter(
            RecordChange,
            ("id", "cluster_id", "record_id", "run_id", "at", "rule_id", "snapshot_id"),
            number=1,
            kind=RecordChange.Kind.ADDED,
        )
        address = RowWriter(CrawlAddress, ("id", "run_id", "url", "depth", "state", "outcome", "status", "fetched_at"))
        for name, writer, some in (
            ("pages", page, rows.pages),
            ("snapshots", snapshot, rows.snapshots),
            ("records", record, rows.records),
            ("records over time", thing, rows.things),
            ("sources", source, rows.sources),
            ("changes", change, rows.changes),
            ("addresses", address, rows.addresses),
        ):
            self.written[name] = self.written.get(name, 0) + writer.write(some)
            some.clear()

    def _take(self, table: Any) -> int:
        taken: int = self._ids[table]
        self._ids[table] += 1
        return taken

    def _time(self, days: int) -> Any:
        """Return a time about `days` days ago; one of few, since making them is slow."""
        return _make_time(self._now, days, self._chance.randrange(48))


_TIMES: dict[tuple[datetime, int, int], Any] = {}


def _make_time(now: datetime, days: int, half_hours: int) -> Any:
    key = (now, days, half_hours)
    if key not in _TIMES:
        _TIMES[key] = make_time(now - timedelta(days=days, minutes=30 * half_hours))
    return _TIMES[key]
