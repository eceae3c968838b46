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
extended        the rate of change of a constant attribute whose values all have the same text added; most pages must have it
moved together  that all old values stand in one new place, not struck out; or that lost values stand in one place and what the rule gives
                now stood in one place of the old pages (`moved_places`)
==============  ======================================================================================================

An old value that also stood elsewhere on the old page stands there by chance with certainty. `Coincidence` measures the chance of others.

`is_missing` and `is_odd` are not tested: mandatory values should never be missing, and what odd values mean nobody knows. A third of the
pages must have them. Two more findings concern all pages together: all pages give the same value, or far more pages than usual have none.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from extraction.algorithms.monitoring import constancy
from extraction.algorithms.monitoring.chance import (
    MAX_FOREIGN_VALUES,
    Coincidence,
    ForeignValue,
    binomial_tail,
    grow_with_time,
    tail_probability,
)
from extraction.algorithms.monitoring.evidence import (
    Evidence,
    EvidenceKind,
    ValueChange,
    find_added_text,
    is_crowded,
    is_misread,
    is_missing,
    is_odd,
    is_overlooked,
    is_replaced,
    is_slipped,
    is_unknown,
    quote_value,
)
from extraction.algorithms.monitoring.moved_places import PagePlaces, VisitedPlaces, test_new_place, test_same_place
from extraction.algorithms.monitoring.profiles import FEW_PAGES

ODD_RATE = 0.02
"""Chance that a value that works looks odd, or is part of another text."""

CROWDED_RATE = 0.005
"""Chance that a rule that works gives a second value on a page that had one: a shop may show two prices."""

RARE = 1e-4
"""Probability below which a number of pages without a value is no coincidence."""

LEAST_ALIKE_PAGES = 3
"""Pages that must give the same value before all of them are said to be alike."""

SURE = 1e-5
"""Probability at or below which one test of places needs no second one."""

LEAST_EXTENDED_PAGES = 10
"""Pages whose values must have the same text added: a few products may be renamed together, such as the books of a series."""

MOST = 0.8
"""Share of pages that must have unknown values: a shop may add a value for some of its products."""

