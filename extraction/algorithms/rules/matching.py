"""Which rule serves a page (Gulhane et al. 2011, section 3.2.1; docs/algorithms.md#matching).

First the URL, which is far cheaper than looking at the page: a rule stays if one of its URL patterns matches. Then the page's
shingle vector must be covered by one of the masked vectors of the rule's cluster. Of the rules that are left the most specific
wins. The paper leaves open what that means; here: fewer wildcards in the covering mask (what a page looks like says more than
where it lies), then the more specific URL pattern, then the larger cluster, then the smaller id.

A page that matches nothing is a `NoMatch` that says at which step it failed: their number is the first sign of a site change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extraction.algorithms.rules.url_patterns import SplitAddress, UrlPattern
from extraction.algorithms.sketches.shingles import Mask, ShingleVector


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A rule a page may belong to.

    patterns: none means that its cluster has no URLs, so any URL will do. masks: those its cluster was merged from. size: its pages.
    """

    id: int
    patterns: tuple[UrlPattern, ...]
    masks: tuple[Mask, ...]
    size: int


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """The rule that serves the page."""

    id: int


@dataclass(frozen=True, slots=True)
class NoRuleMatch:
    """Why no rule serves the page. url: no pattern matches; shingle: some do, but the page does not look like their clusters'."""

    reason: Literal["url", "shingle"]


def match_page(url: str, vector: ShingleVector, candidates: Sequence[RuleCandidate]) -> RuleMatch | NoRuleMatch:
    """The rule for a page with this URL and shingle vector, whatever the order of the candidates."""
    address = SplitAddress.parse(url)
    ranks: list[tuple[int, tuple[int, ...], int, int]] = []
    url_matches = False
    for candidate in candidates:
        fitting = [pattern.specificity for pattern in candidate.patterns if pattern.matches(address)]
        if candidate.patterns and not fitting:
            continue
        url_matches = True
        wildcards = min((mask.wildcard_count for mask in candidate.masks if mask.covers(vector)), default=None)
        if wildcards is not None:
            specificity = max(fitting, default=(0, 0, 0))
            ranks.append((wildcards, tuple(-n for n in specificity), -candidate.size, candidate.id))
    if ranks:
        return RuleMatch(min(ranks)[-1])
    return NoRuleMatch("shingle" if url_matches else "url")
