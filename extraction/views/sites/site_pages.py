"""Search the pages of a site, and collect what one page shows."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from extraction.models import Attribute, Label, Page, PageCount, PagePicture, Record, RecordType, Site, Snapshot
from extraction.models.kept.counts import PageFigures
from extraction.models.kept.searching import LEAST_LENGTH, match_pages
from extraction.models.record_origins import Origin
from extraction.models.record_values import RecordValue
from extraction.services.records import records
from extraction.services.rules import rule_xpaths
from extraction.views.core.keyset import find_last_looked

MAX_SHOWN_ROWS = 30
"""The largest number of rows shown of each list of a record. The CSV file has all of them."""

SHORT_LOOKED = 50_000
"""Pages, the first ones of a list, in which a text is sought that is too short for the search index."""

UNREADABLE, PARTLY, UNCLUSTERED, GONE = "unreadable", "partly", "unclustered", "gone"


@dataclass(frozen=True, slots=True)
class ShownValue:
    """One value of a record for display. position: its number among the attribute's values, from 0."""

    raw: str
    value: str | None
    problem: str
    position: int


@dataclass(frozen=True, slots=True)
class RecordColumn:
    """An attribute and its values on a page. origin: who corrected or rejected them, and what the page says; None if nobody did."""

    attribute: Attribute
    values: list[ShownValue]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class ListRows:
    """The rows of one list on a page.

    rows: for each row shown, the values of the attributes in the order of `attributes`.
    total: the number of rows, including those not shown.
    """

    name: str
    attributes: list[Attribute]
    rows: list[list[RecordColumn]]
    total: int


@dataclass(frozen=True, slots=True)
class PageView:
    """One page: the snapshot shown, all snapshots, and the values of its record in the order of the record type.

    absent: the attributes that a person marked as not on this page.
    ruled: the attributes that the rule of the record has something for.
    row_counts: the lists of the record, each with the number of its rows.
    """

    page: Page
    snapshot: Snapshot | None
    snapshots: list[Snapshot]
    record: Record | None
    columns: list[RecordColumn]
    absent: frozenset[str] = frozenset()
    ruled: frozenset[str] = frozenset()
    row_counts: tuple[tuple[str, int], ...] = ()

    @property
    def fixable(self) -> bool:
        """Whether its values can be fixed in the workbench: its content is stored and in the template that made the record."""
        shown, record = self.snapshot, self.record
        return bool(shown and shown.kept and not shown.error and record and record.cluster_id == shown.cluster_id)

    @property
    def picture(self) -> PagePicture | None:
        """The picture of the snapshot, or the row that says why there is none; None if none was asked for."""
        return getattr(self.snapshot, "picture", None)

    @property
    def is_web(self) -> bool:
        """Whether its URL is an address on the web and not a file's name."""
        return self.page.url.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class ShownMark:
    """What the frame outlines. locations: for the frame's address, as JSON; problem: why nothing can be outlined."""

    locations: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FoundPages:
    """The pages that a screen shows for a search.

    among: they are those of the first so many pages; None if all were looked through.
    """

    rows: QuerySet[Page]
    among: int | None = None


def find_pages(site: Site, *, query: str = "", part: str = "") -> FoundPages:
    """Return the pages that `search_pages` gives or, for a text that is too short for the index, those of the first SHORT_LOOKED pages."""
    found = search_pages(site, query=query, part=part)
    if not query or "*" in query or len(query) >= LEAST_LENGTH:
        return FoundPages(found)
    last = find_last_looked(search_pages(site, part=part), SHORT_LOOKED)
    return FoundPages(found) if last is None else FoundPages(found.filter(pk__lte=last), SHORT_LOOKED)


def search_pages(site: Site, *, query: str = "", part: str = "") -> QuerySet[Page]:
    """Return the pages whose URL or title contains the query. A query with a star is a pattern of addresses.

    part: a template's number, `unreadable`, `partly`, `unclustered`, `gone`, or empty for all.
    """
    found = Page.objects.filter(site=site).select_related("current__cluster", "current__record").defer("current__record__values")
    if query:
        found = found.filter(url__iregex=make_address_regex(query)) if "*" in query else found.filter(match_pages(query))
    if part == UNREADABLE:
        found = found.filter(reading=Page.Reading.UNREADABLE)
    elif part == PARTLY:
        found = found.filter(reading=Page.Reading.PARTLY)
    elif part == UNCLUSTERED:
        found = found.filter(cluster=None, reading__in=(Page.Reading.WHOLE, Page.Reading.PARTLY))
    elif part == GONE:
        found = found.filter(gone_at__isnull=False)
    elif part.isdecimal() and len(part) < 19:
        found = found.filter(cluster__in=list(site.clusters.filter(number=int(part)).values_list("pk", flat=True)))
    return found.order_by("id")


