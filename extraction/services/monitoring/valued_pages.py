"""Which pages have a value of each attribute, according to a template's records.

An attribute that only a few pages have is easily missed by a sample: no watched page has it, so nothing shows when its rule breaks.
"""

from extraction.models import Cluster, Record
from extraction.services.records.repair_losses import list_valued

MAX_RECORDS = 5000
"""The largest number of records that are read. They are spread as the digests of their pages are, so they follow no order of the site."""


def find_valued_pages(cluster: Cluster) -> dict[int, frozenset[str]]:
    """Return {snapshot: the attributes with a value}, attributes of lists among them.

    These are the records of pages that are there, that can be read and that belong to the template, in a fixed order.
    """
    records = Record.objects.given().filter(cluster=cluster, snapshot__cluster=cluster.pk, snapshot__page__gone_at=None)
    records = records.filter(snapshot__kept=True, snapshot__error="", standing=True).order_by("snapshot__sha256", "snapshot")
    rows = records.values_list("snapshot", "values", "rows")[:MAX_RECORDS]
    return {snapshot: list_valued(values, lists) for snapshot, values, lists in rows.iterator(chunk_size=1000)}


def find_valued_attributes(cluster: Cluster) -> frozenset[str]:
    """Return the attributes of which any record of the template has a value, also a record of an earlier version of its page."""
    rows = Record.objects.given().filter(cluster=cluster).order_by("snapshot__sha256", "snapshot").values_list("values", "rows")
    return frozenset(name for values, lists in rows[:MAX_RECORDS].iterator(chunk_size=1000) for name in list_valued(values, lists))
