"""Values that earlier records had and those of a repaired rule do not have.

A repair is proven on a few watched pages. When its rule has run on all pages of the template, the records show what it really finds. The
report of the version says what was lost, which the home page and the template tell.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from extraction.models import Record, Rule
from extraction.models.record import RecordQuerySet
from extraction.models.rule_report import FailedAttribute

MUCH_LESS = 0.5
"""An attribute is lost if less than this part of the earlier share of records has a value of it."""


@dataclass(frozen=True, slots=True)
class FilledRecords:
    """How many records there are, and how many of them have a value of each attribute, attributes of lists among them."""

    records: int
    valued: Mapping[str, int]

    def read_share(self, name: str) -> float:
        """Return the share of the records with a value of an attribute."""
        return self.valued.get(name, 0) / self.records if self.records else 0.0


def count_earlier(rule: Rule) -> FilledRecords | None:
    """Return the figures of the records that a repaired rule is about to replace.

    None for other rules, and once it has made most of the records.
    """
    given = Record.objects.given().filter(cluster=rule.cluster_id)
    if rule.read_report().repaired_from is None or not given.exclude(rule=rule).exists():
        return None
    earlier = given.exclude(rule=rule).count()
    return None if given.filter(rule=rule).count() > earlier else _count_filled(given.exclude(rule=rule))


def note_losses(rule: Rule, earlier: FilledRecords) -> None:
    """Write down which attributes the rule's records lack that the earlier ones had, and forget those that were found after all."""
    now = _count_filled(Record.objects.given().filter(cluster=rule.cluster_id, rule=rule))
    if not now.records:
        return
    kept = {name for name in earlier.valued if now.read_share(name) >= MUCH_LESS * earlier.read_share(name)}
    report = rule.read_report()
    failed = [each for each in report.failed if each.name not in kept]
    known = {each.name for each in failed}
    for name in sorted(set(earlier.valued) - kept - known):
        figures = (
            f"{earlier.valued[name]} of {earlier.records} records had a value, {now.valued.get(name, 0)} of {now.records} have one now"
        )
        failed.append(FailedAttribute(name=name, reason=figures))
    if tuple(failed) != report.failed:
        rule.report = replace(report, failed=tuple(failed)).as_json()
        rule.save(update_fields=["report"])


def list_valued(values: Mapping[str, Any], lists: Mapping[str, Any]) -> frozenset[str]:
    """Return the attributes with a value, from a record's stored values and rows."""
    return frozenset(_list_valued(values, lists))


def _list_valued(values: Mapping[str, Any], lists: Mapping[str, Any]) -> Iterator[str]:
    yield from (name for name, given in values.items() if given)
    for rows in lists.values():
        for row in rows:
            yield from (name for name, given in row.items() if given)


def _count_filled(records: RecordQuerySet) -> FilledRecords:
    valued, count = Counter[str](), 0
    for values, rows in records.order_by().values_list("values", "rows").iterator(chunk_size=1000):
        count += 1
        valued.update(list_valued(values, rows))
    return FilledRecords(count, valued)
