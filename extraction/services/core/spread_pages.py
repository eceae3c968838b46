"""Choose some of very many pages of a template, spread over all of them, without reading them all."""

from django.db import connection

from extraction.models import Cluster, Page, PageCount
from extraction.models.snapshot import SnapshotQuerySet

FEW_PAGES = 5_000
"""Up to so many pages, all of them are looked at. Of more, only some are, spread over the ids of the pages."""

SPARE = 10
"""How many times the wanted pages are chosen, since several may have the same content or cannot be used."""


def select_current(cluster: Cluster, *, most: int) -> SnapshotQuerySet:
    """Return current contents of a template whose bytes are kept: all of them, or at most `SPARE` times `most` if it is large."""
    current: SnapshotQuerySet = cluster.snapshots.current().kept()
    if PageCount.objects.filter(cluster_key=cluster.pk, kept=True).total() <= max(FEW_PAGES, most * SPARE):
        return current
    return current.filter(pk__in=_probe(cluster, most * SPARE))


def _probe(cluster: Cluster, count: int) -> list[int]:
    """Return the current contents of the first page at or after each of `count` ids that are evenly spread."""
    pages = Page.objects.filter(cluster=cluster).values_list("pk", flat=True)
    first, last = pages.order_by("pk").first(), pages.order_by("-pk").first()  # asked for at once, they would take a scan
    if first is None or last is None:
        return []
    step = (last - first) / max(1, count - 1)
    ids = ", ".join(f"({first + round(step * n)})" for n in range(count))
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH wanted(id) AS (VALUES {ids}) SELECT (SELECT p.current_id FROM extraction_page p "  # noqa: S608 - numbers only
            "WHERE p.cluster_id = %s AND p.kept AND p.id >= wanted.id ORDER BY p.id LIMIT 1) FROM wanted",
            [cluster.pk],
        )
        return sorted({row[0] for row in cursor.fetchall() if row[0]})
