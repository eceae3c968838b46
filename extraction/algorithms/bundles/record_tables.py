"""The tables of a bundle's records: their columns, and the lines that a page gives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from extraction.algorithms.bundles.bundle import BundledTemplate, SiteBundle
from extraction.algorithms.records.cell_types import Cell, Limits
from extraction.algorithms.records.cells import CellMaker
from extraction.algorithms.records.choice import URL_COLUMN, ExportChoice
from extraction.algorithms.records.columns import Column, plan_columns
from extraction.algorithms.records.csv_table import join_texts
from extraction.algorithms.records.line import Line, PageCell
from extraction.algorithms.records.tally import Tally
from extraction.algorithms.rules.page_record import PageRecord

ABOUT = ("fetched_at", "state", "rule_version")
"""The columns about the page that a table has unless others are chosen, after the page's address."""

POSSIBLE_ABOUT = ("site", "template", "row", "fetched_at", "state", "rule_version")
"""Those that are known without the dashboard."""


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table of the records of a template: a line for each page, or for each row of a list.

    name: the site's slug and the template's number, and the number of the list if it is one.
    typed: whether the format has types.
    """

    name: str
    site: str
    template: BundledTemplate
    list_name: str
    columns: tuple[Column, ...]
    choice: ExportChoice
    typed: bool

    def make_lines(self, url: str, fetched_at: datetime | None, record: PageRecord) -> list[Line]:
        """Return the lines that a record gives, in the order of its rows. A failed record gives none."""
        if record.state == "failed" or self.template.rule is None:
            return []
        page: dict[str, PageCell] = {
            URL_COLUMN: url,
            "site": self.site,
            "template": self.template.label,
            "fetched_at": fetched_at,
            "state": record.state,
            "rule_version": self.template.rule.version,
            "row": None,
        }
        if not self.list_name:
            return [Line(record.values, page)]
        rows = record.rows.get(self.list_name, ())
        return [Line({**record.values, **row}, {**page, "row": place}) for place, row in enumerate(rows, 1)]

    def make_rows(self, lines: Sequence[Line], tally: Tally) -> Iterator[list[Cell]]:
        """Return the cells of lines. tally: counts what did not fit."""
        known = frozenset(each.name for many in self.template.lists for each in many.attributes)
        return CellMaker(self.columns, known, self.typed, lambda texts: join_texts(texts, self.choice), Limits(), tally).make_rows(
            iter(lines)
        )


def plan_tables(bundle: SiteBundle, *, typed: bool, about: Sequence[str] = ABOUT) -> list[RecordTable]:
    """Return the tables of the templates with a rule. A template whose pages have no values of their own has tables of its lists only.

    typed: whether the format has types, as Parquet has.
    about: names of POSSIBLE_ABOUT. `row` is used for lists only.
    """
    found = []
    for template in bundle.templates:
        for place, each in enumerate(template.lists if template.rule else ()):
            if not each.attributes and not each.name and len(template.lists) > 1:
                continue
            chosen = tuple(name for name in about if each.name or name != "row")
            choice = ExportChoice(columns=(*(one.name for one in each.attributes), URL_COLUMN), about=chosen, list=each.name)
            columns = plan_columns(each.attributes, choice, typed=typed, folds_case=typed)
            name = f"{bundle.slug}.{template.number}" + (f".{place}" if each.name else "")
            found.append(RecordTable(name, bundle.site, template, each.name, columns, choice, typed))
    return found
