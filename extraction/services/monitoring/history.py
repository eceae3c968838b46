"""What pages and a rule's values were: what checks and new templates are held against."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.tables import table
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.models import Record, Rule, Snapshot
from extraction.models.record_values import Values as RecordValues
from extraction.models.record_values import read_rows, read_values
from extraction.services.core import stored_pages

RECORDS = 300
"""Records that an attribute's profile is learned from."""

Values = Mapping[str, tuple[str, ...]]


def page(snapshot: Snapshot) -> PageTable | None:
    """A stored page, None where it cannot be read."""
    try:
        return table(stored_pages.read_root(snapshot))
    except PageError:
        return None


def judged(value: RuleDefinition) -> tuple[AttributeRule, ...]:
    """What is judged of a rule: its attributes, and those of its lists as one that has the values of all rows."""
    columns = (replace(each, multiple=True, mandatory=False) for one in value.lists for each in one.attributes)
    return (*value.attributes, *columns)


def columns(value: RuleDefinition) -> frozenset[str]:
    """The attributes of the rule's lists."""
    return frozenset(each.name for one in value.lists for each in one.attributes)


def profiles(rule: Rule, value: RuleDefinition, before: Sequence[Values]) -> dict[str, Profile]:
    """What each attribute's values look like, from the cluster's records; from the watched pages as they were where it has few."""
    rows = Record.objects.given().filter(cluster=rule.cluster).order_by("-extracted_at")
    records = [_together(read_values(values), read_rows(lists)) for values, lists in rows.values_list("values", "rows")[:RECORDS]]
    found = {}
    for attribute in judged(value):
        history = [tuple(record.get(attribute.name, ())) for record in records]
        if len(history) < len(before):
            history = [values.get(attribute.name, ()) for values in before]
        found[attribute.name] = Profile.learn(history, type=attribute.type)
    return found


def _together(values: RecordValues, rows: Mapping[str, Sequence[RecordValues]]) -> dict[str, list[str]]:
    """{attribute: raw values} of a record, those of its rows together."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in (values, *chain.from_iterable(rows.values())):
        for name, given in each.items():
            found[name] += [value.raw for value in given]
    return found
