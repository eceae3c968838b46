"""MSE: the dynamic sections of pages of one template and the records in them (Zhao, Meng & Yu, VLDB 2006; docs/algorithms.md#mse).

    for section in find_sections([page.root for page in pages]): section.rows[0]

Pages are read as content lines (`lines`). Elements whose children are alike are candidates for sections (`regions`, with the measures of
`records`). What pages have in common bounds sections and tells menus from results (`boundaries`, `refine`). Sections are followed from page
to page (`sections`), and the texts of their records are put into columns (`fields`). Cost: linear in the lines and elements, with up to 12
comparisons of records for each sign of each parent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from lxml import etree

from extraction.algorithms.alignment.mse import fields
from extraction.algorithms.alignment.mse.fields import SectionColumn, SectionColumns
from extraction.algorithms.alignment.mse.lines import MAX_ELEMENTS, MAX_LINES, read_pages
from extraction.algorithms.alignment.mse.page import LinePage, PathNumbers
from extraction.algorithms.alignment.mse.sections import FoundSection, follow_sections
from extraction.algorithms.alignment.schema import Optional, Repeated, SchemaField, Structure, Tuple, Value, column_name
from extraction.algorithms.alignment.schema import Row as SchemaRow

CUT = f"only its first {MAX_LINES:,} lines or {MAX_ELEMENTS:,} elements were read; records after them are missing"
"""What is said of a page that is too long."""

__all__ = ["CUT", "Section", "SectionField", "SectionRow", "build_structure", "find_sections"]


@dataclass(frozen=True, slots=True)
class SectionField:
    """A column of a section.

    label: the text before its values, "" for none.
    steps: the steps of its path within a record: elements with their classes.
    column: the column of the table cell that it is in, from 1; 0 if it is in no table.
    multiple: whether a record may have several values.
    """

    label: str
    steps: tuple[str, ...]
    column: int
    multiple: bool


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A record of a section.

    first, last: the elements that it begins and ends with, which are siblings (indexes in `elements(root)`).
    values: by field number.
    """

    first: int
    last: int
    values: Mapping[int, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Section:
    """A dynamic section.

    label: the text of the line that bounds it above, without numbers; "" for none.
    family: equal for sections of one format.
    fields: the fields of its records, in order.
    rows: {page: its records}, without pages on which the section is hidden.
    cut: pages that were read in part, because they are too long. There the section may have more records.
    """

    label: str
    family: int
    fields: tuple[SectionField, ...]
    rows: Mapping[int, tuple[SectionRow, ...]]
    cut: tuple[int, ...] = ()

    @property
    def several(self) -> bool:
        """Whether some page shows two records."""
        return any(len(rows) > 1 for rows in self.rows.values())


def find_sections(roots: Sequence[etree._Element]) -> list[Section]:
    """Return the sections of pages of one template, those with the most content first. A single page is enough, but then menus count as
    sections too."""
    pages, paths = read_pages(roots)
    return [section for found in follow_sections(pages) if (section := _section(found, pages, paths)).fields]


def build_structure(sections: Sequence[Section], pages: int) -> Structure:
    """Return sections as a schema, with a set for each section and its records' fields, and the rows of each page. The result names the
    pages that were only read in part."""
    names = (column_name(number) for number in count())
    parts, rows = [], [dict[str, Value | tuple[SchemaRow, ...]]() for _ in range(pages)]
    for section in sections:
        name = next(names)
        own = [(next(names), next(names) if field.multiple else "") for field in section.fields]
        for page, records in section.rows.items():
            rows[page][name] = tuple(_row(record, own) for record in records)
        part = Repeated(name, Tuple(tuple(_part(*each) for each in own)))
        parts.append(part if len(section.rows) == pages else Optional(Tuple((part,))))
    cut = sorted({page for section in sections for page in section.cut})
    return Structure(Tuple(tuple(parts)), tuple(rows), dict.fromkeys(cut, CUT))


def _part(name: str, within: str) -> Optional:
    """Return a field of a record. within: the name of each value, if there are several."""
    return Optional(Tuple((Repeated(name, Tuple((SchemaField(within),))) if within else SchemaField(name),)))


def _row(record: SectionRow, names: Sequence[tuple[str, str]]) -> SchemaRow:
    held: dict[str, Value | tuple[SchemaRow, ...]] = {}
    for number, values in record.values.items():
        name, within = names[number]
        held[name] = tuple({within: value} for value in values) if within else values[0]
    return held


def _section(found: FoundSection, pages: Sequence[LinePage], paths: PathNumbers) -> Section:
    rows: dict[int, list[SectionRow]] = {}
    told = {(page, record): fields.record_texts(pages[page], record) for page, records in found.records.items() for record in records}
    columns = SectionColumns(list(told.values()))
    for (page, record), texts in told.items():
        if values := columns.values(texts):
            rows.setdefault(page, []).append(SectionRow(record.first, record.last, values))
    page, record = next(iter(told))
    around = pages[page].nodes[pages[page].nodes[record.first].parent].path
    named = tuple(_told(column, around, paths) for column in columns.all)
    cut = tuple(number for number, each in enumerate(pages) if each.is_cut)
    return Section(found.label, found.family, named, {page: tuple(records) for page, records in rows.items()}, cut)


def _told(column: SectionColumn, around: int, paths: PathNumbers) -> SectionField:
    """Return a column with the steps of its path below the element around the records."""
    steps: list[str] = []
    path = column.path
    while path >= 0 and path != around:
        steps.append(paths.steps[path])
        path = paths.above[path]
    cell = next((step for step in steps if step.startswith(("td", "th")) and step.endswith("]")), "")
    return SectionField(column.label, tuple(reversed(steps)), int(cell[cell.rindex("[") + 1 : -1]) if cell else 0, column.multiple)
