"""What one page says about an attribute's rule: its values then and now, and where they stand on the old and on the new page.

None of the differences between two visits of a page is a break by itself. A product may be out of stock, or have a new price. Each
function of this module that begins with `is_` is a *sign* that a rule may have failed on a page. `hypotheses` decides how many pages with
a sign are more than chance.

=====================  ==========  ==============================================================================
sign                   kind        holds when
=====================  ==========  ==============================================================================
`is_overlooked`        null        the rule gives nothing, and an old value still stands on the page
`is_missing`           null        the rule gives nothing, and the attribute is mandatory
`is_slipped`           incorrect   an old value stands as often as before, and so does the new one: both only changed places
`is_crowded`           incorrect   the rule gives several values of an attribute that has one
`is_misread`           incorrect   an old value still stands, and the rule gives nothing new, part of it or something odd
`is_replaced`          incorrect   an old value still stands, and the rule gives something else or nothing
`is_unknown`           incorrect   a new value is none of the few that the attribute has ever had
`is_odd`               incorrect   a new value does not look like the old ones (`profiles.Profile.odd`)
=====================  ==========  ==============================================================================

The kinds are those of docs/algorithms.md#monitoring (Gulhane et al. 2011, section 3.2.2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.chance import PageTexts
from extraction.algorithms.monitoring.places import SoughtValue, normalise_values
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.relearning import find_held_attribute
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.comparing import loosen_text, normalise_value

SHOWN_CHARACTERS = 60
"""Length to which values are cut in reasons."""

EvidenceKind = Literal["null", "incorrect"]

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revisit:
    """One page, then and now.

    before, now: the rule's values on the old and on the new page, by attribute.
    covered: whether a crawl would still give the new page to the cluster.
    visits: how many visits ago the old page was current.
    """

    url: str
    old: PageTable
    new: PageTable
    before: Mapping[str, Values]
    now: Mapping[str, Values]
    covered: bool
    visits: int = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against an attribute's rule on one page.

    strong: chance does not explain how many pages have it.
    reason: an explanation for people.
    """

    url: str
    kind: EvidenceKind
    strong: bool
    before: Values
    now: Values
    reason: str


@dataclass(frozen=True)
class ValueChange:
    """One attribute on one page, then and now.

    profile: what the attribute's values have looked like; None when nothing is known.
    texts: how often values stand on the page, then and now.
    least_standing_fraction: share of the old values that must still stand on the page for any of them to count. It is above 0 for the
    attributes of lists, whose rows come and go.
    """

    attribute: AttributeRule
    profile: Profile | None
    visit: Revisit
    texts: PageTexts
    least_standing_fraction: float = 0.0

    @cached_property
    def before(self) -> Values:
        """The rule's values on the old page."""
        return self.visit.before.get(self.attribute.name, ())

    @cached_property
    def now(self) -> Values:
        """The rule's values on the new page."""
        return self.visit.now.get(self.attribute.name, ())

    @cached_property
    def lost(self) -> Values:
        """Old values that the rule no longer gives, however they are written."""
        return self._find_missing(self.before, self._language_before, self.now, self._language_now)

    @cached_property
    def gained(self) -> Values:
        """New values that the rule did not give before, however they are written."""
        return self._find_missing(self.now, self._language_now, self.before, self._language_before)

    @cached_property
    def still_standing(self) -> Values:
        """Lost values that are still the text of some element of the new page. The rule lost them, not the page."""
        return self._unless_few(tuple(value for value in self.lost if self.count_now(value)))

    @cached_property
    def undiminished(self) -> Values:
        """Lost values that stand in at least as many places as before, although the rule's place no longer holds them."""
        return self._unless_few(tuple(value for value in self.lost if self.count_now(value) >= max(1, self.count_before(value))))

    @cached_property
    def already_there(self) -> Values:
        """Gained values that stood in at least as many places before, although the rule's place did not hold them."""
        return tuple(value for value in self.gained if self.count_before(value) >= max(1, self.count_now(value)))

    @cached_property
    def stood_elsewhere(self) -> bool:
        """Whether some old value also stood elsewhere on the old page. Then it is no wonder that it still stands."""
        return any(self.count_before(value) > 1 for value in self.before)

    @cached_property
    def oddities(self) -> tuple[str, ...]:
        """Says in words how the gained values differ from those of the past."""
        return self.profile.odd(self.gained) if self.profile and self.gained else ()

    def count_before(self, value: str) -> int:
        """Counts the places where a value stands on the old page."""
        return self.texts.count_before(self._sought(value), inside=self._is_part)

    def count_now(self, value: str) -> int:
        """Counts the places where a value stands on the new page."""
        return self.texts.count_now(self._sought(value), inside=self._is_part)

    @cached_property
    def _is_part(self) -> bool:
        """Whether the rule cuts its values out of longer texts."""
        return any(each.part is not None for each in self.attribute.alternatives)

    @cached_property
    def _held_in(self) -> str:
        return find_held_attribute(self.attribute)

    def _sought(self, value: str) -> SoughtValue:
        return SoughtValue(value, attribute=self._held_in)

    def _unless_few(self, values: Values) -> Values:
        return values if len(values) >= self.least_standing_fraction * len(self.before) else ()

    @cached_property
    def _language_before(self) -> str | None:
        return detect_language(self.visit.old.root, self.visit.url)

    @cached_property
    def _language_now(self) -> str | None:
        return detect_language(self.visit.new.root, self.visit.url)

    def _find_missing(self, values: Values, language: str | None, others: Values, others_language: str | None) -> Values:
        """Return the values that are not among the others, which another visit of the page gave."""
        kind, column = self.attribute.type, self.attribute.column
        known = normalise_values(self.attribute, others, others_language)
        return tuple(value for value in values if normalise_value(value, kind, language=language, column=column) not in known)


