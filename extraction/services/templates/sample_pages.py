"""Sample pages: which pages of a cluster an editor should see, and in which order (docs/algorithms.md#sample-pages).

Algorithms that compare pages without labels get them as trees, too.
"""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from lxml import etree

from extraction.algorithms.errors import PageError
from extraction.algorithms.sampling import greedy
from extraction.algorithms.sampling.greedy import PagePaths, PathTable
from extraction.models import Cluster, Label, SamplePage, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.stored_pages import read_elements, read_page

POOL_PAGES = 300
"""The largest number of pages to choose from. Each is parsed once, which takes some ten milliseconds, and an editor waits for it. This many
show the share of pages that has a path to within three hundredths, and choosing ten from more pages covers no more.
"""

POOL_SEED = 1
"""The pool takes one random page from each of POOL_PAGES equal stretches. So it covers an import evenly, follows no pattern in its
order, and is the same each time.
"""

COMPARED_PAGES = 10
"""Sample pages compared. They are the pages that differ most."""

COMPARED_BYTES = 12_000_000
"""The largest number of bytes of pages that are compared together, so that nobody waits for more than some seconds."""


LONGEST_WAIT_S = 60
"""How long a request waits for another one to choose the same samples, before it chooses them itself."""

_CHOOSING = tuple(threading.Lock() for _ in range(32))
"""Locks of templates, several templates to one."""

