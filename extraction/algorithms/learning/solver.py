"""The best XPath for a group of marks, over all nodes that they may mean (docs/algorithms.md#rule-learning).

The search (Gulhane et al. 2011, Algorithm 3) often finds several feature sets that select the marked nodes and nothing else on the
annotated pages. What they select on other pages decides: a rule that gives a description of 150 characters here and "Print" there
has the wrong node there. So the sets whose cost is close to the least are compared once more, with the price of unlikely values added
(`plausibility`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import plausibility
from extraction.algorithms.learning.corpus import Candidates, Corpus, NodeTarget
from extraction.algorithms.learning.costs import SURE_FORMS, Cost
from extraction.algorithms.learning.feature_maker import TEXT, MaskedFeature, RuleFeature, is_label_feature
from extraction.algorithms.learning.guards import Guard
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import Bools, Ints
from extraction.algorithms.learning.paths import select_locations, write_xpath
from extraction.algorithms.learning.plausibility import Reads
from extraction.algorithms.learning.search import FeatureSet, search_features
from extraction.algorithms.learning.strong_features import find_features, find_link_features
from extraction.algorithms.learning.text_forms import find_form

MAX_TARGETS = 3
"""Most equivalents of what was marked that are tried."""

CHECKED_ELEMENTS = 10_000
"""Elements of unannotated pages on which an XPath is compared with its feature set; annotated pages are always checked."""

MAX_VALUES = 200
"""Most selected values that are looked at to judge a set."""

ONCE = frozenset(("h1", "title"))
"""Tags that a page has once. A rule that asks for nothing else is safe there: no second one comes onto the page."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A feature set for some marks.

    selected: which candidates it selects.
    total: its cost with all that was added.
    masks: the candidates that have each of its features.
    doubt: why it may be wrong, in words.
    """

    marks: tuple[MarkedNode, ...]
    target: NodeTarget
    chosen: FeatureSet
    selected: Bools
    nodes: Candidates
    total: float
    masks: tuple[Bools, ...] = ()
    doubt: str = ""

    @property
    def xpath(self) -> str:
        return write_xpath(self.target, self.chosen.features)

    def select_without(self, number: int) -> Bools:
        """The candidates that it would select without one of its features."""
        others = [mask for n, mask in enumerate(self.masks) if n != number]
        found: Bools = np.logical_and.reduce([np.ones(len(self.selected), np.bool_), *others], axis=0)
        return found


class Solver:
    """Solves groups of marks on one corpus.

    annotated: by page, whether something was said of it.
    stretch: rows from the first to the last mark, at most on a page.
    marks: all marks of the attribute.
    reads: whether a text can be read as the attribute's type, None for any text.
    known: candidates of the targets asked for so far.
    """

    def __init__(
        self,
        corpus: Corpus,
        annotated: Bools,
        *,
        multiple: bool,
        cost: Cost,
        marks: Sequence[MarkedNode] = (),
        stretch: int = 0,
        reads: Reads | None = None,
        known: dict[NodeTarget, Candidates] | None = None,
    ) -> None:
        self.corpus, self.annotated, self.multiple = corpus, annotated, multiple
        self.feature_cost, self.cost = cost, cost.for_lists() if multiple else cost
        self.marks, self.stretch, self.reads = marks, stretch, reads
        self.known: dict[NodeTarget, Candidates] = {} if known is None else known

    def solve(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = (), near: Solution | None = None) -> Solution | None:
        """The best set for the marks, None when they have no target in common.

        neutral: nodes that it may select or not.
        near: the rule for most of a list's items, beside which the others stand.
        """
        options = self.list_options(marks, neutral=neutral)
        return min(options, key=lambda s: (s.chosen.wrong, s.total + self._price_strays(s, near)), default=None)

    def solve_by_label(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode]) -> Solution | None:
        """The best set for the marks that asks for a label of the template before them and selects nothing wrong; None if there is none."""
        options = self.list_options(marks, neutral=neutral)
        return next((each for each in options if not each.chosen.wrong and any(map(is_label_feature, each.chosen.features))), None)

    def with_cost(self, *, slack: float | None = None, support: float | None = None) -> "Solver":
        """The same solver with some figures of the cost replaced."""
        cost = replace(
            self.feature_cost,
            slack=self.feature_cost.slack if slack is None else slack,
            support=self.feature_cost.support if support is None else support,
        )
        return Solver(
            self.corpus,
            self.annotated,
            multiple=self.multiple,
            cost=cost,
            marks=self.marks,
            stretch=self.stretch,
            reads=self.reads,
            known=self.known,
        )

    def list_options(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = ()) -> list[Solution]:
        """All sets for the marks within the cost's slack: those that select least that is wrong first, then by cost."""
        common = [target for target in marks[0].nodes if all(target in mark.nodes for mark in marks)][:MAX_TARGETS]
        found = [each for rank, target in enumerate(common) for each in self._search(marks, target, neutral, self.cost.other * bool(rank))]
        return sorted(found, key=lambda s: (s.chosen.wrong, s.total))

    def list_runners_up(self, solution: Solution, *, neutral: Sequence[MarkedNode], slack: float) -> list[Solution]:
        """Other solutions for the same marks that select nothing wrong and cost at most `slack` more than the best."""
        options = self.with_cost(slack=slack).list_options(solution.marks, neutral=neutral)
        limit = options[0].total + slack if options else 0.0
        return [each for each in options if not each.chosen.wrong and each.total <= limit and each.xpath != solution.xpath]

    def list_equivalents(self, solution: Solution, *, slack: float) -> list[Solution]:
        """The solution with one feature replaced by another that selects the same nodes, for at most `slack` more."""
        known = find_features(self.corpus, solution.nodes, self.find_places(solution.nodes, solution.marks), cost=self.feature_cost)
        used = {feature.words for feature in solution.chosen.features}
        found = []
        for n in range(max(1, len(solution.masks))):
            rest = solution.select_without(n)
            fits = [row for row in known if row[0].words not in used and np.array_equal(rest & row[1], solution.selected)]
            found += [_swap_feature(solution, n, row) for row in fits]
        return [each for each in found if each.total <= solution.total + slack]

    def list_parts(self, marks: Sequence[MarkedNode], *, labels_only: bool = False) -> list[list[MarkedNode]]:
        """The marks that share some feature of the first mark, for each such feature, larger parts first.

        labels_only: whether only labels count.
        """
        target = next(iter(marks[0].nodes))
        nodes = self.find_candidates(target)
        mine = [mark for mark in marks if target in mark.nodes]
        places = self.find_places(nodes, mine)
        found = find_features(self.corpus, nodes, places[:1], cost=self.feature_cost)
        if labels_only:
            found = [row for row in found if is_label_feature(row[0])]
        parts = {tuple(np.flatnonzero(mask[places])) for _, mask in found}
        return [[mine[n] for n in part] for part in sorted(parts, key=lambda part: (-len(part), part))]

    def guard(self, best: Solution, others: Sequence[Solution] = ()) -> Solution:
        """The solution with conditions that keep out the neighbour of a value which a page lacks. others: the rule's other solutions."""
        if not self.cost.judges_values:
            return best
        places = self.find_places(best.nodes, best.marks)
        guard = Guard(self.corpus, best.nodes, best.chosen.features, best.selected, places)
        known = find_features(self.corpus, best.nodes, places, cost=self.feature_cost) if guard.looks_beside else []
        values = [self.read_value(each.nodes, int(n)) for each in others for n in np.flatnonzero(each.selected)[:MAX_VALUES]]
        for feature, mask in guard.find_all(known, multiple=self.multiple, alternatives=values):
            chosen = replace(best.chosen, features=(*best.chosen.features, feature))
            best = replace(best, chosen=chosen, selected=best.selected & mask, masks=(*best.masks, mask))
        return best

    def find_candidates(self, target: NodeTarget) -> Candidates:
        """The target's candidates, found once."""
        if target not in self.known:
            self.known[target] = self.corpus.find_candidates(target)
        return self.known[target]

    @staticmethod
    def find_places(nodes: Candidates, marks: Iterable[MarkedNode]) -> Ints:
        """Places of the marks among the candidates of a target that they all have."""
        return np.array([nodes.find(*mark.nodes[nodes.target]) for mark in marks], np.int32)

    def read_value(self, nodes: Candidates, place: int) -> str:
        """The cleaned value of a candidate."""
        return self.corpus.read_value(nodes, place)

    def check(self, solution: Solution) -> None:
        """Runs the XPath on annotated pages, and on others up to a limit. Raises LearningError if it selects other nodes."""
        budget = CHECKED_ELEMENTS
        for page in sorted(range(len(self.annotated)), key=lambda n: not self.annotated[n]):
            budget -= 0 if self.annotated[page] else len(self.corpus.pages[page].nodes)
            if budget < 0:
                break
            if not self._is_exact(solution, page):
                raise LearningError(f"{solution.xpath} was learned, but selects something else on one of the pages")

    def _is_exact(self, solution: Solution, page: int) -> bool:
        """Whether the XPath, run with lxml, selects on a page just what the solution selects."""
        table, nodes = self.corpus.pages[page], solution.nodes
        begin, end = np.searchsorted(nodes.page, np.array([page, page + 1], np.int32))
        wanted = {self.corpus.locate(nodes, int(begin + n))[1] for n in np.flatnonzero(solution.selected[begin:end])}
        index = {table.nodes[location.node]: location.node for location in wanted}
        return select_locations(solution.xpath, table.root, index) == wanted

    def _search(self, marks: Sequence[MarkedNode], target: NodeTarget, neutral: Sequence[MarkedNode], extra: float) -> list[Solution]:
        nodes = self.find_candidates(target)
        places = self.find_places(nodes, marks)
        found = find_features(self.corpus, nodes, places, cost=self.cost)
        ignored = np.zeros(len(nodes.rows), np.bool_)
        ignored[places] = True
        ignored[self.find_places(nodes, [mark for mark in neutral if target in mark.nodes])] = True
        if self.multiple:  # a list may have a value twice, and nobody marks it twice
            for page, text in {(mark.page, mark.text) for mark in [*marks, *neutral]}:
                ignored |= self.corpus.find_equal(nodes, page, text)
        cost = replace(self.cost, bare=0.0) if target.tag in ONCE else self.cost
        single = not self.multiple
        ranked = search_features(found, nodes.page, ignored, self.annotated, single=single, cost=cost)
        if ranked[0].wrong or ranked[0].several or ranked[0].total > self.cost.features["link"].base:
            more = self._find_more_features(marks, nodes, places)
            if more:
                found += more
                ranked = search_features(found, nodes.page, ignored, self.annotated, single=single, cost=cost)
        return [self._make_solution(marks, nodes, found, chosen, extra) for chosen in ranked]

    def _find_more_features(self, marks: Sequence[MarkedNode], nodes: Candidates, places: Ints) -> list[MaskedFeature]:
        """Features that take longer to find and cost more, for marks that no name or label tells apart from other nodes."""
        form = self._make_form(marks, nodes)
        links = find_link_features(self.corpus, nodes, places, cost=self.cost)
        return links if form is None else [*links, form]

    def _make_form(self, marks: Sequence[MarkedNode], nodes: Candidates) -> MaskedFeature | None:
        """The feature that a text has the form of the marked ones. The fewer they are, the more it costs."""
        texts = [mark.text for mark in marks]
        found = find_form(self.corpus, nodes, texts)
        if found is None:
            return None
        condition, mask = found
        price = self.cost.features["form"].base + self.cost.few_forms * max(0, SURE_FORMS - len(set(texts)))
        at, tag = (TEXT, "") if nodes.target.kind == "text" else (0, nodes.target.tag)
        return RuleFeature("form", at, tag, condition.test, condition.words, 0, price), mask

    def _make_solution(
        self, marks: Sequence[MarkedNode], nodes: Candidates, found: Sequence[MaskedFeature], chosen: FeatureSet, extra: float
    ) -> Solution:
        by_feature = {id(feature): mask for feature, mask in found}
        masks = tuple(by_feature[id(feature)] for feature in chosen.features)
        selected = np.ones(len(nodes.rows), np.bool_)
        for mask in masks:
            selected &= mask
        unlikely = self.cost.unlikely * self._price_values(marks, nodes, selected) if self.cost.judges_values else 0.0
        plain = self.cost.plain if self.multiple and not chosen.features else 0.0
        return Solution(tuple(marks), nodes.target, chosen, selected, nodes, chosen.total + extra + unlikely + plain, masks)

    def _price_values(self, marks: Sequence[MarkedNode], nodes: Candidates, selected: Bools) -> float:
        """How unlike the marked values, and the marked list, the values and lists on other pages are, in units of `plausibility`."""
        others = np.flatnonzero(selected & ~self.annotated[nodes.page])[:MAX_VALUES]
        most_marked = 2 * len(marks) >= len(self.marks)  # else it is one of a union, and how many values there are says nothing
        mine = [(mark.page, mark.text) for mark in marks]
        theirs = [(int(nodes.page[place]), self.read_value(nodes, int(place))) for place in others]
        marked = self.find_places(nodes, marks)
        price = plausibility.price_values(mine, theirs, most_marked=most_marked, reads=self.reads)
        price += self.cost.holes * self._share_of_fragments(nodes, marked, others)
        price += self.cost.holes * self._share_of_wholes(marks, nodes, others)
        if self.multiple and len(others):
            price += plausibility.price_scatter(nodes, marked, selected, self.annotated, stretch=self.stretch)
            if most_marked:
                price += self.cost.holes * plausibility.price_holes(self.corpus, nodes, marked, selected, self.annotated)
        return price

    def _price_strays(self, option: Solution, near: Solution | None) -> float:
        """The price of selecting nodes that stand apart from those of `near`."""
        if near is None:
            return 0.0
        marked = self.find_places(option.nodes, option.marks)
        strays = plausibility.price_strays(option.nodes, marked, option.selected, near.nodes, near.selected)
        return self.cost.unlikely * self.cost.holes * strays

    def _share_of_fragments(self, nodes: Candidates, marked: Ints, others: NDArray[np.intp]) -> float:
        """Share of the selected texts on other pages that are parts of their elements, where each marked one is all of its own."""
        if nodes.target.kind != "text" or any(self._is_fragment(nodes, int(place)) for place in marked):
            return 0.0
        return sum(self._is_fragment(nodes, int(place)) for place in others) / max(len(others), 1)

    def _share_of_wholes(self, marks: Sequence[MarkedNode], nodes: Candidates, others: NDArray[np.intp]) -> float:
        """Share of the selected elements on other pages that hold several elements like the innermost marked one: several values."""
        inner = max(marks[0].nodes, key=lambda target: (target.kind == "element", marks[0].nodes[target]))
        if not self.multiple or nodes.target.kind != "element" or inner.kind != "element" or inner == nodes.target or not len(others):
            return 0.0
        rows, ends = self.find_candidates(inner).rows, self.corpus.elements.end
        outer = nodes.rows[others]
        held = np.searchsorted(rows, ends[outer]) - np.searchsorted(rows, outer + 1)
        return float((held > 1).mean())

    def _is_fragment(self, nodes: Candidates, place: int) -> bool:
        return self.read_value(nodes, place) != self.corpus.read_whole(int(nodes.rows[place]))


def _swap_feature(solution: Solution, place: int, new: MaskedFeature) -> Solution:
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
