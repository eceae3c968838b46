"""Finds the rule that serves a page (Gulhane et al. 2011, section 3.2.1; docs/algorithms.md#matching).

The URL is checked first, because that is far cheaper than looking at the page: one of the rule's URL patterns must match. Then one of the
masked vectors of the rule's cluster must cover the page's shingle vector. Of the rules that are left, the most specific wins. The paper
does not define "most specific". Here it means fewer wildcards in the covering mask (a page's structure says more than its address), then
the more specific URL pattern, then the larger cluster, then the smaller id.

A page that matches nothing gets a `NoMatch`, which says at which step it failed. Their number is the first sign that a site has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extraction.algorithms.rules.url_patterns import SplitAddress, UrlPattern
from extraction.algorithms.sketches.shingles import Mask, ShingleVector


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A rule that a page may belong to.

    patterns: its URL patterns; if empty, its cluster has no URLs, so any URL matches.
    masks: the masks of the clusters that were merged
    into its cluster. size: the number of its pages.
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
    """Why no rule serves the page. url: no URL pattern matches. shingle: some do, but their clusters' masks do not cover the page."""

    reason: Literal["url", "shingle"]


def match_page(url: str, vector: ShingleVector, candidates: Sequence[RuleCandidate]) -> RuleMatch | NoRuleMatch:
    """Return the rule for a page with this URL and shingle vector. The order of the candidates does not matter."""
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
