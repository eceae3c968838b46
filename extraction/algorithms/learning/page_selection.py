"""Chooses the page to annotate next: the page from which the learner would learn most.

An attribute's committee (`committee`) holds the rules that fit all marks so far. On a page where they select the same, an annotation
teaches nothing; where they disagree, it decides between them (query by committee: Seung, Opper & Sompolinsky 1992; for wrappers:
Muslea, Minton & Knoblock 2006). The degree of disagreement is the vote entropy of Dagan & Engelson (1995), with votes weighted by
merit: a rule that costs more by c counts exp(-c).

A page has two more scores. One is the weight of those paths of the template (`sampling.greedy`) that are on this page but on no annotated
page. The other is for attributes that are not found on it, although nobody has marked any page as lacking them. All three scores are
shares from 0 to 1, and they are summed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extraction.algorithms.learning.committee import Committee, Member, Vote

MISSING = 0.25
"""The weight of an attribute without a value, relative to one with complete disagreement: most pages without a value really lack it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How the committee of one attribute votes on one page.

    degree: 0 when all say the same, 1 when the weight is split evenly.
    votes: what the members select, the rule's own vote first, then the others by falling weight.
    """

    attribute: str
    degree: float
    votes: tuple[Vote, ...]


@dataclass(frozen=True, slots=True)
class PageScore:
    """How much marking a page would improve the rule.

    page: its place.
    disagreements: for the attributes whose committees disagree on the page, the strongest first.
    missing: attributes of which nothing is found on the page.
    fresh: share of the template's weight that this page would be the first annotated page to show.
    """

    page: int
    score: float
    disagreements: tuple[Disagreement, ...] = ()
    missing: tuple[str, ...] = ()
    fresh: float = 0.0


@dataclass(frozen=True, slots=True)
class AttributeState:
    """What the editors have marked of one attribute so far.

    absent: whether some page was marked as lacking the attribute.
    annotated: indexes of the pages annotated for this attribute.
    """

    committee: Committee
    absent: bool = False
    annotated: frozenset[int] = field(default_factory=frozenset)


def weigh_members(members: Sequence[Member]) -> list[float]:
    """Return the members' weights, which sum to 1: a rule that costs c more than the best has a weight proportional to exp(-c)."""
    least = min((member.total for member in members), default=0.0)
    raw = [math.exp(least - member.total) for member in members]
    return [each / sum(raw) for each in raw]


def measure_disagreement(attribute: str, members: Sequence[Member], votes: Sequence[Vote]) -> Disagreement:
    """How much the members' votes on a page differ. Votes are compared as sets, so the order of values does not count."""
    shares: dict[frozenset[str], float] = {}
    shown: dict[frozenset[str], Vote] = {}
    for weight, vote in zip(weigh_members(members), votes, strict=True):
        shares[frozenset(vote)] = shares.get(frozenset(vote), 0.0) + weight
        shown.setdefault(frozenset(vote), vote)
    if len(shares) == 1:
        return Disagreement(attribute, 0.0, ())
    entropy = -sum(share * math.log2(share) for share in shares.values() if share)
    order = sorted(shares, key=lambda vote: (shown[vote] != votes[0], -shares[vote], shown[vote]))
    return Disagreement(attribute, min(1.0, entropy), tuple(shown[vote] for vote in order))


def rank_pages(known: Mapping[str, AttributeState], pages: Sequence[int], fresh: Mapping[int, float]) -> list[PageScore]:
    """The pages, those that would teach most first; ties stay in the order given.

    known: the attributes that have marks.
    pages: places of the pages that may be offered, in the order in which they would be offered otherwise.
    fresh: by page, the share of the weight that no annotated page shows yet.
    """
    found = [score_page(known, page, fresh.get(page, 0.0)) for page in pages]
    return sorted(found, key=lambda score: -score.score)


def score_page(known: Mapping[str, AttributeState], page: int, fresh: float) -> PageScore:
    """Scores how much one page would teach. Attributes already annotated on the page add nothing."""
    disagreements, missing = [], []
    for name, state in known.items():
        members = state.committee.members
        if page in state.annotated or not members:
            continue
        found = measure_disagreement(name, members, [member.votes[page] for member in members])
        if found.degree:
            disagreements.append(found)
        elif not state.absent and not members[0].votes[page]:
            missing.append(name)
    disagreements.sort(key=lambda each: -each.degree)
    count = max(1, len(known))
    score = sum(each.degree for each in disagreements) / count + MISSING * len(missing) / count + fresh
    return PageScore(page, round(score, 9), tuple(disagreements), tuple(missing), fresh)
