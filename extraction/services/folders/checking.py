"""Check what a folder says before anything is stored: each error has its file and line.

What is checked here needs no database. Marks are checked in `check_marks`, because they need the pages.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext, gettext_noop

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.methods import METHODS
from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.refresh import times
from extraction.algorithms.rules import xslt
from extraction.algorithms.rules.rule import FORMAT as RULE_FORMAT
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.sketches.shingles import Mask
from extraction.fetching.search_terms import check_search
from extraction.models import Attribute, Cluster, Correction, DeliveryTarget, Join, Monitor, RecordType, RefreshSchedule, Rule, Site, Source
from extraction.models.repeating import Repeating
from extraction.services.core import stored_texts
from extraction.services.core.percent import write_number
from extraction.services.core.slugs import RESERVED
from extraction.services.folders.documents import (
    AttributeDocument,
    CorrectedRowDocument,
    CorrectionDocument,
    DeliveryDocument,
    RecordTypeDocument,
    RefreshDocument,
    RuleDocument,
    ScheduleDocument,
    SiteDocument,
    SiteFiles,
    SourceDocument,
    TemplateDocument,
)
from extraction.services.folders.errors import FolderError, Where

_SLUG = re.compile(r"[a-z0-9][-a-z0-9_]*")


def check_files(files: SiteFiles) -> None:
    """Raise FolderError for the first thing that cannot be stored."""
    _check_site(files.site)
    _refuse_twice("record type name", [(each.name.casefold(), each.where) for each in files.record_types])
    for record_type in files.record_types:
        _check_record_type(record_type)
    types = {each.slug: each for each in files.record_types}
    for template in files.templates:
        _check_template(template.template, types)
        if template.rule:
            read_rule(template.rule)
    _check_pages(files)
    for join in files.joins:
        clean_row(Join(name=join.name, winner=join.winner), join.where, "name", "winner")
    _refuse_twice("delivery", [(each.name.casefold(), each.where) for each in files.deliveries])
    for delivery in files.deliveries:
        _check_delivery(delivery, types)
    urls = {page.url for page in files.pages}
    for correction in files.corrections:
        if correction.url not in urls:
            raise FolderError(gettext("the page %(page)s is not in pages.yaml") % {"page": correction.url[:200]}, correction.where)
        _check_correction(correction, types)


def read_rule(document: RuleDocument) -> RuleDefinition:
    """Return the rule of a document. Raises FolderError."""
    _check_choice(gettext_noop("the origin is %(value)s, none of %(choices)s"), document.origin, Rule.Origin.values, document.where)
    data: dict[str, Any] = {"format": RULE_FORMAT if document.lists else 1, "attributes": list(document.attributes)}
    if document.lists:
        data["lists"] = list(document.lists)
    try:
        definition = RuleDefinition.from_json(data)
        xslt.Stylesheet.compile(xslt.write_stylesheet(definition))
    except (RuleError, XPathError, TypeError, ValueError, AttributeError) as error:
        reason = gettext("it is not a rule that can be run: %(error)s")
        raise FolderError(reason % {"error": stored_texts.tell(str(error))}, document.where) from error
    lost = _find_unread(data, definition.as_json())
    if lost:
        raise FolderError(gettext("%(name)s is not known in a rule") % {"name": repr(lost)}, document.where)
    if not definition.every:
        raise FolderError(gettext("the rule has no attributes"), document.where)
    return definition


def clean_row(row: models.Model, where: Where, *names: str) -> None:
    """Raise FolderError if one of the named fields of a row has a value that it cannot have."""
    try:
        row.clean_fields(exclude={each.name for each in row._meta.fields} - set(names))
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise FolderError(f"{name}: {' '.join(messages)}", where) from error


def fill_schedule(row: Repeating, document: ScheduleDocument) -> None:
    """Set the fields of a schedule."""
    row.mode, row.every_hours, row.times = document.mode, document.every_hours, list(document.times)
    row.cron, row.zone = document.cron, document.zone


def check_schedule(row: Repeating, document: ScheduleDocument) -> None:
    """Set the fields of a row and raise FolderError if there is no time that they mean."""
    fill_schedule(row, document)
    clean_row(row, document.where, "mode", "every_hours", "cron", "zone")
    try:
        if row.repetition is not None:
            times.find_next(row.repetition, after=datetime.fromisoformat("2026-01-01T00:00:00+00:00"))
    except times.ScheduleError as error:
        raise FolderError(stored_texts.tell(str(error)), document.where) from error


def _check_site(document: SiteDocument) -> None:
    _check_slug(document.slug, document.where)
    clean_row(Site(name=document.name, slug=document.slug, address=document.address), document.where, "name", "slug", "address")
    if document.method and document.method not in METHODS:
        raise FolderError(gettext("there is no clustering method %(method)s") % {"method": repr(document.method)}, document.where)
    if document.source:
        _check_source(document.source)
    checks = document.checks
    clean_row(Monitor(every_hours=checks.every_hours), checks.where, "every_hours")
    if document.refresh:
        _check_refresh(document.refresh)


def _check_source(document: SourceDocument) -> None:
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in _list_fields(document)}
    clean_row(Source(**fields), document.where, *(name for name, value in fields.items() if not isinstance(value, list)))
    for address in (*document.addresses, *document.sitemaps, *document.feeds, *document.listed, *filter(None, [document.search_address])):
        _check_address(address, document.where)
    try:
        check_search(document.search_address, document.search_fields, document.search_terms)
    except ValueError as error:
        raise FolderError(stored_texts.tell(str(error)), document.where) from error
    for pattern in (*document.include, *document.exclude):
        _check_pattern(pattern, document.where)


def _list_fields(document: SourceDocument) -> list[tuple[str, Any]]:
    return [(name, getattr(document, name)) for name in SourceDocument.__dataclass_fields__ if name != "where"]


def _check_address(address: str, where: Where) -> None:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and len(address) <= 2000
    except ValueError:
        usable = False
    if not usable:
        raise FolderError(gettext("%(address)s is not the address of a web page") % {"address": repr(address[:200])}, where)


def _check_pattern(pattern: str, where: Where) -> None:
    try:
        UrlPattern.from_text(pattern)
    except ValueError as error:
        values = {"pattern": repr(pattern[:200]), "error": stored_texts.tell(str(error))}
        raise FolderError(gettext("%(pattern)s is not a pattern of addresses: %(error)s") % values, where) from error


def _check_refresh(document: RefreshDocument) -> None:
    row = RefreshSchedule(max_pages=document.max_pages)
    clean_row(row, document.where, "max_pages")
    check_schedule(row, document)


def _check_record_type(document: RecordTypeDocument) -> None:
    _check_slug(document.slug, document.where)
    row = RecordType(name=document.name, slug=document.slug, description=document.description, gone_after=document.gone_after)
    clean_row(row, document.where, "name", "slug", "description", "gone_after")
    if document.gone_after < 1:
        raise FolderError(gettext("%(name)s must be at least 1") % {"name": "'gone_after'"}, document.where)
    for each in document.attributes:
        _check_attribute(each)
    _refuse_twice("attribute", [(each.name.lower(), each.where) for each in document.attributes])
    _refuse_twice("shortcut", [(each.hotkey, each.where) for each in document.attributes if each.hotkey])
    lists = {each.list for each in document.attributes if each.list}
    for one in document.lists:
        if one.name not in lists:
            raise FolderError(gettext("no attribute is in the list %(list)s") % {"list": repr(one.name)}, one.where)
    _refuse_twice("list", [(each.name, each.where) for each in document.lists])


def _check_attribute(document: AttributeDocument) -> None:
    clean_row(Attribute(name=document.name, type=document.type, hotkey=document.hotkey), document.where, "name", "type", "hotkey")
    if not document.name.isidentifier() or document.name.lower() == URL_COLUMN or (document.list and not document.list.isidentifier()):
        reason = gettext("%(name)s cannot be an attribute; use letters, digits and _, and begin with a letter")
        raise FolderError(reason % {"name": repr(document.name)}, document.where)
    if len(document.list) > 60:
        raise FolderError(gettext("the name of the list has more than 60 characters"), document.where)
    if document.hotkey and not (document.hotkey.isascii() and document.hotkey.isalnum()):
        reason = gettext("%(key)s cannot be a shortcut; use a letter or a digit")
        raise FolderError(reason % {"key": repr(document.hotkey)}, document.where)


def _check_template(document: TemplateDocument, types: Mapping[str, RecordTypeDocument]) -> None:
    if document.number < 1:
        raise FolderError(gettext("%(name)s must be at least 1") % {"name": "'number'"}, document.where)
    clean_row(Cluster(number=document.number, name=document.name), document.where, "number", "name")
    if document.record_type and document.record_type not in types:
        raise FolderError(gettext("the folder has no %(path)s") % {"path": f"record_types/{document.record_type}.yaml"}, document.where)
    if document.quality_rules and not document.record_type:
        raise FolderError(gettext("a template without a record type has no quality rules"), document.where)
    for mask in document.masks:
        try:
            Mask.from_text(mask)
        except ValueError as error:
            raise FolderError(stored_texts.tell(str(error)), document.where) from error
    for pattern in document.url_patterns:
        _check_pattern(pattern, document.where)
    if document.refresh:
        _check_refresh(document.refresh)


def _check_pages(files: SiteFiles) -> None:
    numbers = {each.template.number for each in files.templates}
    _refuse_twice("page", [(page.url, page.where) for page in files.pages])
    for page in files.pages:
        if not page.url or len(page.url) > 2000:
            raise FolderError(gettext("'url' must have between 1 and %(most)s characters") % {"most": write_number(2000)}, page.where)
        named = {page.belongs_to, *page.not_in, *(each.template for each in page.contents)} - {None}
        if strange := sorted(named - numbers):  # type: ignore[type-var]
            raise FolderError(gettext("there is no template %(template)s") % {"template": strange[0]}, page.where)
        if page.belongs_to in page.not_in:
            reason = gettext("the page belongs to template %(template)s and does not")
            raise FolderError(reason % {"template": page.belongs_to}, page.where)
        _refuse_twice("content", [(each.sha256, each.where) for each in page.contents])
        if long := next((each for each in page.contents if len(each.type) > 200), None):
            raise FolderError(gettext("'type' has more than 200 characters"), long.where)


def _check_delivery(document: DeliveryDocument, types: Mapping[str, RecordTypeDocument]) -> None:
    row = DeliveryTarget(name=document.name, kind=document.kind, list_name=document.list)
    clean_row(row, document.where, "name", "kind", "list_name")
    if document.record_type not in types:
        raise FolderError(gettext("the folder has no %(path)s") % {"path": f"record_types/{document.record_type}.yaml"}, document.where)
    check_schedule(row, document.schedule)


def _check_correction(document: CorrectionDocument, types: Mapping[str, RecordTypeDocument]) -> None:
    where = document.where
    known = types.get(document.record_type)
    attribute = next((each for each in known.attributes if each.name == document.attribute), None) if known else None
    if attribute is None:
        reason = gettext("%(record_type)s has no attribute %(attribute)s")
        raise FolderError(reason % {"record_type": repr(document.record_type), "attribute": repr(document.attribute)}, where)
    if bool(attribute.list) != (document.row is not None):
        listed = gettext("%(attribute)s is in a list, so it needs a row")
        reason = listed if attribute.list else gettext("%(attribute)s is not in a list, so it has no row")
        raise FolderError(reason % {"attribute": document.attribute}, where)
    _check_choice(gettext_noop("the kind is %(value)s, none of %(choices)s"), document.kind, Correction.Kind.values, where)
    states = [Correction.State.ACTIVE, Correction.State.REVIEW]
    _check_choice(gettext_noop("the state is %(value)s, none of %(choices)s"), document.state, states, where)
    if (document.state == Correction.State.REVIEW) != (document.found is not None):
        raise FolderError(gettext("a correction has 'found' if its state is review, and else not"), where)
    if not _is_moment(document.at):
        raise FolderError(gettext("'at' must be a time with its zone, such as 2026-11-29T08:00:00+00:00"), where)
    if document.row is not None:
        _check_row(document.row)


def _is_moment(text: str) -> bool:
    """Return whether a text is a time with its zone that can be stored, which is done in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return moment.tzinfo is not None