NOTHING = PagePaths(np.zeros(0, np.uint64), np.zeros(0, np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The sample pages as they are now."""

    snapshots: tuple[Snapshot, ...]

    @property
    def key(self) -> str:
        """A key that is equal for the same pages with the same contents in the same order."""
        return "-".join(f"{snapshot.pk}.{snapshot.sha256[:8]}" for snapshot in self.snapshots)


def choose_samples(cluster: Cluster, *, count: int = 10, tell: Callable[[], None] = lambda: None) -> list[SamplePage]:
    """Return the sample pages in the order in which to annotate them, at most `count` unless more are labelled.

    They are chosen once and stored. Labelled pages stay; unlabelled ones that left the cluster are replaced. Clustering drops
    the samples of a cluster without labels whose pages changed, and the next call chooses again.

    tell: called after each page that was read, because reading may take seconds.
    """
    if (found := _find_settled(cluster, count)) is not None:
        return found
    with _one_at_a_time(cluster):
        return _find_settled(cluster, count) or _choose(cluster, count, tell)


def read_paths(snapshot: Snapshot) -> PagePaths:
    """Return a page's paths, from the cache in the storage or from the page; none for a page that cannot be read."""
    name = f"paths/{snapshot.sha256[:2]}/{snapshot.sha256[2:]}"
    try:
        with default_storage.open(name, "rb") as file:
            return PagePaths.from_bytes(file.read())
    except (FileNotFoundError, ValueError):  # not stored yet, or by another release
        found = _read(snapshot)
    stored_bytes.keep_file(name, found.to_bytes())
    return found


def drop_samples(cluster_ids: Sequence[int]) -> None:
    """Delete the samples of clusters whose pages changed, if nobody has labelled anything in them yet."""
    SamplePage.objects.filter(cluster__in=cluster_ids, cluster__labels=None).delete()


def read_samples(cluster: Cluster, *, least: int = 0) -> Samples:
    """Return the sample pages of a template that are compared, followed by other pages of it until there are `least`."""
    samples = tuple(row.snapshot for row in choose_samples(cluster)[:COMPARED_PAGES])
    if len(samples) >= least:
        return Samples(samples)
    others = cluster.snapshots.current().kept().exclude(pk__in=[each.pk for each in samples])
    return Samples((*samples, *others.select_related("page").order_by("pk")[: least - len(samples)]))


def read_trees(snapshots: Sequence[Snapshot]) -> tuple[list[Snapshot], list[etree._Element]]:
    """Return the pages that can be read, as many as `COMPARED_BYTES` allows but at least two, and their trees."""
    kept: list[Snapshot] = []
    roots: list[etree._Element] = []
    size = 0
    for snapshot in snapshots:
        size += snapshot.size_bytes
        if size > COMPARED_BYTES and len(roots) > 1:
            break
        try:
            roots.append(read_elements(snapshot)[0])
        except PageError:
            continue
        kept.append(snapshot)
    return kept, roots


def _rows(cluster: Cluster) -> QuerySet[SamplePage]:
    return cluster.samples.select_related("snapshot__page").order_by("position")


def _find_labelled(cluster: Cluster) -> set[int]:
    return set(Label.objects.filter(cluster=cluster).order_by().values_list("snapshot", flat=True).distinct())


def _is_member(cluster: Cluster, row: SamplePage) -> bool:
    return row.snapshot.cluster_id == cluster.pk and row.snapshot.page.current_id == row.snapshot_id


def _find_settled(cluster: Cluster, count: int) -> list[SamplePage] | None:
    """Return the stored samples and the labelled pages, or None if other pages must be chosen. Reads no page."""
    labelled, kept = _find_labelled(cluster), list(_rows(cluster))
    if not _are_settled(cluster, kept, labelled, count):
        return None
    if labelled - {row.snapshot_id for row in kept}:
        kept = _append(cluster, labelled)
    return [row for place, row in enumerate(kept) if place < count or row.snapshot_id in labelled]


def _are_settled(cluster: Cluster, kept: Sequence[SamplePage], labelled: set[int], count: int) -> bool:
    """Return whether the stored samples can stay as they are."""
    if not all(row.snapshot_id in labelled or _is_member(cluster, row) for row in kept):
        return False
    if len(kept) >= count:
        return True
    contents = _list_choosable(cluster).order_by().values("sha256").distinct()
    return len(contents[: len(kept) + 1]) <= len(kept)


@contextmanager
def _one_at_a_time(cluster: Cluster) -> Iterator[None]:
    """Let one thread read the pages of a template: requests that need its samples at the same time wait for what it finds."""
    lock = _CHOOSING[cluster.pk % len(_CHOOSING)]
    mine = lock.acquire(timeout=LONGEST_WAIT_S)
    try:
        yield
    finally:
        if mine:
            lock.release()


def _choose(cluster: Cluster, count: int, tell: Callable[[], None]) -> list[SamplePage]:
    """Choose samples, and store them. Those that are labelled or still belong to the template stay, in their order."""
    labelled, kept = _find_labelled(cluster), list(_rows(cluster))
    stay = [row.snapshot for row in kept if row.snapshot_id in labelled or _is_member(cluster, row)]
    known = {page.pk for page in stay}
    stay += Snapshot.objects.filter(pk__in=labelled - known).order_by("pk")
    return _keep(cluster, _order_pages(stay, _pool(cluster), count, tell))


def _list_choosable(cluster: Cluster) -> QuerySet[Snapshot]:
    """Return the pages that could be read in full, or all pages if there are none. What a damaged page lacks is not an optional part.

    Pages that are gone may have an old design. They are chosen only if all pages are gone.
    """
    every = cluster.snapshots.current().kept()
    there = every.filter(page__gone_at=None)
    members = there if there.exists() else every
    whole = members.filter(notice="")
    return whole if whole.exists() else members


def _pool(cluster: Cluster) -> list[Snapshot]:
    """Return the pages to choose from, in the order of their ids."""
    # Take one of several pages with the same content: a second one would add nothing.
    first = {sha256: pk for pk, sha256 in _list_choosable(cluster).order_by("-pk").values_list("pk", "sha256")}
    ids = sorted(first.values())
    if len(ids) > POOL_PAGES:
        draw = random.Random(POOL_SEED)  # noqa: S311 - nothing secret
        bounds = [len(ids) * n // POOL_PAGES for n in range(POOL_PAGES + 1)]
        ids = [ids[draw.randrange(low, high)] for low, high in pairwise(bounds)]
    found = Snapshot.objects.select_related("page").in_bulk(ids)
    return [found[pk] for pk in ids if pk in found]


def _order_pages(stay: list[Snapshot], pool: list[Snapshot], count: int, tell: Callable[[], None]) -> list[tuple[Snapshot, float]]:
    """Return (page, share of the weight covered so far): first the pages that stay, then the others greedily."""
    first = {page.pk for page in stay}
    pages = stay + [page for page in pool if page.pk not in first]
    known: list[PagePaths] = []
    for page in pages:
        known.append(read_paths(page))
        tell()
    if not pages:
        return []
    chosen = [choice.page_index for choice in greedy.choose_pages(known, k=min(len(pages), count + len(stay)), fill=True)]
    order = list(range(len(stay))) + [place for place in chosen if place >= len(stay)]
    order = order[: max(count, len(stay))]
    return [(pages[place], share) for place, share in zip(order, greedy.measure_coverage(PathTable.build(known), order), strict=True)]


@transaction.atomic
def _append(cluster: Cluster, labelled: set[int]) -> list[SamplePage]:
    """Add labelled pages after the stored samples. They cover at least what the samples before them cover."""
    Cluster.objects.select_for_update().get(pk=cluster.pk)
    kept = list(_rows(cluster))
    share = kept[-1].covered_fraction if kept else 0.0
    missing = sorted(labelled - {row.snapshot_id for row in kept})
    SamplePage.objects.bulk_create(
        SamplePage(cluster=cluster, snapshot_id=pk, position=position, covered_fraction=share)
        for position, pk in enumerate(missing, start=kept[-1].position + 1 if kept else 0)
    )
    return list(_rows(cluster))


@transaction.atomic
def _keep(cluster: Cluster, chosen: Sequence[tuple[Snapshot, float]]) -> list[SamplePage]:
    # Two editors may open a new cluster at once. The second then writes the same rows again.
    Cluster.objects.select_for_update().get(pk=cluster.pk)
    cluster.samples.all().delete()
    rows = [
        SamplePage(cluster=cluster, snapshot=page, position=position, covered_fraction=share)
        for position, (page, share) in enumerate(chosen)
    ]
    SamplePage.objects.bulk_create(rows)
    return list(_rows(cluster))


def _read(snapshot: Snapshot) -> PagePaths:
    try:
        page = read_page(snapshot)
    except PageError:
        return NOTHING
    return greedy.read_paths(page.root)
