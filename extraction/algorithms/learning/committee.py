"""The rules that fit what is marked about as well as the one that was learned: its committee.

With few pages annotated, several feature sets of equal or nearly equal cost give back all marks. Which of them is meant
shows on the pages where they differ: query by committee (Seung, Opper & Sompolinsky 1992), and for wrappers the
contention points of co-testing (Muslea, Minton & Knoblock 2006), whose views are here the kinds of features. The search
for the rule meets these sets anyway; here it may go a little further up in cost, so that a label stands beside a class.

What a member gives on the pages of the corpus is known from the search's own bits: no XPath is run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.apriori import Example, Learned, LearnedXPath, Learner, NotLearned
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.feature_maker import MaskedFeature
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.solver import Solution, Solver
from extraction.algorithms.learning.strong_features import find_features

MAX_MEMBERS = 8
"""Most rules of a committee. What the ninth adds in doubt weighs less than a tenth of the first."""

SLACK = 1.5
"""How much dearer than the rule a member may be: what a label costs more than a class, and what two levels do."""

MAX_EQUIVALENTS = 3
"""Most rules kept that give the same as the rule on all pages known, for other pages to tell them apart."""

Vote = tuple[str, ...]
"""The different values given on a page, in document order."""


@dataclass(frozen=True, slots=True)
class Member:
    """One rule that fits. alternatives: as in Learned. total: its cost. votes: what it gives, by page.

    ruled_out: for each alternative, nodes on all pages that would be selected besides without the feature, by feature;
    the first entry of an alternative's words is its target, which is no feature.
    """

    alternatives: tuple[LearnedXPath, ...]
    total: float
    votes: tuple[Vote, ...]
    ruled_out: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Committee:
    """The rule first, then the others by cost, of those that give the same everywhere only the cheapest.

    twins: rules that give on all these pages what the rule gives, but ask for something else: on further pages they may differ.
    """

    members: tuple[Member, ...]
    twins: tuple[Member, ...] = ()

    @property
    def rivals(self) -> tuple[Member, ...]:
        """All but the rule itself."""
        return self.members[1:]


def train_committee(
    pages: Sequence[PageTable] | Corpus,
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    cost: Cost = CALIBRATED,
) -> Committee | NotLearned:
    """The committee of one attribute; parameters as of `apriori.learn`."""
    cost = cost.with_support(2.0) if mandatory else cost
    try:
        learner = Learner(pages, examples, multiple=multiple, cost=cost)
        found = learner.learn()
        if isinstance(found, NotLearned):
            return found
        return Committee(_members(learner, found), _twins(learner))
    except LearningError as error:
        return NotLearned(str(error))


def _members(learner: Learner, found: Learned) -> tuple[Member, ...]:
    if not learner.groups:
        return ()
    tellers = _Teller(learner)
    members = [tellers.member(learner.groups, found.alternatives)]
    seen = {members[0].votes}
    for groups in sorted(_variants(learner), key=_total):
        alternatives = _alternatives(learner, groups)
        if len(members) == MAX_MEMBERS or alternatives is None:
            continue
        member = tellers.member(groups, alternatives)
        if member.votes not in seen:
            seen.add(member.votes)
            members.append(member)
    return tuple(members)


def _variants(learner: Learner) -> list[list[list[Solution]]]:
    """The rule's groups with one solution replaced by a runner-up for the same marks."""
    known, cost = learner.solver, replace(learner.cost, slack=SLACK)
    solver = Solver(learner.corpus, learner.annotated, multiple=learner.multiple, cost=cost, stretch=known.stretch, count=known.count)
    solver.known = known.known
    together = sum(map(len, learner.groups)) == 1
    found = []
    for g, group in enumerate(learner.groups):
        for s, solution in enumerate(group):
            options = solver.options(solution.marks, neutral=() if together else learner.marks)
            for option in options:
                if not option.chosen.wrong and option.total <= options[0].total + SLACK and option.xpath != solution.xpath:
                    changed = [*group[:s], option, *group[s + 1 :]]
                    found.append([*learner.groups[:g], changed, *learner.groups[g + 1 :]])
    return found


