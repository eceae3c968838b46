"""Learns one attribute's rule from annotated and unannotated pages (Gulhane et al. 2011, section 3.1.3;
docs/algorithms.md#rule-learning).

Each mark of an editor becomes an index into the candidates of a target. `search` finds the best feature set for them (Algorithm 3),
`paths` writes it as an XPath, and lxml runs that on the pages to check that it selects the same nodes. Where no single set selects
all marked nodes and nothing else, the nodes are split by their position: a single value gets an ordered list of alternatives, several
values get one XPath that is a union. A rule that is returned gives back its own annotations exactly; otherwise the answer is
NotLearned with the page and the reason. The module is longer than others because splitting and checking alternatives share one state.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.xpath import MAX_WIDE_STEPS
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import enumeration, text_range
from extraction.algorithms.learning.corpus import Candidates, Corpus, NodeTarget
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.mark_alignment import align_marks, find_paths, read_path
from extraction.algorithms.learning.marks import MarkedNode, find_marks, find_other_places
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.solver import Solution, Solver
from extraction.algorithms.learning.text_range import TextPart

MAX_PARTS = 25
"""Most parts of a group of marks that are tried before it is given up."""

MAX_LABEL_PARTS = 6
"""Most parts of the marks that share a label which are tried at a time."""

SHOWN_CHARS = 60
"""Characters of a value that a reason quotes."""


@dataclass(frozen=True, slots=True)
class Example:
    """What was marked on one page. page: its index in `pages`. locations: the marked places; () means that the page has no such value."""

    page: int
    locations: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class LearnedXPath:
    """One XPath of a rule and what is known about it.

    precision: the share of the nodes it selects on annotated pages that are marked.
    distance: the largest distance among its features.
    support: the share of unannotated pages where it selects something.
    several: for a single value, the share of unannotated pages where it selects more than one node.
    features: the conditions it tests, in words.
    """

    xpath: str
    part: TextPart | None
    precision: float
    distance: int
    support: float
    several: float
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """The alternatives in order; each page uses the first that selects something on it. Empty when no page has a value."""

    alternatives: tuple[LearnedXPath, ...]


@dataclass(frozen=True, slots=True)
class NotLearned:
    """Why there is no rule.

    reason: the explanation, in words.
    page: the index in `pages` of the page that shows the problem, if a single page does.
    places: (page, place) of the nodes in conflict, where they are known: two marks, or a mark and a node that cannot be told from it.
    """

    reason: str
    page: int | None = None
    places: tuple[tuple[int, Location], ...] = ()


def learn_attribute(
    pages: Sequence[PageTable] | Corpus,
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    cost: Cost = CALIBRATED,
) -> Learned | NotLearned:
    """Learns the rule of one attribute.

    pages: the annotated pages and up to about thirty others of the cluster, or a Corpus already made from them.
    multiple: whether a page may have several values.
    mandatory: whether every page has one, so that a rule which selects nothing on many pages costs twice as much for it.
    """
    try:
        return Learner(pages, examples, multiple=multiple, mandatory=mandatory, cost=cost).learn()
    except LearningError as error:
        return NotLearned(str(error))


class Learner:
    """Learns one attribute. groups: for each alternative, the solutions that `learn` made it from; empty when it made none."""

    def __init__(
        self, pages: Sequence[PageTable] | Corpus, examples: Sequence[Example], *, multiple: bool, mandatory: bool, cost: Cost
    ) -> None:
        self.corpus, self.multiple = pages if isinstance(pages, Corpus) else Corpus(pages), multiple
        self.cost = cost.for_mandatory() if mandatory else cost
        count = len(self.corpus.pages)
        self.annotated = np.zeros(count, np.bool_)
        for example in examples:
            if not 0 <= example.page < count:
                raise LearningError(f"an example is on page {example.page}, but there are {count} pages")
            self.annotated[example.page] = True
        self.marks = [mark for each in examples for mark in find_marks(self.corpus, each.page, each.locations)]
        self.solver = Solver(self.corpus, self.annotated, multiple=multiple, cost=self.cost, stretch=self._stretch(), count=len(self.marks))
        self.groups: list[list[Solution]] = []

    def learn(self) -> Learned | NotLearned:
        """Returns the rule, or why there is none. Raises LearningError."""
        if not self.marks:
            return Learned(())
        if not self.multiple:
            pages = [mark.page for mark in self.marks for _ in mark.spans]
            twice = next((page for page in pages if pages.count(page) > 1), None)
            if twice is not None:
                return NotLearned("the page has several marked values, but the attribute allows one", twice)
        together = self.solver.solve(self.marks)
        if not self.multiple:
            together = self._choose_place(together)
        if together is not None and not together.chosen.wrong:
            return self._describe_rule(self._split_by_labels(together) or [together])
        return self._split(align_marks(self.corpus, self.marks), together)

    def list_runners_up(self, solution: Solution, *, slack: float) -> list[Solution]:
        """Other solutions for the same marks as `solution`, which is one of the rule's, that cost at most `slack` more than the best."""
        alone = sum(map(len, self.groups)) == 1
        return self.solver.list_runners_up(solution, neutral=() if alone else self.marks, slack=slack)

    def list_equivalents(self, solution: Solution, *, slack: float) -> list[Solution]:
        """One of the rule's solutions with a feature replaced by another that selects the same nodes, for at most `slack` more."""
        return self.solver.list_equivalents(solution, slack=slack)

    def read_value(self, nodes: Candidates, place: int) -> str:
        """The cleaned value of a candidate."""
        return self.solver.read_value(nodes, place)

    @staticmethod
    def count_ruled_out(group: Sequence[Solution]) -> tuple[int, ...]:
        """For each word of a group's description, how many more nodes would be selected without it; 0 for a target, not being a feature."""
        counts: list[int] = []
        for solution in group:
            counts.append(0)
            counts += [int(solution.select_without(n).sum() - solution.selected.sum()) for n in range(len(solution.masks))]
        return tuple(counts)

    def describe_alternatives(self, groups: Sequence[Sequence[Solution]]) -> tuple[LearnedXPath, ...] | None:
        """Writes each group of solutions as one XPath; returns None when no part of their texts equals what was marked."""
        described = []
        for group in groups:
            part = self._learn_part(group)
            if isinstance(part, NotLearned):
                return None
            described.append(self._describe(group, part))
        return tuple(described)

    def _stretch(self) -> int:
        """The number of rows from a page's first mark to its last, on the page where it is largest."""
        rows: dict[int, list[int]] = {}
        for mark in self.marks:
            rows.setdefault(mark.page, []).append(mark.location.node)
        return max((max(found) - min(found) for found in rows.values()), default=0)

    def _choose_place(self, clicked: Solution | None) -> Solution | None:
        """Returns the rule for another place of the same values if it is clearly better than the rule for the marked place."""
        limit = clicked.total if clicked and not clicked.chosen.wrong else math.inf
        if limit <= self.cost.elsewhere or any(mark.location.kind == "attribute" for mark in self.marks):
            return clicked
        places = [find_other_places(self.corpus, mark) for mark in self.marks]
        solutions = []
        by_path = {read_path(self.corpus, place): place for place in places[0][::-1]}  # one of each kind, the first on the page
        by_path.pop(read_path(self.corpus, self.marks[0]), None)
        for path, first in by_path.items():
            rest = [[*others, mark] for others, mark in zip(places[1:], self.marks[1:], strict=True)]
            same = [next((place for place in choice if read_path(self.corpus, place) == path), None) for choice in rest]
            marks = [first, *(place for place in same if place is not None)]
            if len(marks) == len(self.marks):
                solution = self.solver.solve(marks)
                if solution and not solution.chosen.wrong:
                    total = solution.total + self.cost.elsewhere + self.cost.unseen * self._share_unseen(solution)
                    solutions.append(replace(solution, total=total))
        best = min(solutions, key=lambda s: s.total, default=None)
        return best if best is not None and best.total < limit else clicked

    def _share_unseen(self, solution: Solution) -> float:
        """Of the unannotated pages where the solution selects values, the share on which none of these also stands at the clicked path."""
        clicked, found, pages = read_path(self.corpus, self.marks[0]), set(), set()
        for n in np.flatnonzero(solution.selected & ~self.annotated[solution.nodes.page]).tolist():
            page = int(solution.nodes.page[n])
            pages.add(page)
            found |= {page} if clicked in find_paths(self.corpus, page, self.solver.read_value(solution.nodes, n)) else set()
        return 1.0 - len(found) / len(pages) if pages else 0.0

    def _split_by_labels(self, together: Solution) -> list[Solution]:
        """Returns solutions that each ask for another label, if they cost less than the one solution for all marks; else nothing."""
        if len(self.marks) < 2 or not self.cost.judges_values or together.total < self.cost.alternative + 1.0:
            return []
        solver = self.solver.with_cost(support=0.0)
        left, solutions = list(self.marks), list[Solution]()
        while left and len(solutions) < MAX_WIDE_STEPS:
            parts = [part for part in solver.list_parts(left, labels_only=True) if self._can_be_alternative(part)]
            found = [solution for part in parts[:MAX_LABEL_PARTS] if (solution := solver.solve_by_label(part, neutral=self.marks))]
            best = min(found, key=lambda each: (each.total - self.cost.alternative * len(each.marks), each.xpath), default=None)
            if best is None or (not best.chosen.support and not self.annotated.all()):
                return []
            solutions.append(best)
            taken = {id(mark) for mark in best.marks}
            left = [mark for mark in left if id(mark) not in taken]
        return solutions if not left and self._price_alternatives(solutions) < together.total else []

    def _can_be_alternative(self, part: Sequence[MarkedNode]) -> bool:
        """Whether a part of the marks is smaller than the whole and has all marks of each of its pages."""
        pages = {mark.page for mark in part}
        return len(part) < len(self.marks) and sum(mark.page in pages for mark in self.marks) == len(part)

    def _price_alternatives(self, solutions: Sequence[Solution]) -> float:
        """The cost of several solutions as alternatives: the mean of theirs by marks, with the support of all of them together."""
        found = np.zeros(len(self.annotated), np.bool_)
        for solution in solutions:
            found[solution.nodes.page[solution.selected]] = True
        others = found[~self.annotated]
        support = float(others.mean()) if len(others) else 1.0
        total = sum(solution.total * len(solution.marks) for solution in solutions) / len(self.marks)
        return total + self.cost.alternative * (len(solutions) - 1) + self.cost.support * (1.0 - support) ** 2

    def _split(self, marks: Sequence[MarkedNode], together: Solution | None) -> Learned | NotLearned:
        """Splits the marks into ever smaller groups until each has a feature set that selects no wrong node; returns their rule."""
        solutions: list[Solution] = []
        for group in _group_by_target(marks):
            near = solutions[0] if solutions and self.multiple else None
            solution = self.solver.solve(group, neutral=[*self.marks, *marks], near=near)
            solutions += [solution] if solution and not solution.chosen.wrong else self._cover(group)
        covered = {id(mark) for solution in solutions for mark in solution.marks}
        if len(solutions) <= MAX_WIDE_STEPS and len(covered) == len(marks):
            return self._describe_rule(solutions)
        return self._explain_conflict(together)

    def _cover(self, marks: Sequence[MarkedNode]) -> list[Solution]:
        """Solves a group that no single feature set can select, part by part, the largest part first.

        A part consists of the marks that share one feature with the first mark still left. Only the largest parts are tried.
        """
        left, solutions = list(marks), list[Solution]()
        while left and len(solutions) < MAX_WIDE_STEPS:
            tries = (self.solver.solve(part, neutral=self.marks) for part in self.solver.list_parts(left)[:MAX_PARTS])
            found = next((each for each in tries if each and not each.chosen.wrong), None)
            if found is None:
                break
            solutions.append(found)
            taken = {id(mark) for mark in found.marks}
            left = [mark for mark in left if id(mark) not in taken]
        return solutions

    def _explain_conflict(self, together: Solution | None) -> NotLearned:
        if together is None:
            return NotLearned("the marked places have nothing in common", self.marks[-1].page, _first_and_last(self.marks))
        nodes = together.nodes
        wrong = together.selected & self.annotated[nodes.page]
        wrong[self.solver.find_places(nodes, together.marks)] = False
        place = int(np.flatnonzero(wrong)[0]) if wrong.any() else 0
        page = int(nodes.page[place])
        mine = next((mark for mark in self.marks if mark.page == page), None)
        told = f"the marked “{mine.text[:SHOWN_CHARS]}” from" if mine else "marked values from"
        marked = mine or self.marks[0]
        places = ((marked.page, marked.location), self.corpus.locate(nodes, place))
        like = self.solver.read_value(nodes, place)[:SHOWN_CHARS]
        return NotLearned(f"nothing tells {told} “{like}” on the same page", page, places)

    def _describe_rule(self, solutions: Sequence[Solution]) -> Learned | NotLearned:
        """Builds the rule from solutions that together select all marks and nothing else on annotated pages."""
        solutions = [self.solver.guard(solution) for solution in solutions]
        for solution in solutions:
            self.solver.check(solution)
        groups = [list(solutions)] if self.multiple else [[s] for s in sorted(solutions, key=lambda s: (-len(s.marks), s.total))]
        learned, shared = [], self._learn_part(solutions)
        for group in groups:
            part = self._learn_part(group) if isinstance(shared, NotLearned) else shared
            if isinstance(part, NotLearned):
                return part
            learned.append(self._describe(group, part))
        self.groups = groups
        return Learned(tuple(learned))

    def _describe(self, group: Sequence[Solution], part: TextPart | None) -> LearnedXPath:
        """Writes the union of a group's solutions as one XPath."""
        counts = sum(np.bincount(s.nodes.page[s.selected], minlength=len(self.annotated)) for s in group)
        others = np.asarray(counts)[~self.annotated]
        return LearnedXPath(
            xpath=" | ".join(solution.xpath for solution in group),
            part=part,
            precision=1.0,
            distance=max(solution.chosen.distance for solution in group),
            support=float((others > 0).mean()) if len(others) else 1.0,
            several=float((others > 1).mean()) if len(others) and not self.multiple else 0.0,
            features=tuple(words for s in group for words in (_describe_target(s.target), *(f.words for f in s.chosen.features))),
        )

    def _learn_part(self, group: Sequence[Solution]) -> TextPart | NotLearned | None:
        """Learns which part of the texts was marked; None when the whole texts were."""
        marks = [mark for solution in group for mark in solution.marks]
        if not any(mark.is_part for mark in marks):
            return None
        others = [
            self.solver.read_value(s.nodes, int(n)) for s in group for n in np.flatnonzero(s.selected & ~self.annotated[s.nodes.page])
        ]
        if any(len(mark.spans) > 1 for mark in marks):
            part = enumeration.learn_enumeration([(mark.text, mark.spans) for mark in marks], others=others)
        else:
            part = text_range.learn_text_part([(mark.text, *mark.spans[0]) for mark in marks], others=others)
        if part is None:
            reason = "no constant text or pattern gives the marked parts of the texts"
            return NotLearned(reason, marks[-1].page, _first_and_last(marks))
        return part


def _group_by_target(marks: Sequence[MarkedNode]) -> list[list[MarkedNode]]:
    """Groups the marks by a common target, in as few groups as possible, the largest first."""
    left, groups = list(marks), []
    while left:
        targets = [target for mark in left for target in mark.nodes]
        best = max(dict.fromkeys(targets), key=lambda t: (targets.count(t), -targets.index(t)))
        groups.append([mark for mark in left if best in mark.nodes])
        left = [mark for mark in left if best not in mark.nodes]
    return groups


def _first_and_last(marks: Sequence[MarkedNode]) -> tuple[tuple[int, Location], ...]:
    return tuple(dict.fromkeys([(marks[0].page, marks[0].location), (marks[-1].page, marks[-1].location)]))


def _describe_target(target: NodeTarget) -> str:
    names = {"text": f"text of <{target.tag}>", "element": f"<{target.tag}>", "attribute": f"{target.attribute} of <{target.tag}>"}
    return names[target.kind]
