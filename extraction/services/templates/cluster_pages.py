"""Clustering: find the pages of a site that share a template, and write the clusters (docs/algorithms.md#page-clustering).

Pages that are gone take no part: nobody will extract from them again, and after a redesign they would form a template of the old design.
They stay in the template that they were in.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Max, Sum
from django.utils.translation import gettext

from extraction.algorithms.clustering import masked_shingles, refinement
from extraction.algorithms.clustering.refinement import SiteTemplates
from extraction.algorithms.clustering.threshold import SMALLEST_THRESHOLD, default_threshold
from extraction.algorithms.sketches import shingles
from extraction.models import Cluster, Clustering, Page, PageCount, Run, Site, Snapshot
from extraction.models.kept.locking import lock_pages
from extraction.models.run_values import EXTRACT, RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.percent import write_number
from extraction.services.core.runs import JobError, Progress
from extraction.services.core.stored_pages import read_bytes
from extraction.services.sites import page_store
from extraction.services.templates import (
    adopting,
    cluster_match,
    clusters,
    page_matching,
    page_steps,
    placing,
    rule_reading,
    sample_pages,
)
from extraction.services.templates.cluster_match import Group

SMALL_PAGES = 5
"""The largest number of similar pages below the threshold that are offered as a small template. A person would have asked for a larger
group."""

CHUNK = 500
"""The number of rows per UPDATE. Databases limit the number of parameters of a statement."""

REVECTOR_PAGES = 100
"""The number of pages read at a time when vectors of an older scheme are renewed."""


def start_clustering(
    site: Site,
    *,
    threshold: int | None = None,
    after: Run | None = None,
    extract: bool = False,
    refresh: int | None = None,
    user: User | None = None,
) -> Run:
    """Start clustering.

    Raises JobError for a threshold below 1, and for one that no template of the site could reach.

    threshold: the fewest pages of a template, None to choose it by the size of the site.
    after: the import that asks for it. It makes this a run of its own, because a clustering that is already running has not
        seen its pages.
    extract: extract the records of the templates whose rules work when it is done.
    refresh: the refresh that goes on after it.
    """
    if threshold is not None and threshold < 1:
        raise JobError(gettext("the minimum is 1 page per template, not %(threshold)s") % {"threshold": threshold})
    pages = PageCount.objects.filter(site=site, kept=True).total() if threshold else 0
    if threshold and threshold > pages:
        raise JobError(
            gettext("%(site)s has %(pages)s pages; with a minimum of %(threshold)s pages per template, it would have no templates")
            % {"site": site.name, "pages": write_number(pages), "threshold": write_number(threshold)}
        )
    parameters = RunParameters(
        threshold=threshold, after=after.pk if after is not None else None, then=EXTRACT if extract else None, refresh=refresh
    )
    return runs.start_run(Run.Kind.CLUSTER, site, parameters=parameters, user=user)


def start_adopting(clustering: Clustering, *, user: User | None = None) -> Run:
    """Start turning the groups of a clustering of the structure lab into the site's templates. Raises JobError if the method gave up."""
    if clustering.reason or not clustering.groups:
        raise JobError(gettext("%(clustering)s has no groups") % {"clustering": clustering})
    parameters = RunParameters(adopt=clustering.pk)
    return runs.start_run(Run.Kind.CLUSTER, clustering.site, parameters=parameters, user=user)


def start_as_usual(site: Site, *, user: User | None = None) -> Run:
    """Start finding the templates of a site as usual, by masked shingles on all pages, whatever was adopted before."""
    return runs.start_run(Run.Kind.CLUSTER, site, parameters=RunParameters(method=""), user=user)


def run_clustering(run: Run, progress: Progress) -> RunSummary:
    """Cluster all current snapshots of the site whose bytes are kept, except those of pages that are gone.

    Clusters that stay the same keep what people gave them.

    The summary has clusters, clustered, small and unclustered, threshold, and last_number, the highest number that a cluster of
    the site ever had.
    """
    site = run.site
    progress(0, total=PageCount.objects.filter(site=site, kept=True).total(), message="Reading the pages")
    _renew_vectors(site, progress)
    found = _find(run, progress)
    progress(len(found.vectors), total=len(found.vectors), message="Writing the templates")
    with transaction.atomic():
        clusters.lock_templates(site)
        if _read_state(site) != found.state:
            # Pages came or another clustering ended meanwhile. Under the lock that cannot happen again.
            found = _find(run, progress)
        if found.method != site.method or run.read_parameters().adopt is not None:
            adopting.remember_templates(run, find_old_clusters(site))
            site.method = found.method
            site.save(update_fields=["method"])
        summary = _write(site, found)
        run.write_summary(summary)
    progress(len(found.vectors), message="Finding address patterns and choosing sample pages")
    clustered = Snapshot.objects.of_site(site).current().kept().exclude(cluster=None).order_by()
    for cluster in list(site.clusters.filter(pk__in=clustered.values("cluster"))):
        page_matching.learn_patterns(cluster)
        page_steps.renew_core(cluster)
        if not cluster.ignored:
            # Choose them now, so that no editor has to wait for them.
            sample_pages.choose_samples(cluster, tell=lambda: progress(len(found.vectors)))
    return summary


