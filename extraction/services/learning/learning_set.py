"""Which pages of a cluster are learned from, and how one of them is read.

The learning set is the labelled pages, the sample pages and up to OTHERS more pages of the cluster, in this order:
the first make a rule possible, the last tell rules that carry over from rules that do not (ALGORITHMS 4.2).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, Sum
from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.tables import table
from extraction.models import Cluster, Label, SamplePage, Snapshot
from extraction.models.marked_places import read_location
from extraction.services.core.stored_pages import StoredPage, read_root
from extraction.services.labels import designs

TREE_BYTE, TREE_ELEMENT = 3, 300
"""Memory of a parsed page by its bytes and by its elements. Measured on 52 real pages: 2.9 and 262."""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page of the learning set in memory. index: {element: its place in `nodes`}."""

    snapshot_id: int
    sha256: str
    url: str
    root: etree._Element
    nodes: list[etree._Element]
    index: dict[etree._Element, int]
    table: PageTable
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class State:
    """What decides a learning set; equal states have equal sets."""

    pages: tuple[int | None, ...]
    first: tuple[int, ...]


def state(cluster_id: int) -> State:
    """What a cluster's learning set hangs on now, in three cheap queries."""
    figures = (
        Snapshot.objects.learnable()
        .filter(cluster=cluster_id)
        .order_by()
        .aggregate(n=Count("pk"), ids=Sum("pk"), last=Max("pk"), size=Sum("size_bytes"))
    )
    labelled = Label.objects.filter(cluster_id=cluster_id).order_by("snapshot_id").values_list("snapshot_id", flat=True).distinct()
    samples = SamplePage.objects.filter(cluster_id=cluster_id).order_by("position").values_list("snapshot_id", flat=True)
    pages = tuple(None if value is None else int(value) for value in figures.values())
    return State((*pages, *designs.new_pages(cluster_id)), tuple(dict.fromkeys([*labelled, *samples])))


def tree_bytes(source: StoredPage, root: etree._Element) -> int:
    """The memory of a page's tree, estimated."""
    return TREE_BYTE * source.size_bytes + TREE_ELEMENT * int(_COUNT(root))


def load(source: StoredPage) -> LoadedPage:
    """The page in memory, with its table. Raises PageError."""
    made = table(read_root(source))
    index = {element: n for n, element in enumerate(made.nodes)}
    memory_bytes = TREE_BYTE * source.size_bytes + made.size_bytes  # the table counts the elements
    return LoadedPage(source.snapshot_id, source.sha256, source.url, made.root, made.nodes, index, made, memory_bytes)


def labels_of(cluster: Cluster) -> Mapping[int, Mapping[int, tuple[Location, ...]]]:
    """{attribute id: {snapshot id: places}} of the pages' own attributes; () where it was said to be not on the page.

    Labels of an old design are left out, see `designs`.
    """
    found: dict[int, dict[int, tuple[Location, ...]]] = {}
    rows = Label.objects.of_page().filter(cluster=cluster).order_by("attribute_id", "snapshot_id", "position")
    for attribute_id, snapshot_id, location in rows.values_list("attribute_id", "snapshot_id", "location"):
        pages = found.setdefault(attribute_id, {})
        places = pages.get(snapshot_id, ())
        pages[snapshot_id] = places if location is None else (*places, read_location(location))
    return designs.of_now(cluster, found)


RowLabels = Mapping[int, Mapping[int, Mapping[int, tuple[Location, ...]]]]
"""{snapshot id: {row: {attribute id: places}}} of one list."""


def row_labels_of(cluster: Cluster) -> Mapping[int, RowLabels]:
    """{list id: its marked rows}; () where an attribute was said to be not in a row. Those of an old design are left out."""
    found: dict[int, dict[int, dict[int, dict[int, tuple[Location, ...]]]]] = {}
    labels = Label.objects.of_rows().filter(cluster=cluster)
    fields = ("attribute__list_id", "snapshot_id", "row", "attribute_id", "location")
    for list_id, snapshot_id, row, attribute_id, location in labels.order_by(*fields[:4], "position").values_list(*fields):
        said = found.setdefault(list_id, {}).setdefault(snapshot_id, {}).setdefault(row, {})
        places = said.get(attribute_id, ())
        said[attribute_id] = places if location is None else (*places, read_location(location))
    return designs.rows_of_now(cluster, found)


_COUNT = etree.XPath("count(descendant-or-self::*)")
