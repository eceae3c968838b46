"""The sample pages of a template as trees, for algorithms that compare pages without labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.errors import PageError
from extraction.models import Cluster, Snapshot
from extraction.services.core.stored_pages import read_elements
from extraction.services.templates import sample_pages

PAGES = 10
"""Sample pages compared. They are the pages that differ most."""

MAX_BYTES = 12_000_000
"""The largest number of bytes of pages that are compared together, so that nobody waits for more than some seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The sample pages as they are now."""

    snapshots: tuple[Snapshot, ...]

    @property
    def key(self) -> str:
        """A key that is equal for the same pages with the same contents in the same order."""
        return "-".join(f"{snapshot.pk}.{snapshot.sha256[:8]}" for snapshot in self.snapshots)


def read_samples(cluster: Cluster, *, least: int = 0) -> Samples:
    """Return the sample pages of a template that are compared, followed by other pages of it until there are `least`."""
    samples = tuple(row.snapshot for row in sample_pages.choose_samples(cluster)[:PAGES])
    if len(samples) >= least:
        return Samples(samples)
    others = cluster.snapshots.current().kept().exclude(pk__in=[each.pk for each in samples])
    return Samples((*samples, *others.select_related("page").order_by("pk")[: least - len(samples)]))


def read_trees(snapshots: Sequence[Snapshot]) -> tuple[list[Snapshot], list[etree._Element]]:
    """Return the pages that can be read, as many as `MAX_BYTES` allows but at least two, and their trees."""
    kept: list[Snapshot] = []
    roots: list[etree._Element] = []
    size = 0
    for snapshot in snapshots:
        size += snapshot.size_bytes
        if size > MAX_BYTES and len(roots) > 1:
            break
        try:
            roots.append(read_elements(snapshot)[0])
        except PageError:
            continue
        kept.append(snapshot)
    return kept, roots
