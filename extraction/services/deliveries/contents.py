"""What a target gets: the columns, and the files."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from extraction.algorithms.records.choice import URL_COLUMN, ExportChoice
from extraction.algorithms.records.line import Line
from extraction.models import Delivery, DeliveryTarget
from extraction.models.delivery import Selection, TargetContent
from extraction.services.deliveries.ledger import Difference, Entry, LedgerReader, is_selected
from extraction.services.deliveries.record_lines import ABOUT, LineMaker, ReleasedRecords, make_scope
from extraction.services.deliveries.senders.files import ReadyFile
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.records.exports import describe, export_records
from extraction.services.records.exports.export_records import Export, ExportError
from extraction.services.records.exports.formats import FORMATS, ExportFormat
from extraction.services.records.exports.lines import LineCounts
from extraction.services.schema import versions

CHANGE = "change"
"""The column that says what happened to a record."""

ALWAYS = ("record_id", "record_key")
"""Columns that every delivered file has, so that each of its lines can be told from the others."""

CHANGES_FORM = replace(FORMATS["jsonl"], folds_case=True)
"""The form of the values that webhooks and tables get: typed, with lists. Databases take names that differ in case for the same."""

SELECTION_NAMES = {
    Selection.CHANGES: "changes",
    Selection.NEW: "new",
    Selection.NEW_CHANGED: "new-and-changed",
    Selection.GONE: "gone",
}
"""What the names of files say about their selection."""

DEFAULT_ABOUT = ("site", "template")


def plan_content(records: ReleasedRecords, content: TargetContent, form: ExportFormat, *, changes: bool = False) -> Export:
    """Return the export of a target's content.

    changes: the lines say what happened to the record.
    Raises DeliveryError if the chosen columns are not there.
    """
    scope = make_scope(records)
    known = [each.name for each in scope.attributes.get(records.list_name, ())]
    chosen = [name for name in content.columns if name in known] if content.columns else known
    missing = [name for name in content.columns if name not in known]
    if missing:
        raise DeliveryError(
            gettext("%(title)s has no %(missing)s any more. Choose the columns of the target again.")
            % {"title": records.title, "missing": ", ".join(missing)},
            again=False,
        )
    about = [name for name in content.about if name in ABOUT]
    wanted = [*ALWAYS, *([CHANGE] if changes else []), *(name for name in about if name not in ALWAYS)]
    choice = ExportChoice(
        columns=(*chosen, URL_COLUMN),
        about=tuple(wanted),
        values=content.values,  # type: ignore[arg-type]
        split_prices=content.split_prices,
        list=records.list_name,
    )
    try:
        return export_records.plan_export(scope, choice, form)
    except ExportError as error:
        raise DeliveryError(str(error), again=False) from error


def plan_changes(target: DeliveryTarget, records: ReleasedRecords) -> Export:
    """Return the export that makes the cells of a target's changes. Raises DeliveryError like `plan_content`."""
    content = target.read_content()
    form = FORMATS[content.format] if target.sends_files else CHANGES_FORM
    return plan_content(records, content, form, changes=target.sends_files)


def make_content_digest(target: DeliveryTarget, records: ReleasedRecords, export: Export) -> str:
    """Return a digest of what a target's file is made from. It stays the same as long as the file does."""
    columns = [[each.name, each.kind, each.several] for each in export.columns]
    text = json.dumps([records.name_state(), columns, target.content, target.place], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class ChangesFile:
    """The lines of a file of changes.

    selection: which changes the file holds.
    entries: every difference, also those that the file does not hold, so that the next file brings what happened after this one. They are
        complete when the lines were read.
    """

    records: ReleasedRecords
    reader: LedgerReader
    entries: list[Entry]
    selection: Selection = Selection.CHANGES

    def make_export(self, content: TargetContent, form: ExportFormat) -> Export:
        """Return the export of the changes."""
        plain = plan_content(self.records, content, form, changes=True)
        scope = replace(plain.scope, read=lambda counts: self._read_lines(plain, counts))
        return Export(scope, plain.choice, form, plain.columns)

    def _read_lines(self, plain: Export, counts: LineCounts) -> Iterator[Line]:
        lines = LineMaker(self.records)
        for each in self.reader.find_differences(self.records, plain):
            self.entries.append(each.entry)
            if not is_selected(each.kind, self.selection):
                continue
            counts.records += 1
            if each.state is not None:
                yield lines.make_line(each.state, each.kind)
            else:
                yield _make_removed_line(each)


def _make_removed_line(each: Difference) -> Line:
    page = dict.fromkeys((URL_COLUMN, *ABOUT), None)
    return Line({}, {**page, "record_id": each.entry.record_id, "record_state": "removed", CHANGE: each.kind})


def write_files(export: Export, folder: Path, name: str, *, described: bool) -> list[ReadyFile]:
    """Write the file and, if wanted, what describes it. The file itself comes last: who sees it finds its description."""
    path = folder / "records"
    export_records.fill_file(export, path)
    ready = []
    if described:
        kind = export.scope.record_type
        version = versions.record_version(kind) if kind else None
        texts = {".schema.json": describe.write_json_schema(export, version), ".dictionary.md": describe.write_dictionary(export, version)}
        for suffix, text in texts.items():
            beside = folder / f"description{suffix}"
            export_records.write_text(beside, [text])
            ready.append(ReadyFile(beside, f"{name}{suffix}"))
    return [*ready, ReadyFile(path, f"{name}{export.format.suffix}")]


def name_file(target: DeliveryTarget, delivery: Delivery | None = None) -> str:
    """Return the name of a target's file without its ending. It is the same however often the delivery is begun."""
    base = slugify("-".join(filter(None, (target.record_type.slug, target.list_name))))[:80] or "records"
    content = target.read_content()
    if not content.keeps_files and not content.changes_only:
        return base
    made = delivery.created_at if delivery else timezone.now()
    kind = f"-{SELECTION_NAMES[content.selection]}" if content.changes_only else ""
    return f"{base}{kind}-{made:%Y%m%dT%H%M%SZ}-{delivery.pk if delivery else 0}"
