"""The URL patterns of a template, learned from the addresses of its pages."""

from django.db import transaction
from django.db.models import Count, Sum

from extraction.algorithms.rules import url_patterns
from extraction.models import Cluster
from extraction.services.templates import clusters


def learn_patterns(cluster: Cluster) -> None:
    """Learn the URL patterns of a cluster from its pages. This takes seconds for 100,000 pages, so it holds no lock meanwhile."""
    while True:
        state, urls = (
            _read_state(cluster),
            list(cluster.snapshots.current().kept().order_by("page").values_list("page__url", flat=True)),
        )
        patterns = [pattern.text() for pattern in url_patterns.learn_patterns(urls)]
        with transaction.atomic():
            clusters.lock_templates(cluster.site)
            # If another clustering or a merge ended meanwhile, learn the patterns again for its result.
            if _read_state(cluster) == state:
                Cluster.objects.filter(pk=cluster.pk).exclude(url_patterns=patterns).update(url_patterns=patterns)
                return


def _read_state(cluster: Cluster) -> tuple[int, int]:
    """Return a value that changes when a page joins or leaves the cluster."""
    row = cluster.snapshots.current().kept().aggregate(n=Count("pk"), sum=Sum("page"))
    return row["n"], row["sum"] or 0
