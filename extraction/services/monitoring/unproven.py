"""Attributes of which a check cannot tell whether they survived a redesign.

Chance decides whether an attribute is broken, so an attribute that two watched pages have, or none, never is: its rule may be as dead as
those of the others. If the structure of the pages has changed, such an attribute is learned again with the broken ones. What cannot be
learned again is told like any other loss.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from extraction.algorithms.monitoring.verdict import list_judged_attributes
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.models import Breakage, Cluster
from extraction.services.monitoring import valued_pages
from extraction.services.monitoring.history import KnownPage
from extraction.services.monitoring.repairs import Repair

REDESIGNED = 0.5
"""Share of a rule's attributes that must have broken for a redesign, if a crawl still recognises the pages."""

UNSEEN = "no watched page had a value, so nothing shows where it is on the new pages"
"""Why such an attribute cannot be learned again."""


def find_unproven(breakage: Breakage, value: RuleDefinition, sheet: Stylesheet, pages: Sequence[KnownPage]) -> list[str]:
    """Return the attributes that records have and that no watched page still has, if the structure of the pages has changed.

    value, sheet: the broken rule.
    pages: the pages that the check fetched.
    """
    check = breakage.check_found
    if not check.coverage_lost and not is_redesign(value, check.broken):
        return []
    return find_unseen(breakage.cluster, value, sheet, pages, breakage.attributes)


def is_redesign(value: RuleDefinition, broken: Collection[str]) -> bool:
    """Whether so many attributes broke that the others may have broken, too."""
    return len(broken) >= REDESIGNED * len(list_judged_attributes(value))


def find_unseen(
    cluster: Cluster, value: RuleDefinition, sheet: Stylesheet, pages: Sequence[KnownPage], broken: Collection[str]
) -> list[str]:
    """Return the attributes not known to be broken whose rule is right on none of the pages, if records of the template have them."""
    now = [extract_or_nothing(sheet, page.new.root).merged() for page in pages]
    both = list(zip(pages, now, strict=True))
    judged = [each.name for each in list_judged_attributes(value) if each.name not in broken]
    unseen = [name for name in judged if not any(set(page.before.get(name, ())) & set(given.get(name, ())) for page, given in both)]
    had = _list_had(pages)
    had |= valued_pages.find_valued_attributes(cluster) if set(unseen) - had else set()
    return [name for name in unseen if name in had]


def explain_lost(repair: Repair, pages: Sequence[KnownPage]) -> Repair:
    """Return the repair, with the reason for each attribute that no watched page had a value of."""
    had = _list_had(pages)
    return replace(repair, failed={name: reason if name in had else UNSEEN for name, reason in repair.failed.items()})


def _list_had(pages: Sequence[KnownPage]) -> set[str]:
    return {name for page in pages for name, values in page.before.items() if values}
