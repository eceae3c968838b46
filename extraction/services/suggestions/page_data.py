"""Read the embedded data of pages, suggest values from it and check rules against it.

A child process reads the data of each page once. The result is stored beside the page, together with the reason if some of it
could not be read. Embedded data never becomes a value of a record directly: an editor accepts a suggestion, which is then a mark
like any other.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from django.core.files.storage import default_storage
from django.db.models import Q
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value
from extraction.algorithms.markup import matching, naming, value_places
from extraction.algorithms.markup.items import Item
from extraction.algorithms.markup.naming import NamedProperty
from extraction.algorithms.values.column import learn_evidence, list_readings
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.models import Attribute, Cluster, PageCount, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.spread_pages import FEW_PAGES, select_current
from extraction.services.core.stored_pages import find_bytes
from extraction.services.suggestions import markup_process
from extraction.services.suggestions.markup_process import EmbeddedData

SAMPLE_PAGES = 8
"""The number of pages read to find out which embedded data a template has."""

CHECK_PAGES = 200
"""The number of pages that a rule is checked against, spread evenly. Reading a page for the first time takes about 30 ms."""

MAX_DIFFERENT = 50
"""The largest number of pages listed whose values differ from their embedded data."""

SCHEME = "data/3"
"""Part of the names of the stored items. Change it when `markup.items` changes what it reads from a page."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a page's embedded data says about an attribute.

    words: where in the data it was read.
    places: where the values are on the page.
    """

    attribute: Attribute
    words: str
    places: tuple[Location, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a rule's values agree with the pages' embedded data.

    words: where in the data the values were read.
    agree: the number of pages that agree.
    compared: the number of pages that have both.
    different: snapshot ids of the pages that differ, at most MAX_DIFFERENT.
    """

    words: str
    agree: int
    compared: int
    different: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProposedRecordType:
    """A record type that fits the embedded data of a template's pages.

    type: the type that the pages name; empty if they name none.
    attributes: the proposed attributes; empty if the pages have no data.
    problems: {the address of a page: what could not be read of its data, and why}.
    """

    type: str
    attributes: tuple[NamedProperty, ...]
    problems: Mapping[str, str]


def read_embedded_data(snapshots: Sequence[Snapshot]) -> dict[int, EmbeddedData]:
    """Return {snapshot id: its data}. Pages that were never read are read now, in one child process."""
    stored = {snapshot.pk: _read_stored(snapshot.sha256) for snapshot in snapshots}
    found = {pk: data for pk, data in stored.items() if data is not None}
    fresh = [snapshot for snapshot in snapshots if snapshot.pk not in found]
    pages = [(find_bytes(snapshot), snapshot.content_type) for snapshot in fresh]
    for snapshot, data in zip(fresh, markup_process.read_embedded_data(pages) if pages else [], strict=True):
        if data.final:
            row = {"items": [item.as_json() for item in data.items], "problem": data.problem}
            stored_bytes.keep_file(_name(snapshot.sha256), json.dumps(row).encode())
        found[snapshot.pk] = data
    return found


def suggest_values(items: Sequence[Item], attributes: Iterable[Attribute], nodes: Sequence[etree._Element]) -> list[Suggestion]:
    """Return what a page's embedded data says about the attributes, if the values are also on the page.

    items: the embedded data.
    nodes: the elements of the page.
    """
    rows = []
    wanting = list(attributes)
    matches = matching.match_properties({each.name: each.type for each in wanting}, items)
    for attribute in wanting:
        found = matches.get(attribute.name)
        wanted = found.values if found and attribute.multiple else found.values[:1] if found else ()
        where = value_places.locate_values(nodes, wanted) if wanted else ()
        if attribute.type == Attribute.Type.PRICE:
            where = tuple(_widen_to_currency(nodes, at) for at in where)
        if found and where:
            rows.append(Suggestion(attribute, found.words, where, tuple(value(nodes, at) or "" for at in where)))
    return rows


def _widen_to_currency(nodes: Sequence[etree._Element], at: Location) -> Location:
    """Return the whole text around an amount if it reads as that amount in a currency: embedded data says "13.50" where the page says
    "£13.50"."""
    whole = replace(at, start=None, end=None)
    readings = [[*list_readings(value(nodes, place) or "", "price", column=NO_EVIDENCE)] for place in (at, whole)]
    amounts = [{reading.split(" ")[0] for reading in each if reading} for each in readings]
    with_currency = len(readings[1]) == 1 and " " in (readings[1][0] or "")
    return whole if at.start is not None and with_currency and amounts[0] == amounts[1] else at


