"""Downloads of what changed: since a date, or since a person's last download.

What a person has is kept in a ledger, as for a target. It is noted in the transaction that stores the file, and the file can be fetched
again for a while, so a download that broke off loses nothing.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from extraction.algorithms.records.line import Line
from extraction.models import Ledger, StoredFile
from extraction.models.delivery import TargetContent
from extraction.services.deliveries import contents, ledger
from extraction.services.deliveries.ledger import LedgerReader
from extraction.services.deliveries.record_lines import LineMaker, NotDelivered, ReleasedRecords
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.records import history, stored_files
from extraction.services.records.exports import export_records
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.formats import ExportFormat
from extraction.services.records.exports.lines import LineCounts
from extraction.services.records.states import read_states_before

TRIES = 3
"""How often a file is made again because the person has downloaded changes in the meantime."""

ABOUT = ("site", "template", "record_state", "changed_at")


@dataclass(frozen=True, slots=True)
class ChangeFile:
    """A file of changes. lines: how many it has."""

    file: StoredFile
    lines: int


def find_user_ledger(user: User, records: ReleasedRecords) -> Ledger | None:
    """Return what a person has of these records, None if they never downloaded their changes."""
    return Ledger.objects.filter(**_name_receiver(user, records)).first()


def store_new_changes(user: User, records: ReleasedRecords, form: ExportFormat) -> ChangeFile:
    """Store the file of what changed since the person's last download, all records the first time. Note that the person has them.

    Raises NotDelivered.
    """
    _check_released(records)
    book, _ = Ledger.objects.get_or_create(**_name_receiver(user, records))
    for _ in range(TRIES):
        book.refresh_from_db()
        file = contents.ChangesFile(records, LedgerReader(book), [])
        stored = _store(user, records, lambda content, file=file: file.make_export(content, form), form, "since-last")  # type: ignore[misc]
        with transaction.atomic():
            # The file is made outside of the transaction, because it may take long. Two downloads at once must not hold the same changes.
            if list(Ledger.objects.select_for_update().filter(pk=book.pk, updated_at=book.updated_at).values_list("pk")):
                ledger.note_delivered(book, file.entries)
                return stored
    raise NotDelivered(gettext("You are downloading these changes in several windows at once. Wait until one is done."))


def store_changes_since(user: User, records: ReleasedRecords, form: ExportFormat, since: datetime) -> ChangeFile:
    """Store the file of what is different from a moment. It does not count as a download of the person.

    Raises NotDelivered, also if changes since then are no longer kept.
    """
    _check_released(records)
    for each in records.templates:
        oldest = history.find_oldest(each.cluster)
        if oldest is not None and oldest > since:
            raise NotDelivered(
                gettext("Changes of %(site)s: %(cluster)s before %(oldest)s UTC are no longer kept. Choose a later date.")
                % {"site": each.cluster.site.name, "cluster": each.cluster.label, "oldest": f"{oldest:%Y-%m-%d %H:%M}"}
            )

    def make_export(content: TargetContent) -> Export:
        plain = contents.plan_content(records, content, form, changes=True)
        scope = replace(plain.scope, read=lambda counts: _read_since(records, since, counts))
        return Export(scope, plain.choice, form, plain.columns)

    return _store(user, records, make_export, form, f"since-{since:%Y-%m-%d}")


def _check_released(records: ReleasedRecords) -> None:
    if not records.templates:
        raise NotDelivered(gettext("No records of %(title)s have been released yet.") % {"title": records.title})


def _store(
    user: User, records: ReleasedRecords, make_export: Callable[[TargetContent], Export], form: ExportFormat, kind: str
) -> ChangeFile:
    try:
        export = make_export(TargetContent(format=form.name, about=ABOUT))
    except DeliveryError as error:
        raise NotDelivered(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="vertex-changes-") as folder:
        path = Path(folder) / "records"
        export_records.fill_file(export, path)
        now = timezone.now()
        name = f"{slugify(records.title)[:60] or 'records'}-{kind}-{now:%Y%m%dT%H%M%SZ}{form.suffix}"
        place = stored_files.make_place(f"user {user.pk}", f"changes {records.title}")
        stored = stored_files.store_file(path, place=place, name=name, content_type=form.content_type, owner=user)
    return ChangeFile(stored, export.tally.lines)


def _read_since(records: ReleasedRecords, since: datetime, counts: LineCounts) -> Iterator[Line]:
    maker = LineMaker(records)
    known = {each.cluster.pk: read_states_before(each.cluster, since, list_name=records.list_name) for each in records.templates}
    for state in records.read_states():
        before = known[state.cluster_id].get(state.record_id)
        if state.changed_at is None or state.changed_at < since:
            continue
        kind = _name_change(before, present=state.present)
        if kind:
            counts.records += 1
            yield maker.make_line(state, kind)


def _name_change(before: bool | None, *, present: bool) -> str:
    """Return what happened to a record. before: whether it was present; None if it was not known."""
    if not present:
        return "gone" if before else ""
    return "changed" if before else "added" if before is None else "back"


def _name_receiver(user: User, records: ReleasedRecords) -> dict[str, Any]:
    kind = records.record_type if records.across_sites else None
    return {"user": user, "record_type": kind, "cluster": records.cluster, "list_name": records.list_name}
