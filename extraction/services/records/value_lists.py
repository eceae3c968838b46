"""The different values of one attribute in the records of a template, those to look at first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from extraction.algorithms.learning.outliers import find_outliers
from extraction.models import Attribute, Cluster, Record, RecordCount
from extraction.models.record_values import RecordValue, read_rows, read_values

MAX_RECORDS = 2_000
"""The largest number of records whose values are counted. A person waits while they are read."""

MAX_PLACES = 3
"""The number of places kept of each value. A list of all places of one value is asked for by the value."""

ODD_CHARACTERS = 500
"""Characters of a value that are compared with those of the others."""


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """A place where a value stands. row: the number of its row from 1; 0 for the page itself."""

    snapshot_id: int
    row: int = 0


@dataclass(slots=True)
class DistinctValue:
    """One value of an attribute.

    raw: the text; empty for "no value".
    value: its normal form, None if it cannot be read.
    problem: why it cannot be read.
    odd: how it differs from the other values, in words; empty if it does not.
    count: the number of pages or rows with the value.
    places: the first of them.
    """

    raw: str
    value: str | None = None
    problem: str = ""
    odd: str = ""
    count: int = 0
    places: list[ValuePlace] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ValueList:
    """The different values of an attribute.

    values: unread ones first, then odd ones, then the others, rare ones first. "No value" is the first of all.
    counted, records: the number of records whose values were counted, and of all records.
    unread, odd: the number of values that cannot be read, and of those unlike the others.
    """

    values: Sequence[DistinctValue]
    counted: int
    records: int
    unread: int
    odd: int


def list_distinct_values(cluster: Cluster, attribute: Attribute) -> ValueList:
    """Return the different values of an attribute in the template's records of current pages."""
    found: dict[str, DistinctValue] = {}
    by_place: dict[int, list[str]] = {}
    for number, (place, values) in enumerate(_read_column(cluster, attribute)):
        by_place[number] = [each.raw[:ODD_CHARACTERS] for each in values]
        for raw, each in {value.raw: value for value in values}.items() or {"": RecordValue("")}.items():
            entry = found.setdefault(raw, DistinctValue(raw, each.value, each.problem))
            entry.problem = entry.problem or each.problem
            entry.count += 1
            if len(entry.places) < MAX_PLACES:
                entry.places.append(place)
    unread = {each.raw[:ODD_CHARACTERS] for each in found.values() if each.problem}
    for outlier in find_outliers(by_place, unread):
        for entry in _find_entries(found, outlier.value):
            entry.odd = entry.odd or outlier.reason
    rows = sorted(found.values(), key=_rank)
    total = RecordCount.objects.filter(cluster=cluster).now().given().total()
    return ValueList(rows, min(total, MAX_RECORDS), total, sum(bool(each.problem) for each in rows), sum(bool(each.odd) for each in rows))


def find_places(cluster: Cluster, attribute: Attribute, raw: str) -> list[ValuePlace]:
    """Return every place of the counted records that has a value, or none if `raw` is empty."""
    column = _read_column(cluster, attribute)
    return [place for place, values in column if (any(each.raw == raw for each in values) if raw else not values)]


def _read_column(cluster: Cluster, attribute: Attribute) -> Iterator[tuple[ValuePlace, Sequence[RecordValue]]]:
    """Yield the values at each place that may have the attribute. Failed records have no places."""
    rows = Record.objects.filter(cluster=cluster).now().given().order_by("pk")
    list_name = str(attribute.list) if attribute.list_id else ""
    fields = ("snapshot_id", "rows" if list_name else "values")
    for snapshot_id, stored in rows.values_list(*fields)[:MAX_RECORDS].iterator(chunk_size=500):
        if not list_name:
            yield ValuePlace(snapshot_id), _read_one(stored, attribute.name)
            continue
        for number, row in enumerate(read_rows(stored).get(list_name, ()), 1):
            yield ValuePlace(snapshot_id, number), row.get(attribute.name, ())


def _read_one(stored: Mapping[str, Any], name: str) -> Sequence[RecordValue]:
    """Return the values of one attribute, without reading those of the others."""
    return read_values({name: stored[name]})[name] if name in stored else ()


def _find_entries(found: dict[str, DistinctValue], text: str) -> list[DistinctValue]:
    """Return the values whose compared part is this text."""
    if text in found and len(text) < ODD_CHARACTERS:
        return [found[text]]
    return [each for raw, each in found.items() if raw[:ODD_CHARACTERS] == text]


def _rank(each: DistinctValue) -> tuple[int, int, str]:
    kind = 0 if not each.raw else 1 if each.problem else 2 if each.odd else 3
    return kind, each.count, each.raw