@dataclass(frozen=True, slots=True)
class _Found:
    """A clustering of the pages as they were at `state`.

    method: as in `Site`.
    vectors: {page id: vector} of the readable pages.
    read: {page: the template whose live rule reads its new content whole}.
    """

    state: tuple[int, int, int]
    method: str
    threshold: int
    vectors: dict[int, int]
    groups: list[Group]
    left: list[int]
    read: Mapping[int, int]


def _read_state(site: Site) -> tuple[int, int, int]:
    """Return a value that changes when a page comes, goes or gets new content."""
    row = Page.objects.filter(site=site).aggregate(n=Count("current"), last=Max("current"), sum=Sum("current"))
    return row["n"], row["last"] or 0, row["sum"] or 0


def _find(run: Run, progress: Progress) -> _Found:
    site, state = run.site, _read_state(run.site)
    there = Snapshot.objects.of_site(site).learnable().filter(scheme=shingles.SCHEME, page__gone_at=None)
    rows = there.order_by("page").values_list("page", "vector")
    vectors = {page: int(vector, 16) for page, vector in rows.iterator(chunk_size=10_000)}
    parameters, read = run.read_parameters(), rule_reading.find_read_whole(site)
    threshold = parameters.threshold or default_threshold(len(vectors))
    reader = page_steps.Reader(site, lambda read: progress(min(read, len(vectors))))
    progress(0, message="Comparing the pages")
    if parameters.adopt is not None:
        clustering = _get_adopted(site, parameters.adopt)
        groups = adopting.group_by_clustering(clustering, list(vectors), reader, threshold)
        return _Found(state, clustering.method, threshold, vectors, *groups, read={})
    method = site.method if parameters.method is None else parameters.method
    if method:
        changed = set(Snapshot.objects.of_site(site).current().kept().filter(cluster=None).values_list("page", flat=True))
        groups = adopting.group_by_templates(site, find_old_clusters(site), vectors, changed, reader, threshold)
        return _Found(state, method, threshold, vectors, *groups, read)
    first = masked_shingles.cluster_vectors(vectors, threshold=threshold)
    templates = refinement.refine_clusters(first, reader, threshold=threshold)
    return _Found(state, "", threshold, vectors, *_make_groups(templates, threshold, reader), read)


def _get_adopted(site: Site, pk: int) -> Clustering:
    """Return the clustering to adopt. Raises JobError if it no longer exists."""
    found = Clustering.objects.filter(pk=pk, site=site).first()
    if found is None:
        raise JobError(gettext("the clustering is no longer kept; compare again"))
    return found


def _make_groups(templates: SiteTemplates[int], threshold: int, reader: page_steps.Reader) -> tuple[list[Group], list[int]]:
    """Return the templates, with the few alike pages that are only offered, and the pages left."""
    both = refinement.refine_clusters(templates, reader, threshold=SMALLEST_THRESHOLD) if threshold > SMALLEST_THRESHOLD else templates
    groups, left = [], list(both.unclustered)
    for cluster in both.clusters:
        small = len(cluster.members) < threshold
        if small and len(cluster.members) > SMALL_PAGES:
            left += cluster.members
        else:
            groups.append(Group(tuple(mask.text() for mask in cluster.masks), cluster.members, small))
    return groups, sorted(left)


def _write(site: Site, found: _Found) -> RunSummary:
    """Write clusters and memberships. The caller holds the site's lock."""
    rows = {cluster.pk: cluster for cluster in site.clusters.all()}
    olds = adopting.list_old_clusters(rows.values())
    gone = _find_gone(site)
    words, before = placing.Words.of(site), {page: home for page, home in find_old_clusters(site).items() if page not in gone}
    read = {page: home for page, home in found.read.items() if home in rows and page in found.vectors}
    groups, stay = cluster_match.split_read_pages(cluster_match.remove_placed(found.groups, words.belongs, before), read)
    chosen = [*cluster_match.match_groups(groups, olds, before), *(group.known for group in stay)]
    groups += stay
    pages: dict[int, list[int]] = defaultdict(list)
    masks: dict[int, list[str]] = defaultdict(list)
    small: dict[int, bool] = {}
    number = last_number = clusters.find_last_number(site)
    for group, old_id in zip(groups, chosen, strict=True):
        if old_id is None:
            number += 1
            created = Cluster.objects.create(site=site, number=number)
            rows[created.pk], old_id = created, created.pk
        pages[old_id] += group.members
        masks[old_id] += group.masks
        small[old_id] = small.get(old_id, True) and group.small
    left = {page: found.vectors[page] for page in found.left if page not in read}
    for old in sorted(olds, key=lambda old: old.number):
        if old.merged:
            kept, joined = cluster_match.keep_masks(old, masks[old.id], left)
            masks[old.id], pages[old.id] = list(kept), pages[old.id] + list(joined)
            for page in joined:
                del left[page]
    home = {page: cluster_id for cluster_id, members in pages.items() for page in members}
    home = words.settle(home, set(before), site)
    _assign(site, home, gone)
    alive = Counter(pk for page, pk in home.items() if page not in gone)
    _write_masks(site, [rows[pk] for pk in alive if pk in rows], masks, small)
    _forget(site, {*alive, *(pk for pk in gone.values() if pk is not None)})
    return _summarize(site, found, alive, max(last_number, number))


