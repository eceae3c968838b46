"""Learning one attribute's rule from annotated and unannotated pages (Vertex 3.1.3; ALGORITHMS 4).

What an editor marked becomes places among the candidates of a target; `search` finds the best feature set for them
(Algorithm 3), `paths` writes it as an XPath, which is run with lxml on the pages to see that it selects the same nodes.
Where no single set has all marked nodes and nothing else, they are split by where they stand (ALGORITHMS 4.6): a
single value gets an ordered list of alternatives, several values one XPath that is a union. What is returned gives
back its own annotations exactly, or the answer is NotLearned with the page and the reason.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.xpath import MAX_WIDE_STEPS, XPath
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import enumeration, text_range
from extraction.algorithms.learning.alignment import aligned, path, paths_of
from extraction.algorithms.learning.corpus import Corpus, Target
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.marks import Mark, elsewhere, marks_of
from extraction.algorithms.learning.solve import Solution, Solver
from extraction.algorithms.learning.strong import features
from extraction.algorithms.learning.text_range import TextPart

MAX_PARTS = 25
"""Most parts of a group of marks that are tried before it is given up."""

CHECKED_ELEMENTS = 10_000
"""Elements of unannotated pages on which the XPath is compared with the feature set; annotated pages are always checked."""


@dataclass(frozen=True, slots=True)
class Example:
    """What was marked on one page. page: its place in `pages`. locations: () says that the page has no such value."""

    page: int
    locations: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class LearnedXPath:
    """One XPath of a rule and what is known of it.

    precision: marked among selected nodes on annotated pages. distance: the largest of its features'. support: share of
    unannotated pages where it selects something. several: share of them where a single value's XPath selects more than
    one node. features: what it asks for, in words.
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
    """Alternatives in order: the first that selects something on a page is used there. Empty when no page has a value."""

    alternatives: tuple[LearnedXPath, ...]


@dataclass(frozen=True, slots=True)
class NotLearned:
    """Why there is no rule, in words, and the page (its place in `pages`) that shows it, if it is one page.

    places: (page, place) of what does not go together, where that is known: two marks, or a mark and what is like it.
    """

    reason: str
    page: int | None = None
    places: tuple[tuple[int, Location], ...] = ()


def learn(
    pages: Sequence[PageTable] | Corpus,
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    cost: Cost = CALIBRATED,
) -> Learned | NotLearned:
    """The rule of one attribute.

    pages: annotated pages and up to some thirty others of the cluster, or their Corpus where it is kept.
    multiple: a page may have several values; mandatory: every page has one, so rules that select nothing on many pages
    cost twice as much for it.
    """
    try:
        return Learner(pages, examples, multiple=multiple, cost=cost.with_support(2.0) if mandatory else cost).learn()
    except LearningError as error:
        return NotLearned(str(error))


