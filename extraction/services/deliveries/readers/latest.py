"""The latest files of a record type: made from the released records when somebody asks, and kept until something else is released."""

import hashlib
import json
import tempfile
from pathlib import Path

from django.utils.translation import gettext

from extraction.models import RecordType, StoredFile
from extraction.models.delivery import TargetContent
from extraction.services.deliveries import contents
from extraction.services.deliveries.record_lines import NotDelivered, find_type_records
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.records import stored_files
from extraction.services.records.exports import describe, export_records
from extraction.services.records.exports.formats import FORMATS
from extraction.services.schema import versions

ABOUT = ("site", "template", "changed_at")
"""Columns about the record in latest files, besides its number, key and address."""

SUFFIXES = {each.suffix.removeprefix("."): each for each in FORMATS.values()}


def find_latest(record_type: RecordType, suffix: str, list_name: str = "") -> StoredFile:
    """Return the latest file. suffix: of a format, without the dot. Raises NotDelivered if nothing is released or the list has no key."""
    form = SUFFIXES[suffix]
    records = find_type_records(record_type, list_name)
    if not records.templates:
        raise NotDelivered(gettext("No records of %(record_type)s have been released yet.") % {"record_type": record_type})
    try:
        export = contents.plan_content(records, TargetContent(format=form.name, about=ABOUT), form)
    except DeliveryError as error:
        raise NotDelivered(str(error)) from error
    version = versions.record_version(record_type)
    made_from = _digest([records.name_state(), version.number, [[each.name, each.kind, each.several] for each in export.columns]])
    place = stored_files.make_place("latest", f"{record_type.pk} {list_name} {suffix}")
    if known := stored_files.find_same(place, made_from):
        return known
    with tempfile.TemporaryDirectory(prefix="vertex-latest-") as folder:
        path = Path(folder) / "records"
        export_records.fill_file(export, path)
        name = f"{record_type.slug}{form.suffix}"
        return stored_files.store_file(path, place=place, name=name, content_type=form.content_type, made_from=made_from)


def write_latest_schema(record_type: RecordType, list_name: str = "") -> str:
    """Return the JSON Schema of the latest files, with its version. Raises NotDelivered."""
    form = FORMATS["jsonl"]
    try:
        export = contents.plan_content(find_type_records(record_type, list_name), TargetContent(about=ABOUT), form)
    except DeliveryError as error:
        raise NotDelivered(str(error)) from error
    return describe.write_json_schema(export, versions.record_version(record_type))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
