"""Templates with their marks and live rules as documents."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from extraction.algorithms.errors import RuleError, XPathError
from extraction.models import Cluster, ClusterCore, Label, OfferedRows, RefreshSchedule, Rule, Site
from extraction.services.folders.collect_schema import collect_rules
from extraction.services.folders.documents import (
    MarkDocument,
    MarkedPageDocument,
    OfferedDocument,
    RefreshDocument,
    RuleDocument,
    TemplateDocument,
    TemplateFiles,
)


@dataclass(frozen=True, slots=True)
class CollectedTemplates:
    """Templates by number. unreadable: the labels of templates whose rule cannot be read, so it is left out."""

    templates: tuple[TemplateFiles, ...]
    unreadable: tuple[str, ...]


def collect_templates(site: Site) -> CollectedTemplates:
    """Return the templates of a site, without those that are only offered and that nobody has worked on."""
    touched = set(Cluster.objects.filter(site=site).touched().values_list("pk", flat=True))
    rows = list(Cluster.objects.filter(site=site).select_related("record_type").order_by("number"))
    cores = {pk: bytes(data) for pk, data in ClusterCore.objects.filter(cluster__site=site).values_list("cluster", "data")}
    rules = {rule.cluster_id: rule for rule in Rule.objects.serving().of_site(site)}
    schedules = {each.cluster_id: each for each in RefreshSchedule.objects.filter(site=site).exclude(cluster=None)}
    labels = _collect_labels(site)
    found, unreadable = [], []
    for cluster in rows:
        if cluster.small and cluster.pk not in touched:
            continue
        rule = rules.get(cluster.pk)
        document = collect_rule(rule) if rule else None
        if rule and document is None:
            unreadable.append(cluster.label)
        template = _collect_template(cluster, schedules.get(cluster.pk))
        found.append(TemplateFiles(template=template, labels=labels.get(cluster.pk, ()), rule=document, core=cores.get(cluster.pk)))
    return CollectedTemplates(tuple(found), tuple(unreadable))


def collect_rule(rule: Rule) -> RuleDocument | None:
    """Return a version of a rule, None if its row does not hold one."""
    try:
        definition = rule.read_definition().as_json()
    except (RuleError, XPathError):
        return None
    return RuleDocument(origin=rule.origin, attributes=tuple(definition["attributes"]), lists=tuple(definition.get("lists", ())))


def collect_refresh(schedule: RefreshSchedule | None) -> RefreshDocument | None:
    """Return when records are refreshed."""
    if schedule is None:
        return None
    return RefreshDocument(
        mode=schedule.mode,
        every_hours=schedule.every_hours,
        times=tuple(schedule.times),
        cron=schedule.cron,
        zone=schedule.zone,
        max_pages=schedule.max_pages,
        paused=schedule.paused_at is not None,
    )


def _collect_template(cluster: Cluster, schedule: RefreshSchedule | None) -> TemplateDocument:
    return TemplateDocument(
        number=cluster.number,
        name=cluster.name,
        record_type=cluster.record_type.slug if cluster.record_type else "",
        ignored=cluster.ignored,
        merged=cluster.merged,
        small=cluster.small,
        masks=tuple(cluster.masks),
        url_patterns=tuple(cluster.url_patterns),
        refresh=collect_refresh(schedule),
        quality_rules=collect_rules(cluster),
    )


def _collect_labels(site: Site) -> Mapping[int, tuple[MarkedPageDocument, ...]]:
    """Return {template: its marks by page}. Contents whose bytes are not kept are left out, because a mark means nothing without them."""
    kept = Label.objects.filter(cluster__site=site, snapshot__kept=True)
    rows = kept.select_related("attribute", "snapshot__page").order_by(
        "snapshot__page", "snapshot__fetched_at", "snapshot__sha256", "row", "attribute__position", "attribute", "position"
    )
    marks: dict[tuple[int, str, str], list[MarkDocument]] = {}
    for label in rows:
        key = (label.cluster_id, label.snapshot.page.url, label.snapshot.sha256)
        place = label.read_location()
        at = place.as_json() if place else None  # PostgreSQL gives the keys of JSON in an order of its own
        marks.setdefault(key, []).append(
            MarkDocument(attribute=label.attribute.name, row=label.row, absent=label.absent, at=at, value=label.value)
        )
    offers: dict[tuple[int, str, str], list[OfferedDocument]] = defaultdict(list)
    offered = OfferedRows.objects.filter(cluster__site=site, snapshot__kept=True).select_related("list", "snapshot__page")
    for each in offered.order_by("snapshot__page", "snapshot__fetched_at", "list__position", "list"):
        key = (each.cluster_id, each.snapshot.page.url, each.snapshot.sha256)
        offers[key].append(OfferedDocument(list=each.list.name, rows=each.rows, whole=each.whole))
    found: dict[int, list[MarkedPageDocument]] = defaultdict(list)
    for key in [*marks, *(key for key in offers if key not in marks)]:
        cluster_id, url, sha256 = key
        page = MarkedPageDocument(url=url, content=sha256, marks=tuple(marks.get(key, ())), offered=tuple(offers.get(key, ())))
        found[cluster_id].append(page)
    return {cluster_id: tuple(pages) for cluster_id, pages in found.items()}