class Learner:
    """One attribute being learned. groups: what `learn` made each alternative of; empty when it made none."""

    def __init__(self, pages: Sequence[PageTable] | Corpus, examples: Sequence[Example], *, multiple: bool, cost: Cost) -> None:
        self.corpus, self.multiple, self.cost = pages if isinstance(pages, Corpus) else Corpus(pages), multiple, cost
        count = len(self.corpus.pages)
        self.annotated = np.zeros(count, np.bool_)
        for example in examples:
            if not 0 <= example.page < count:
                raise LearningError(f"an example is on page {example.page}, but there are {count} pages")
            self.annotated[example.page] = True
        self.marks = [one for e in examples for one in marks_of(self.corpus, e.page, e.locations)]
        self.solver = Solver(self.corpus, self.annotated, multiple=multiple, cost=cost, stretch=self._stretch(), count=len(self.marks))
        self.groups: list[list[Solution]] = []

    def learn(self) -> Learned | NotLearned:
        """As the function `learn`. Raises LearningError."""
        if not self.marks:
            return Learned(())
        if not self.multiple:
            pages = [one.page for one in self.marks for _ in one.spans]
            twice = next((page for page in pages if pages.count(page) > 1), None)
            if twice is not None:
                return NotLearned("the page has several marked values, but the attribute allows one", twice)
        together = self.solver.solve(self.marks)
        if not self.multiple:
            together = self._elsewhere(together)
        if together is not None and not together.chosen.wrong:
            return self._result([together])
        return self._split(aligned(self.corpus, self.marks), together)

    def _stretch(self) -> int:
        """Rows from a page's first mark to its last, the most on a page."""
        rows: dict[int, list[int]] = {}
        for one in self.marks:
            rows.setdefault(one.page, []).append(one.location.node)
        return max((max(found) - min(found) for found in rows.values()), default=0)

    def _elsewhere(self, clicked: Solution | None) -> Solution | None:
        """The rule for another place of the same values, when it is so much better than that for the marked ones."""
        limit = clicked.total if clicked and not clicked.chosen.wrong else math.inf
        if limit <= self.cost.elsewhere or any(one.location.kind == "attribute" for one in self.marks):
            return clicked
        places = [elsewhere(self.corpus, one) for one in self.marks]
        solutions = []
        by_path = {path(self.corpus, place): place for place in places[0][::-1]}  # one of each kind, the first on the page
        by_path.pop(path(self.corpus, self.marks[0]), None)
        for way, first in by_path.items():
            rest = [[*others, one] for others, one in zip(places[1:], self.marks[1:], strict=True)]
            same = [next((place for place in choice if path(self.corpus, place) == way), None) for choice in rest]
            marks = [first, *(place for place in same if place is not None)]
            if len(marks) == len(self.marks):
                solution = self.solver.solve(marks)
                if solution and not solution.chosen.wrong:
                    total = solution.total + self.cost.elsewhere + self.cost.unseen * self._unseen(solution)
                    solutions.append(replace(solution, total=total))
        best = min(solutions, key=lambda s: s.total, default=None)
        return best if best is not None and best.total < limit else clicked

    def _unseen(self, solution: Solution) -> float:
        """Share of unannotated pages where what it gives stands at no place like the one that was clicked."""
        clicked, found, pages = path(self.corpus, self.marks[0]), set(), set()
        for n in np.flatnonzero(solution.selected & ~self.annotated[solution.nodes.page]).tolist():
            page = int(solution.nodes.page[n])
            pages.add(page)
            found |= {page} if clicked in paths_of(self.corpus, page, self.solver.text(solution.nodes, n)) else set()
        return 1.0 - len(found) / len(pages) if pages else 0.0

    def _split(self, marks: Sequence[Mark], together: Solution | None) -> Learned | NotLearned:
        """Groups of marks, finer and finer, until each has a set that selects no wrong node."""
        solutions: list[Solution] = []
        for group in self._by_target(marks):
            near = solutions[0] if solutions and self.multiple else None
            solution = self.solver.solve(group, neutral=[*self.marks, *marks], near=near)
            solutions += [solution] if solution and not solution.chosen.wrong else self._cover(group)
        covered = {id(one) for solution in solutions for one in solution.marks}
        if len(solutions) <= MAX_WIDE_STEPS and len(covered) == len(marks):
            return self._result(solutions)
        return self._conflict(together)

    @staticmethod
    def _by_target(marks: Sequence[Mark]) -> list[list[Mark]]:
        """As few groups as possible of marks with a common target, largest first."""
        left, groups = list(marks), []
        while left:
            targets = [target for one in left for target in one.nodes]
            best = max(dict.fromkeys(targets), key=lambda t: (targets.count(t), -targets.index(t)))
            groups.append([one for one in left if best in one.nodes])
            left = [one for one in left if best not in one.nodes]
        return groups

    def _cover(self, marks: Sequence[Mark]) -> list[Solution]:
        """Solutions for parts of a group that no single set can tell from the rest: the largest part first.

        Parts are the marks that share one feature of the first mark left; few are tried, from the largest.
        """
        left, solutions = list(marks), list[Solution]()
        while left and len(solutions) < MAX_WIDE_STEPS:
            tries = (self.solver.solve(part, neutral=self.marks) for part in self._parts(left))
            found = next((s for s in tries if s and not s.chosen.wrong), None)
            if found is None:
                break
            solutions.append(found)
            taken = {id(one) for one in found.marks}
            left = [one for one in left if id(one) not in taken]
        return solutions

    def _parts(self, left: Sequence[Mark]) -> list[list[Mark]]:
        """Parts of the marks, each those that share some feature of the first, larger ones first."""
        target = next(iter(left[0].nodes))
        nodes = self.solver.candidates(target)
        mine = [one for one in left if target in one.nodes]
        places = self.solver.places(nodes, mine)
        parts = {tuple(np.flatnonzero(mask[places])) for _, mask in features(self.corpus, nodes, places[:1], cost=self.cost)}
        return [[mine[n] for n in part] for part in sorted(parts, key=lambda part: (-len(part), part))[:MAX_PARTS]]

    def _conflict(self, together: Solution | None) -> NotLearned:
        if together is None:
            return NotLearned("the marked places have nothing in common", self.marks[-1].page, _ends(self.marks))
        nodes = together.nodes
        wrong = together.selected & self.annotated[nodes.page]
        wrong[self.solver.places(nodes, together.marks)] = False
        place = int(np.flatnonzero(wrong)[0]) if wrong.any() else 0
        page = int(nodes.page[place])
        like = self.corpus.location(nodes.target, int(nodes.rows[place]), int(nodes.texts[place]))
        mine = next((one for one in self.marks if one.page == page), None)
        told = f"the marked “{mine.text[:60]}” from" if mine else "marked values from"
        marked = mine or self.marks[0]
        places = ((marked.page, marked.location), like)
        return NotLearned(f"nothing tells {told} “{self.solver.text(nodes, place)[:60]}” on the same page", page, places)

    def _result(self, solutions: Sequence[Solution]) -> Learned | NotLearned:
        """The rule of solutions that together select all marks and nothing else on annotated pages."""
        solutions = [self.solver.guarded(solution) for solution in solutions]
        for solution in solutions:
            self._check(solution)
        groups = [list(solutions)] if self.multiple else [[s] for s in sorted(solutions, key=lambda s: (-len(s.marks), s.total))]
        learned, shared = [], self.part(solutions)
        for group in groups:
            part = self.part(group) if isinstance(shared, NotLearned) else shared
            if isinstance(part, NotLearned):
                return part
            learned.append(self.describe(group, part))
        self.groups = groups
        return Learned(tuple(learned))

    def describe(self, group: Sequence[Solution], part: TextPart | None) -> LearnedXPath:
        """The union of a group's solutions as one XPath."""
        counts = sum(np.bincount(s.nodes.page[s.selected], minlength=len(self.annotated)) for s in group)
        others = np.asarray(counts)[~self.annotated]
        return LearnedXPath(
            xpath=" | ".join(solution.xpath for solution in group),
            part=part,
            precision=1.0,
            distance=max(solution.chosen.distance for solution in group),
            support=float((others > 0).mean()) if len(others) else 1.0,
            several=float((others > 1).mean()) if len(others) and not self.multiple else 0.0,
            features=tuple(words for s in group for words in (_target_words(s.target), *(f.words for f in s.chosen.features))),
        )

    def part(self, group: Sequence[Solution]) -> TextPart | NotLearned | None:
        """Which part of the texts was marked, None for all of them."""
        marks = [one for solution in group for one in solution.marks]
        if not any(one.is_part for one in marks):
            return None
        others = [self.solver.text(s.nodes, int(n)) for s in group for n in np.flatnonzero(s.selected & ~self.annotated[s.nodes.page])]
        if any(len(one.spans) > 1 for one in marks):
            part = enumeration.learn([(one.text, one.spans) for one in marks], others=others)
        else:
            part = text_range.learn([(one.text, *one.spans[0]) for one in marks], others=others)
        if part is None:
            return NotLearned("no constant text or pattern gives the marked parts of the texts", marks[-1].page, _ends(marks))
        return part

    def _check(self, solution: Solution) -> None:
        """Runs the XPath on annotated pages, and on others up to a limit. Raises LearningError if it selects other nodes."""
        xpath, budget = XPath(solution.xpath), CHECKED_ELEMENTS
        for page in sorted(range(len(self.annotated)), key=lambda n: not self.annotated[n]):
            table = self.corpus.pages[page]
            budget -= 0 if self.annotated[page] else len(table.nodes)
            if budget < 0:
                break
            if not self.solver.selects(solution, page, xpath):
                raise LearningError(f"{solution.xpath} was learned, but selects something else on one of the pages")


def _ends(marks: Sequence[Mark]) -> tuple[tuple[int, Location], ...]:
    """The first and the last mark."""
    return tuple(dict.fromkeys([(marks[0].page, marks[0].location), (marks[-1].page, marks[-1].location)]))


def _target_words(target: Target) -> str:
    names = {"text": f"text of <{target.tag}>", "element": f"<{target.tag}>", "attribute": f"{target.attribute} of <{target.tag}>"}
    return names[target.kind]