def _check_row(document: CorrectedRowDocument) -> None:
    if document.position < 0 or document.alike < 0:
        raise FolderError(gettext("'position' and 'alike' must be at least 0"), document.where)
    for name, texts in document.texts.items():
        if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
            raise FolderError(gettext("the texts of %(attribute)s must be a list of texts") % {"attribute": name}, document.where)


def _check_slug(slug: str, where: Where) -> None:
    if not _SLUG.fullmatch(slug) or slug in RESERVED or len(slug) > 90:
        reason = gettext("%(slug)s cannot be a slug; use small letters, digits and -")
        raise FolderError(reason % {"slug": repr(slug[:100])}, where)


def _check_choice(reason: str, value: str, choices: Iterable[str], where: Where) -> None:
    if value not in choices:
        raise FolderError(gettext(reason) % {"value": repr(value[:100]), "choices": ", ".join(choices)}, where)


_TWICE = {
    "record type name": gettext_noop("the record type name %(name)s stands twice, first at %(place)s"),
    "attribute": gettext_noop("the attribute %(name)s stands twice, first at %(place)s"),
    "shortcut": gettext_noop("the shortcut %(name)s stands twice, first at %(place)s"),
    "list": gettext_noop("the list %(name)s stands twice, first at %(place)s"),
    "page": gettext_noop("the page %(name)s stands twice, first at %(place)s"),
    "content": gettext_noop("the content %(name)s stands twice, first at %(place)s"),
    "delivery": gettext_noop("the delivery %(name)s stands twice, first at %(place)s"),
}


def _refuse_twice(what: str, named: Iterable[tuple[str, Where]]) -> None:
    seen: dict[str, Where] = {}
    for name, where in named:
        if name in seen:
            raise FolderError(gettext(_TWICE[what]) % {"name": repr(name[:200]), "place": seen[name]}, where)
        seen[name] = where


def _find_unread(given: Any, read: Any) -> str:
    """Return a key that was given and that reading left out; "" if there is none."""
    if isinstance(given, Mapping):
        for key, held in given.items():
            if not isinstance(read, Mapping) or key not in read:
                return "" if held in (None, "", [], {}) else str(key)
            if lost := _find_unread(held, read[key]):
                return lost
    if isinstance(given, list) and isinstance(read, list):
        return next((lost for held, each in zip(given, read, strict=False) if (lost := _find_unread(held, each))), "")
    return ""