def propose_record_type(cluster: Cluster) -> ProposedRecordType:
    """Propose a record type with the properties that more than half of the pages that are read have."""
    pages = _spread(cluster, SAMPLE_PAGES)
    data = read_embedded_data(pages)
    collected = matching.collect_properties([each.items for each in data.values()])
    rows = [row for row in collected if 2 * row.pages > len(pages)]
    problems = {page.page.url: data[page.pk].problem for page in pages if data[page.pk].problem}
    return ProposedRecordType(rows[0].type if rows else "", tuple(naming.name_attributes(rows)) if rows else (), problems)


def measure_agreement(attribute: Attribute, given: Mapping[int, Sequence[str]], items: Mapping[int, Sequence[Item]]) -> Agreement | None:
    """Compare a rule's values with the pages' embedded data; return None when no page has data for the attribute.

    Pages that lack the values or the data are not compared.

    given: {snapshot id: the rule's values}.
    items: {snapshot id: the page's embedded data}.
    """
    beside = Attribute.objects.filter(record_type=attribute.record_type_id, list=attribute.list_id)
    types = dict(beside.values_list("name", "type")) | {attribute.name: attribute.type}
    matches = {
        pk: found for pk, rows in items.items() if given.get(pk) and (found := matching.match_properties(types, rows).get(attribute.name))
    }
    if not matches:
        return None
    # Use the property that most pages have. A different property on a single page may mean something else.
    kinds = Counter((found.item.syntax, found.item.type, found.path) for found in matches.values())
    most = max(kinds, key=lambda kind: (kinds[kind], kind))
    same = {pk: found for pk, found in matches.items() if (found.item.syntax, found.item.type, found.path) == most}
    column = learn_evidence((text for texts in given.values() for text in texts), attribute.type)  # type: ignore[arg-type]
    different = [pk for pk, found in same.items() if not agrees(attribute, given[pk], found.values, column=column)]
    words = next(iter(same.values())).words
    return Agreement(words, len(same) - len(different), len(same), tuple(sorted(different)[:MAX_DIFFERENT]))


def agrees(attribute: Attribute, given: Sequence[str], said: Sequence[str], *, column: ColumnEvidence) -> bool:
    """Return whether values agree with the embedded data: as texts, as values of the type, or one as part of the other.

    column: what the rule's values on all pages show of how they are read. The embedded data may be written otherwise.
    """
    mine, theirs = {_plain(text) for text in given}, {_plain(text) for text in said}
    if mine & theirs and (not attribute.multiple or mine == theirs):
        return True
    if attribute.type != Attribute.Type.TEXT:
        normal = [
            {reading for text in texts for reading in list_readings(text, attribute.type, column=known)}  # type: ignore[arg-type]
            for texts, known in ((given, column), (said, NO_EVIDENCE))
        ]
        return bool(normal[0] & normal[1]) or _amounts(normal[0]) & _amounts(normal[1]) != set()
    if attribute.multiple:
        return len(mine & theirs) >= 0.9 * max(len(mine), len(theirs))
    return any(a in b or b in a for a in mine for b in theirs)


def _plain(text: str) -> str:
    return clean(text).casefold()


def _amounts(values: Iterable[str]) -> set[Decimal | str]:
    """Return prices without their currency, which is a separate property in embedded data. Numbers are compared as numbers: 9.5 is 9.50."""
    return {_read_amount(each.split(" ")[0]) for each in values}


def _read_amount(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def choose_checked_pages(cluster: Cluster) -> list[Snapshot]:
    """Return the pages that rules are checked against."""
    return _spread(cluster, CHECK_PAGES)


def _spread(cluster: Cluster, count: int) -> list[Snapshot]:
    readable = Q(error="", page__current_id__isnull=False)
    large = PageCount.objects.filter(cluster_key=cluster.pk, kept=True).total() > FEW_PAGES
    some = select_current(cluster, most=count) if large else cluster.snapshots.all()
    ids = list(some.filter(readable).order_by("pk").values_list("pk", flat=True))
    chosen = ids[:: max(1, -(-len(ids) // count))]
    return list(Snapshot.objects.filter(pk__in=chosen).select_related("page").order_by("pk"))


def _read_stored(sha256: str) -> EmbeddedData | None:
    try:
        with default_storage.open(_name(sha256), "rb") as file:
            row = json.loads(file.read())
            return EmbeddedData(tuple(map(Item.from_json, row["items"])), row["problem"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _name(sha256: str) -> str:
    return f"{SCHEME}/{sha256[:2]}/{sha256[2:]}.json"
