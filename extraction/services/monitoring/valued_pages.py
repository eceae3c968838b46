"""Which pages have a value of each attribute, according to a template's records.

An attribute that only a few pages have is easily missed by a sample: no watched page has it, so nothing shows when its rule breaks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from extraction.algorithms.monitoring.bellwethers import LEAST_VALUED, choose_valued
from extraction.models import Cluster, Record, Snapshot
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


def spread_pages(cluster_id: int, snapshots: Sequence[int], most: int) -> list[int]:
    """Return at most `most` of the snapshots, spread evenly over all, and some more for attributes that these pages lack a value of.

    cluster_id: the template whose records tell which pages have a value.
    """
    chosen = list(snapshots[:: -(-len(snapshots) // most)]) if snapshots else []
    taken = set(chosen)
    others = [pk for pk in snapshots if pk not in taken][:MAX_RECORDS]
    valued = _find_values_of_pages(cluster_id, [*chosen, *others]) if others else {}
    have = Counter(name for pk in chosen for name in valued.get(pk, ()))
    lacking = {name: LEAST_VALUED - have[name] for pk in others for name in valued.get(pk, ())}
    return [*chosen, *(others[n] for n in choose_valued([valued.get(pk, frozenset()) for pk in others], lacking=lacking))]


def _find_values_of_pages(cluster_id: int, snapshots: Sequence[int]) -> Mapping[int, frozenset[str]]:
    """Return {snapshot: the attributes that a record of its page has a value of}."""
    pages = dict(Snapshot.objects.filter(pk__in=snapshots).values_list("pk", "page"))
    records = Record.objects.given().filter(cluster=cluster_id, snapshot__page__in=set(pages.values())).order_by("extracted_at", "pk")
    valued = {page: list_valued(values, rows) for page, values, rows in records.values_list("snapshot__page", "values", "rows")}
    return {pk: valued[page] for pk, page in pages.items() if page in valued}
