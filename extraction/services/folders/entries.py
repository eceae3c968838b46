"""The files of a site cut into the parts that are compared and merged one by one."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from extraction.services.folders.document_shapes import write_document
from extraction.services.folders.documents import (
    CorrectionDocument,
    Document,
    JoinDocument,
    MarkDocument,
    MarkedPageDocument,
    RecordTypeDocument,
    SiteFiles,
    TemplateFiles,
)
from extraction.services.folders.errors import NOWHERE, Where
from extraction.services.folders.quality_names import name_rules

Key: TypeAlias = tuple[str, ...]
"""What tells a part from the others: ("record type", "book", "attribute", "title")."""

DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """A part. value: its plain values; where: its place in the folder."""

    value: Any
    where: Where = NOWHERE

    @property
    def digest(self) -> str:
        """A short name for its value."""
        text = json.dumps(self.value, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


Entries: TypeAlias = Mapping[Key, Entry]

UNDIGESTED = frozenset({"page"})
"""Parts whose digests are not written: pages are many, and what people said about their templates is not merged with other statements."""


def list_entries(files: SiteFiles) -> dict[Key, Entry]:
    """Return all parts of a site's files in the order in which they are shown."""
    return dict(_walk(files))


def digest_entries(files: SiteFiles) -> dict[str, str]:
    """Return {name of a part: digest}."""
    return {write_key(key): entry.digest for key, entry in list_entries(files).items() if key[0] not in UNDIGESTED}


def name_joins(files: SiteFiles) -> dict[str, JoinDocument]:
    """Return {name: join}. A name that several have gets a number."""
    found: dict[str, JoinDocument] = {}
    for each in files.joins:
        number, name = 1, each.name
        while name in found:
            number += 1
            name = f"{each.name} #{number}"
        found[name] = each
    return found


def key_correction(each: CorrectionDocument) -> Key:
    """Return the key of a correction: its value, and what tells its row apart."""
    key = ("correction", each.url, each.record_type, each.attribute)
    if each.row is None:
        return key
    row = json.dumps([each.row.position, each.row.texts, list(each.row.key)], sort_keys=True)
    return (*key, hashlib.sha256(row.encode()).hexdigest()[:DIGEST_LENGTH])


def write_key(key: Key) -> str:
    """Return a key as one text, in which no two keys are the same."""
    return " / ".join(part.replace("\\", "\\\\").replace(" / ", " \\/ ") for part in key)


def _walk(files: SiteFiles) -> Iterator[tuple[Key, Entry]]:
    site = files.site
    own = {"name": site.name, "address": site.address, "method": site.method}
    yield ("site",), Entry(own, site.where)
    if site.source:
        yield ("source",), _entry(site.source)
    yield ("checks",), _entry(site.checks)
    if site.refresh:
        yield ("refresh",), _entry(site.refresh)
    for record_type in files.record_types:
        yield from _walk_type(record_type)
    for template in files.templates:
        yield from _walk_template(template)
    for page in files.pages:
        if page.belongs_to is not None or page.not_in:
            yield ("page", page.url), Entry({"belongs_to": page.belongs_to, "not_in": sorted(page.not_in)}, page.where)
    for name, join in name_joins(files).items():
        yield ("join", name), _entry(join)
    for delivery in files.deliveries:
        yield ("delivery", delivery.name), _entry(delivery)
    for each in files.corrections:
        yield key_correction(each), _entry(each)


def _walk_type(document: RecordTypeDocument) -> Iterator[tuple[Key, Entry]]:
    key = ("record type", document.slug)
    head = {"name": document.name, "description": document.description, "gone_after": document.gone_after}
    yield key, Entry(head, document.where)
    yield (*key, "order"), Entry([each.name for each in document.attributes], document.where)
    for attribute in document.attributes:
        yield (*key, "attribute", attribute.name), _entry(attribute)
    for each in document.lists:
        yield (*key, "list", each.name), _entry(each)
    for name, rule in name_rules(document.quality_rules).items():
        yield (*key, "quality rule", name), _entry(rule)


def _walk_template(files: TemplateFiles) -> Iterator[tuple[Key, Entry]]:
    template = files.template
    key = ("template", str(template.number))
    names = ("name", "record_type", "ignored", "merged")
    yield key, Entry({name: getattr(template, name) for name in names}, template.where)
    known = {"masks": list(template.masks), "url_patterns": list(template.url_patterns), "small": template.small}
    core = hashlib.sha256(files.core).hexdigest() if files.core is not None else ""
    yield (*key, "recognition"), Entry({**known, "core": core}, template.where)
    if template.refresh:
        yield (*key, "refresh"), _entry(template.refresh)
    for name, rule in name_rules(template.quality_rules).items():
        yield (*key, "quality rule", name), _entry(rule)
    for page in files.labels:
        for attribute, marks in group_marks(page).items():
            values = [write_document(each) for each in marks]
            yield (*key, "marks", page.url, page.content, attribute), Entry(values, marks[0].where)
        for offered in page.offered:
            yield (*key, "offered", page.url, page.content, offered.list), _entry(offered)
    if files.rule:
        yield (*key, "rule"), _entry(files.rule)


def group_marks(page: MarkedPageDocument) -> dict[str, list[MarkDocument]]:
    """Return {attribute: its marks on the page}."""
    found: dict[str, list[MarkDocument]] = {}
    for each in page.marks:
        found.setdefault(each.attribute, []).append(each)
    return found


def _entry(document: Document) -> Entry:
    return Entry(write_document(document), document.where)
