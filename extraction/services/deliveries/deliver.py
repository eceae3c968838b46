"""Do a delivery: find what the target lacks, send it, note that it has it.

What is noted is noted in the transaction that ends the step, after the receiver has accepted it. A worker that is killed before that
does the step again: a file is written again under the same name, rows of a table are found by their number, and a batch of a webhook was
stored before it was sent, so that the same bytes go out under the same id.
"""

import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.algorithms.records.changes import ReplayError
from extraction.fetching.hidden_texts import hide_secrets
from extraction.models import Delivery, DeliveryTarget, Ledger
from extraction.models.delivery import Selection
from extraction.services.core.outages import describe_outage
from extraction.services.core.sealed_secrets import SecretError
from extraction.services.deliveries import contents, ledger, outbox
from extraction.services.deliveries.connect import make_file_sender
from extraction.services.deliveries.ledger import Difference, Entry, LedgerReader, is_selected
from extraction.services.deliveries.outbox import TakenOver
from extraction.services.deliveries.record_lines import NotDelivered, ReleasedRecords, find_type_records
from extraction.services.deliveries.secrets import open_secrets
from extraction.services.deliveries.senders import webhook
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.deliveries.senders.sql_table import SqlSender
from extraction.services.deliveries.senders.time_limits import limit_time
from extraction.services.records.exports.describe import describe_version
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.formats import FORMATS
from extraction.services.schema import versions

logger = logging.getLogger(__name__)

DELIVERY_S = 6 * 3600.0
"""How long a connection of a delivery may be used."""

ROWS = 500
"""Records in one transaction of a table."""

NOTHING_NEW = "Nothing new"

NOTHINGS = {
    Selection.ALL: "nothing changed",
    Selection.CHANGES: "nothing changed",
    Selection.NEW: "no record is new",
    Selection.NEW_CHANGED: "no record is new or changed",
    Selection.GONE: "no record is gone",
}
"""What did not happen, by what a target wants."""


def deliver(delivery_id: int, now: datetime) -> bool:
    """Claim a delivery and do it. Return False if it could not be claimed, or failed."""
    delivery = outbox.claim_delivery(delivery_id, now)
    if delivery is None:
        return False
    target = delivery.target
    secrets: dict[str, str] = {}
    try:
        if not target.enabled and delivery.cause != Delivery.Cause.HAND:
            raise DeliveryError(gettext("The target is disabled."), again=False)
        secrets = open_secrets(target)
        records = find_type_records(target.record_type, target.list_name)
        if delivery.cause == Delivery.Cause.START:
            _note_start(delivery, records)
            return True
        _check_records(records)
        with limit_time(DELIVERY_S):
            _find_way(target)(delivery, records, secrets)
    except TakenOver:
        logger.info("delivery %s was taken over or its target was deleted", delivery.pk)
        return False
    except DeliveryError as error:
        _fail(delivery, hide_secrets(str(error), secrets), again=error.again, wait_s=error.wait_s)
        return False
    except (NotDelivered, SecretError) as error:
        _fail(delivery, str(error), again=False)
        return False
    except ReplayError as error:
        _fail(delivery, f"The records as they were at the released run cannot be made: {error}", again=False)
        return False
    except Exception as error:
        reason = describe_outage(error)
        said = reason or f"Internal error: {type(error).__name__}"
        _fail(delivery, hide_secrets(said, secrets), again=reason is not None)
        if reason is None:
            raise
        return False
    return True


def _check_records(records: ReleasedRecords) -> None:
    if not records.templates:
        raise DeliveryError(
            gettext("No records of %(title)s have been released yet: there is no run, or all runs are held back.")
            % {"title": records.title},
            again=False,
        )


def _find_way(target: DeliveryTarget) -> Callable[[Delivery, ReleasedRecords, dict[str, str]], None]:
    if target.kind == DeliveryTarget.Kind.WEBHOOK:
        return _deliver_changes
    if target.kind == DeliveryTarget.Kind.SQL:
        return _deliver_rows
    return _deliver_changes_file if target.read_content().changes_only else _deliver_file


