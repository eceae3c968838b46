"""The URL patterns of a template, learned from the addresses of its pages."""

from django.db import transaction
from django.db.models import Count, Sum

from extraction.algorithms.rules import url_patterns
from extraction.models import Cluster
from extraction.services.templates import clusters


def learn_patterns(cluster: Cluster) -> None:
    """Learns the URL patterns of a cluster from its pages: seconds for a hundred thousand, so without holding anybody up."""
    while True:
        state, urls = _members_state(cluster), list(cluster.snapshots.current().kept().order_by("page").values_list("page__url", flat=True))
        patterns = [pattern.text() for pattern in url_patterns.learn_patterns(urls)]
        with transaction.atomic():
            clusters.lock_templates(cluster.site)
            # Another clustering or a merge may have ended meanwhile; what it made is what the patterns are for.
            if _members_state(cluster) == state:
                Cluster.objects.filter(pk=cluster.pk).exclude(url_patterns=patterns).update(url_patterns=patterns)
                return


def _members_state(cluster: Cluster) -> tuple[int, int]:
    """Changes whenever a page comes to a cluster or leaves it."""
    row = cluster.snapshots.current().kept().aggregate(n=Count("pk"), sum=Sum("page"))
    return row["n"], row["sum"] or 0
