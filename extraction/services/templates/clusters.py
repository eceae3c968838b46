"""What a person can do with clusters, and what the Templates tab shows of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from extraction.models import (
    AuditKind,
    Breakage,
    Cluster,
    Label,
    Page,
    PageCount,
    RecordCount,
    RecordFigures,
    RecordType,
    Rule,
    Run,
    RunRelease,
    SamplePage,
    Site,
    Snapshot,
)
from extraction.models.rule_report import RuleReport
from extraction.services.core import audit, comments, signals
from extraction.services.core.runs import JobError
from extraction.services.labels import proofs
from extraction.services.schema.new_attributes import find_new_attributes
from extraction.services.templates import merging


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """One row of the Templates tab.

    pages: number of its current pages, with those that it has a record of and whose new content is not sorted yet.
    share_fraction: their share of all current pages of the site.
    preview: the current content of its first sample page, else its oldest page, else a sample page that has left it; None if
        there is none.
    records: how many records it has.
    labelled_pages: number of pages with labels.
    rules: number of versions.
    live_version, draft_version: the version that extracts and the newest unpublished one, None if there is none.
    rule_state: the state of the version that extracts, empty if there is none.
    lost: the attributes that its repair did not find again.
    breakage: the id of the open breakage, None if there is none.
    new_attributes: the attributes that were added after its rule was learned.
    comments: how many comments there are on it and its breakages.
    """

    cluster: Cluster
    pages: int
    share_fraction: float
    preview: Snapshot | None
    records: RecordFigures
    labelled_pages: int
    rules: int
    live_version: int | None
    draft_version: int | None
    rule_state: str
    lost: tuple[str, ...]
    breakage: int | None
    new_attributes: tuple[str, ...] = ()
    comments: int = 0

    @property
    def health(self) -> list[tuple[float, str]]:
        """Shares of its pages by the state of their records, with the colour of the state."""
        return self.records.health(self.pages)


@dataclass(frozen=True, slots=True)
class Overview:
    """The clusters of a site, the largest first and ignored ones last.

    pages: number of current pages.
    unclustered: number of readable pages in no cluster.
    unreadable: number of pages that cannot be read.
    """

    rows: tuple[ClusterRow, ...]
    pages: int
    unclustered: int
    unreadable: int


def list_templates(site: Site) -> Overview:
    """Return the Templates tab, in a constant number of queries."""
    counts = PageCount.objects.filter(site=site).exclude(reading=Page.Reading.NONE).totals("cluster_key", "reading")
    bad = sum(n for (_, reading), n in counts.items() if reading == Page.Reading.UNREADABLE)
    sizes: Counter[int] = Counter()
    for (cluster_id, _), n in counts.items():
        sizes[cluster_id] += n
    total = sum(sizes.values())
    found = list(site.clusters.select_related("record_type", "site", "picture", "assignee"))
    previews = _find_previews(site)
    records = RecordCount.objects.filter(cluster__site=site).figures()
    labels = _count_labelled(site)
    serving = _find_serving(site)
    broken = dict(Breakage.objects.open().of_site(site).values_list("cluster", "pk"))
    new = find_new_attributes(Cluster.objects.filter(site=site))
    commented = comments.count_by_cluster(cluster.pk for cluster in found)
    rules: dict[int, list[tuple[int, str]]] = {}
    for cluster_id, version, state in Rule.objects.of_site(site).order_by("version").values_list("cluster", "version", "state"):
        rules.setdefault(cluster_id, []).append((version, state))
    rows = [
        ClusterRow(
            cluster=cluster,
            pages=(pages := sizes.get(cluster.pk, 0) + records.get(cluster.pk, RecordFigures()).sorting),
            share_fraction=pages / total if total else 0.0,
            preview=previews.get(cluster.pk),
            records=records.get(cluster.pk, RecordFigures()),
            labelled_pages=labels.get(cluster.pk, 0),
            rules=len(rules.get(cluster.pk, [])),
            live_version=_find_last_version(rules.get(cluster.pk, []), Rule.SERVING),
            draft_version=_find_last_version(rules.get(cluster.pk, []), Rule.UNPUBLISHED),
            rule_state=serving.get(cluster.pk, ("", ()))[0],
            lost=serving.get(cluster.pk, ("", ()))[1],
            breakage=broken.get(cluster.pk),
            new_attributes=tuple(new.get(cluster.pk, ())),
            comments=commented[cluster.pk],
        )
        for cluster in found
    ]
    rows.sort(key=lambda row: (row.cluster.ignored, -row.pages, row.cluster.number))
    return Overview(tuple(rows), total, sizes.get(0, 0) - bad, bad)


def rename_template(cluster: Cluster, name: str) -> None:
    """Give a cluster a name. An empty name removes it."""
    before = cluster.name
    cluster.name = " ".join(name.split())[: Cluster._meta.get_field("name").max_length or 0]
    cluster.small = cluster.small and not cluster.name
    with transaction.atomic():
        cluster.save(update_fields=["name", "small"])
        _record(cluster, {"name": before}, {"name": cluster.name})


def ignore_template(cluster: Cluster, ignored: bool) -> None:
    """Set whether a cluster is ignored. A small cluster that was only offered becomes a template."""
    before = cluster.ignored
    cluster.ignored, cluster.small = ignored, False
    with transaction.atomic():
        cluster.save(update_fields=["ignored", "small"])
        _record(cluster, {"ignored": before}, {"ignored": ignored})


def set_record_type(cluster: Cluster, record_type: RecordType | None) -> None:
    """Set what is extracted from a cluster. Raises JobError while it has labels of another record type, and for one of another team."""
    if record_type is not None and record_type.team_id != cluster.site.team_id:
        raise JobError(
            gettext("%(record_type)s belongs to another team than %(site)s; sites of two teams cannot share a record type")
            % {"record_type": record_type, "site": cluster.site}
        )
    if Label.objects.filter(cluster=cluster).exclude(attribute__record_type=record_type).exists():
        raise JobError(gettext("%(cluster)s has marked values of its current record type; clear them first") % {"cluster": cluster.label})
    before = cluster.record_type
    cluster.record_type = record_type
    cluster.small = cluster.small and record_type is None
    with transaction.atomic():
        cluster.save(update_fields=["record_type", "small"])
        _record(cluster, {"record_type": before}, {"record_type": record_type})


def _record(cluster: Cluster, before: Mapping[str, object], after: Mapping[str, object]) -> None:
    if changed := audit.describe_differences(before, after):
        audit.record(AuditKind.TEMPLATE_CHANGED, cluster, text=changed)


@transaction.atomic
def merge_templates(into: Cluster, others: Iterable[Cluster]) -> Cluster:
    """Merge clusters: `into` takes the pages, masks, labels, rules and records of the others, which are deleted.

    The merged cluster and its masks remember the merge, so clustering again does not undo it. Rules keep their order. If `into`
    has a rule that extracts, that of another cluster is retired and its open breakage is closed. Raises JobError for clusters
    of other sites, for labels or rules of another record type, and for clusters whose newest run is held back or was rejected.
    """
    lock_templates(into.site)
    into = Cluster.objects.get(pk=into.pk)
    merged = []
    for other in Cluster.objects.filter(pk__in=[other.pk for other in others if other.pk != into.pk]).order_by("number"):
        if other.site_id != into.site_id:
            raise JobError(gettext("%(other)s belongs to another site") % {"other": other.label})
        if into.record_type_id is None:
            into.record_type_id = other.record_type_id
        elif other.record_type_id not in {None, into.record_type_id} and (other.labels.exists() or other.rules.exists()):
            raise JobError(
                gettext("%(other)s has marked values or rules of a different record type than %(into)s")
                % {"other": other.label, "into": into.label}
            )
        if RunRelease.objects.withheld().filter(cluster=other).exists():
            reason = gettext("the newest run of %(other)s was not released, and a merge would deliver its records") % {"other": other.label}
            raise JobError(gettext("%(reason)s. Release it, or run the rule again, first") % {"reason": reason})
        into.masks = list(dict.fromkeys([*into.masks, *other.masks]))
        into.url_patterns = list(dict.fromkeys([*into.url_patterns, *other.url_patterns]))
        into.name, into.merged, into.small = into.name or other.name, True, False
        merging.move_everything(other, into)
        merged.append(other.label)
        other.delete()
    into.save()
    if merged:
        audit.record(AuditKind.TEMPLATES_MERGED, into, text="merged into it: " + ", ".join(merged))
    signals.templates_merged.send(Site, site=into.site)
    return into


def find_last_number(site: Site) -> int:
    """Return the highest number that a cluster of the site ever had. The runs remember the numbers of deleted clusters."""
    earlier = Run.objects.filter(site=site, kind=Run.Kind.CLUSTER).only("summary")
    now = site.clusters.aggregate(last=Max("number"))["last"] or 0
    return max([int(now), *(run.read_summary().last_number or 0 for run in earlier)])


def lock_templates(site: Site) -> None:
    """Lock the site until the transaction ends, so that clustering and merging wait for each other."""
    Site.objects.select_for_update().get(pk=site.pk)


def _find_oldest(site: Site) -> dict[int, int]:
    """Return {cluster: the current content of its oldest page whose bytes are kept, preferably one that can be read in full}."""
    pages = Page.objects.filter(cluster=OuterRef("pk"), kept=True).order_by("pk")
    whole = Subquery(pages.filter(reading=Page.Reading.WHOLE).values("current")[:1])
    rows = site.clusters.order_by().annotate(first=Coalesce(whole, Subquery(pages.values("current")[:1])))
    return {cluster: first for cluster, first in rows.values_list("pk", "first") if first}


def _find_previews(site: Site) -> dict[int, Snapshot]:
    samples = SamplePage.objects.filter(cluster__site=site, position=0).select_related("snapshot__page")
    chosen = {each.cluster_id: each.snapshot_id for each in samples} | _find_oldest(site)
    for each in samples:
        page = each.snapshot.page
        if page.cluster_id == each.cluster_id and page.kept and page.current_id:
            chosen[each.cluster_id] = page.current_id
    snapshots = Snapshot.objects.select_related("page").in_bulk(list(chosen.values()))
    return {cluster: snapshots[pk] for cluster, pk in chosen.items() if pk in snapshots}


def _find_serving(site: Site) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Return {cluster: (state of the rule that extracts, attributes that its repair did not find again)}."""
    rows = Rule.objects.serving().of_site(site)
    told = list(rows.values_list("cluster", "state", "report__repaired_from", "report__failed"))
    reports = {pk: RuleReport.from_json({"repaired_from": repaired, "failed": failed or []}) for pk, _, repaired, failed in told}
    return {pk: (state, proofs.find_lost(reports[pk])) for pk, state, _, _ in told}


def _count_labelled(site: Site) -> dict[int, int]:
    """Return {cluster: number of pages with labels}."""
    rows = Label.objects.filter(cluster__site=site).order_by().values("cluster")
    return {row["cluster"]: row["n"] for row in rows.annotate(n=Count("snapshot", distinct=True))}


def _find_last_version(rules: list[tuple[int, str]], states: Sequence[str]) -> int | None:
    return next((version for version, each in reversed(rules) if each in states), None)
