"""Is it chance that so many pages have a sign of a broken rule? One test for each sign of `evidence` (docs/algorithms.md#monitoring).

Each test asks how probable it is that at least so many pages have the sign although the rule works. What the chance of the sign on one
page is made of:

==============  ======================================================================================================
sign            chance on one page
==============  ======================================================================================================
`is_replaced`   the attribute's rate of change (`constancy`) times that of an old value standing on the page by chance; tested for
                constant attributes only
`is_overlooked` the usual share of pages without a value, times that of an old value standing on the page by chance
`is_misread`    a rate of odd values, times that of an old value standing on the page by chance
`is_slipped`    of pages where the old value stands as often as before: that a new value stood elsewhere by chance. Also the other way
                round: a sale keeps the old price on all pages, and its end shows a price that was there. The larger probability counts
`is_unknown`    the chance of a value that was never seen (`profiles.Profile.unseen_chance`); most pages must have one
`is_crowded`    a rate of second values
==============  ======================================================================================================

An old value that also stood elsewhere on the old page stands there by chance with certainty. `Coincidence` measures the chance of others.

`is_missing` and `is_odd` are not tested: mandatory values should never be missing, and what odd values mean nobody knows. A third of the
pages must have them. What happened to all pages together is tested in `common_causes`.
"""

from collections.abc import Callable
from dataclasses import replace

from extraction.algorithms.monitoring import constancy
from extraction.algorithms.monitoring.attribute_changes import ODD_RATE, AttributeChanges, Finding, make_evidence
from extraction.algorithms.monitoring.chance import binomial_tail, grow_with_time, tail_probability
from extraction.algorithms.monitoring.common_causes import (
    LEAST_ALIKE_PAGES,
    MOST,
    find_alike,
    find_extended,
    find_moved_together,
    find_vanished,
)
from extraction.algorithms.monitoring.evidence import (
    Evidence,
    EvidenceKind,
    ValueChange,
    is_crowded,
    is_misread,
    is_missing,
    is_odd,
    is_overlooked,
    is_replaced,
    is_slipped,
    is_unknown,
)

CROWDED_RATE = 0.005
"""Chance that a rule that works gives a second value on a page that had one: a shop may show two prices."""

SignTest = Callable[[ValueChange], str | None]


def find_signs(changes: AttributeChanges) -> list[Finding]:
    """All findings, the most telling first. There are none where no value changed."""
    if not changes.moved:
        return []
    tests = (
        _test_overlooked,
        _test_missing,
        _test_slipped,
        find_moved_together,
        _test_crowded,
        _test_misread,
        _test_replaced,
        _test_unknown,
        find_extended,
        _test_odd,
        find_alike,
        find_vanished,
    )
    return [finding for test in tests if (finding := test(changes)) is not None and finding.evidence]


def _test_overlooked(changes: AttributeChanges) -> Finding:
    return _test_pages(changes, "overlooked", _collect(changes, "null", is_overlooked), changes.usual_null_fraction)


def _test_missing(changes: AttributeChanges) -> Finding:
    return Finding("missing", _collect(changes, "null", is_missing, strong=False), None)


def _test_slipped(changes: AttributeChanges) -> Finding:
    found = _collect(changes, "incorrect", is_slipped)
    if not found:
        return Finding("slipped", (), 1.0)
    both = len(found)
    kept = sum(bool(change.undiminished) for change in changes.moved if change.now)
    known = sum(bool(change.already_there) for change in changes.moved)
    chance = changes.coincidence
    probability = max(
        chance.shrinks.predict_at_least(both, of=kept),
        chance.grows.predict_at_least(both, of=known),
    )
    return Finding("slipped", found, probability, plausible=True, compared=changes.urls)


def _test_crowded(changes: AttributeChanges) -> Finding:
    rates = [grow_with_time(CROWDED_RATE, changes.visits)] * len(changes.pages)
    found = _collect(changes, "incorrect", is_crowded)
    return Finding("crowded", found, tail_probability(len(found), rates))


def _test_misread(changes: AttributeChanges) -> Finding:
    rate = grow_with_time(ODD_RATE, changes.visits)
    return _test_pages(changes, "misread", _collect(changes, "incorrect", is_misread), rate, plausible=True)


def _test_replaced(changes: AttributeChanges) -> Finding | None:
    if not constancy.is_constant(changes.rate):
        return None
    found = _collect(changes, "incorrect", is_replaced)
    found = tuple(replace(each, kind="incorrect" if each.now else "null") for each in found)
    return _test_pages(changes, "replaced", found, grow_with_time(changes.rate, changes.visits), plausible=any(each.now for each in found))


def _test_unknown(changes: AttributeChanges) -> Finding | None:
    found = _collect(changes, "incorrect", is_unknown)
    given = sum(bool(change.now) for change in changes.pages)
    if changes.profile is None or len(found) < max(LEAST_ALIKE_PAGES, MOST * given):
        return None
    return Finding("unknown", found, binomial_tail(len(found), of=given, chance=changes.profile.unseen_chance), plausible=True)


def _test_odd(changes: AttributeChanges) -> Finding:
    return Finding("odd", _collect(changes, "incorrect", is_odd, strong=False), None)


def _test_pages(changes: AttributeChanges, sign: str, found: tuple[Evidence, ...], rate: float, *, plausible: bool = False) -> Finding:
    """Tests how many pages have a sign, in two ways of which the more telling one counts.

    All pages with the sign are tested, and those alone on which the old value stands as often as before. That the old value stands
    anywhere is no wonder where it stood elsewhere, too; that the place it lost was made up for is.

    found: the pages with the sign.
    rate: how often the rule gives something else, or nothing, while it works.
    """
    if not found:
        return Finding(sign, (), 1.0)
    urls = {each.url for each in found}
    kept = {change.visit.url for change in changes.moved if change.visit.url in urls and change.undiminished}
    among_all = tail_probability(len(found), [rate * changes.estimate_standing_chance(change) for change in changes.pages])
    gain = max(changes.coincidence.grows.chance, changes.coincidence.appears.chance)
    among_kept = tail_probability(len(kept), [min(1.0, rate * gain * changes.count_chances(change)) for change in changes.pages])
    if among_kept < among_all:
        found = tuple(each for each in found if each.url in kept)
    return Finding(sign, found, min(1.0, 2 * min(among_all, among_kept)), plausible)


def _collect(changes: AttributeChanges, kind: EvidenceKind, holds: SignTest, *, strong: bool = True) -> tuple[Evidence, ...]:
    said = ((change, holds(change)) for change in changes.moved)
    return tuple(make_evidence(change, kind, reason, strong=strong) for change, reason in said if reason is not None)