def _fail(delivery: Delivery, error: str, *, again: bool, wait_s: float = 0.0) -> None:
    logger.warning("delivery %s to target %s failed: %s", delivery.pk, delivery.target_id, error)
    outbox.put_back(delivery, error, again=again, wait_s=wait_s, now=timezone.now())


def _note_start(delivery: Delivery, records: ReleasedRecords) -> None:
    """Note which records are there, and send nothing."""
    book = find_ledger(delivery.target)
    entries = [each.entry for each in LedgerReader(book).find_differences(records, contents.plan_changes(delivery.target, records))]
    outbox.keep_alive(delivery)
    said = f"Nothing was sent. {_count_records(len(entries))} there already, so deliveries bring what comes after."
    with transaction.atomic():
        outbox.lock_claim(delivery)
        ledger.note_delivered(book, entries)
        outbox.finish_delivery(delivery, outcome=said, lines=0, size_bytes=0)


def _deliver_file(delivery: Delivery, records: ReleasedRecords, secrets: dict[str, str]) -> None:
    """Send a file of all records that are present."""
    target, content = delivery.target, delivery.target.read_content()
    export = contents.plan_content(records, content, FORMATS[content.format])
    digest = contents.make_content_digest(target, records, export)
    if digest == target.delivered_state and delivery.cause != Delivery.Cause.HAND:
        outbox.finish_delivery(delivery, outcome=f"{NOTHING_NEW}: the last file is still the same.", lines=0, size_bytes=0)
        return
    size = _send_files(delivery, export, secrets)
    with transaction.atomic():
        DeliveryTarget.objects.filter(pk=target.pk).update(delivered_state=digest)
        _finish(delivery, export, size)


def _deliver_changes_file(delivery: Delivery, records: ReleasedRecords, secrets: dict[str, str]) -> None:
    """Send a file of what happened since the last one, as far as the target wants it. The rest is noted with it."""
    content = delivery.target.read_content()
    book = find_ledger(delivery.target)
    file = contents.ChangesFile(records, LedgerReader(book), [], content.selection)
    export = file.make_export(content, FORMATS[content.format])
    size = _send_files(delivery, export, secrets, wanted=lambda: export.tally.lines > 0)
    with transaction.atomic():
        outbox.lock_claim(delivery)
        ledger.note_delivered(book, file.entries)
        _finish(delivery, export, size)


def _send_files(delivery: Delivery, export: Export, secrets: dict[str, str], wanted: Callable[[], bool] = lambda: True) -> int:
    """Write the files and send them. Return the bytes of the file with the records, 0 if it was not wanted after all."""
    target = delivery.target
    sender = make_file_sender(target, secrets)
    with tempfile.TemporaryDirectory(prefix="vertex-delivery-") as folder:
        name = contents.name_file(target, delivery)
        files = contents.write_files(export, Path(folder), name, described=target.read_content().described)
        if not wanted():
            return 0
        for file in files:
            outbox.keep_alive(delivery)
            sender.put_file(file, lambda: outbox.keep_alive(delivery))
        return files[-1].path.stat().st_size


def _finish(delivery: Delivery, export: Export, size_bytes: int) -> None:
    lines = export.tally.lines
    nothing = NOTHINGS[delivery.target.read_content().selection]
    outcome = f"{lines:,} line{'' if lines == 1 else 's'}" if size_bytes else f"{NOTHING_NEW}: {nothing} since the last delivery."
    outbox.finish_delivery(delivery, outcome=outcome, lines=lines, size_bytes=size_bytes)


def _deliver_rows(delivery: Delivery, records: ReleasedRecords, secrets: dict[str, str]) -> None:
    """Write the records that the table lacks."""
    target = delivery.target
    book = find_ledger(target)
    export = contents.plan_content(records, target.read_content(), contents.CHANGES_FORM)
    versions.record_version(target.record_type)
    sent = 0
    with SqlSender(target.read_place(), secrets.get("password", ""), export.columns) as sender:
        if sender.prepare_table():
            ledger.forget_delivered(book)
        differences = LedgerReader(book).find_differences(records, export)
        for some in _batch(differences, ROWS):
            outbox.keep_alive(delivery)
            sender.write_differences(export.columns, some, timezone.now())
            with transaction.atomic():
                outbox.lock_claim(delivery)
                ledger.note_delivered(book, [each.entry for each in some])
            sent += len(some)
    outbox.finish_delivery(delivery, outcome=_count(sent, "row"), lines=sent, size_bytes=0)


