"""Pages with new content that the live rule of their template still reads whole. They stay in the template, however they look now.

After a redesign, clustering sees pages of several new kinds where there was one template: with and without a picture, with and without
offers. Once its rule was repaired, it reads them all, so they are one template.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.algorithms.values.column import fits_type
from extraction.algorithms.values.reading import ValueType
from extraction.models import Placement, Record, Rule, Site, Snapshot
from extraction.services.core import stored_pages

USUAL = 0.9
"""If at least this share of a template's records has a value of an attribute, a page must have one, too."""

LEAST_RECORDS = 5
"""The number of records below which it is not known what a page usually has. A page must then have a value of every attribute."""

MAX_RECORDS = 200
"""The largest number of records of a template that are looked at."""


def find_read_whole(site: Site) -> dict[int, int]:
    """Return {page: template} of pages whose content is new and that the live rule of their earlier template reads whole.

    Only pages without a template count, and pages in a template that nobody has worked on. A page that a person placed stays there.
    """
    homes = _find_homes(site)
    readers = {
        rule.cluster_id: reader for rule in Rule.objects.live().filter(cluster__in=set(homes.values())) if (reader := _make_reader(rule))
    }
    fresh = Snapshot.objects.filter(page__in=[page for page, cluster in homes.items() if cluster in readers])
    return {
        snapshot.page_id: homes[snapshot.page_id]
        for snapshot in _find_fresh(fresh, site).iterator(chunk_size=200)
        if readers[homes[snapshot.page_id]].reads_whole(snapshot)
    }


@dataclass(frozen=True, slots=True)
class RuleReader:
    """A live rule, ready to run. needed: the attributes and lists that a page must have."""

    definition: RuleDefinition
    sheet: Stylesheet
    needed: frozenset[str]

    def reads_whole(self, snapshot: Snapshot) -> bool:
        """Whether the rule gives all that it should on the page, and nothing that cannot be right."""
        try:
            found = extract_values(self.sheet, stored_pages.read_root(snapshot))
        except (PageError, RuleError):
            return False
        lists = {name for name, rows in found.rows.items() if rows}
        given = {name for name, values in found.values.items() if values}
        if found.failed or not self.needed or not self.needed <= given | lists:
            return False
        single = (each for each in self.definition.attributes if not each.multiple and each.name in given)
        return all(_is_one_readable_value(found.values[each.name], each.type) for each in single)


def _is_one_readable_value(values: Iterable[str], type_: ValueType) -> bool:
    distinct = set(values)
    return len(distinct) == 1 and (type_ == "text" or all(fits_type(value, type_) for value in distinct))


def _make_reader(rule: Rule) -> RuleReader | None:
    """Return the rule's reader, or None if the rule cannot be run."""
    try:
        definition, sheet = rule.read_definition(), Stylesheet.compile(rule.stylesheet)
    except (RuleError, XPathError):
        return None
    return RuleReader(definition, sheet, frozenset(_list_needed(rule, definition)))


def _list_needed(rule: Rule, definition: RuleDefinition) -> set[str]:
    """Return the names of the mandatory attributes, and of the attributes and lists that most records have."""
    mandatory = {each.name for each in definition.attributes if each.mandatory}
    records = list(Record.objects.given().filter(cluster=rule.cluster_id).values_list("values", "rows")[:MAX_RECORDS])
    names = {each.name for each in definition.attributes} | {each.name for each in definition.lists}
    if len(records) < LEAST_RECORDS:
        return mandatory or names
    counts = Counter(name for values, rows in records for held in (values, rows) for name, given in held.items() if given)
    return mandatory | {name for name in names if counts[name] >= USUAL * len(records)}


def _find_fresh(snapshots: "QuerySet[Snapshot]", site: Site) -> "QuerySet[Snapshot]":
    """Return the current snapshots whose template clustering may still choose."""
    touched = site.clusters.touched().values("pk")
    placed = Placement.objects.filter(cluster__site=site, belongs=True).values("page")
    current = snapshots.of_site(site).current().kept().filter(error="")  # type: ignore[attr-defined]
    fresh: QuerySet[Snapshot] = current.filter(Q(cluster=None) | ~Q(cluster__in=touched)).exclude(page__in=placed)
    return fresh.select_related("page").order_by("pk")


def _find_homes(site: Site) -> Mapping[int, int]:
    """Return {page: the template with a live rule that it was in last} of pages with new content."""
    live = Rule.objects.live().of_site(site).not_ignored().values("cluster")
    pages = _find_fresh(Snapshot.objects.all(), site).values("page")
    earlier = Snapshot.objects.of_site(site).filter(cluster__in=live, page__in=pages).order_by("fetched_at", "pk")
    refused: dict[int, set[int]] = defaultdict(set)
    for page, cluster in Placement.objects.filter(cluster__site=site, belongs=False).values_list("page", "cluster"):
        refused[page].add(cluster)
    homes = dict(earlier.values_list("page", "cluster"))
    return {page: cluster for page, cluster in homes.items() if cluster not in refused[page]}
