"""What the screens for corrections show."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from extraction.models import Attribute, Cluster, Correction, Record, TrackedRecord
from extraction.models.correction import CorrectionQuerySet
from extraction.models.record_origins import CorrectionMark, Origin
from extraction.models.record_values import RecordValue
from extraction.services.corrections.applying import Place
from extraction.views.sites import site_pages

ROWS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class ShownCell:
    """The values of one attribute of a record or of one of its rows.

    page: the texts on the page, if they differ from the values.
    given: the values that the rule gave, if a person corrected them.
    correction: who corrected them.
    position: the place of the row in the record, None for the page itself.
    """

    attribute: Attribute
    values: Sequence[RecordValue]
    page: tuple[str, ...] = ()
    given: tuple[RecordValue, ...] = ()
    correction: CorrectionMark | None = None
    list_name: str = ""
    position: int | None = None

    @property
    def page_texts(self) -> tuple[str, ...]:
        """The texts on the page, also where they are the values."""
        return tuple(self.page) if self.page or self.correction else tuple(each.raw for each in self.values)

    @property
    def seen(self) -> str:
        """The texts on the page as JSON."""
        return json.dumps(list(self.page_texts))

    @property
    def text(self) -> str:
        """The values, one on each line."""
        return "\n".join(each.raw for each in self.values)

    @property
    def place(self) -> Place:
        """Where the values are in the record."""
        return self.attribute.name, self.list_name, self.position


def list_cells(record: Record) -> list[ShownCell]:
    """Return the page's own attributes with their values."""
    origins, values = record.read_origins().by_place(), record.read_values()
    record_type = record.cluster.record_type
    attributes = list(record_type.attributes.of_page()) if record_type else []
    return [_make_cell(each, values.get(each.name, ()), origins.get((each.name, "", None))) for each in attributes]


@dataclass(frozen=True, slots=True)
class ShownRows:
    """One page of the rows of a list."""

    name: str
    attributes: Sequence[Attribute]
    pages: "Page[dict[str, list[RecordValue]]]"
    rows: Sequence[tuple[int, Sequence[ShownCell]]]


def list_row_cells(record: Record, name: str, number: str) -> ShownRows | None:
    """Return some rows of a list; None if the record has no such rows. number: of the page of rows, from 1."""
    stored, schema = record.read_rows().get(name, []), site_pages.list_schema(record.cluster.record_type)
    if not stored or name not in schema:
        return None
    pages = Paginator(stored, ROWS_PER_PAGE).get_page(number or 1)
    first = pages.start_index() - 1
    cells = make_row_cells(record, schema[name], name, list(pages.object_list), first)
    return ShownRows(name, schema[name], pages, [(n + 1, row) for n, row in enumerate(cells, first)])


def make_row_cells(
    record: Record, attributes: Sequence[Attribute], name: str, rows: Sequence[Mapping[str, Sequence[RecordValue]]], first: int
) -> list[list[ShownCell]]:
    """Return the cells of some rows of a list. first: the place of the first one in the record, from 0."""
    origins = record.read_origins().by_place()
    return [
        [_make_cell(each, row.get(each.name, ()), origins.get((each.name, name, n)), name, n) for each in attributes]
        for n, row in enumerate(rows, first)
    ]


def find_cell(record: Record, place: Place) -> ShownCell | None:
    """Return the values at one place of a record, None if it has no such place."""
    name, list_name, position = place
    attribute = Attribute.objects.of_cluster(record.cluster).filter(name=name).select_related("list").first()
    if attribute is None or (attribute.list.name if attribute.list else "") != list_name:
        return None
    rows = record.read_rows().get(list_name, [])
    if list_name and (position is None or not 0 <= position < len(rows)):
        return None
    values = rows[position or 0] if list_name else record.read_values()
    place = (name, list_name, position if list_name else None)
    return _make_cell(attribute, values.get(name, ()), record.read_origins().by_place().get(place), *place[1:])


def _make_cell(
    attribute: Attribute, values: Sequence[RecordValue], origin: Origin | None, list_name: str = "", position: int | None = None
) -> ShownCell:
    if origin is None:
        return ShownCell(attribute, values, list_name=list_name, position=position)
    return ShownCell(attribute, values, origin.page, origin.given or (), origin.correction, list_name, position)


def find_marks(thing: TrackedRecord) -> Mapping[str, Origin]:
    """Return {attribute: who corrected it} of the present values of a record over time."""
    record = Record.objects.filter(snapshot=thing.snapshot_id, cluster=thing.cluster_id).first() if thing.snapshot_id else None
    if record is None:
        return {}
    row = None
    if thing.list_name:
        rows = record.rows.get(thing.list_name, [])
        row = next((n for n, each in enumerate(rows) if each == thing.values), -1)
    marks = record.read_origins().list_corrected()
    return {each.attribute: each for each in marks if (each.list_name, each.row) == (thing.list_name, row)}


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """A correction in the list. row: the number of its row from 1 when it was made, None for the page itself."""

    correction: Correction
    row: int | None


def select_corrections(cluster: Cluster, *, review: bool) -> CorrectionQuerySet:
    """Return the open corrections of a template, the oldest first: those to review, or those in use."""
    state = Correction.State.REVIEW if review else Correction.State.ACTIVE
    found = Correction.objects.of_cluster(cluster).filter(state=state)
    return found.select_related("page", "attribute__list", "snapshot").order_by("pk")


def list_corrections(found: Iterable[Correction]) -> list[CorrectionRow]:
    """Return some corrections for display."""
    return [CorrectionRow(each, each.row["position"] + 1 if each.row else None) for each in found]


def count_to_review(cluster: Cluster) -> int:
    """Return how many corrections of a template wait for a person."""
    return Correction.objects.of_cluster(cluster).to_review().count()