SignTest = Callable[[ValueChange], str | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One sign, and all pages that have it.

    probability: of so many pages if the rule works; None for a sign that is not tested.
    plausible: the pages have values that might be right. No repair goes live by itself because of such a sign.
    """

    sign: str
    evidence: tuple[Evidence, ...]
    probability: float | None
    plausible: bool = False


class AttributeChanges:
    """All pages that had or have a value of one attribute.

    counts: how often the attribute's value changed so far.
    """

    def __init__(self, changes: Sequence[ValueChange], counts: constancy.ChangeCounts) -> None:
        self.changes = changes
        first = changes[0]
        self.attribute, self.profile = first.attribute, first.profile
        self.visits = max(change.visit.visits for change in changes)
        self.rate = constancy.estimate_rate(first.attribute, first.profile, counts)

    def find_all(self) -> list[Finding]:
        """All findings, the most telling first. There are none where no value changed."""
        self.moved = [change for change in self.changes if change.lost or change.gained]
        if not self.moved:
            return []
        tests = (
            self._test_overlooked,
            self._test_missing,
            self._test_slipped,
            self._test_moved_together,
            self._test_crowded,
            self._test_misread,
            self._test_replaced,
            self._test_unknown,
            self._test_extended,
            self._test_odd,
            self._test_alike,
            self._test_vanished,
        )
        return [finding for test in tests if (finding := test()) is not None and finding.evidence]

    def _test_overlooked(self) -> Finding:
        return self._tested("overlooked", self._collect("null", is_overlooked), self._usual_null_fraction)

    def _test_missing(self) -> Finding:
        return Finding("missing", self._collect("null", is_missing, strong=False), None)

    def _test_slipped(self) -> Finding:
        found = self._collect("incorrect", is_slipped)
        if not found:
            return Finding("slipped", (), 1.0)
        both = len(found)
        kept = sum(bool(change.undiminished) for change in self.moved if change.now)
        known = sum(bool(change.already_there) for change in self.moved)
        chance = self._coincidence
        probability = max(
            chance.shrinks.predict_at_least(both, of=kept),
            chance.grows.predict_at_least(both, of=known),
        )
        return Finding("slipped", found, probability, plausible=True)

    def _test_moved_together(self) -> Finding | None:
        """Old values now stand in one new place, or what the rule gives instead stood in one place of the old pages."""
        had = [change for change in self.changes if change.before]
        lost = [change for change in had if change.lost]
        given = [change for change in lost if change.gained]
        standing = [change for change in lost if change.still_standing]
        if len(standing) < LEAST_ALIKE_PAGES or self.attribute.multiple:
            return None
        moved = test_new_place(
            [VisitedPlaces(PagePlaces(change.visit.old), PagePlaces(change.visit.new)) for change in had],
            [change.before[0] for change in had],
        )
        if given and moved > SURE:
            came = test_same_place(
                [PagePlaces(change.visit.old) for change in given],
                [change.now[0] for change in given],
                [change.now[0] for change in self.changes if change.now],
            )
            gone = test_same_place(
                [PagePlaces(change.visit.new) for change in lost],
                [change.before[0] for change in lost],
                [change.before[0] for change in had],
            )
            # A sale, too, has old prices in one place, and its end shows prices that stood in one place. So both must be improbable.
            moved = min(moved, max(gone, came))
        kind: EvidenceKind = "incorrect" if 2 * len(given) > len(lost) else "null"
        evidence = tuple(_make_evidence(change, kind, _say_moved(change)) for change in standing)
        return Finding("moved together", evidence, moved, plausible=bool(given))

    def _test_crowded(self) -> Finding:
        rates = [grow_with_time(CROWDED_RATE, self.visits)] * len(self.changes)
        found = self._collect("incorrect", is_crowded)
        return Finding("crowded", found, tail_probability(len(found), rates))

    def _test_misread(self) -> Finding:
        rate = grow_with_time(ODD_RATE, self.visits)
        return self._tested("misread", self._collect("incorrect", is_misread), rate, plausible=True)

    def _test_replaced(self) -> Finding | None:
        if not constancy.is_constant(self.rate):
            return None
        found = self._collect("incorrect", is_replaced)
        found = tuple(replace(each, kind="incorrect" if each.now else "null") for each in found)
        return self._tested("replaced", found, grow_with_time(self.rate, self.visits), plausible=any(each.now for each in found))

    def _test_unknown(self) -> Finding | None:
        found = self._collect("incorrect", is_unknown)
        given = sum(bool(change.now) for change in self.changes)
        if self.profile is None or len(found) < max(LEAST_ALIKE_PAGES, MOST * given):
            return None
        return Finding("unknown", found, binomial_tail(len(found), of=given, chance=self.profile.unseen_chance), plausible=True)

    def _test_extended(self) -> Finding | None:
        """Values that usually stay the same now all have the same text before or after them: it belongs to the template."""
        if not constancy.is_constant(self.rate) or self.attribute.multiple:
            return None
        texts = {change.visit.url: text for change in self.moved if (text := find_added_text(change)) is not None}
        added, count = Counter(texts.values()).most_common(1)[0] if texts else (("", ""), 0)
        if count < max(LEAST_EXTENDED_PAGES, MOST * len(self.changes)):
            return None
        reason = f"{quote_value('…'.join(added))} is now around the values of {count} pages"
        found = [change for change in self.moved if texts.get(change.visit.url) == added]
        evidence = tuple(_make_evidence(change, "incorrect", reason) for change in found)
        rates = [grow_with_time(self.rate, self.visits)] * len(self.changes)
        return Finding("extended", evidence, tail_probability(count, rates), plausible=True)

    def _test_odd(self) -> Finding:
        return Finding("odd", self._collect("incorrect", is_odd, strong=False), None)

    def _test_alike(self) -> Finding | None:
        """Every page gives the same value although pages used to differ: the rule reads a text of the site, not of the page."""
        given = [change for change in self.changes if change.now]
        if self.profile is None or not self.profile.varies or len(given) < LEAST_ALIKE_PAGES or len({each.now for each in given}) > 1:
            return None
        reason = f"all pages give {quote_value(given[0].now[0])}, although each had its own value"
        chance = 2 / (self.profile.distinct + 1)
        return Finding("alike", tuple(_make_evidence(each, "incorrect", reason) for each in given), chance ** (2 * len(given)))

    def _test_vanished(self) -> Finding | None:
        """Far more pages lack a value than the attribute's usual share of such pages explains."""
        if self.profile is None or self.profile.valued < FEW_PAGES:
            return None
        gone, usual = [change for change in self.changes if not change.now], self._usual_null_fraction
        if binomial_tail(len(gone), of=len(self.changes), chance=usual) > RARE:
            return None
        reason = f"the rule finds nothing on {len(gone)} of {len(self.changes)} pages; {usual:.0%} was usual"
        return Finding("vanished", tuple(_make_evidence(each, "null", reason, strong=False) for each in gone), None)

    def _tested(self, sign: str, found: tuple[Evidence, ...], rate: float, *, plausible: bool = False) -> Finding:
        """Tests how many pages have a sign, in two ways of which the more telling one counts.

        All pages with the sign are tested, and those alone on which the old value stands as often as before. That the old value stands
        anywhere is no wonder where it stood elsewhere, too; that the place it lost was made up for is.

        found: the pages with the sign.
        rate: how often the rule gives something else, or nothing, while it works.
        """
        if not found:
            return Finding(sign, (), 1.0)
        urls = {each.url for each in found}
        kept = {change.visit.url for change in self.moved if change.visit.url in urls and change.undiminished}
        among_all = tail_probability(len(found), [rate * self._standing_chance(change) for change in self.changes])
        gain = max(self._coincidence.grows.chance, self._coincidence.appears.chance)
        among_kept = tail_probability(len(kept), [min(1.0, rate * gain * self._count_chances(change)) for change in self.changes])
        if among_kept < among_all:
            found = tuple(each for each in found if each.url in kept)
        return Finding(sign, found, min(1.0, 2 * min(among_all, among_kept)), plausible)

    def _collect(self, kind: EvidenceKind, holds: SignTest, *, strong: bool = True) -> tuple[Evidence, ...]:
        said = ((change, holds(change)) for change in self.moved)
        return tuple(_make_evidence(change, kind, reason, strong=strong) for change, reason in said if reason is not None)

    def _standing_chance(self, change: ValueChange) -> float:
        """The chance that an old value of the page stands on the new page although the rule's place no longer holds it."""
        if change.stood_elsewhere:
            return 1.0
        return min(1.0, self._coincidence.appears.chance * self._count_chances(change))

    @staticmethod
    def _count_chances(change: ValueChange) -> int:
        """How many old values may stand on the page by chance. Of a list, most would have to, which is less likely than for one."""
        return 1 if change.least_standing_fraction else max(1, len(change.before))

    @property
    def _usual_null_fraction(self) -> float:
        """The share of pages that usually have no value."""
        known = self.profile
        return (known.pages - known.valued + 1) / (known.pages + 2) if known else ODD_RATE

    @cached_property
    def _coincidence(self) -> Coincidence:
        old = self._count_foreign(lambda change: change.before)
        new = self._count_foreign(lambda change: change.now)
        return Coincidence.measure(old, new)

    def _count_foreign(self, values: Callable[[ValueChange], Iterable[str]]) -> list[ForeignValue]:
        """Counts, on each page, how often the values of other pages stand there."""
        known = sorted({value for change in self.changes for value in values(change)})
        known = known[:: -(-len(known) // MAX_FOREIGN_VALUES) or 1]
        return [
            ForeignValue(change.count_before(value), change.count_now(value))
            for change in self.changes
            for value in known
            if value not in change.before and value not in change.now
        ]


def _say_moved(change: ValueChange) -> str:
    given = f"{quote_value(change.gained[0])} instead of " if change.gained else "nothing instead of "
    return f"{given}{quote_value(change.still_standing[0])}, which has moved to another place of the page"


def _make_evidence(change: ValueChange, kind: EvidenceKind, reason: str, *, strong: bool = True) -> Evidence:
    return Evidence(change.visit.url, kind, strong, change.before, change.now, reason)