def make_address_regex(pattern: str) -> str:
    """Return a regular expression for a pattern such as /book/* or www.shop.example/**. One star ends at a slash, two do not.

    Databases read it, too, so it has only what all of them know. A query at the end of an address is ignored unless the pattern has one.
    """
    text = re.sub(r"^https?://", "", pattern.strip())
    parts = [
        ".*" if part == "**" else "[^/?]*" if part == "*" else re.sub(r"([^\w/ -])", r"\\\1", part) for part in re.split(r"(\*\*?)", text)
    ]
    host = "[^/]+" if text.startswith("/") else ""
    return f"^https?://{host}{''.join(parts)}{'' if '?' in text else '([?].*)?'}$"


def count_pages(site: Site, *, part: str = "") -> int:
    """Return the number of pages that `search_pages` gives without a query."""
    counts = PageCount.objects.filter(site=site)
    if part in (UNREADABLE, PARTLY, UNCLUSTERED, GONE):
        return int(getattr(counts.figures().get(site.pk, PageFigures()), part))
    if part.isdecimal() and len(part) < 19:
        counts = counts.filter(cluster_key__in=site.clusters.filter(number=int(part)).values("pk"))
    return counts.total()


def build_page_view(page: Page, *, snapshot_id: int | None = None) -> PageView:
    """Return one page with its current snapshot or, with `snapshot_id`, with that one.

    An unknown id gives the current snapshot.
    """
    snapshots = list(page.snapshots.select_related("cluster__record_type", "record__rule", "picture").order_by("-fetched_at", "-id"))
    wanted = {page.current_id: 1, snapshot_id: 2}
    snapshot = max(snapshots, key=lambda one: wanted.get(one.pk, 0), default=None)
    record = getattr(snapshot, "record", None) if snapshot else None
    if record is None:
        return PageView(page, snapshot, snapshots, None, [])
    absent = Label.objects.of_page().filter(snapshot=record.snapshot_id, cluster=record.cluster_id, location__isnull=True)
    return PageView(
        page,
        snapshot,
        snapshots,
        record,
        list_columns(record),
        absent=frozenset(absent.values_list("attribute__name", flat=True)),
        ruled=frozenset(each.name for each in rule_xpaths.read_definition_or_empty(record.rule).attributes),
        row_counts=tuple((name, len(rows)) for name, rows in record.read_rows().items()),
    )


def list_columns(record: Record, attributes: Sequence[Attribute] | None = None) -> list[RecordColumn]:
    """Return a record's values by attribute, in the order of the template's record type."""
    if attributes is None:
        record_type = record.cluster.record_type
        attributes = list(record_type.attributes.of_page()) if record_type else []
    held, origins = record.read_values(), _read_corrected(record)
    return [
        RecordColumn(attribute, list_values(held.get(attribute.name, ())), origins.get((attribute.name, "", None)))
        for attribute in attributes
    ]


def list_rows(record: Record, schema: Mapping[str, Sequence[Attribute]], *, limit: int = MAX_SHOWN_ROWS) -> list[ListRows]:
    """Return the lists of a record that have rows. schema: {list: its attributes} of the template's record type."""
    found, origins = [], _read_corrected(record)
    for name, stored in record.read_rows().items():
        attributes = list(schema.get(name, ())) or [Attribute(name=each) for each in dict.fromkeys(key for row in stored for key in row)]
        rows = [
            [RecordColumn(each, list_values(row.get(each.name, ())), origins.get((each.name, name, place))) for each in attributes]
            for place, row in enumerate(stored[:limit])
        ]
        if rows:
            found.append(ListRows(name, attributes, rows, len(stored)))
    return found


def _read_corrected(record: Record) -> dict[tuple[str, str, int | None], Origin]:
    """Return {(attribute, list, row): where its values come from} of the values that a person corrected."""
    return {each.place: each for each in record.read_origins().list_corrected()} if record.origins else {}


def list_schema(record_type: RecordType | None) -> dict[str, list[Attribute]]:
    """Return {list: its attributes} of a record type."""
    found: dict[str, list[Attribute]] = {}
    if record_type:
        for attribute in record_type.attributes.of_rows().select_related("list").order_by("list__position", "position"):
            found.setdefault(str(attribute.list), []).append(attribute)
    return found


def locate_value(record: Record, text: str) -> ShownMark:
    """Return the place of the value that `text` names as `attribute.position`, for the frame to outline."""
    name, _, position = text.rpartition(".")
    if not name or not (position.isdecimal() and len(position) < 19):
        return ShownMark()
    try:
        place = records.find_place(record, name, int(position))
    except records.PlaceError as error:
        return ShownMark(problem=str(error))
    attribute = Attribute.objects.of_cluster(record.cluster).filter(name=name).first()
    outline = {**place.as_json(), "hue": attribute.hue if attribute else 0}
    return ShownMark(locations=json.dumps([outline], separators=(",", ":")))


def list_values(stored: Sequence[RecordValue]) -> list[ShownValue]:
    """Return the stored values of one attribute for display."""
    return [ShownValue(each.raw, each.value, each.problem, place) for place, each in enumerate(stored)]
