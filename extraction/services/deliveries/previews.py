"""A dry run: what the next delivery to a target would bring, without sending it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext

from extraction.algorithms.records.cell_types import Cell
from extraction.algorithms.records.changes import ReplayError
from extraction.algorithms.records.columns import Column
from extraction.models import DeliveryTarget, Ledger
from extraction.services.deliveries import contents
from extraction.services.deliveries.ledger import LedgerReader, is_selected
from extraction.services.deliveries.record_lines import NotDelivered, ReleasedTemplate, find_type_records
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.records.exports import describe
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.formats import FORMATS

MOST = 250
"""Lines that a dry run counts, and records that it compares with those of the receiver."""

EXAMPLES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPreview:
    """What a delivery would bring.

    problem: why it would fail, "" if it would not.
    changes: whether it would bring changes, not a file of all records.
    templates: whose records it would bring, and the released run of each.
    kinds: {what happened: number of records}; empty for a file of all records.
    lines: of the file, or changes. complete: whether these are all; if not, they are those of the first MOST lines or records.
    rows: the first ones.
    losses: what is left out or shown elsewhere, a sentence each.
    """

    problem: str = ""
    changes: bool = False
    templates: Sequence[ReleasedTemplate] = ()
    columns: Sequence[Column] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)
    lines: int = 0
    complete: bool = True
    rows: Sequence[Sequence[Cell]] = ()
    losses: Sequence[str] = ()


def preview_target(target: DeliveryTarget) -> DeliveryPreview:
    """Return what the next delivery to a target would bring."""
    content = target.read_content()
    try:
        records = find_type_records(target.record_type, target.list_name)
        if not records.templates:
            return DeliveryPreview(problem=gettext("No records of %(title)s have been released yet.") % {"title": records.title})
        changes = not target.sends_files or content.changes_only
        if not changes:
            return _preview_file(contents.plan_content(records, content, FORMATS[content.format]), records.templates)
        export = contents.plan_changes(target, records)
        # A target that was never used has no ledger yet. Looking must not make one.
        book = Ledger.objects.filter(target=target).first() or Ledger(pk=0)
        kinds: Counter[str] = Counter()
        rows: list[Sequence[Cell]] = []
        reader = LedgerReader(book)
        for each in reader.find_differences(records, export, kind_column=contents.CHANGE, most=MOST):
            if not is_selected(each.kind, content.selection):
                continue
            kinds[each.kind] += 1
            if len(rows) < EXAMPLES and each.state is not None:
                rows.append(each.cells)
        return _make(export, records.templates, kinds, rows, complete=reader.complete)
    except (DeliveryError, NotDelivered, ReplayError) as error:
        return DeliveryPreview(problem=str(error))


def _make(
    export: Export, templates: Sequence[ReleasedTemplate], kinds: Counter[str], rows: Sequence[Sequence[Cell]], *, complete: bool
) -> DeliveryPreview:
    return DeliveryPreview(
        changes=True,
        templates=templates,
        columns=export.columns,
        kinds=dict(kinds),
        lines=kinds.total(),
        complete=complete,
        rows=rows,
        losses=[gettext("Left out: %(each)s.") % {"each": each} for each in export.scope.left_out],
    )


def _preview_file(export: Export, templates: Sequence[ReleasedTemplate]) -> DeliveryPreview:
    rows: list[Sequence[Cell]] = []
    complete = True
    for row in export.open_table().rows:
        if len(rows) < EXAMPLES:
            rows.append(row)
        if export.tally.lines >= MOST:
            complete = False
            break
    return DeliveryPreview(
        templates=templates,
        columns=export.columns,
        lines=export.tally.lines,
        complete=complete,
        rows=rows,
        losses=describe.describe_losses(export),
    )