def _twins(learner: Learner) -> tuple[Member, ...]:
    """The rule with one feature of one solution replaced by another that selects the same nodes, the cheapest first."""
    found = []
    for g, group in enumerate(learner.groups):
        for s, solution in enumerate(group):
            for twin in _same_nodes(learner, solution):
                changed = [*group[:s], twin, *group[s + 1 :]]
                found.append([*learner.groups[:g], changed, *learner.groups[g + 1 :]])
    teller = _Teller(learner)
    chosen = sorted(found, key=_total)[:MAX_EQUIVALENTS]
    described = ((groups, _alternatives(learner, groups)) for groups in chosen)
    return tuple(teller.member(groups, alternatives) for groups, alternatives in described if alternatives is not None)


def _same_nodes(learner: Learner, solution: Solution) -> list[Solution]:
    places = learner.solver.places(solution.nodes, solution.marks)
    known = find_features(learner.corpus, solution.nodes, places, cost=learner.cost)
    used = {feature.words for feature in solution.chosen.features}
    twins = []
    for n in range(max(1, len(solution.masks))):
        others = [mask for m, mask in enumerate(solution.masks) if m != n]
        rest = np.logical_and.reduce([np.ones(len(solution.selected), np.bool_), *others], axis=0)
        fits = [row for row in known if row[0].words not in used and np.array_equal(rest & row[1], solution.selected)]
        twins += [_swapped(solution, n, row) for row in fits]
    return [twin for twin in twins if twin.total <= solution.total + SLACK]


def _swapped(solution: Solution, place: int, new: MaskedFeature) -> Solution:
    feature, mask = new
    old = solution.chosen.features
    chosen = replace(
        solution.chosen,
        features=(*old[:place], feature, *old[place + 1 :]),
        distance=max([feature.distance, *(each.distance for n, each in enumerate(old) if n != place)]),
    )
    dearer = feature.cost - (old[place].cost if old else 0.0)
    masks = (*solution.masks[:place], mask, *solution.masks[place + 1 :])
    return replace(solution, chosen=chosen, masks=masks, total=solution.total + dearer)


def _alternatives(learner: Learner, groups: Sequence[Sequence[Solution]]) -> tuple[LearnedXPath, ...] | None:
    described = []
    for group in groups:
        part = learner.part(group)
        if isinstance(part, NotLearned):
            return None
        described.append(learner.describe(group, part))
    return tuple(described)


def _total(groups: Sequence[Sequence[Solution]]) -> float:
    return sum(solution.total for group in groups for solution in group)


class _Teller:
    """Says what rules give, from the bits of their solutions; a node's text is read once."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.texts: dict[tuple[object, int], str] = {}

    def member(self, groups: Sequence[Sequence[Solution]], alternatives: tuple[LearnedXPath, ...]) -> Member:
        by_group = [self._by_page(group, each) for group, each in zip(groups, alternatives, strict=True)]
        votes = tuple(next((vote for vote in row if vote), ()) for row in zip(*by_group, strict=True))
        return Member(alternatives, round(_total(groups), 6), votes, tuple(_ruled_out(group) for group in groups))

    def _by_page(self, group: Sequence[Solution], said: LearnedXPath) -> list[Vote]:
        found: list[list[tuple[tuple[int, int, int], str]]] = [[] for _ in self.learner.annotated]
        for solution in group:
            nodes = solution.nodes
            for place in np.flatnonzero(solution.selected):
                text = self._text(solution, int(place))
                at = (int(nodes.rows[place]), int(nodes.texts[place]))
                values = said.part.values(text) if said.part else [text]
                found[int(nodes.page[place])] += [((*at, n), value) for n, value in enumerate(values) if value]
        return [tuple(dict.fromkeys(value for _, value in sorted(rows))) for rows in found]

    def _text(self, solution: Solution, place: int) -> str:
        key = (solution.target, place)
        if key not in self.texts:
            self.texts[key] = self.learner.solver.text(solution.nodes, place)
        return self.texts[key]


def _ruled_out(group: Sequence[Solution]) -> tuple[int, ...]:
    counts: list[int] = []
    for solution in group:
        counts.append(0)  # the target's own word
        for n in range(len(solution.masks)):
            others = [mask for m, mask in enumerate(solution.masks) if m != n]
            without = np.logical_and.reduce(others, axis=0) if others else np.ones(len(solution.selected), np.bool_)
            counts.append(int(without.sum() - solution.selected.sum()))
    return tuple(counts)