def _deliver_changes(delivery: Delivery, records: ReleasedRecords, secrets: dict[str, str]) -> None:
    """Send changes in batches. The one that an earlier attempt stored goes first, as it was."""
    target = delivery.target
    book = find_ledger(target)
    if delivery.batch:
        _send_stored(delivery, book, secrets)
    export = contents.plan_changes(target, records)
    schema = describe_version(versions.record_version(target.record_type))
    wanted = _note_unwanted(delivery, book, LedgerReader(book).find_differences(records, export))
    for some in _batch(wanted, webhook.BATCH_CHANGES):
        number = delivery.batch_number + 1
        body = webhook.write_batch(delivery, number, export.columns, some, schema)
        _store_batch(delivery, number, body, some)
        _send_stored(delivery, book, secrets)
    nothing = NOTHINGS[target.read_content().selection]
    outbox.finish_delivery(
        delivery, outcome=_count(delivery.lines, "change", nothing), lines=delivery.lines, size_bytes=delivery.size_bytes
    )


def _note_unwanted(delivery: Delivery, book: Ledger, differences: Iterator[Difference]) -> Iterator[Difference]:
    """Yield the differences that the target wants. Note the others, so that the next delivery does not meet them again."""
    selection = delivery.target.read_content().selection
    passed: list[Entry] = []
    for each in differences:
        if is_selected(each.kind, selection):
            yield each
        else:
            passed.append(each.entry)
    if passed:
        with transaction.atomic():
            outbox.lock_claim(delivery)
            ledger.note_delivered(book, passed)


def _store_batch(delivery: Delivery, number: int, body: str, differences: Sequence[Difference]) -> None:
    delivery.batch, delivery.batch_number = body, number
    delivery.batch_entries = [each.entry.as_json() for each in differences]
    with transaction.atomic():
        outbox.lock_claim(delivery)
        delivery.save(update_fields=["batch", "batch_number", "batch_entries"])


def _send_stored(delivery: Delivery, book: Ledger, secrets: dict[str, str]) -> None:
    """Send the batch that is stored, and note that the receiver has it."""
    outbox.keep_alive(delivery)
    webhook.send_batch(secrets, webhook.name_batch(delivery, delivery.batch_number), delivery.batch, timezone.now())
    entries = ledger.read_entries(delivery.batch_entries)
    delivery.lines += len(entries)
    delivery.size_bytes += len(delivery.batch.encode())
    delivery.batch, delivery.batch_entries = "", []
    with transaction.atomic():
        outbox.lock_claim(delivery)
        ledger.note_delivered(book, entries)
        delivery.save(update_fields=["batch", "batch_entries", "lines", "size_bytes"])


def find_ledger(target: DeliveryTarget) -> Ledger:
    """Return the ledger of a target."""
    return Ledger.objects.get_or_create(target=target)[0]


def _batch(differences: Iterator[Difference], size: int) -> Iterator[list[Difference]]:
    """Yield the differences in batches of at most `size`, and of about `webhook.BATCH_BYTES` at most."""
    some: list[Difference] = []
    bytes_ = 0
    for each in differences:
        some.append(each)
        bytes_ += sum(len(str(cell)) for cell in each.cells)
        if len(some) == size or bytes_ >= webhook.BATCH_BYTES:
            yield some
            some, bytes_ = [], 0
    if some:
        yield some


def _count(number: int, thing: str, nothing: str = NOTHINGS[Selection.ALL]) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}" if number else f"{NOTHING_NEW}: {nothing} since the last delivery."


def _count_records(number: int) -> str:
    return f"{number:,} records were" if number > 1 else "1 record was" if number else "No record was"
