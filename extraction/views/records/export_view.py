"""What the export dialog shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.records.columns import PAGE_COLUMNS, list_page_columns
from extraction.services.records.exports.export_records import make_default_choice
from extraction.services.records.exports.formats import FORMATS, ExportFormat
from extraction.services.records.exports.scopes import ExportScope


@dataclass(frozen=True, slots=True)
class AboutColumn:
    """A column about the page that can be chosen."""

    name: str
    meaning: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ExportDialog:
    """The choices of the dialog.

    address: of the file. figures: of the part that says what the file would hold.
    layouts: for each kind of line, the usual one first: the list ("" for pages) and its columns.
    about: columns about the page.
    own: whether pages have attributes of their own.
    prices: whether any attribute is a price.
    across_sites: whether the records are of all sites.
    held: why some of the records are not released, a sentence each; empty if there is no choice.
    """

    address: str
    figures: str
    formats: Sequence[ExportFormat]
    layouts: Sequence[tuple[str, Sequence[str]]]
    about: Sequence[AboutColumn]
    own: bool
    prices: bool
    across_sites: bool
    held: Sequence[str] = ()


def build_export_dialog(scope: ExportScope, *, address: str, figures: str) -> ExportDialog:
    """Return the dialog for a scope."""
    own = bool(scope.attributes.get("")) or not scope.lists
    names = ["", *scope.lists] if own else [*scope.lists, ""]
    standard = make_default_choice(scope)
    about = list_page_columns(rows=bool(scope.lists), sites=scope.across_sites, kept=scope.knows_corrections)
    return ExportDialog(
        address=address,
        figures=figures,
        formats=tuple(FORMATS.values()),
        layouts=[(name, make_default_choice(scope, name).columns) for name in names],
        about=[AboutColumn(name, PAGE_COLUMNS[name][1], name in standard.about) for name in about],
        own=own,
        prices=any(each.type == "price" for many in scope.attributes.values() for each in many),
        across_sites=scope.across_sites,
        held=scope.notices if scope.released else (),
    )