def is_overlooked(change: ValueChange) -> str | None:
    """The rule gives nothing although an old value still stands on the page. Returns the reason, None when this does not hold."""
    if change.now or not change.still_standing:
        return None
    return f"{quote_value(change.still_standing[0])} is on the page, but the rule no longer finds it"


def is_missing(change: ValueChange) -> str | None:
    """The rule gives nothing for a mandatory attribute that had a value. Returns the reason, None when this does not hold."""
    return "the rule finds nothing" if change.before and not change.now and change.attribute.mandatory else None


def is_slipped(change: ValueChange) -> str | None:
    """The rule has slipped to a neighbour: the old and the new value stand on the page as often as before. Returns the reason or None."""
    if not change.undiminished or not change.already_there:
        return None
    return f"{quote_value(change.already_there[0])} instead of {quote_value(change.undiminished[0])}; both were on the old page"


def is_crowded(change: ValueChange) -> str | None:
    """The rule gives several different values, where one is allowed and one was given before. Returns the reason or None."""
    several = not change.attribute.multiple and len(change.before) == 1 and len(set(change.now)) > 1
    return f"{len(set(change.now))} different values, where there was one" if several else None


def is_misread(change: ValueChange) -> str | None:
    """An old value is still on the page, but the rule gives only part of it, more than it, or something odd. Returns the reason or None."""
    if not change.now or not change.still_standing:
        return None
    if not change.oddities and change.gained and not _is_part_of_value(change):
        return None
    default = f"{quote_value(change.still_standing[0])} is on the page, but the rule gives something else"
    return change.oddities[0] if change.oddities else default


def _is_part_of_value(change: ValueChange) -> bool:
    """Whether a new value has an old one among its words. Of numbers, prices and dates that says nothing: 4 stands in 4.5."""
    if change.attribute.type in ("number", "price", "date"):
        return False
    return any(f" {loosen_text(old)} " in f" {loosen_text(new)} " for old in change.still_standing for new in change.gained)


def is_replaced(change: ValueChange) -> str | None:
    """An old value is still on the page, but the rule gives another one or nothing. Returns the reason, None when this does not hold."""
    if not change.still_standing:
        return None
    if not change.now:
        return is_overlooked(change)
    instead = f"{quote_value(change.gained[0])} instead of " if change.gained else "no longer "
    return f"{instead}{quote_value(change.still_standing[0])}, which is still on the page; this value usually stays the same"


def is_unknown(change: ValueChange) -> str | None:
    """The rule gives a value that is none of the few known ones. Returns the reason, None when this does not hold."""
    unknown = change.profile.find_unknown(change.gained) if change.profile else ()
    if not change.profile or not unknown:
        return None
    known = ", ".join(quote_value(value) for value in sorted(change.profile.vocabulary)[:3])
    return f"{quote_value(unknown[0])} is new; so far every page had one of {len(change.profile.vocabulary)}: {known}"


def is_odd(change: ValueChange) -> str | None:
    """The rule gives a value that does not look like those of the past. Returns the reason, None when this does not hold."""
    return change.oddities[0] if change.oddities else None


def find_added_text(change: ValueChange) -> tuple[str, str] | None:
    """What stands before and after the old value in the new one, None where the new value is not the old one with more text."""
    if len(change.before) != 1 or len(change.gained) != 1 or change.before[0] not in change.gained[0]:
        return None
    before, _, after = change.gained[0].partition(change.before[0])
    return before, after


def quote_value(value: str) -> str:
    """The value in quotation marks, cut to SHOWN_CHARACTERS."""
    return f"“{value[:SHOWN_CHARACTERS]}”"
