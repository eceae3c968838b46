"""Which pages of a cluster are learned from, how one of them is read, and what is marked on them.

The learning set is the labelled pages, the sample pages and some more pages of the cluster, in this order. The labelled pages make a rule
possible; the last pages distinguish rules that carry over to other pages from rules that do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Sum
from lxml import etree

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.models import Cluster, Label, SamplePage, Snapshot
from extraction.models.marked_places import read_location
from extraction.services.core import stored_pages
from extraction.services.core.stored_pages import StoredPage
from extraction.services.labels import designs

TREE_BYTE, TREE_ELEMENT = 3, 300
"""Memory of a parsed page per byte and per element. Measured on 52 real pages: 2.9 and 262."""

RowLabels = Mapping[int, Mapping[int, Mapping[int, tuple[Location, ...]]]]
"""{snapshot id: {row: {attribute id: places}}} of one list."""


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

    def find_value(self, location: Location) -> str | None:
        """Return the cleaned value at a place, or None if the page has no such place."""
        return value(self.nodes, location)


@dataclass(frozen=True, slots=True)
class LearningSetState:
    """The data that determines a learning set. Equal states give equal sets. first: the labelled pages and the samples."""

    pages: tuple[int | None, ...]
    first: tuple[int, ...]


def read_state(cluster_id: int) -> LearningSetState:
    """Reads what a cluster's learning set depends on now, with three cheap queries."""
    figures = (
        Snapshot.objects.learnable()
        .filter(cluster=cluster_id)
        .order_by()
        .aggregate(n=Count("pk"), ids=Sum("pk"), last=Max("pk"), size=Sum("size_bytes"))
    )
    labelled = Label.objects.filter(cluster_id=cluster_id).order_by("snapshot_id").values_list("snapshot_id", flat=True).distinct()
    samples = SamplePage.objects.filter(cluster_id=cluster_id).order_by("position").values_list("snapshot_id", flat=True)
    pages = tuple(None if value is None else int(value) for value in figures.values())
    return LearningSetState((*pages, *designs.find_new_pages(cluster_id)), tuple(dict.fromkeys([*labelled, *samples])))


def list_sources(cluster_id: int) -> list[StoredPage]:
    """All pages of a cluster that can be learned from, in the order of their ids."""
    return designs.find_learnable_pages(cluster_id)


def choose_learning_set(state: LearningSetState, sources: Sequence[StoredPage], *, max_bytes: int) -> list[StoredPage]:
    """Return the pages to learn from, in order: as many as fit into `max_bytes` of memory."""
    return stored_pages.choose_pages(state.first, sources, max_bytes=max_bytes)


def load_page(source: StoredPage) -> LoadedPage:
    """The page in memory, with its table. Raises PageError."""
    table = read_page_table(stored_pages.read_root(source))
    index = {element: n for n, element in enumerate(table.nodes)}
    memory_bytes = TREE_BYTE * source.size_bytes + table.size_bytes  # the table counts the elements
    return LoadedPage(source.snapshot_id, source.sha256, source.url, table.root, table.nodes, index, table, memory_bytes)


def load_tree(source: StoredPage) -> tuple[etree._Element, int]:
    """Return (the page's tree without a table, its estimated memory in bytes). Raises PageError."""
    root = stored_pages.read_root(source)
    return root, TREE_BYTE * source.size_bytes + TREE_ELEMENT * int(_COUNT_ELEMENTS(root))


def read_labels(cluster: Cluster) -> Mapping[int, Mapping[int, tuple[Location, ...]]]:
    """Return {attribute id: {snapshot id: places}} for attributes that are not in lists; () if a person said that the page lacks it.

    Labels of an old design are left out, see `designs`.
    """
    found: dict[int, dict[int, tuple[Location, ...]]] = {}
    rows = Label.objects.of_page().filter(cluster=cluster).order_by("attribute_id", "snapshot_id", "position")
    for attribute_id, snapshot_id, location in rows.values_list("attribute_id", "snapshot_id", "location"):
        pages = found.setdefault(attribute_id, {})
        places = pages.get(snapshot_id, ())
        pages[snapshot_id] = places if location is None else (*places, read_location(location))
    return designs.keep_current_labels(cluster, found)


def read_row_labels(cluster: Cluster) -> Mapping[int, RowLabels]:
    """Return {list id: its marked rows}; () if a person said that a row lacks an attribute. Rows of an old design are left out."""
    found: dict[int, dict[int, dict[int, dict[int, tuple[Location, ...]]]]] = {}
    labels = Label.objects.of_rows().filter(cluster=cluster)
    fields = ("attribute__list_id", "snapshot_id", "row", "attribute_id", "location")
    for list_id, snapshot_id, row, attribute_id, location in labels.order_by(*fields[:4], "position").values_list(*fields):
        said = found.setdefault(list_id, {}).setdefault(snapshot_id, {}).setdefault(row, {})
        places = said.get(attribute_id, ())
        said[attribute_id] = places if location is None else (*places, read_location(location))
    return designs.keep_current_row_labels(cluster, found)


_COUNT_ELEMENTS = etree.XPath("count(descendant-or-self::*)")
