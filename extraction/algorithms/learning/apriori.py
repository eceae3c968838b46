"""Learns one attribute's rule from annotated and unannotated pages (Gulhane et al. 2011, section 3.1.3;
docs/algorithms.md#rule-learning).

Each mark of an editor becomes an index into the candidates of a target. `search` finds the best feature set for them (Algorithm 3),
`paths` writes it as an XPath, and lxml runs that on the pages to check that it selects the same nodes. Where no single set selects
all marked nodes and nothing else, the nodes are split by their position: a single value gets an ordered list of alternatives, several
values get one XPath that is a union. A rule that is returned gives back its own annotations exactly; otherwise the answer is
NotLearned with the page and the reason.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.alternatives import share_structure, split_by_labels, split_marks
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.description import describe_group, explain_conflict, learn_part, refuse_strange
from extraction.algorithms.learning.learned import Example, Learned, LearnedXPath, NotLearned
from extraction.algorithms.learning.left_out import find_left_out
from extraction.algorithms.learning.mark_alignment import align_marks, find_paths, read_path
from extraction.algorithms.learning.marks import find_marks, find_other_places
from extraction.algorithms.learning.other_language import translate_label
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.plausibility import Reads
from extraction.algorithms.learning.solution import Solution
from extraction.algorithms.learning.solver import Solver

__all__ = ["Example", "Learned", "LearnedXPath", "Learner", "NotLearned", "learn_attribute"]


def learn_attribute(
    pages: Sequence[PageTable] | Corpus,
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    reads: Reads | None = None,
    cost: Cost = CALIBRATED,
) -> Learned | NotLearned:
    """Learns the rule of one attribute.

    pages: the annotated pages and up to about thirty others of the cluster, or a Corpus already made from them.
    multiple: whether a page may have several values.
    mandatory: whether every page has one, so that a rule which selects nothing on many pages costs twice as much for it.
    reads: whether a text can be read as the attribute's type; None for any text. Rules whose values cannot be read cost more.
    """
    if not isinstance(pages, Corpus) and not pages:
        return NotLearned("there are no pages to learn from")
    try:
        return Learner(pages, examples, multiple=multiple, mandatory=mandatory, reads=reads, cost=cost).learn()
    except LearningError as error:
        return NotLearned(str(error))


class Learner:
    """Learns one attribute. groups: for each alternative, the solutions that `learn` made it from; empty when it made none."""

    def __init__(
        self,
        pages: Sequence[PageTable] | Corpus,
        examples: Sequence[Example],
        *,
        multiple: bool,
        mandatory: bool,
        reads: Reads | None,
        cost: Cost,
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
        self.solver = Solver(
            self.corpus, self.annotated, multiple=multiple, cost=self.cost, stretch=self._stretch(), marks=self.marks, reads=reads
        )
        self.groups: list[list[Solution]] = []

    def learn(self) -> Learned | NotLearned:
        """Return the rule, or why there is none. Raises LearningError."""
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
        right = together if together is not None and not together.chosen.wrong else None
        solutions = split_by_labels(self.solver, self.marks, right)
        if not solutions and right is not None:
            solutions = [right]
        solutions = solutions or split_marks(self.solver, align_marks(self.corpus, self.marks), self.marks)
        return self._describe_rule(solutions) if solutions else explain_conflict(self.solver, together)

    def list_runners_up(self, solution: Solution, *, slack: float) -> list[Solution]:
        """Other solutions for the same marks as `solution`, which is one of the rule's, that cost at most `slack` more than the best."""
        if not solution.marks:
            return []
        alone = sum(map(len, self.groups)) == 1
        return self.solver.list_runners_up(solution, neutral=() if alone else self.marks, slack=slack)

    def list_equivalents(self, solution: Solution, *, slack: float) -> list[Solution]:
        """One of the rule's solutions with a feature replaced by another that selects the same nodes, for at most `slack` more."""
        return self.solver.list_equivalents(solution, slack=slack) if solution.marks else []

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
            part = learn_part(self.solver, group)
            if isinstance(part, NotLearned):
                return None
            described.append(describe_group(self.solver, group, part))
        return tuple(described)

    def _stretch(self) -> int:
        """The number of rows from a page's first mark to its last, on the page where it is largest."""
        rows: dict[int, list[int]] = {}
        for mark in self.marks:
            rows.setdefault(mark.page, []).append(mark.location.node)
        return max((max(found) - min(found) for found in rows.values()), default=0)

    def list_elsewhere(self) -> list[Solution]:
        """Solutions for other places of the same values, by cost; none for a rule of several alternatives or values."""
        if self.multiple or sum(map(len, self.groups)) != 1:
            return []
        return sorted(self._solve_elsewhere(), key=lambda solution: solution.total)

    def _choose_place(self, clicked: Solution | None) -> Solution | None:
        """Return the rule for another place of the same values if it is clearly better than the rule for the marked place."""
        limit = clicked.total if clicked and not clicked.chosen.wrong else math.inf
        if limit <= self.cost.elsewhere:
            return clicked
        best = min(self._solve_elsewhere(), key=lambda s: s.total, default=None)
        return best if best is not None and best.total < limit else clicked

    def _solve_elsewhere(self) -> list[Solution]:
        """A solution for each kind of place where all values stand, too, if one selects nothing wrong."""
        if any(mark.location.kind == "attribute" for mark in self.marks):
            return []
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
        return solutions

    def _share_unseen(self, solution: Solution) -> float:
        """Of the unannotated pages where the solution selects values, the share on which none of these also stands at the clicked path."""
        clicked, found, pages = read_path(self.corpus, self.marks[0]), set(), set()
        for n in np.flatnonzero(solution.selected & ~self.annotated[solution.nodes.page]).tolist():
            page = int(solution.nodes.page[n])
            pages.add(page)
            found |= {page} if clicked in find_paths(self.corpus, page, self.solver.read_value(solution.nodes, n)) else set()
        return 1.0 - len(found) / len(pages) if pages else 0.0

    def _describe_rule(self, solutions: Sequence[Solution]) -> Learned | NotLearned:
        """Builds the rule from solutions that together select all marks and nothing else on annotated pages."""
        solutions = share_structure(self.solver, solutions)
        problem = refuse_strange(self.solver, solutions) or find_left_out(self.solver, solutions)
        if problem is not None:
            return problem
        if self.cost.translates and self.cost.judges_values and not any(mark.is_part for mark in self.marks):
            known = {each.xpath for each in solutions}
            translated = [translate_label(self.solver, each, solutions) for each in solutions]
            solutions = [*solutions, *(each for each in translated if each is not None and each.xpath not in known)]
        solutions = [self.solver.guard(each, [other for other in solutions if other is not each]) for each in solutions]
        for solution in solutions:
            self.solver.check(solution)
        groups = [list(solutions)] if self.multiple else [[s] for s in sorted(solutions, key=lambda s: (-len(s.marks), s.total))]
        learned, shared = [], learn_part(self.solver, solutions)
        for group in groups:
            part = learn_part(self.solver, group) if isinstance(shared, NotLearned) else shared
            if isinstance(part, NotLearned):
                return part
            learned.append(describe_group(self.solver, group, part))
        self.groups = groups
        return Learned(tuple(learned))
