"""The cores of a site's templates: what recognises pages of theirs that no mask covers (ALGORITHMS 2)."""

import logging

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.refinement import SAMPLE_PAGES, sample_evenly
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, ClusterCore, Site, Snapshot
from extraction.services.templates import page_steps

logger = logging.getLogger(__name__)


def renew_core(cluster: Cluster) -> None:
    """Makes the core of a cluster from its pages as they are now, SAMPLE_PAGES of them; one without readable pages has none."""
    pages = choose_core_pages(cluster)
    if pages:
        ClusterCore.objects.update_or_create(cluster=cluster, defaults={"data": TemplateCore.of_pages(pages).to_bytes()})
    else:
        ClusterCore.objects.filter(cluster=cluster).delete()


def read_cores(site: Site) -> dict[int, TemplateCore]:
    """{cluster id: its core} of those that have one."""
    found = {}
    for cluster_id, data in ClusterCore.objects.filter(cluster__site=site).values_list("cluster", "data"):
        try:
            found[cluster_id] = TemplateCore.from_bytes(bytes(data))
        except ValueError:
            # Of another release; the next clustering makes it anew.
            logger.info("the core of cluster %s is of another scheme", cluster_id)
    return found


def choose_core_pages(cluster: Cluster) -> list[PageSteps]:
    """The steps of up to SAMPLE_PAGES of a cluster's pages, evenly over all."""
    ids = list(cluster.snapshots.learnable().order_by("page").values_list("pk", flat=True))
    pages = []
    for snapshot in Snapshot.objects.filter(pk__in=sample_evenly(ids, SAMPLE_PAGES)).order_by("page"):
        try:
            pages.append(page_steps.read_steps(snapshot))
        except PageError:
            continue
    return pages
