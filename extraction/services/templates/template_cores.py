"""The cores of a site's templates, which recognise pages that no mask covers (docs/algorithms.md#second-stage-cores)."""

import logging

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.refinement import SAMPLE_PAGES, sample_evenly
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, ClusterCore, Site, Snapshot
from extraction.services.templates import page_steps

logger = logging.getLogger(__name__)


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
    """Return the steps of up to SAMPLE_PAGES pages of a cluster, spread evenly over all."""
    ids = list(cluster.snapshots.learnable().order_by("page").values_list("pk", flat=True))
    pages = []
    for snapshot in Snapshot.objects.filter(pk__in=sample_evenly(ids, SAMPLE_PAGES)).order_by("page"):
        try:
            pages.append(page_steps.read_steps(snapshot))
        except PageError:
            continue
    return pages
