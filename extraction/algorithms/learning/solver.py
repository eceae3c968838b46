"""The best XPath for a group of marks: over all nodes they may mean, by Algorithm 3, then by how likely its values are.

Several feature sets often select the marked nodes and nothing else on annotated pages; what they select on other pages
decides. A rule that gives a description of 150 characters here and "Print" there has the wrong node there. So sets
whose cost is close to the least are compared once more, with the price of unlikely values added (`plausible`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from lxml import etree

from extraction.algorithms.dom.nodes import clean, locate, value, whole_text
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.learning import plausible, wholeness
from extraction.algorithms.learning.corpus import Candidates, Corpus, NodeTarget, find_candidates
from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.feature_maker import ANY, TEXT, MaskedFeature, RuleFeature
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import TOO_LONG, Bools, Ints, hash_label, hash_text
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.search import FeatureSet, search_features
from extraction.algorithms.learning.strong_features import find_features
from extraction.algorithms.learning.weak_features import find_telling_feature

MAX_TARGETS = 3
"""Most equivalents of what was marked that are tried."""

MAX_VALUES = 200
"""Most selected values that are looked at to judge a set."""

ONCE = frozenset(("h1", "title"))
"""Tags that a page has once: no other comes onto it."""

COUNTED = frozenset(("nth", "nth-last", "text-nth"))
"""Kinds of features that are places among siblings."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A feature set for some marks. selected: which candidates it selects; total: its cost with all that was added.

    masks: the candidates that have each of its features.
    """

    marks: tuple[MarkedNode, ...]
    target: NodeTarget
    chosen: FeatureSet
    selected: Bools
    nodes: Candidates
    total: float
    masks: tuple[Bools, ...] = ()

    @property
    def xpath(self) -> str:
        return write_xpath(self.target, self.chosen.features)


class Solver:
    """Solves groups of marks on one corpus. annotated: by page. stretch: rows from the first to the last mark, the most on a page;
    count: all marks."""

    def __init__(self, corpus: Corpus, annotated: Bools, *, multiple: bool, cost: Cost, stretch: int = 0, count: int = 0) -> None:
        self.corpus, self.annotated, self.multiple = corpus, annotated, multiple
        self.cost = cost.for_lists() if multiple else cost
        self.stretch, self.count = stretch, count
        self.known: dict[NodeTarget, Candidates] = {}

    def solve(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = (), near: Solution | None = None) -> Solution | None:
        """The best set for the marks, None when they have no target in common.

        neutral: nodes it may select or not. near: the rule for most of a list's items, beside which the others stand.
        """
        options = self.options(marks, neutral=neutral)
        return min(options, key=lambda s: (s.chosen.wrong, s.total + self._apart(s, near)), default=None)

    def _apart(self, option: Solution, near: Solution | None) -> float:
        """The price of selecting nodes that are not among those of `near`."""
        if near is None:
            return 0.0
        marked = self.places(option.nodes, option.marks)
        return (
            self.cost.unlikely
            * self.cost.holes
            * wholeness.measure_distance(option.nodes, marked, option.selected, near.nodes, near.selected)
        )

    def options(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = ()) -> list[Solution]:
        """All sets for the marks within the cost's slack, those that select least that is wrong first, then by cost."""
        common = [target for target in marks[0].nodes if all(target in mark.nodes for mark in marks)][:MAX_TARGETS]
        found = [each for rank, target in enumerate(common) for each in self._solve(marks, target, neutral, self.cost.other * bool(rank))]
        return sorted(found, key=lambda s: (s.chosen.wrong, s.total))

    def _solve(self, marks: Sequence[MarkedNode], target: NodeTarget, neutral: Sequence[MarkedNode], extra: float) -> list[Solution]:
        nodes = self.candidates(target)
        places = self.places(nodes, marks)
        found = find_features(self.corpus, nodes, places, cost=self.cost)
        ignored = np.zeros(len(nodes.rows), np.bool_)
        ignored[places] = True
        ignored[self.places(nodes, [mark for mark in neutral if target in mark.nodes])] = True
        if self.multiple:
            ignored |= self._same_values(nodes, [*marks, *neutral])
        cost = replace(self.cost, bare=0.0) if target.tag in ONCE else self.cost
        ranked = search_features(found, nodes.page, ignored, self.annotated, single=not self.multiple, cost=cost)
        return [self._option(marks, nodes, found, chosen, extra) for chosen in ranked]

    def guarded(self, best: Solution) -> Solution:
        """The solution with a condition on what its values look like, where it counts siblings and one is telling (`weak`)."""
        level = min((feature.level for feature in best.chosen.features if feature.kind in COUNTED), default=ANY)
        if self.multiple or level > 0 or self.cost.strict or best.target.kind == "attribute":
            return best
        nodes = best.nodes
        around = nodes.rows if level == TEXT else self.corpus.rows["parent"][nodes.rows]
        beside = np.isin(around, around[best.selected]) & ~best.selected
        values, others = ([self.text(nodes, int(n)) for n in np.flatnonzero(mask)[:MAX_VALUES]] for mask in (best.selected, beside))
        weak = find_telling_feature(values, others)
        if weak is None:
            return best
        at, tag = (TEXT, "") if best.target.kind == "text" else (0, best.target.tag)
        feature = RuleFeature("weak", at, tag, weak.test, weak.words, 0, 0.0)
        mask = np.array([weak.holds(self.text(nodes, n)) for n in range(len(nodes.rows))], np.bool_)
        chosen = replace(best.chosen, features=(*best.chosen.features, feature))
        return replace(best, chosen=chosen, selected=best.selected & mask, masks=(*best.masks, mask))

    def _same_values(self, nodes: Candidates, marks: Sequence[MarkedNode]) -> Bools:
        """Candidates on a mark's page with its value: a list may have a value twice, and nobody marks it twice."""
        table, found = self.corpus, np.zeros(len(nodes.rows), np.bool_)
        if nodes.target.kind == "attribute":
            return found
        column = table.text_numbers["text"][nodes.texts] if nodes.target.kind == "text" else table.numbers["whole"][nodes.rows]
        for page, text in {(mark.page, mark.text) for mark in marks}:
            wanted = hash_text(text) if nodes.target.kind == "text" else hash_label(text)
            if wanted > TOO_LONG:
                found |= (nodes.page == page) & (column == np.uint64(wanted))
        return found

    def _option(
        self, marks: Sequence[MarkedNode], nodes: Candidates, found: Sequence[MaskedFeature], chosen: FeatureSet, extra: float
    ) -> Solution:
        by_feature = {id(feature): mask for feature, mask in found}
        masks = tuple(by_feature[id(feature)] for feature in chosen.features)
        selected = np.ones(len(nodes.rows), np.bool_)
        for mask in masks:
            selected &= mask
        unlikely = 0.0 if self.cost.strict else self.cost.unlikely * self._unlikely(marks, nodes, selected)
        plain = self.cost.plain if self.multiple and not chosen.features else 0.0
        return Solution(tuple(marks), nodes.target, chosen, selected, nodes, chosen.total + extra + unlikely + plain, masks)

    def _unlikely(self, marks: Sequence[MarkedNode], nodes: Candidates, selected: Bools) -> float:
        """How unlike the marked values and, of a list, the marked list it is on other pages, in units of `plausible`."""
        others = np.flatnonzero(selected & ~self.annotated[nodes.page])[:MAX_VALUES]
        texts = [self.text(nodes, int(place)) for place in others]
        whole = 2 * len(marks) >= self.count  # else it is one of a union, and how many there are says nothing
        mine, theirs = [(mark.page, mark.text) for mark in marks], list(zip(nodes.page[others].tolist(), texts, strict=True))
        marked = self.places(nodes, marks)
        price = plausible.price_values(mine, theirs, whole=whole)
        price += self.cost.holes * wholeness.measure_fragments(self.corpus, nodes, marked, selected, self.annotated)
        if self.multiple and len(others):
            price += wholeness.measure_scatter(nodes, marked, selected, self.annotated, stretch=self.stretch)
            if whole:
                price += self.cost.holes * wholeness.measure_holes(self.corpus, nodes, marked, selected, self.annotated)
        return price

    def candidates(self, target: NodeTarget) -> Candidates:
        """The target's candidates, found once."""
        if target not in self.known:
            self.known[target] = find_candidates(self.corpus, target)
        return self.known[target]

    @staticmethod
    def places(nodes: Candidates, marks: Iterable[MarkedNode]) -> Ints:
        """Places of the marks among the candidates of a target that they all have."""
        return np.array([nodes.find(*mark.nodes[nodes.target]) for mark in marks], np.int32)

    def text(self, nodes: Candidates, place: int) -> str:
        """The cleaned value of a candidate."""
        page, location = self.corpus.location(nodes.target, int(nodes.rows[place]), int(nodes.texts[place]))
        if location.kind == "text":
            return self.corpus.pages[page].strings[int(nodes.texts[place] - self.corpus.text_offsets[page])]
        return clean(value(self.corpus.pages[page].nodes, location) or "")

    def selects(self, solution: Solution, page: int, xpath: XPath) -> bool:
        """Whether an XPath selects on a page just what the solution does."""
        table, nodes = self.corpus.pages[page], solution.nodes
        begin, end = np.searchsorted(nodes.page, np.array([page, page + 1], np.int32))
        places = begin + np.flatnonzero(solution.selected[begin:end])
        wanted = {self.corpus.location(nodes.target, int(nodes.rows[n]), int(nodes.texts[n]))[1] for n in places}
        index = {table.nodes[location.node]: location.node for location in wanted}  # whatever else is selected is at no location
        return {locate(item, index) for item in xpath.select(table.root) if _text(item)} == wanted


def _text(item: Any) -> str:
    return clean(whole_text(item) if isinstance(item, etree._Element) else str(item))
