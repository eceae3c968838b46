"""Did one cause change an attribute on all pages? Each function tests one cause (docs/algorithms.md#monitoring).

==============  ======================================================================================================
cause           chance
==============  ======================================================================================================
moved together  that all old values stand in one new place, not struck out; or that lost values stand in one place and what the rule gives
                now stood in one place of the old pages (`moved_places`)
extended        the rate of change of a constant attribute whose values all have the same text added; most pages must have it
alike           that pages which each had a value of their own all have the same one
vanished        that so many pages have no value, by the usual share of such pages; below RARE, the pages count as an untested sign
==============  ======================================================================================================
"""

from collections import Counter

from extraction.algorithms.monitoring import constancy
from extraction.algorithms.monitoring.attribute_changes import AttributeChanges, Finding, make_evidence
from extraction.algorithms.monitoring.chance import binomial_tail, grow_with_time, tail_probability
from extraction.algorithms.monitoring.evidence import EvidenceKind, ValueChange, find_added_text, quote_value
from extraction.algorithms.monitoring.moved_places import PagePlaces, VisitedPlaces, compute_new_place_chance, compute_same_place_chance
from extraction.algorithms.monitoring.profiles import FEW_PAGES

RARE = 1e-4
"""Probability below which a number of pages without a value is no coincidence."""

LEAST_ALIKE_PAGES = 3
"""The smallest number of pages that must give the same value before all of them are said to be alike."""

SURE = 1e-5
"""Probability at or below which one test of places needs no second one."""

LEAST_EXTENDED_PAGES = 10
"""The smallest number of pages whose values must have the same text added: a few products may be renamed together, such as the books of a
series."""

MOST = 0.8
"""Share of pages that must have the same text added, or unknown values: a shop may add a value for some of its products."""


def find_moved_together(changes: AttributeChanges) -> Finding | None:
    """Old values now stand in one new place, or what the rule gives instead stood in one place of the old pages."""
    had = [change for change in changes.pages if change.before]
    lost = [change for change in had if change.lost]
    given = [change for change in lost if change.gained]
    standing = [change for change in lost if change.still_standing]
    if len(standing) < LEAST_ALIKE_PAGES or changes.attribute.multiple:
        return None
    moved = compute_new_place_chance(
        [VisitedPlaces(PagePlaces(change.visit.old), PagePlaces(change.visit.new)) for change in had],
        [change.before[0] for change in had],
    )
    if given and moved > SURE:
        came = compute_same_place_chance(
            [PagePlaces(change.visit.old) for change in given],
            [change.now[0] for change in given],
            [change.now[0] for change in changes.pages if change.now],
        )
        gone = compute_same_place_chance(
            [PagePlaces(change.visit.new) for change in lost],
            [change.before[0] for change in lost],
            [change.before[0] for change in had],
        )
        # A sale, too, has old prices in one place, and its end shows prices that stood in one place. So both must be improbable.
        moved = min(moved, max(gone, came))
    kind: EvidenceKind = "incorrect" if 2 * len(given) > len(lost) else "null"
    evidence = tuple(make_evidence(change, kind, _say_moved(change)) for change in standing)
    return Finding("moved together", evidence, moved, plausible=bool(given), compared=changes.urls)


def find_extended(changes: AttributeChanges) -> Finding | None:
    """Values that usually stay the same now all have the same text before or after them: it belongs to the template."""
    if not constancy.is_constant(changes.rate) or changes.attribute.multiple:
        return None
    texts = {change.visit.url: text for change in changes.moved if (text := find_added_text(change)) is not None}
    added, count = Counter(texts.values()).most_common(1)[0] if texts else (("", ""), 0)
    if count < max(LEAST_EXTENDED_PAGES, MOST * len(changes.pages)):
        return None
    reason = f"{quote_value('…'.join(added))} is now around the values of {count} pages"
    found = [change for change in changes.moved if texts.get(change.visit.url) == added]
    evidence = tuple(make_evidence(change, "incorrect", reason) for change in found)
    rates = [grow_with_time(changes.rate, changes.visits)] * len(changes.pages)
    return Finding("extended", evidence, tail_probability(count, rates), plausible=True)


def find_alike(changes: AttributeChanges) -> Finding | None:
    """Every page gives the same value although pages used to differ: the rule reads a text of the site, not of the page."""
    given = [change for change in changes.pages if change.now]
    if changes.profile is None or not changes.profile.varies or len(given) < LEAST_ALIKE_PAGES or len({each.now for each in given}) > 1:
        return None
    reason = f"all pages give {quote_value(given[0].now[0])}, although each had its own value"
    chance = 2 / (changes.profile.distinct + 1)
    return Finding("alike", tuple(make_evidence(each, "incorrect", reason) for each in given), chance ** (2 * len(given)))


def find_vanished(changes: AttributeChanges) -> Finding | None:
    """Far more pages lack a value than the attribute's usual share of such pages explains."""
    if changes.profile is None or changes.profile.valued < FEW_PAGES:
        return None
    gone, usual = [change for change in changes.pages if not change.now], changes.usual_null_fraction
    if binomial_tail(len(gone), of=len(changes.pages), chance=usual) > RARE:
        return None
    reason = f"the rule finds nothing on {len(gone)} of {len(changes.pages)} pages; {100 * usual:.0f} % was usual"
    return Finding("vanished", tuple(make_evidence(each, "null", reason, strong=False) for each in gone), None)


def _say_moved(change: ValueChange) -> str:
    given = f"{quote_value(change.gained[0])} instead of " if change.gained else "nothing instead of "
    return f"{given}{quote_value(change.still_standing[0])}, which has moved to another place of the page"
