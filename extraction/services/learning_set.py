"""Which pages of a cluster are learned from, and how one of them is read.

The learning set is the labelled pages, the sample pages and up to OTHERS more pages of the cluster, in this order:
the first make a rule possible, the last tell rules that carry over from rules that do not (ALGORITHMS 4.2).
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Max, QuerySet, Sum
from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.tables import table
from extraction.models import Cluster, Label, SamplePage, Snapshot
from extraction.services import contents, designs

OTHERS = 30
"""Pages beside the labelled and the sample pages. More change no rule and cost a second a site (ALGORITHMS 4.3)."""

PAGE_FACTOR = 12
"""Memory expected of a page of the learning set by its bytes, before it is read: more than any real page needed."""

TREE_BYTE, TREE_ELEMENT = 3, 300
"""Memory of a parsed page by its bytes and by its elements. Measured on 52 real pages: 2.9 and 262."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the bytes of a snapshot are, and how large they are."""

    snapshot_id: int
    sha256: str
    content_type: str
    size_bytes: int
    url: str = ""


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


def current_snapshots(cluster_id: int) -> QuerySet[Snapshot]:
    """The cluster's pages as they stand now, without those that cannot be read or whose bytes are not kept."""
    return Snapshot.objects.filter(cluster_id=cluster_id, error="", kept=True, page__current_id=F("pk"))


def state(cluster_id: int) -> State:
    """What a cluster's learning set hangs on now, in three cheap queries."""
    figures = current_snapshots(cluster_id).order_by().aggregate(n=Count("pk"), ids=Sum("pk"), last=Max("pk"), size=Sum("size_bytes"))
    labelled = Label.objects.filter(cluster_id=cluster_id).order_by("snapshot_id").values_list("snapshot_id", flat=True).distinct()
    samples = SamplePage.objects.filter(cluster_id=cluster_id).order_by("position").values_list("snapshot_id", flat=True)
    pages = tuple(None if value is None else int(value) for value in figures.values())
    return State((*pages, *designs.new_pages(cluster_id)), tuple(dict.fromkeys([*labelled, *samples])))


def cluster_sources(cluster_id: int) -> list[Source]:
    """All pages of the cluster, without their URLs, in the order of their ids; while a new design is being learned, the pages of that."""
    new = designs.new_pages(cluster_id)
    pages = Snapshot.objects.filter(pk__in=new, error="", kept=True) if new else current_snapshots(cluster_id)
    rows = pages.order_by("pk").values_list("pk", "sha256", "content_type", "size_bytes")
    return [Source(*row) for row in rows.iterator(chunk_size=2000)]


def choose(first: Sequence[int], pages: Iterable[Source], *, max_bytes: int) -> list[Source]:
    """The learning set in its order, as many pages as `max_bytes` of memory hold.

    first: snapshot ids of labelled pages and samples, which come in whatever they need. The others are drawn by their
    sha256, which is as good as at random, stays the same as pages come in, and leaves out equal pages.
    """
    chosen = sources(first)
    used = PAGE_FACTOR * sum(source.size_bytes for source in chosen)
    seen = {source.sha256 for source in chosen}
    others: list[int] = []
    for source in sorted(pages, key=lambda source: (_draw(source.sha256), source.snapshot_id)):
        need = PAGE_FACTOR * source.size_bytes
        if source.sha256 in seen or used + need > max_bytes:
            continue
        seen.add(source.sha256)
        used += need
        others.append(source.snapshot_id)
        if len(others) == OTHERS:
            break
    return chosen + sources(others)


def sources(ids: Sequence[int]) -> list[Source]:
    """The sources of those snapshots that can be read, in the order of `ids`."""
    rows = Snapshot.objects.filter(pk__in=ids, error="").values_list("pk", "sha256", "content_type", "size_bytes", "page__url")
    found = {row[0]: Source(*row) for row in rows}
    return [found[pk] for pk in ids if pk in found]


def tree_bytes(source: Source, root: etree._Element) -> int:
    """The memory of a page's tree, estimated."""
    return TREE_BYTE * source.size_bytes + TREE_ELEMENT * int(_COUNT(root))


def read(source: Source) -> etree._Element:
    """The tree of a stored page. Raises PageError when it cannot be read or its bytes are gone."""
    try:
        content = contents.get(source.sha256)
    except FileNotFoundError as error:
        raise PageError("the stored bytes of the page are gone") from error
    return parse(content, content_type=source.content_type or None).root


def load(source: Source) -> LoadedPage:
    """The page in memory, with its table. Raises PageError."""
    made = table(read(source))
    index = {element: n for n, element in enumerate(made.nodes)}
    memory_bytes = TREE_BYTE * source.size_bytes + made.size_bytes  # the table counts the elements
    return LoadedPage(source.snapshot_id, source.sha256, source.url, made.root, made.nodes, index, made, memory_bytes)


def labels_of(cluster: Cluster) -> Mapping[int, Mapping[int, tuple[Location, ...]]]:
    """{attribute id: {snapshot id: places}} of the pages' own attributes; () where it was said to be not on the page.

    Labels of an old design are left out, see `designs`.
    """
    found: dict[int, dict[int, tuple[Location, ...]]] = {}
    rows = Label.objects.filter(cluster=cluster, row=0).order_by("attribute_id", "snapshot_id", "position")
    for attribute_id, snapshot_id, location in rows.values_list("attribute_id", "snapshot_id", "location"):
        pages = found.setdefault(attribute_id, {})
        places = pages.get(snapshot_id, ())
        pages[snapshot_id] = places if location is None else (*places, Location.from_json(location))
    return designs.of_now(cluster, found)


RowLabels = Mapping[int, Mapping[int, Mapping[int, tuple[Location, ...]]]]
"""{snapshot id: {row: {attribute id: places}}} of one list."""


def row_labels_of(cluster: Cluster) -> Mapping[int, RowLabels]:
    """{list id: its marked rows}; () where an attribute was said to be not in a row. Those of an old design are left out."""
    found: dict[int, dict[int, dict[int, dict[int, tuple[Location, ...]]]]] = {}
    labels = Label.objects.filter(cluster=cluster, row__gt=0, attribute__list__isnull=False)
    fields = ("attribute__list_id", "snapshot_id", "row", "attribute_id", "location")
    for list_id, snapshot_id, row, attribute_id, location in labels.order_by(*fields[:4], "position").values_list(*fields):
        said = found.setdefault(list_id, {}).setdefault(snapshot_id, {}).setdefault(row, {})
        places = said.get(attribute_id, ())
        said[attribute_id] = places if location is None else (*places, Location.from_json(location))
    return designs.rows_of_now(cluster, found)


_COUNT = etree.XPath("count(descendant-or-self::*)")


def _draw(sha256: str) -> str:
    return hashlib.sha256(sha256.encode()).hexdigest()
