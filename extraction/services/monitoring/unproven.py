"""Attributes of which a check cannot tell whether they survived a redesign.

Chance decides whether an attribute is broken, so an attribute that two watched pages have, or none, never is: its rule may be as dead as
those of the others. If the structure of the pages has changed, such an attribute is learned again with the broken ones. What cannot be
learned again is told like any other loss.
"""

from collections.abc import Sequence
from dataclasses import replace

from extraction.algorithms.monitoring.verdict import list_judged_attributes
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.models import Breakage, Check
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
    judged = [each.name for each in list_judged_attributes(value)]
    if not _is_redesign(breakage.check_found, len(judged)):
        return []
    now = [extract_or_nothing(sheet, page.new.root).merged() for page in pages]
    both = list(zip(pages, now, strict=True))
    kept = {name for name in judged if any(set(page.before.get(name, ())) & set(given.get(name, ())) for page, given in both)}
    unproven = [name for name in judged if name not in kept and name not in breakage.attributes]
    had = {name for page in pages for name, values in page.before.items() if values}
    had |= valued_pages.find_valued_attributes(breakage.cluster) if set(unproven) - had else set()
    return [name for name in unproven if name in had]


def explain_lost(repair: Repair, pages: Sequence[KnownPage]) -> Repair:
    """Return the repair, with the reason for each attribute that no watched page had a value of."""
    had = {name for page in pages for name, values in page.before.items() if values}
    return replace(repair, failed={name: reason if name in had else UNSEEN for name, reason in repair.failed.items()})


def _is_redesign(check: Check, attributes: int) -> bool:
    return check.coverage_lost or len(check.broken) >= REDESIGNED * attributes
