"""The steps of pages, which are read once for each content and stored, and the cores of templates, which are made of them.

Cores recognise pages that no mask covers (docs/algorithms.md#second-stage-cores).
"""

import logging
from collections.abc import Callable

from cachetools import LRUCache
from django.core.files.storage import default_storage

from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.refinement import SAMPLE_PAGES, sample_evenly
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, ClusterCore, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.stored_pages import Stored, read_root

logger = logging.getLogger(__name__)

KEPT = 2_000
"""The number of pages whose steps a reader keeps in memory, some 20 KB each. Clustering asks for most pages two or three times."""


class Reader:
    """Gives the steps of the current snapshots of a site's pages, by the ids of the pages.

    tell: called with the number of pages read so far, because reading takes some ten milliseconds per page.
    """

    def __init__(self, site: Site, tell: Callable[[int], None]) -> None:
        self._snapshots = Snapshot.objects.of_site(site).current().kept()
        self._tell = tell
        self._asked = 0
        self._kept: LRUCache[int, PageSteps] = LRUCache(KEPT)

    def __call__(self, page: int) -> PageSteps:
        """Return the steps of a page. Raises PageError if it cannot be read or no longer exists."""
        if page not in self._kept:
            self._kept[page] = self._read(page)
            self._asked += 1
            self._tell(self._asked)
        return self._kept[page]

    def _read(self, page: int) -> PageSteps:
        snapshot = self._snapshots.filter(page=page).first()
        if snapshot is None:
            raise PageError(f"page {page} no longer exists")
        return read_steps(snapshot)


def read_steps(page: Stored) -> PageSteps:
    """Return a page's steps, from the cache in the storage or from the page. Raises PageError if the page cannot be read."""
    name = f"steps/{page.sha256[:2]}/{page.sha256[2:]}"
    try:
        with default_storage.open(name, "rb") as file:
            return PageSteps.from_bytes(file.read())
    except (FileNotFoundError, ValueError):  # not stored yet, or by another release
        found = collect_steps(read_root(page))
    stored_bytes.keep_file(name, found.to_bytes())
    return found


def renew_core(cluster: Cluster) -> None:
    """Compute the core of a cluster from SAMPLE_PAGES of its current pages. A cluster without readable pages has none."""
    pages = choose_core_pages(cluster)
    if pages:
        ClusterCore.objects.update_or_create(cluster=cluster, defaults={"data": TemplateCore.of_pages(pages).to_bytes()})
    else:
        ClusterCore.objects.filter(cluster=cluster).delete()


def read_cores(site: Site) -> dict[int, TemplateCore]:
    """Return {cluster id: its core} of the clusters that have one."""
    found = {}
    for cluster_id, data in ClusterCore.objects.filter(cluster__site=site).values_list("cluster", "data"):
        try:
            found[cluster_id] = TemplateCore.from_bytes(bytes(data))
        except ValueError:
            # Another release made it. The next clustering renews it.
            logger.info("the core of cluster %s is of another scheme", cluster_id)
    return found


def choose_core_pages(cluster: Cluster) -> list[PageSteps]:
    """Return the steps of up to SAMPLE_PAGES pages of a cluster, spread evenly over all that are not gone; over all if all are gone."""
    every = cluster.snapshots.learnable().order_by("page").values_list("pk", flat=True)
    ids = list(every.filter(page__gone_at=None)) or list(every)
    pages = []
    for snapshot in Snapshot.objects.filter(pk__in=sample_evenly(ids, SAMPLE_PAGES)).order_by("page"):
        try:
            pages.append(read_steps(snapshot))
        except PageError:
            continue
    return pages
