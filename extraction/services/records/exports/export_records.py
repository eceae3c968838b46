"""Write the records of a scope in a format, with the counts of what does not fit or was left out.

A file is written aside and takes its name only when it is complete, so that nobody ever reads half of one.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from django.utils import translation
from django.utils.translation import gettext

from extraction.algorithms.records.cells import CellMaker
from extraction.algorithms.records.choice import URL_COLUMN, ExportChoice
from extraction.algorithms.records.columns import CORRECTION_COLUMNS, KEPT_COLUMNS, Column, plan_columns
from extraction.algorithms.records.csv_table import join_texts
from extraction.algorithms.records.csv_text import join_lines
from extraction.algorithms.records.table import Table
from extraction.algorithms.records.tally import Tally
from extraction.services.core.percent import write_number
from extraction.services.core.streaming import stream_rows
from extraction.services.records.exports.formats import ExportFormat
from extraction.services.records.exports.lines import LineCounts, read_lines
from extraction.services.records.exports.scopes import ExportScope


class ExportError(Exception):
    """An export is not possible. The message is for users and gives the reason."""


@dataclass(slots=True)
class Export:
    """An export that is ready to be written, once.

    columns: of the file.
    tally, counts: grow while it is written.
    """

    scope: ExportScope
    choice: ExportChoice
    format: ExportFormat
    columns: tuple[Column, ...]
    tally: Tally = field(default_factory=Tally)
    counts: LineCounts = field(default_factory=LineCounts)

    def open_table(self) -> Table:
        """Return the table to write."""
        if self.scope.read is not None:
            lines = self.scope.read(self.counts)
        else:
            lines = read_lines(self.scope.records, self.choice.list, self.counts, not CORRECTION_COLUMNS.isdisjoint(self.choice.about))
        return Table(self.columns, self.make_maker().make_rows(lines), self.choice, self.tally)

    def make_maker(self) -> CellMaker:
        """Return what makes the cells of the columns from lines."""
        return CellMaker(
            self.columns,
            self.scope.known,
            self.format.typed,
            lambda texts: join_texts(texts, self.choice),
            self.format.limits,
            self.tally,
        )


def make_default_choice(scope: ExportScope, list_name: str = "") -> ExportChoice:
    """Return the choice of all attributes and the page's address; across sites, the site and the template as well."""
    names = [each.name for each in scope.attributes.get(list_name, ())]
    about = ("site", "template") if scope.across_sites else ()
    return ExportChoice(columns=(*names, URL_COLUMN), about=about, list=list_name)


def plan_export(scope: ExportScope, choice: ExportChoice, form: ExportFormat) -> Export:
    """Return an export, ready to be written.

    Raises ExportError if the choice has no columns, more than the format can hold, or some that the scope cannot fill.
    """
    if choice.list not in scope.attributes:
        raise ExportError(gettext("%(title)s has no list “%(list)s”.") % {"title": scope.title, "list": choice.list})
    unknown = [name for name in choice.about if name in KEPT_COLUMNS and not scope.knows_corrections]
    if unknown:
        raise ExportError(
            gettext("%(title)s: only the records of a template or a record type can say this. Leave out %(unknown)s.")
            % {"title": scope.title, "unknown": ", ".join(unknown)}
        )
    columns = plan_columns(scope.attributes[choice.list], choice, typed=form.typed, folds_case=form.folds_case)
    if not columns:
        raise ExportError(gettext("Choose at least one column."))
    if len(columns) > form.max_columns:
        raise ExportError(
            gettext("%(form)s can hold %(max_columns)s columns; these are %(columns)s. Choose fewer.")
            % {"form": form.label, "max_columns": write_number(form.max_columns), "columns": write_number(len(columns))}
        )
    return Export(scope, choice, form, columns)


def stream_export(export: Export) -> Iterator[str]:
    """Return a text format's file in pieces. Raises TypeError for other formats."""
    if export.format.stream is None:
        raise TypeError(gettext("%(format)s is no text") % {"format": export.format.label})
    return join_lines(export.format.stream(export.open_table()))


def write_export(export: Export, path: Path) -> None:
    """Write the file aside, in the same folder, and give it its name once it is complete. An existing file is replaced.

    Raises OSError.
    """
    with _write_aside(path) as aside:
        fill_file(export, aside)


def fill_file(export: Export, path: Path) -> None:
    """Write the file at a path where there is none. It is incomplete until this returns."""
    with stream_rows(), translation.override("en"):
        if export.format.write is not None:
            export.format.write(path, export.open_table())
            return
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(stream_export(export))


def count_lines(export: Export, limit: int | None = None) -> bool:
    """Count what the file would hold, without writing it, and return whether these are all lines.

    limit: count at most so many lines, whichever the database finds first. To sort all records for that would take long.
    """
    counted = export if limit is None else replace(export, scope=replace(export.scope, records=export.scope.records.order_by()))
    export.counts.wanted = limit
    with stream_rows(few=limit is not None):
        for _ in islice(counted.open_table().rows, limit):
            pass
    return limit is None or export.tally.lines < limit


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file aside and give it its name once it is complete. Line ends stay as they are. Raises OSError."""
    with _write_aside(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)


@contextmanager
def _write_aside(path: Path) -> Iterator[Path]:
    """Give a path to write to. If nothing fails, what stands there takes the name `path`, in the same folder.

    A link stays and its target is replaced. A pipe or a device (`/dev/stdout`) gets the complete bytes.
    """
    special = path.exists() and not path.is_file() and not path.is_dir()
    with tempfile.TemporaryDirectory(dir=None if special else path.resolve().parent, prefix=".export-") as folder:
        aside = Path(folder) / "part"
        yield aside
        with aside.open("rb") as file:
            if special:
                with path.open("wb") as device:
                    shutil.copyfileobj(file, device)
                return
            os.fsync(file.fileno())
        aside.replace(path.resolve())
