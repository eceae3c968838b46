"""What chance does: how often values stand on a page by coincidence, and how improbable a count is (docs/algorithms.md#monitoring).

An old price that still stands on the new page is no evidence by itself. With three price points, one of the related products has it
anyway. So every hypothesis of `evidence` is tested against the chance that the same would be seen although the rule works. How likely a
coincidence is, is measured on the pages at hand with values that have nothing to do with the page: those of the other pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, exp, lgamma

from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.places import SoughtValue, ValueFinder

MAX_FOREIGN_VALUES = 30
"""The largest number of values of other pages that are looked for on each page."""


class PageTexts:
    """How often values stand on one page, then and now. Each value is looked for once."""

    def __init__(self, old: PageTable, new: PageTable) -> None:
        self._pages = (old, new)
        self._counts: dict[tuple[int, SoughtValue, bool], int] = {}

    def count_before(self, sought: SoughtValue, *, inside: bool) -> int:
        """Counts the places of a value on the old page. inside: also within longer texts."""
        return self._count(0, sought, inside)

    def count_now(self, sought: SoughtValue, *, inside: bool) -> int:
        """Counts the places of a value on the new page. inside: also within longer texts."""
        return self._count(1, sought, inside)

    @cached_property
    def _finders(self) -> tuple[ValueFinder, ValueFinder]:
        return ValueFinder(self._pages[0]), ValueFinder(self._pages[1])

    def _count(self, side: int, sought: SoughtValue, inside: bool) -> int:
        key = (side, sought, inside)
        if key not in self._counts:
            finder = self._finders[side]
            self._counts[key] = len(finder.find(sought)) + (len(finder.find(sought, "part")) if inside else 0)
        return self._counts[key]


@dataclass(frozen=True, slots=True)
class ForeignValue:
    """A value of another page, and how often it stands on this page, then and now."""

    before: int
    now: int


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happened to foreign values."""

    successes: int
    tries: int

    @property
    def chance(self) -> float:
        """The chance that it happens to one value; never 0 or 1, because few tries prove little (Laplace's rule of succession)."""
        return (self.successes + 1) / (self.tries + 2)

    def predict_at_least(self, count: int, *, of: int) -> float:
        """The probability that it happens to at least `count` of `of` further values.

        This is the beta-binomial distribution: the chance itself is known only as well as the tries tell.
        """
        a, b = self.successes + 1, self.tries - self.successes + 1
        logs = (
            lgamma(of + 1) - lgamma(n + 1) - lgamma(of - n + 1) + _log_beta(n + a, of - n + b) - _log_beta(a, b)
            for n in range(max(count, 0), of + 1)
        )
        return min(1.0, sum(map(exp, logs)))


@dataclass(frozen=True, slots=True)
class Coincidence:
    """How likely something happens to a value by chance, between two visits of a page that has nothing to do with it.

    appears: it stood nowhere on the page and now stands somewhere.
    grows: it stands in more places than before.
    shrinks: it stands in fewer places than before.
    """

    appears: Share
    grows: Share
    shrinks: Share

    @classmethod
    def measure(cls, old_values: Sequence[ForeignValue], new_values: Sequence[ForeignValue]) -> "Coincidence":
        """Measures the chances.

        old_values: values that other pages had before.
        new_values: values that other pages have now.
        """
        absent = [each for each in old_values if not each.before]
        return cls(
            appears=Share(sum(each.now > 0 for each in absent), len(absent)),
            grows=Share(sum(each.now > each.before for each in old_values), len(old_values)),
            shrinks=Share(sum(each.now < each.before for each in new_values), len(new_values)),
        )


def tail_probability(count: int, chances: Sequence[float]) -> float:
    """The probability of at least `count` successes in independent tries with these chances (Poisson binomial distribution)."""
    if count <= 0:
        return 1.0
    # exact[k]: probability of k successes so far; the last entry collects all counts from `count` up.
    exact = [1.0] + [0.0] * count
    for chance in chances:
        exact[count] += exact[count - 1] * chance
        for successes in range(count - 1, 0, -1):
            exact[successes] = exact[successes] * (1 - chance) + exact[successes - 1] * chance
        exact[0] *= 1 - chance
    return min(exact[count], 1.0)


def binomial_tail(count: int, *, of: int, chance: float) -> float:
    """The probability of at least `count` successes in `of` independent tries, each with the same chance."""
    return min(1.0, sum(comb(of, n) * chance**n * (1 - chance) ** (of - n) for n in range(max(count, 0), of + 1)))


def grow_with_time(rate: float, visits: int) -> float:
    """The chance that something that happens at a rate for each visit has happened within a number of visits."""
    return 1.0 - (1.0 - rate) ** max(visits, 1)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
