"""Move pages as a person says: with similar pages out of a template, into another one, or into a new one.

What was said is stored as `Placement` rows. Clustering again (`cluster_pages`) respects it, also for later pages that are
similar to those that were moved out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.clustering.contrast import ALIKE, Contrast
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.errors import PageError
from extraction.models import AuditKind, Cluster, Label, Page, Placement, Record, SamplePage, Site, Snapshot
from extraction.models.kept.locking import lock_pages
from extraction.services.core import audit, signals, spread_pages
from extraction.services.core.runs import JobError
from extraction.services.templates import clusters, page_matching, page_steps, sample_pages

LOOKED_AT = 200
"""The number of pages of a template that are compared with one that does not belong. Each is read from a cache, or parsed once."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A page that is similar to one that does not belong.

    likeness: how similar, 0 to 1.
    """

    snapshot: Snapshot
    likeness: float


@dataclass(frozen=True, slots=True)
class Before:
    """Where a page was before a move. cluster: the id of its template, None for none. placed: whether a person had put it there."""

    page: int
    cluster: int | None
    placed: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """The result of a move.

    into: the template that the pages are in now, None for no template.
    pages: number of pages moved.
    labels, records: how many were deleted.
    touched: ids of the templates that lost or got pages.
    before: where the pages were.
    lost_labels: the labels that were deleted, as JSON.
    """

    into: Cluster | None
    pages: int
    labels: int
    records: int
    touched: tuple[int, ...] = ()
    before: tuple[Before, ...] = ()
    lost_labels: str = ""


def find_alike(page: Snapshot) -> list[Alike]:
    """Return the pages of a page's template that should move out with it, the most similar first. At most LOOKED_AT are compared.

    Raises PageError if the page cannot be read.
    """
    if page.cluster is None:
        return []
    there = spread_pages.select_current(page.cluster, most=LOOKED_AT).filter(error="").exclude(pk=page.pk)
    ids = list(there.order_by("pk").values_list("pk", flat=True))
    others = list(Snapshot.objects.filter(pk__in=sample_evenly(ids, LOOKED_AT)).select_related("page").order_by("pk"))
    known = {other.pk: steps for other in others if (steps := _read_steps(other))}
    difference = Contrast.between([page_steps.read_steps(page)], list(known.values()))
    found = [Alike(other, difference.likeness(known[other.pk])) for other in others if other.pk in known]
    return sorted((each for each in found if each.likeness > ALIKE), key=lambda each: (-each.likeness, each.snapshot.pk))


def move_to_new_template(site: Site, pages: Iterable[Page], user: User | None = None) -> Moved:
    """Move pages into a new template. Raises JobError if there are none."""
    chosen = list(pages)
    if not chosen:
        raise JobError(gettext("no page was selected"))
    with transaction.atomic():
        clusters.lock_templates(site)
        moved = _move(site, chosen, Cluster.objects.create(site=site, number=clusters.find_last_number(site) + 1), user)
        _record(site, moved)
    _update_after_move(site, moved, user)
    return moved


def move_pages(site: Site, pages: Iterable[Page], into: Cluster | None, user: User | None = None) -> Moved:
    """Move pages into a template of their site, or out of theirs. Raises JobError for no pages, and for a template of another site.

    Pages that are there already stay there for good: it is stored that they belong to the template.
    """
    chosen = list(pages)
    if not chosen:
        raise JobError(gettext("no page was selected"))
    if into is not None and into.site_id != site.pk:
        raise JobError(gettext("%(into)s belongs to another site") % {"into": into.label})
    with transaction.atomic():
        clusters.lock_templates(site)
        moved = _move(site, chosen, into, user)
        _record(site, moved)
    if moved.pages:
        _update_after_move(site, moved, user)
    return moved


def _record(site: Site, moved: Moved) -> None:
    went = f"pages: {moved.pages:,}" if moved.pages else "the pages stay"
    lost = f"\nmarks deleted: {moved.labels:,}; records deleted: {moved.records:,}" if moved.labels or moved.records else ""
    audit.record(AuditKind.PAGES_MOVED, moved.into or "no template", site=site, text=went + lost)


def _move(site: Site, pages: Sequence[Page], into: Cluster | None, user: User | None) -> Moved:
    ids = [page.pk for page in pages if page.site_id == site.pk]
    there = Snapshot.objects.of_site(site).current().filter(page__in=ids)
    now = list(there.exclude(cluster=into) if into else there)
    left = {snapshot.cluster_id for snapshot in now}
    lock_pages(snapshot.pk for snapshot in now)
    placed = set(Placement.objects.filter(page__in=ids, belongs=True).values_list("page", flat=True))
    before = tuple(Before(snapshot.page_id, snapshot.cluster_id, snapshot.page_id in placed) for snapshot in now)
    _write_placements(ids, now, into, user)
    moved = [snapshot.pk for snapshot in now]
    lost = _move_labels(moved, into)
    records = Record.objects.filter(snapshot__in=moved).delete()[0]
    Snapshot.objects.filter(pk__in=moved).update(cluster=into, unsorted=False)
    SamplePage.objects.filter(snapshot__in=moved).delete()
    if into and moved:
        Cluster.objects.filter(pk=into.pk).update(small=False)
    touched = sorted(pk for pk in left | {into.pk if into and moved else None} if pk is not None)
    sample_pages.drop_samples(touched)
    for cluster in Cluster.objects.filter(pk__in=touched):
        page_steps.renew_core(cluster)
    return Moved(into, len(moved), len(lost), records, tuple(touched), before, serializers.serialize("json", lost) if lost else "")


def _update_after_move(site: Site, moved: Moved, user: User | None) -> None:
    """Update what depends on the templates' pages: learn the address patterns again and announce the move."""
    for cluster in Cluster.objects.filter(pk__in=moved.touched):
        page_matching.learn_patterns(cluster)
    if moved.into:
        moved.into.refresh_from_db(fields=["url_patterns"])
    signals.pages_moved.send(Site, site=site, into=moved.into, user=user)