def _write_masks(site: Site, rows: Iterable[Cluster], masks: Mapping[int, list[str]], small: Mapping[int, bool]) -> None:
    """Write the clusters' masks, and which small clusters are only offered because nobody has worked on them."""
    theirs = set(site.clusters.touched().values_list("pk", flat=True))
    for row in rows:
        wanted = masks.get(row.pk, []), small.get(row.pk, False) and row.pk not in theirs
        if (row.masks, row.small) != wanted:
            row.masks, row.small = wanted
            row.save(update_fields=["masks", "small"])


def _summarize(site: Site, found: _Found, alive: Mapping[int, int], last_number: int) -> RunSummary:
    """Return the figures of a clustering. The pages of small clusters count as neither clustered nor unclustered."""
    small = set(site.clusters.filter(small=True).values_list("pk", flat=True))
    clustered = sum(pages for pk, pages in alive.items() if pk not in small)
    return RunSummary(
        clusters=len(set(alive) - small),
        clustered=clustered,
        small=len(set(alive) & small),
        unclustered=len(found.vectors) - sum(alive.values()),
        threshold=found.threshold,
        last_number=last_number,
    )


def find_old_clusters(site: Site, pages: Collection[int] | None = None) -> dict[int, int]:
    """Return {page: the cluster of its current snapshot, or if its content is new, of its newest snapshot that has one}.

    pages: return only these; all pages of the site if it is None.
    """
    if pages is not None and len(pages) > adopting.FEW_PAGES:
        every = find_old_clusters(site)
        return {page: every[page] for page in pages if page in every}
    rows = Snapshot.objects.filter(page__site=site).exclude(cluster=None).annotate(now=F("page__current"))
    if pages is not None:
        rows = rows.filter(page__in=pages)
    found: dict[int, int] = {}
    settled: set[int] = set()
    for pk, page, cluster, now in rows.order_by("fetched_at", "pk").values_list("pk", "page", "cluster", "now").iterator(chunk_size=10_000):
        if page not in settled:
            found[page] = cluster
        if pk == now:
            settled.add(page)
    return found


def _find_gone(site: Site) -> dict[int, int | None]:
    """Return {page: the cluster of its current snapshot} of the pages that are gone."""
    return dict(Page.objects.filter(site=site, gone_at__isnull=False).values_list("pk", "cluster"))


def _assign(site: Site, cluster_of: dict[int, int], gone: Mapping[int, int | None]) -> None:
    """Write the cluster of each page's current snapshot where it changed. Pages that are gone keep theirs, unless a person placed them."""
    moves: dict[int | None, list[int]] = defaultdict(list)
    touched: set[int | None] = set()
    kept = Snapshot.objects.of_site(site).current().kept()
    for pk, page, before in kept.values_list("pk", "page", "cluster").iterator(chunk_size=10_000):
        after = cluster_of.get(page, gone.get(page))
        if after != before:
            moves[after].append(pk)
            touched |= {before, after}
    lock_pages(pk for snapshots in moves.values() for pk in snapshots)
    for cluster_id, snapshots in moves.items():
        for chunk in _split_chunks(snapshots):
            Snapshot.objects.filter(pk__in=chunk).update(cluster=cluster_id)
    Snapshot.objects.filter(pk__in=kept.filter(unsorted=True)).update(unsorted=False)
    sample_pages.drop_samples([cluster_id for cluster_id in touched if cluster_id is not None])


def _forget(site: Site, alive: set[int]) -> None:
    """Delete clusters that lost all their pages, unless a person has worked on them."""
    site.clusters.dropped_when_empty().exclude(pk__in=alive).delete()


def _renew_vectors(site: Site, progress: Progress) -> None:
    """Compute the vectors of pages that have none of the current scheme."""
    stale = list(Snapshot.objects.of_site(site).learnable().exclude(scheme=shingles.SCHEME).values_list("pk", flat=True))
    for done, chunk in enumerate(_split_chunks(stale, REVECTOR_PAGES)):
        snapshots = list(Snapshot.objects.filter(pk__in=chunk).order_by("pk"))
        page_store.add_vectors(snapshots, [read_bytes(snapshot) for snapshot in snapshots])
        Snapshot.objects.bulk_update(snapshots, ["vector", "scheme"])
        progress(done * REVECTOR_PAGES)


def _split_chunks(ids: Sequence[int], size: int = CHUNK) -> Iterator[Sequence[int]]:
    for at in range(0, len(ids), size):
        yield ids[at : at + size]
