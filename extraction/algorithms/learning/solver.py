"""Finds the best XPath for a group of marks, over all nodes that the marks may mean (docs/algorithms.md#rule-learning).

The search (Gulhane et al. 2011, Algorithm 3) often finds several feature sets that select the marked nodes and nothing else on the
annotated pages. Then what they select on the other pages decides. If a rule gives a description of 150 characters on one page and "Print"
on another, it selects the wrong node there. So sets that cost little more than the best one are compared again, with the price of
unlikely values added to their cost (`plausibility`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import plausibility
from extraction.algorithms.learning.corpus import Candidates, Corpus, NodeTarget
from extraction.algorithms.learning.costs import SURE_FORMS, Cost
from extraction.algorithms.learning.feature_maker import TEXT, MaskedFeature, RuleFeature, is_label_feature, is_weak_feature
from extraction.algorithms.learning.guards import STRUCTURE, Guard
from extraction.algorithms.learning.labels_before import find_labels_before
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import Bools, Ints
from extraction.algorithms.learning.paths import select_locations
from extraction.algorithms.learning.plausibility import Reads
from extraction.algorithms.learning.search import FeatureSet, search_features
from extraction.algorithms.learning.solution import Solution, swap_feature
from extraction.algorithms.learning.strong_features import find_features, find_link_features
from extraction.algorithms.learning.text_forms import find_form

MAX_TARGETS = 3
"""The largest number of kinds of nodes that a mark may mean and that are tried."""

CHECKED_ELEMENTS = 10_000
"""An XPath is compared with its feature set on all annotated pages, and on others up to so many elements."""

MAX_VALUES = 200
"""The largest number of selected values by which a set is judged."""

WIDE_SLACK = 3.0
"""How much dearer than the best set another may be and still be compared with it if the best one takes values of other attributes."""

ONCE = frozenset(("h1", "title"))
"""Tags that a page has once. A rule that asks for such a tag and nothing else is safe, because a page never has a second one."""


class Solver:
    """Solves groups of marks on one corpus.

    annotated: by page, whether it is annotated.
    stretch: the most rows from the first to the last mark of a page.
    marks: all marks of the attribute.
    reads: whether a text can be read as the attribute's type, None for any text.
    known: candidates of the targets asked for so far.
    features: features found so far, by the target and the places of the nodes that share them.
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
        features: dict[tuple[object, ...], list[MaskedFeature]] | None = None,
    ) -> None:
        self.corpus, self.annotated, self.multiple = corpus, annotated, multiple
        self.feature_cost, self.cost = cost, cost.for_lists() if multiple else cost
        self.marks, self.stretch, self.reads = marks, stretch, reads
        self.known: dict[NodeTarget, Candidates] = {} if known is None else known
        self.features: dict[tuple[object, ...], list[MaskedFeature]] = {} if features is None else features

    def solve(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = (), near: Solution | None = None) -> Solution | None:
        """Return the best solution for the marks, None if they have no target in common.

        neutral: nodes that the solution may select, but need not.
        near: the solution for most items of a list, if these marks are its other items.
        """
        options = self.list_options(marks, neutral=neutral)
        if options and self.cost.judges_values and self._price_labels(options[0]):
            options = self.with_cost(slack=WIDE_SLACK).list_options(marks, neutral=neutral)
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
            features=self.features,
        )

    def list_options(self, marks: Sequence[MarkedNode], *, neutral: Sequence[MarkedNode] = ()) -> list[Solution]:
        """Lists the solutions for the marks within the cost's slack: first those that select the fewest wrong nodes, then by cost."""
        common = [target for target in marks[0].nodes if all(target in mark.nodes for mark in marks)][:MAX_TARGETS]
        found = [each for rank, target in enumerate(common) for each in self._search(marks, target, neutral, self.cost.other * bool(rank))]
        return sorted(found, key=lambda s: (s.chosen.wrong, s.total))

    def list_runners_up(self, solution: Solution, *, neutral: Sequence[MarkedNode], slack: float) -> list[Solution]:
        """Lists other solutions for the same marks that select no wrong node and cost at most `slack` more than the best one."""
        options = self.with_cost(slack=slack).list_options(solution.marks, neutral=neutral)
        limit = options[0].total + slack if options else 0.0
        return [each for each in options if not each.chosen.wrong and each.total <= limit and each.xpath != solution.xpath]

    def list_equivalents(self, solution: Solution, *, slack: float) -> list[Solution]:
        """Lists variants that select the same nodes but have one feature replaced by another, and cost at most `slack` more."""
        known = self.find_features(solution.nodes, self.find_places(solution.nodes, solution.marks), self.feature_cost)
        used = {feature.words for feature in solution.chosen.features}
        found = []
        for n in range(max(1, len(solution.masks))):
            rest = solution.select_without(n)
            fits = [row for row in known if row[0].words not in used and np.array_equal(rest & row[1], solution.selected)]
            found += [swap_feature(solution, n, row) for row in fits]
        return [each for each in found if each.total <= solution.total + slack]

    def list_parts(self, marks: Sequence[MarkedNode], *, labels_only: bool = False) -> list[list[MarkedNode]]:
        """Lists parts of the marks: for each feature of the first mark, the marks that have it. The larger parts come first.

        labels_only: whether only labels count.
        """
        target = next(iter(marks[0].nodes))
        nodes = self.find_candidates(target)
        mine = [mark for mark in marks if target in mark.nodes]
        places = self.find_places(nodes, mine)
        found = self.find_features(nodes, places[:1], self.feature_cost)
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
        # A solution with a translated label has no marks of its own, so there is nothing that its places share.
        known = self.find_features(best.nodes, places, self.cost) if guard.looks_beside and best.marks else []
        values = [self.read_value(each.nodes, int(n)) for each in others for n in np.flatnonzero(each.selected)[:MAX_VALUES]]
        for feature, mask in guard.find_all(known, multiple=self.multiple, alternatives=values):
            chosen = replace(best.chosen, features=(*best.chosen.features, feature))
            best = replace(best, chosen=chosen, selected=best.selected & mask, masks=(*best.masks, mask))
            if feature.kind == STRUCTURE:
                wider = Guard(self.corpus, best.nodes, chosen.features, best.selected, places).widen_heading(best.masks)
                best = swap_feature(best, *wider) if wider else best
        return best

    def find_candidates(self, target: NodeTarget) -> Candidates:
        """Return the target's candidates. They are found once and kept."""
        if target not in self.known:
            self.known[target] = self.corpus.find_candidates(target)
        return self.known[target]

    def find_features(self, nodes: Candidates, places: Ints, cost: Cost) -> list[MaskedFeature]:
        """The features that some candidates share, found once. The list is kept: do not change it."""
        key = (nodes.target, places.tobytes(), id(cost.features))
        if key not in self.features:
            self.features[key] = find_features(self.corpus, nodes, places, cost=cost)
        return self.features[key]

    @staticmethod
    def find_places(nodes: Candidates, marks: Iterable[MarkedNode]) -> Ints:
        """Return the places of the marks among the candidates of a target that all of them have."""
        return np.array([nodes.find(*mark.nodes[nodes.target]) for mark in marks], np.int32)

    def read_value(self, nodes: Candidates, place: int) -> str:
        """The cleaned value of a candidate."""
        return self.corpus.read_value(nodes, place)

    def check(self, solution: Solution) -> None:
        """Runs the XPath on the annotated pages, and on others up to a limit. Raises LearningError if it selects other nodes."""
        budget, xpath = CHECKED_ELEMENTS, solution.xpath
        for page in sorted(range(len(self.annotated)), key=lambda n: not self.annotated[n]):
            budget -= 0 if self.annotated[page] else len(self.corpus.pages[page].nodes)
            if budget < 0:
                break
            if not self._is_exact(solution, xpath, page):
                raise LearningError(f"{xpath} was learned, but selects something else on one of the pages")

    def _is_exact(self, solution: Solution, xpath: str, page: int) -> bool:
        """Whether the solution's XPath, run with lxml, selects the same nodes of a page as the solution does."""
        table, nodes = self.corpus.pages[page], solution.nodes
        begin, end = np.searchsorted(nodes.page, np.array([page, page + 1], np.int32))
        wanted = {self.corpus.locate(nodes, int(begin + n))[1] for n in np.flatnonzero(solution.selected[begin:end])}
        index = {table.nodes[location.node]: location.node for location in wanted}
        return select_locations(xpath, table.root, index) == wanted

    def _search(self, marks: Sequence[MarkedNode], target: NodeTarget, neutral: Sequence[MarkedNode], extra: float) -> list[Solution]:
        nodes = self.find_candidates(target)
        places = self.find_places(nodes, marks)
        found = list(self.find_features(nodes, places, self.cost))
        ignored = np.zeros(len(nodes.rows), np.bool_)
        ignored[places] = True
        ignored[self.find_places(nodes, [mark for mark in neutral if target in mark.nodes])] = True
        if self.multiple:  # a list may have a value twice, and nobody marks it twice
            for page, text in {(mark.page, mark.text) for mark in [*marks, *neutral]}:
                ignored |= self.corpus.find_equal(nodes, page, text)
        cost = replace(self.cost, bare=0.0) if target.tag in ONCE else self.cost
        single = not self.multiple
        ranked = search_features(found, nodes.page, ignored, self.annotated, single=single, cost=cost)
        if _needs_more(ranked[0]) and (ranked[0].wrong or ranked[0].several or ranked[0].total > self.cost.features["link"].base):
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
        texts = [self.corpus.read_condition_text(nodes, int(place)) for place in self.find_places(nodes, marks)]
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
        """Return how different the values and lists on other pages are from the marked ones, in units of `plausibility`."""
        others = np.flatnonzero(selected & ~self.annotated[nodes.page])[:MAX_VALUES]
        most_marked = 2 * len(marks) >= len(self.marks)  # else it is one of a union, and how many values there are says nothing
        mine = [(mark.page, mark.text) for mark in marks]
        theirs = [(int(nodes.page[place]), self.read_value(nodes, int(place))) for place in others]
        marked = self.find_places(nodes, marks)
        price = plausibility.price_values(mine, theirs, most_marked=most_marked, reads=self.reads)
        price += self.cost.holes * plausibility.price_fragments(self.corpus, nodes, marked, others)
        price += self._price_labels_at(nodes, marked, others)
        if self.multiple:
            inner = max(marks[0].nodes, key=lambda target: (target.kind == "element", marks[0].nodes[target]))
            price += self.cost.holes * plausibility.price_wholes(self.corpus, nodes, self.find_candidates(inner), others)
        if self.multiple and len(others):
            price += plausibility.price_scatter(nodes, marked, selected, self.annotated, stretch=self.stretch)
            if most_marked:
                price += self.cost.holes * plausibility.price_holes(self.corpus, nodes, marked, selected, self.annotated)
        return price

    def _price_labels(self, solution: Solution) -> float:
        """Return the price of a solution's values on other pages that stand after labels of other attributes."""
        nodes = solution.nodes
        others = np.flatnonzero(solution.selected & ~self.annotated[nodes.page])[:MAX_VALUES]
        return self._price_labels_at(nodes, self.find_places(nodes, solution.marks), others)

    def _price_labels_at(self, nodes: Candidates, marked: Ints, others: NDArray[np.intp]) -> float:
        labels = find_labels_before(self.corpus, nodes, marked, several=self.multiple)
        return plausibility.price_labels(labels, nodes, marked, others)

    def _price_strays(self, option: Solution, near: Solution | None) -> float:
        """Return the price of selecting nodes that are far from those of `near`."""
        if near is None:
            return 0.0
        marked = self.find_places(option.nodes, option.marks)
        strays = plausibility.price_strays(option.nodes, marked, option.selected, near.nodes, near.selected)
        return self.cost.unlikely * self.cost.holes * strays


def _needs_more(chosen: FeatureSet) -> bool:
    """Whether a set leans on something that other features may replace."""
    return chosen.wrong > 0 or chosen.several > 0 or not chosen.features or any(map(is_weak_feature, chosen.features))
