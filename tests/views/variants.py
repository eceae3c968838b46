"""The addresses of the dashboard with all their filters, sort orders, searches and far pages, for the test that counts queries and for the
benchmark.

A query may name a `Words` in braces, such as `after={far_page}`. Names after a `@` choose another object of the world.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.db.models import Max, Min, QuerySet
from django.urls import reverse

from extraction.models import AuditEntry, Correction, CrawlAddress, JoinedRecord, Page, Record, RecordChange, Run, RunProblem
from tests.views.world import World

FAR = 0.9
"""How far down a list its far page begins."""

VARIANTS: Mapping[str, tuple[str, ...]] = {
    "sites": ("q={word}", "q=nothing-like-it"),
    "site_pages": (
        "after={far_page}",
        "before={far_page}",
        "part=1",
        "part=1&after={far_page}",
        "part=gone",
        "part=unreadable",
        "part=unclustered",
        "q={word}",
        "q={word}&part=1",
        "q={word}&after={far_page}",
        "q={rare}",
        "q=nothing-like-it",
        "q=ab",
    ),
    "page": ("value=title.0", "snapshot={snapshot}&value=title.0"),
    "site_runs": ("before={far_run}", "after={far_run}"),
    "run@crawl": ("", "after={far_problem}"),
    "run_addresses": (
        "outcome=ok",
        "outcome=ok&after={far_address}",
        "outcome=not_found",
        "outcome=duplicate",
        "q={word}",
        "outcome=ok&q={word}",
        "outcome=ok&q=nothing-like-it",
    ),
    "records": (
        "after={far_record}",
        "before={far_record}",
        *(f"state={state}" for state in ("complete", "incomplete", "failed")),
        *(f"of={part}" for part in ("outdated", "gone", "elsewhere")),
        "q={word}",
        "q={word}&after={far_record}",
        "q={word}+{rare}",
        "q={rare}",
        "q=nothing-like-it",
        "q=ab",
        "has=price",
        "has=price&after={far_record}",
        "missing=price",
        "missing=title",
        "missing=price&state=incomplete",
        *(f"sort={sign}{name}" for name in ("url", "state", "extracted", "title", "price") for sign in ("", "-")),
        "sort=title&page=200",
        "sort=price&state=incomplete",
        "sort=title&q={word}",
        "sort=title&missing=price",
    ),
    "value_list": (
        "attribute=title",
        "attribute=price",
        "attribute=price&page=9",
        "attribute=title&value={value}",
        "attribute=price&value=",
    ),
    "changes": (
        "before={far_change}",
        "after={far_change}",
        *(f"kind={kind}" for kind in ("added", "changed", "gone", "moved", "back", "joined")),
        *(f"cause={cause}" for cause in ("page", "rule", "correction", "mixed")),
        "since={run}",
        "since={old_run}",
        "kind=changed&cause=page",
        "q={word}",
        "q={word}&kind=changed",
        "q={rare}",
        "q=nothing-like-it",
        "q={word}&since={old_run}",
    ),
    "record_values": ("page=2",),
    "corrections": ("after={far_correction}", "page=99"),
    "quality": ("before={far_release}", "page=9"),
    "release": ("page=2",),
    "record_type_quality_new": ("kind=range&about=attribute-{price}", "kind=count&about=records", "template={template}"),
    "record_type_quality_try": (
        "kind=required&about=attribute-{title}&share=100&weight=warn",
        "kind=range&about=attribute-{price}&low=1&share=100&weight=warn",
        "kind=unique&about=attribute-{title}&share=100&weight=warn",
        "kind=pattern&about=attribute-{title}&pattern=x&share=100&weight=warn",
        "kind=values&about=attribute-{title}&values=x&share=100&weight=warn",
        "kind=length&about=attribute-{title}&shortest=3&share=100&weight=warn",
        "kind=language&about=attribute-{title}&languages=en&share=100&weight=warn",
        "kind=monotony&about=attribute-{price}&direction=up&share=100&weight=warn",
        "kind=change&about=attribute-{price}&share=30&weight=warn",
        "kind=count&about=records&least=50&runs=5&weight=warn",
        "kind=required&about=attribute-{title}&share=100&weight=warn&template={template}",
    ),
    "record_type_quality_suggest": ("template={template}",),
    "records_export_figures": (
        "format=xlsx",
        "values=both&split=1",
        "q={word}",
        "state=incomplete",
        "missing=price",
        "sort=title",
        "released=1",
    ),
    "records_export": ("part=schema", "part=dictionary"),
    "record_type_export": ("part=schema", "part=dictionary"),
    "record_type_export_figures": ("format=parquet", "released=1"),
    "joined_records": (
        "after={far_joined}",
        *(f"of={part}" for part in ("joined", "row", "page", "conflicts", "several", "disagreeing", "incomplete")),
        "q={word}",
        "q=nothing-like-it",
        "missing=price",
        "sort=title",
        "sort=-price",
        "sort=title&page=200",
    ),
    "joined_export_figures": ("q={word}",),
    "join_new": ("detail={cluster}",),
    "join_fields": ("detail={cluster}",),
    "delivery_target_new": ("type={type}&kind=webhook", "type={type}&kind=folder"),
    "record_type_new": ("from=data&template={template}",),
    "rule": ("attribute=title",),
    "site_lab_method": ("group=0", "now=1", "group=0&page=9"),
    "site_lab_paths": ("group=0",),
    "audit_log": (
        "before={far_entry}",
        "after={far_entry}",
        "q=template",
        "q=nothing-like-it",
        "person=ann",
        "person=nobody",
        "site={site}",
        "kind=rule.published",
        "kind=site.deleted&person=ann",
        "source=api",
        "source=api&site={site}&person=ann&kind=rule.published",
        "since=2020-01-01&until=2020-02-01",
        "since=2026-01-01",
        "q=nothing-like-it&site={site}",
    ),
    "sessions": ("page=2",),
    "breakage": ("page=1",),
}
"""{name of an address, with @ and the object if it is not the usual one: queries}."""


@dataclass(frozen=True, slots=True)
class Words:
    """What occurs in the pages. rare: in few of them."""

    word: str = "Book"
    rare: str = "Book 5"


def list_variants(world: World, words: Words = Words()) -> Iterator[tuple[str, str, str]]:
    """Yield (label, name, address) of each variant."""
    said = {name: quote(str(each)) for name, each in _list_names(world, words).items()}
    for named, queries in VARIANTS.items():
        name, _, other = named.partition("@")
        args = [world.crawl.pk] if other == "crawl" else world.address(name)
        for query in queries:
            yield f"{named}?{query}", name, f"{reverse(name, args=args)}?{query.format(**said)}"


def _list_names(world: World, words: Words) -> dict[str, Any]:
    cluster, kind = world.cluster, world.record_type
    attributes = dict(kind.attributes.values_list("name", "pk"))
    value = Record.objects.filter(cluster=cluster).now().given().order_by("pk")[0].values["title"][0]["raw"]
    return {
        "word": words.word,
        "rare": words.rare,
        "value": value,
        "snapshot": world.page.current_id,
        "site": world.site.slug,
        "cluster": cluster.pk,
        "template": cluster.pk,
        "type": kind.slug,
        "title": attributes["title"],
        "price": attributes["price"],
        "run": world.run.pk,
        "old_run": Run.objects.filter(cluster=cluster, kind=Run.Kind.EXTRACT, state=Run.State.DONE).earliest("pk").pk,
        "far_page": _find_far(Page.objects.filter(site=world.site)),
        "far_run": _find_far(Run.objects.filter(site=world.site)),
        "far_problem": _find_far(RunProblem.objects.filter(run=world.crawl)),
        "far_address": _find_far(CrawlAddress.objects.filter(run=world.crawl)),
        "far_record": _find_far(Record.objects.filter(cluster=cluster)),
        "far_change": _find_far(RecordChange.objects.filter(cluster=cluster)),
        "far_joined": _find_far(JoinedRecord.objects.filter(join=world.joined.join_id)),
        "far_correction": _find_far(Correction.objects.of_cluster(cluster)),
        "far_release": _find_far(cluster.releases.all()),
        "far_entry": _find_far(AuditEntry.objects.all()),
    }


def _find_far(found: QuerySet[Any]) -> int:
    """Return an id near the end of a list."""
    ends = found.order_by().aggregate(first=Min("pk"), last=Max("pk"))
    first, last = ends["first"] or 0, ends["last"] or 0
    return int(first + (last - first) * FAR)
