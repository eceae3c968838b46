"""The feed of changes of a record type as Atom (RFC 4287): the newest changes of the runs that are released."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from django.db.models import Q

from extraction.models import RecordChange, RecordType
from extraction.services.deliveries.record_lines import KEY_SEPARATOR, find_type_records
from extraction.services.records.history import find_changes_after

ENTRIES = 100
"""Newest changes in the feed."""

SHOWN = 300
"""Characters of a value in the feed."""

ATOM = "http://www.w3.org/2005/Atom"

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, not even escaped."""


@dataclass(frozen=True, slots=True)
class FeedAddresses:
    """The addresses in a feed. own: of the feed. page: of the record type. base: of the dashboard, for records."""

    own: str
    page: str
    base: str


def find_feed_changes(record_type: RecordType, list_name: str = "") -> list[RecordChange]:
    """Return the newest changes that are released, newest first. Raises NotDelivered."""
    records = find_type_records(record_type, list_name)
    found: list[RecordChange] = []
    for each in records.templates:
        of_template = Q(record__cluster=each.cluster, record__list_name=list_name) & ~find_changes_after(each.run)
        changes = RecordChange.objects.filter(of_template).select_related("record__cluster__site", "record__page")
        found += changes.order_by("-pk")[:ENTRIES]
    return sorted(found, key=lambda change: (change.at, change.pk), reverse=True)[:ENTRIES]


def write_feed(record_type: RecordType, changes: Sequence[RecordChange], addresses: FeedAddresses) -> bytes:
    """Return the feed. Everything that comes from pages is text: nothing of it can become markup."""
    ElementTree.register_namespace("", ATOM)
    feed = ElementTree.Element(f"{{{ATOM}}}feed")
    _add(feed, "id", _name("feed", addresses.page))
    _add(feed, "title", f"Changes of {record_type.name}")
    _add(feed, "updated", _write_time(changes[0].at if changes else record_type.created_at))
    _add(feed, "link", rel="self", href=addresses.own, type="application/atom+xml")
    _add(feed, "link", rel="alternate", href=addresses.page, type="text/html")
    author = _add(feed, "author")
    _add(author, "name", "Vertex")
    for change in changes:
        _add_entry(feed, change, addresses)
    written: bytes = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    return written


def _add_entry(feed: ElementTree.Element, change: RecordChange, addresses: FeedAddresses) -> None:
    record = change.record
    entry = _add(feed, "entry")
    _add(entry, "id", _name("change", addresses.page, str(change.record_id), str(change.number)))
    _add(entry, "title", f"{change.get_kind_display()}: {KEY_SEPARATOR.join(record.key)}"[:SHOWN])
    _add(entry, "updated", _write_time(change.at))
    _add(entry, "link", rel="alternate", href=addresses.base + record.get_absolute_url(), type="text/html")
    if record.page and record.page.url.startswith(("http://", "https://")):  # the pages of an archive may have other addresses
        _add(entry, "link", rel="via", href=record.page.url, type="text/html")
    _add(entry, "category", term=change.kind, label=change.get_kind_display())
    lines = [f"{name}: {_write_values(each['from'])} → {_write_values(each['to'])}" for name, each in sorted(change.values.items())]
    where = f"{record.cluster.site.name}, {record.cluster.label}"
    _add(entry, "content", "\n".join([where, *lines]), type="text")


def _add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    clean = {key: _FORBIDDEN.sub("\ufffd", value) for key, value in attributes.items()}
    made = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}", clean)
    if text:
        made.text = _FORBIDDEN.sub("\ufffd", text)
    return made


def _write_values(values: Sequence[Mapping[str, Any]]) -> str:
    text = " · ".join(str(each.get("value") or each["raw"]) for each in values)
    return (text if len(text) <= SHOWN else f"{text[:SHOWN]}…") or "–"


def _write_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _name(*parts: str) -> str:
    """Return an id that no other entry has and that never changes."""
    digest = hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()
    return f"urn:uuid:{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"
