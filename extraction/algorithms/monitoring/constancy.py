"""How often an attribute's value changes on one page from one visit to the next (docs/algorithms.md#monitoring).

This is what tells news from a break. A title or an EAN stays the same on its page for years; a price or a stock level changes every few
days. So a title that is suddenly another one everywhere needs an explanation, and a price does not.

The rate is learned: each check counts, for each attribute, how many pages were compared and on how many the value had changed. Until
enough is counted, a prior by type decides. Both are added up as in a beta distribution, whose mean is the rate:

    rate = (prior rate * prior pages + changed) / (prior pages + compared)
"""

from dataclasses import dataclass

from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule

CONSTANT_RATE = 0.03
"""Rate at or below which an attribute counts as constant: on a page that is visited daily, it changes once a month at most."""

MAX_COMPARED = 5_000
"""The largest number of comparisons that count: about a year of daily checks of fifteen pages. With more, a site could not change its
habits."""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many pages were visited twice in a row with a value on the first visit, and on how many the second visit had another or none."""

    compared: int = 0
    changed: int = 0

    def __add__(self, other: "ChangeCounts") -> "ChangeCounts":
        return ChangeCounts(self.compared + other.compared, self.changed + other.changed)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is assumed before anything was counted. pages: how many comparisons the assumption is worth."""

    rate: float
    pages: float


CONSTANT = Prior(0.01, 50)
"""Texts that tell pages apart: titles, names, descriptions."""

DATED = Prior(0.02, 25)
"""Dates: mostly of publication, sometimes of an update or a delivery."""

LINKED = Prior(0.05, 10)
"""Addresses and pictures: they change with every move of a server."""

VOLATILE = Prior(0.2, 5)
"""Prices, counts, yes or no, and texts that many pages share, such as a stock level. Several values of one page come and go, too."""


def choose_prior(attribute: AttributeRule, profile: Profile | None) -> Prior:
    """What to assume of an attribute before its changes were counted.

    profile: what its values have looked like; None when nothing is known.
    """
    if attribute.multiple or attribute.type in ("price", "number", "boolean"):
        return VOLATILE
    if attribute.type == "date":
        return DATED
    if attribute.type in ("url", "image"):
        return LINKED
    return CONSTANT if profile is None or profile.valued < 2 or 2 * profile.distinct >= profile.valued else VOLATILE


def estimate_rate(attribute: AttributeRule, profile: Profile | None, counts: ChangeCounts) -> float:
    """The share of pages on which the attribute's value changes from one visit to the next, between 0 and 1.

    A price is never taken to be constant: after months without a change, a sale changes all prices on one day.
    """
    prior = choose_prior(attribute, profile)
    if attribute.type == "price":
        return max(prior.rate, counts.changed / max(counts.compared, 1))
    scale = min(1.0, MAX_COMPARED / max(counts.compared, 1))
    return (prior.rate * prior.pages + counts.changed * scale) / (prior.pages + counts.compared * scale)


def is_constant(rate: float) -> bool:
    """Whether an attribute with this rate stays the same on a page."""
    return rate <= CONSTANT_RATE
