"""What a rule gave so far: its values on the old pages, and what the values of its attributes have looked like."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import Count
from lxml import etree

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.verdict import list_judged_attributes
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.models import Check, Record, Rule, Snapshot
from extraction.models.record_values import Values as RecordValues
from extraction.models.record_values import read_rows, read_values
from extraction.services.core import stored_pages

MAX_RECORDS = 300
"""The largest number of records from which an attribute's profile is learned. The newest ones are taken."""

MAX_CHECKS = 400
"""The largest number of checks whose counts of changes are added up: about a year of daily ones. The newest ones are taken."""

ENOUGH_COMPARED = 150
"""With this many comparisons by checks, other versions of pages are no longer read."""

MAX_VERSIONS = 20
"""The largest number of pages of which two versions are read."""

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it was then and as it is now.

    before: the distinct values that the old rule gives on the old page, by attribute. Attributes of lists are included.
    rows: the rows of each list on the old page.
    """

    url: str
    old: PageTable
    new: PageTable
    before: Values
    rows: Mapping[str, Sequence[Values]]


def read_page(snapshot: Snapshot) -> PageTable | None:
    """Return a stored page, or None if it cannot be read."""
    try:
        return read_page_table(stored_pages.read_root(snapshot))
    except PageError:
        return None


def read_known_pages(sheet: Stylesheet, pairs: Sequence[tuple[int, int]]) -> list[KnownPage]:
    """Return the pages whose old and new snapshots can both be read, with what a rule gave on the old ones.

    sheet: the rule's.
    pairs: ids of the pages' old and new snapshots.
    """
    snapshots = Snapshot.objects.select_related("page").in_bulk([pk for pair in pairs for pk in pair])
    found = []
    for before, now in pairs:
        if before in snapshots and now in snapshots:
            old, new = read_page(snapshots[before]), read_page(snapshots[now])
            if old is not None and new is not None:
                given = extract_or_nothing(sheet, old.root)
                found.append(KnownPage(snapshots[now].page.url, old, new, given.merged(), given.rows))
    return found


def learn_profiles(rule: Rule, definition: RuleDefinition, before: Sequence[Values]) -> dict[str, Profile]:
    """Learns what each attribute's values have looked like, from the cluster's records or the watched pages, whichever are more."""
    rows = Record.objects.given().filter(cluster=rule.cluster).order_by("-extracted_at")
    records = [_merge_rows(read_values(values), read_rows(lists)) for values, lists in rows.values_list("values", "rows")[:MAX_RECORDS]]
    found = {}
    for attribute in list_judged_attributes(definition):
        history = [tuple(record.get(attribute.name, ())) for record in records]
        if len(history) < len(before):
            history = [values.get(attribute.name, ()) for values in before]
        found[attribute.name] = Profile.learn(history, type=attribute.type)
    return found


def count_changes(rule: Rule, definition: RuleDefinition, sheet: Stylesheet) -> dict[str, ChangeCounts]:
    """Counts how often each attribute's value changed on a page, in the checks of the rule's template.

    While there were few checks, pages that were imported or crawled several times are counted, too.
    """
    found: dict[str, ChangeCounts] = defaultdict(ChangeCounts)
    checks = Check.objects.filter(cluster=rule.cluster).order_by("-checked_at").only("attributes")[:MAX_CHECKS]
    for check in checks:
        for name, finding in check.read_attributes().items():
            found[name] += ChangeCounts(finding.compared, finding.changed)
    attributes = list_judged_attributes(definition)
    if min((found[each.name].compared for each in attributes), default=0) < ENOUGH_COMPARED:
        pairs = [(extract_or_nothing(sheet, old).merged(), extract_or_nothing(sheet, new).merged()) for old, new in _read_versions(rule)]
        for each in attributes:
            both = [(set(old[each.name]), set(new[each.name])) for old, new in pairs if old.get(each.name) and new.get(each.name)]
            found[each.name] += ChangeCounts(len(both), sum(old != new for old, new in both))
    return dict(found)


def _read_versions(rule: Rule) -> Iterator[tuple[etree._Element, etree._Element]]:
    """Yield the last two versions of pages of which an import or a crawl brought several."""
    kept = Snapshot.objects.filter(cluster=rule.cluster, kept=True, checked=False, error="")
    several = kept.order_by().values("page").annotate(versions=Count("pk")).filter(versions__gt=1).order_by("page")
    for page in several.values_list("page", flat=True)[:MAX_VERSIONS]:
        new, old = kept.filter(page=page).order_by("-fetched_at", "-pk")[:2]
        try:
            yield stored_pages.read_root(old), stored_pages.read_root(new)
        except PageError:
            continue


def _merge_rows(values: RecordValues, rows: Mapping[str, Sequence[RecordValues]]) -> dict[str, list[str]]:
    """Return {attribute: raw values} of a record, including the values in its rows."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in (values, *chain.from_iterable(rows.values())):
        for name, given in each.items():
            found[name] += [value.raw for value in given]
    return found