def _write_placements(page_ids: Sequence[int], now: Sequence[Snapshot], into: Cluster | None, user: User | None) -> None:
    """Write that the pages belong to `into` and to none of the templates they leave."""
    Placement.objects.filter(page__in=page_ids, belongs=True).delete()
    gone = [(snapshot.page_id, snapshot.cluster_id) for snapshot in now if snapshot.cluster_id is not None]
    for page_id, cluster_id in gone:
        Placement.objects.update_or_create(page_id=page_id, cluster_id=cluster_id, defaults={"belongs": False, "created_by": user})
    if into:
        for page_id in page_ids:
            Placement.objects.update_or_create(page_id=page_id, cluster=into, defaults={"belongs": True, "created_by": user})


def _move_labels(moved: Sequence[int], into: Cluster | None) -> list[Label]:
    """Move the labels to a template of the same record type; otherwise delete them. Return those that were deleted."""
    labels = Label.objects.filter(snapshot__in=moved)
    if into and into.record_type_id:
        fitting = labels.filter(attribute__record_type=into.record_type_id).exclude(cluster=into)
        fitting.filter(snapshot__in=Label.objects.filter(cluster=into, snapshot__in=moved).values("snapshot")).delete()
        fitting.update(cluster=into)
        labels = labels.exclude(cluster=into)
    lost = list(labels)
    Label.objects.filter(pk__in=[label.pk for label in lost]).delete()
    return lost


def _read_steps(snapshot: Snapshot) -> PageSteps | None:
    try:
        return page_steps.read_steps(snapshot)
    except PageError:
        return None


@dataclass(frozen=True, slots=True)
class Words:
    """What people said about the pages of a site.

    belongs: {page: cluster}.
    refused: {cluster: pages that do not belong to it}.
    """

    belongs: dict[int, int]
    refused: dict[int, set[int]]

    @classmethod
    def of(cls, site: Site) -> "Words":
        """Return everything that was said about a site's pages."""
        rows = Placement.objects.filter(cluster__site=site)
        words = cls({}, {})
        for page, cluster, belongs in rows.values_list("page", "cluster", "belongs"):
            if belongs:
                words.belongs[page] = cluster
            else:
                words.refused.setdefault(cluster, set()).add(page)
        return words

    def settle(self, found: dict[int, int], known: set[int], site: Site) -> dict[int, int]:
        """Return {page: cluster} as people said. New pages that are similar to pages moved out of their cluster follow these.

        found: {page: cluster} as clustering found it.
        known: the pages that were in a cluster before.
        site: the site of the pages.
        """
        kept = dict(found)
        for cluster, pages in self.refused.items():
            homes = {self.belongs.get(page) for page in pages}
            stay = [page for page, home in found.items() if home == cluster and page not in pages and page in known]
            fresh = [page for page, home in found.items() if home == cluster and page not in pages and page not in known]
            for home in sorted(homes, key=lambda each: each or 0):
                apart = [page for page in sorted(pages) if self.belongs.get(page) == home]
                for page in _find_like(site, apart, stay, fresh):
                    _put(kept, page, home)
            for page in pages:
                if kept.get(page) == cluster:
                    del kept[page]
        readable = set(Snapshot.objects.of_site(site).learnable().filter(page__in=self.belongs).values_list("page", flat=True))
        return kept | {page: cluster for page, cluster in self.belongs.items() if page in readable}


def _find_like(site: Site, apart: Sequence[int], stay: Sequence[int], fresh: Sequence[int]) -> list[int]:
    """Return the fresh pages that are similar to those moved out and unlike those that stay."""
    if not fresh:
        return []
    reader = page_steps.Reader(site, lambda _: None)
    difference = Contrast.between(_read_all(reader, sample_evenly(apart, LOOKED_AT)), _read_all(reader, sample_evenly(stay, LOOKED_AT)))
    return [page for page in fresh if any(difference.likeness(steps) > ALIKE for steps in _read_all(reader, [page]))]


def _read_all(reader: page_steps.Reader, pages: Iterable[int]) -> list[PageSteps]:
    found = []
    for page in pages:
        try:
            found.append(reader(page))
        except PageError:
            continue
    return found


def _put(kept: dict[int, int], page: int, home: int | None) -> None:
    if home is None:
        kept.pop(page, None)
    else:
        kept[page] = home
