"""Finds the committee of a learned rule: the rules that fit the marks about as well as it does.

With few pages annotated, several feature sets of nearly equal cost select all marks. The pages on which they differ show which set
is meant. This is query by committee (Seung, Opper & Sompolinsky 1992) and, for wrappers, the contention points of co-testing (Muslea,
Minton & Knoblock 2006), whose views are here the kinds of features. The search for the rule finds these sets anyway. Here it accepts
slightly higher costs, so that a rule by label can be compared with a rule by class.

The search already stores which nodes a member selects on the pages of the corpus, as bits, so no XPath is run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.apriori import Example, Learned, LearnedXPath, Learner, NotLearned
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.plausibility import Reads
from extraction.algorithms.learning.solution import Solution

MAX_MEMBERS = 8
"""The largest number of rules of a committee. What the ninth adds to the disagreement weighs less than a tenth of the first."""

SLACK = 1.5
"""How much dearer than the rule a member may be: what a label costs more than a class, and what two levels cost."""

MAX_ELSEWHERE = 2
"""The largest number of rules for other places of the values."""

MAX_EQUIVALENTS = 3
"""The largest number of equivalent rules that are kept, for other pages to tell apart."""

Groups = Sequence[Sequence[Solution]]
"""The solutions of each alternative of a rule."""

Vote = tuple[str, ...]
"""The different values given on a page, in document order."""


@dataclass(frozen=True, slots=True)
class Member:
    """One rule that fits the marks.

    alternatives: as in Learned.
    total: its cost.
    votes: the values it selects, by page.
    ruled_out: for each alternative and each of its features, how many more nodes on all pages it would select without that feature.
    The first entry of an alternative's words is its target, which is not a feature.
    """

    alternatives: tuple[LearnedXPath, ...]
    total: float
    votes: tuple[Vote, ...]
    ruled_out: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Committee:
    """The rule first, then the others by cost. Of rules that select the same values on every page, only the cheapest is kept.

    equivalents: rules with other features that select the same values on all these pages. On other pages they may select others.
    """

    members: tuple[Member, ...]
    equivalents: tuple[Member, ...] = ()

    @property
    def rivals(self) -> tuple[Member, ...]:
        """All members but the rule itself."""
        return self.members[1:]


def train_committee(
    pages: Sequence[PageTable] | Corpus,
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    reads: Reads | None = None,
    cost: Cost = CALIBRATED,
) -> Committee | NotLearned:
    """Return the committee of one attribute. The parameters are those of `apriori.learn_attribute`."""
    try:
        learner = Learner(pages, examples, multiple=multiple, mandatory=mandatory, reads=reads, cost=cost)
        found = learner.learn()
        if isinstance(found, NotLearned):
            return found
        voting = _Voting(learner)
        return Committee(_list_members(learner, found, voting), _list_equivalents(learner, voting))
    except LearningError as error:
        return NotLearned(str(error))


def _list_members(learner: Learner, found: Learned, voting: "_Voting") -> tuple[Member, ...]:
    if not learner.groups:
        return ()
    members = [voting.make_member(learner.groups, found.alternatives)]
    seen = {members[0].votes}
    for groups in sorted(_list_variants(learner), key=_total):
        alternatives = learner.describe_alternatives(groups)
        if len(members) == MAX_MEMBERS or alternatives is None:
            continue
        member = voting.make_member(groups, alternatives)
        if member.votes not in seen:
            seen.add(member.votes)
            members.append(member)
    members += _list_elsewhere(learner, voting, members[0], seen)
    return tuple(members)


def _list_elsewhere(learner: Learner, voting: "_Voting", rule: Member, seen: set[tuple[Vote, ...]]) -> list[Member]:
    """Rules for other places of the marked values whose values are alike on most pages, but not the same on all.

    A title may stand in three places that are equal on the marked pages. Where they differ elsewhere, somebody has to say which is meant.
    """
    members: list[Member] = []
    for solution in learner.list_elsewhere():
        alternatives = learner.describe_alternatives([[solution]])
        member = voting.make_member([[solution]], alternatives) if alternatives else None
        if member is None or len(members) == MAX_ELSEWHERE or member.votes in seen:
            continue
        both = [(mine, theirs) for mine, theirs in zip(rule.votes, member.votes, strict=True) if mine and theirs]
        if sum(map(_are_alike, *zip(*both, strict=True))) * 2 >= len(rule.votes):
            seen.add(member.votes)
            members.append(member)
    return members


def _are_alike(mine: Vote, theirs: Vote) -> bool:
    """Whether one of the first values contains the other."""
    one, other = mine[0].casefold(), theirs[0].casefold()
    return one in other or other in one


def _list_variants(learner: Learner) -> list[Groups]:
    """All variants of the rule in which one solution is replaced by a runner-up for the same marks."""
    return [
        _replace(learner.groups, g, s, other)
        for g, group in enumerate(learner.groups)
        for s, solution in enumerate(group)
        for other in learner.list_runners_up(solution, slack=SLACK)
    ]


def _list_equivalents(learner: Learner, voting: "_Voting") -> tuple[Member, ...]:
    """Variants of the rule in which one feature is replaced by another that selects the same nodes, the cheapest first."""
    found = [
        _replace(learner.groups, g, s, other)
        for g, group in enumerate(learner.groups)
        for s, solution in enumerate(group)
        for other in learner.list_equivalents(solution, slack=SLACK)
    ]
    chosen = sorted(found, key=_total)[:MAX_EQUIVALENTS]
    described = ((groups, learner.describe_alternatives(groups)) for groups in chosen)
    return tuple(voting.make_member(groups, alternatives) for groups, alternatives in described if alternatives is not None)


def _replace(groups: Groups, g: int, s: int, new: Solution) -> Groups:
    changed = [*groups[g][:s], new, *groups[g][s + 1 :]]
    return [*groups[:g], changed, *groups[g + 1 :]]


def _total(groups: Groups) -> float:
    return sum(solution.total for group in groups for solution in group)


class _Voting:
    """Computes which values rules select, from the bits of their solutions. Each node's text is read only once."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.texts: dict[tuple[object, int], str] = {}

    def make_member(self, groups: Groups, alternatives: tuple[LearnedXPath, ...]) -> Member:
        """Builds a member, with its votes, from groups of solutions."""
        by_group = [self._vote(group, alternative) for group, alternative in zip(groups, alternatives, strict=True)]
        votes = tuple(next((vote for vote in row if vote), ()) for row in zip(*by_group, strict=True))
        return Member(alternatives, round(_total(groups), 6), votes, tuple(map(self.learner.count_ruled_out, groups)))

    def _vote(self, group: Sequence[Solution], alternative: LearnedXPath) -> list[Vote]:
        """The values that one alternative selects, by page."""
        found: list[list[tuple[tuple[int, int, int], str]]] = [[] for _ in self.learner.annotated]
        for solution in group:
            nodes = solution.nodes
            for place in np.flatnonzero(solution.selected):
                text = self._read(solution, int(place))
                at = (int(nodes.rows[place]), int(nodes.texts[place]))
                values = alternative.part.values(text) if alternative.part else [text]
                found[int(nodes.page[place])] += [((*at, n), value) for n, value in enumerate(values) if value]
        return [tuple(dict.fromkeys(value for _, value in sorted(rows))) for rows in found]

    def _read(self, solution: Solution, place: int) -> str:
        key = (solution.target, place)
        if key not in self.texts:
            self.texts[key] = self.learner.read_value(solution.nodes, place)
        return self.texts[key]
