"""Compares what two templates' rules give on each other's pages. If it is the same, they are one (docs/algorithms.md#page-clustering).

Structure alone cannot tell whether pages with and without a large section are one template. Rules can, because an editor cares about
whether one rule works on the pages of both.

If both templates have a rule, each rule runs over pages of both, and the results are compared value by value (`compare_answers`,
`are_same`). If only one has a rule, it runs over the other's pages, and the results are compared with those on its own pages
(`compare_reading`). Attributes that its own pages nearly always have must be there as often, and their values must look alike. A rule that
hits navigation by mistake gives the same text on every page, or texts of another length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Values = Mapping[str, tuple[str, ...]]
"""What a rule gives on a page: {attribute: values}, with an empty tuple for no value."""

SAME_FRACTION = 0.95
"""Least share of equal answers, both of all and of each attribute's. Templates that only look alike differ in whole attributes. One unequal
answer in twenty is allowed for pages on which either rule is wrong."""

FEWEST_PAGES = 2
"""The smallest number of pages of each template. With fewer, a value that differs from page to page cannot be told from one that is always
the same."""

COMPLETE_FRACTION = 0.9
"""Least share of the other template's pages with a whole record, relative to that share of the rule's own pages."""

USUAL_FRACTION = 0.9
"""Share of a rule's own pages with a value from which on the attribute is expected on every page."""

LENGTH_FACTOR = 4
"""How much longer or shorter than on its own pages the median value of an attribute may be: a word, a line and a paragraph are different
things."""


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """Two rules on the same pages. answers: pages times attributes where at least one rule gives something; same: where both give the same.

    weakest: the least share of equal answers of any attribute.
    telling: some attribute differs from page to page.
    """

    pages: int
    answers: int
    same: int
    weakest: float
    telling: bool

    @property
    def fraction(self) -> float:
        """The share of equal answers; 0 if there are no answers."""
        return self.same / self.answers if self.answers else 0.0


@dataclass(frozen=True, slots=True)
class RuleReading:
    """What a rule gives on another template's pages.

    complete: number of pages with a whole record.
    strange: attributes whose values look unlike those on the rule's own pages.
    """

    pages: int
    complete: int
    strange: tuple[str, ...]
    plausible: bool


def compare_answers(one: Sequence[Values], other: Sequence[Values]) -> RuleAgreement:
    """Compare what two rules give on the same pages, in the same order. Raises ValueError for different numbers of pages."""
    if len(one) != len(other):
        raise ValueError(f"one rule was run on {len(one)} pages, the other on {len(other)}")
    names = sorted({name for page in [*one, *other] for name in page})
    shares, answers, same, telling = [], 0, 0, False
    for name in names:
        pairs = [(mine.get(name, ()), theirs.get(name, ())) for mine, theirs in zip(one, other, strict=True)]
        given = [pair for pair in pairs if pair != ((), ())]
        equal = sum(mine == theirs for mine, theirs in given)
        answers, same = answers + len(given), same + equal
        shares += [equal / len(given)] if given else []
        telling |= len({mine for mine, _ in given}) > 1 < len({theirs for _, theirs in given})
    return RuleAgreement(len(one), answers, same, min(shares, default=0.0), telling)


def are_same(first: RuleAgreement, second: RuleAgreement) -> bool:
    """Return whether the rules of two templates give the same on the pages of both, so that one rule would be enough."""
    return all(
        side.pages >= FEWEST_PAGES and side.telling and side.fraction >= SAME_FRACTION and side.weakest >= SAME_FRACTION
        for side in (first, second)
    )


def compare_reading(own: Sequence[Values], there: Sequence[Values]) -> RuleReading:
    """Compare what a rule gives on another template's pages with what it gives on its own."""
    usual = [name for name in _names(own) if _hits(own, name) >= USUAL_FRACTION * len(own)]
    complete_here = sum(_whole(page, usual) for page in own)
    complete = sum(_whole(page, usual) for page in there)
    strange = tuple(name for name in _names(own) if _strange(own, there, name))
    enough = bool(usual) and len(own) >= FEWEST_PAGES <= len(there) and any(_varies(own, name) for name in usual)
    reached = complete / max(len(there), 1) >= COMPLETE_FRACTION * complete_here / max(len(own), 1)
    return RuleReading(len(there), complete, strange, plausible=enough and reached and not strange)


def _names(pages: Sequence[Values]) -> list[str]:
    return sorted({name for page in pages for name, values in page.items() if values})


def _hits(pages: Sequence[Values], name: str) -> int:
    return sum(bool(page.get(name)) for page in pages)


def _whole(page: Values, usual: Sequence[str]) -> bool:
    return all(page.get(name) for name in usual)


def _varies(pages: Sequence[Values], name: str) -> bool:
    return len({page.get(name, ()) for page in pages if page.get(name)}) > 1


def _strange(own: Sequence[Values], there: Sequence[Values], name: str) -> bool:
    """Return whether an attribute's values on the other template's pages look unlike those on the rule's own pages.

    They do if every page has the same value, but the own pages do not; if they are much longer or shorter; or if most pages have
    several values, but the own pages have one each.
    """
    mine = [page[name] for page in own if page.get(name)]
    theirs = [page[name] for page in there if page.get(name)]
    if not mine or not theirs:
        return False
    fixed = len(theirs) > FEWEST_PAGES and len(set(theirs)) == 1 and len(set(mine)) > len(mine) / 2
    lengths = [median(len(value) for values in pages for value in values) for pages in (mine, theirs)]
    several = max(map(len, mine)) == 1 and sum(len(values) > 1 for values in theirs) > len(theirs) / 2
    return fixed or several or max(lengths) > LENGTH_FACTOR * max(min(lengths), 1)
