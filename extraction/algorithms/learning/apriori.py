"""Learning one attribute's rule from annotated and unannotated pages (Vertex 3.1.3; ALGORITHMS 4).

What an editor marked becomes places among the candidates of a target; `search` finds the best feature set for them
(Algorithm 3), `paths` writes it as an XPath, which is run with lxml on the pages to see that it selects the same nodes.
Where no single set has all marked nodes and nothing else, they are split by where they stand (ALGORITHMS 4.6): a
single value gets an ordered list of alternatives, several values one XPath that is a union. What is returned gives
back its own annotations exactly, or the answer is NotLearned with the page and the reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.dom.xpath import MAX_WIDE_STEPS, XPath
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning import text_range
from extraction.algorithms.learning.corpus import Candidates, Corpus, Target, candidates, equivalents
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.features import Bools, Ints, PageTable
from extraction.algorithms.learning.paths import write
from extraction.algorithms.learning.search import Chosen, search
from extraction.algorithms.learning.strong import features
from extraction.algorithms.learning.text_range import TextPart

OTHER_TARGET = 0.3
"""Added cost of a rule for an equivalent of what was clicked (the cell instead of its text): only if it is the better rule."""

MAX_TARGETS = 3
"""Most equivalents of what was clicked that are tried."""

MAX_PARTS = 25
"""Most parts of a group of marks that are tried before it is given up."""

CHECKED_ELEMENTS = 30_000
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
    """Why there is no rule, in words, and the page (its place in `pages`) that shows it, if it is one page."""

    reason: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """One marked node: its equivalents by target, in order of nearness to what was clicked, and its part."""

    page: int
    location: Location
    text: str
    nodes: dict[Target, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Solution:
    """The best feature set for some marks, as an XPath."""

    marks: tuple[_Mark, ...]
    target: Target
    chosen: Chosen
    selected: Bools
    nodes: Candidates
    total: float

    @property
    def xpath(self) -> str:
        return write(self.target, self.chosen.features)


def learn(
    pages: Sequence[PageTable],
    examples: Sequence[Example],
    *,
    multiple: bool = False,
    mandatory: bool = False,
    cost: Cost = CALIBRATED,
) -> Learned | NotLearned:
    """The rule of one attribute.

    pages: annotated pages and up to some thirty others of the cluster. multiple: a page may have several values;
    mandatory: every page has one, so rules that select nothing on many pages cost twice as much for it.
    """
    try:
        return _Learner(pages, examples, multiple=multiple, cost=cost.with_support(2.0) if mandatory else cost).learn()
    except LearningError as error:
        return NotLearned(str(error))


class _Learner:
    def __init__(self, pages: Sequence[PageTable], examples: Sequence[Example], *, multiple: bool, cost: Cost) -> None:
        self.corpus, self.multiple, self.cost = Corpus(pages), multiple, cost
        self.annotated = np.zeros(len(pages), np.bool_)
        for example in examples:
            if not 0 <= example.page < len(pages):
                raise LearningError(f"an example is on page {example.page}, but there are {len(pages)} pages")
            self.annotated[example.page] = True
        self.marks = [self._mark(example.page, location) for example in examples for location in dict.fromkeys(example.locations)]
        self.known: dict[Target, Candidates] = {}

    def _mark(self, page: int, location: Location) -> _Mark:
        table = self.corpus.pages[page]
        whole = Location(location.node, location.kind, location.text, location.attribute)
        text = value(table.nodes, whole)
        if not text:
            raise LearningError(f"page {page} has no text at {location.as_json()}")
        nodes: dict[Target, tuple[int, int]] = {}
        for target, row, text_row in equivalents(self.corpus, page, whole):
            nodes.setdefault(target, (row, text_row))
        return _Mark(page, location, text, nodes)

    def learn(self) -> Learned | NotLearned:
        if not self.marks:
            return Learned(())
        if not self.multiple:
            pages = [mark.page for mark in self.marks]
            twice = next((page for page in pages if pages.count(page) > 1), None)
            if twice is not None:
                return NotLearned("the page has several marked values, but the attribute takes one", twice)
        together = self._solve(self.marks)
        if together is not None and not together.chosen.wrong:
            return self._result([together])
        return self._split(together)

    def _split(self, together: _Solution | None) -> Learned | NotLearned:
        """Groups of marks, finer and finer, until each has a set that selects no wrong node."""
        solutions: list[_Solution] = []
        for group in self._by_target(self.marks):
            solution = self._solve(group)
            solutions += [solution] if solution and not solution.chosen.wrong else self._cover(group)
        covered = {id(mark) for solution in solutions for mark in solution.marks}
        if len(solutions) <= MAX_WIDE_STEPS and len(covered) == len(self.marks):
            return self._result(solutions)
        return self._conflict(together)

    def _cover(self, marks: Sequence[_Mark]) -> list[_Solution]:
        """Solutions for parts of a group that no single set can tell from the rest: the largest part first.

        Parts are the marks that share one feature of the first mark left; few are tried, from the largest.
        """
        left = list(marks)
        solutions: list[_Solution] = []
        while left and len(solutions) < MAX_WIDE_STEPS:
            found = next((s for part in self._parts(left) if (s := self._solve(part)) and not s.chosen.wrong), None)
            if found is None:
                break
            solutions.append(found)
            taken = {id(mark) for mark in found.marks}
            left = [mark for mark in left if id(mark) not in taken]
        return solutions

    def _parts(self, left: Sequence[_Mark]) -> list[list[_Mark]]:
        """Parts of the marks, each those that share some feature of the first, larger ones first."""
        target = next(iter(left[0].nodes))
        nodes = self._candidates(target)
        mine = [mark for mark in left if target in mark.nodes]
        places = self._places(nodes, mine)
        parts: dict[tuple[int, ...], None] = {}
        for _, mask in features(self.corpus, nodes, places[:1], cost=self.cost):
            parts[tuple(np.flatnonzero(mask[places]))] = None
        ordered = sorted(parts, key=lambda part: (-len(part), part))[:MAX_PARTS]
        return [[mine[n] for n in part] for part in ordered]

    def _conflict(self, together: _Solution | None) -> NotLearned:
        if together is None:
            return NotLearned("the marked places have nothing in common", self.marks[-1].page)
        wrong = together.selected & self.annotated[together.nodes.page]
        wrong[self._places(together.nodes, together.marks)] = False
        place = int(np.flatnonzero(wrong)[0]) if wrong.any() else 0
        page = int(together.nodes.page[place])
        mine = next((mark.text for mark in self.marks if mark.page == page), "")
        told = f"the marked “{mine[:60]}” from" if mine else "marked values from"
        return NotLearned(f"nothing tells {told} “{self._text(together.nodes, place)[:60]}” on the same page", page)

    def _text(self, nodes: Candidates, place: int) -> str:
        page, kind = int(nodes.page[place]), nodes.target.kind
        if kind == "text":
            return self.corpus.pages[page].strings[int(nodes.texts[place] - self.corpus.text_offsets[page])]
        node = int(nodes.rows[place] - self.corpus.offsets[page])
        return value(self.corpus.pages[page].nodes, Location(node, kind, 0, nodes.target.attribute)) or ""

    @staticmethod
    def _by_target(marks: Sequence[_Mark]) -> list[list[_Mark]]:
        """As few groups as possible of marks with a common target, largest first."""
        left, groups = list(marks), []
        while left:
            targets = [target for mark in left for target in mark.nodes]
            best = max(dict.fromkeys(targets), key=lambda t: (targets.count(t), -targets.index(t)))
            groups.append([mark for mark in left if best in mark.nodes])
            left = [mark for mark in left if best not in mark.nodes]
        return groups

    def _solve(self, marks: Sequence[_Mark]) -> _Solution | None:
        """The best set over the targets that all marks have in common."""
        common = [target for target in marks[0].nodes if all(target in mark.nodes for mark in marks)]
        common.sort(key=lambda target: target.kind == "text")
        solutions = []
        for rank, target in enumerate(common[:MAX_TARGETS]):
            solution = self._solve_target(marks, target, OTHER_TARGET * bool(rank))
            solutions.append(solution)
        return min(solutions, key=lambda s: (s.chosen.wrong, s.chosen.several, s.total), default=None)

    def _solve_target(self, marks: Sequence[_Mark], target: Target, extra: float) -> _Solution:
        nodes = self._candidates(target)
        places = self._places(nodes, marks)
        found = features(self.corpus, nodes, places, cost=self.cost)
        positive = np.zeros(len(nodes.rows), np.bool_)
        positive[places] = True
        neutral = positive.copy()
        neutral[self._places(nodes, [mark for mark in self.marks if target in mark.nodes])] = True
        chosen = search(found, nodes.page, neutral, self.annotated, single=not self.multiple, cost=self.cost)
        masks = {id(feature): mask for feature, mask in found}
        selected = np.ones(len(nodes.rows), np.bool_)
        for feature in chosen.features:
            selected &= masks[id(feature)]
        return _Solution(tuple(marks), target, chosen, selected, nodes, chosen.total + extra)

    def _candidates(self, target: Target) -> Candidates:
        if target not in self.known:
            self.known[target] = candidates(self.corpus, target)
        return self.known[target]

    @staticmethod
    def _places(nodes: Candidates, marks: Iterable[_Mark]) -> Ints:
        return np.array([nodes.find(*mark.nodes[nodes.target]) for mark in marks], np.int32)

    def _result(self, solutions: Sequence[_Solution]) -> Learned | NotLearned:
        """The rule of solutions that together select all marks and nothing else on annotated pages."""
        for solution in solutions:
            self._check(solution)
        groups = [solutions] if self.multiple else [[s] for s in sorted(solutions, key=lambda s: (-len(s.marks), s.total))]
        learned = []
        for group in groups:
            part = self._part(group)
            if isinstance(part, NotLearned):
                return part
            learned.append(self._describe(group, part))
        return Learned(tuple(learned))

    def _describe(self, group: Sequence[_Solution], part: TextPart | None) -> LearnedXPath:
        counts = sum(np.bincount(s.nodes.page[s.selected], minlength=len(self.annotated)) for s in group)
        others = np.asarray(counts)[~self.annotated]
        return LearnedXPath(
            xpath=" | ".join(solution.xpath for solution in group),
            part=part,
            precision=1.0,
            distance=max(solution.chosen.distance for solution in group),
            support=float((others > 0).mean()) if len(others) else 1.0,
            several=float((others > 1).mean()) if len(others) and not self.multiple else 0.0,
            features=tuple(words for s in group for words in (self._target_words(s.target), *(f.words for f in s.chosen.features))),
        )

    @staticmethod
    def _target_words(target: Target) -> str:
        names = {"text": f"text of <{target.tag}>", "element": f"<{target.tag}>", "attribute": f"{target.attribute} of <{target.tag}>"}
        return names[target.kind]

    def _part(self, group: Sequence[_Solution]) -> TextPart | NotLearned | None:
        marks = [mark for solution in group for mark in solution.marks]
        if all(mark.location.start is None for mark in marks):
            return None
        spans = [(mark.text, mark.location.start or 0, mark.location.end or len(mark.text)) for mark in marks]
        others = [self._text(s.nodes, int(n)) for s in group for n in np.flatnonzero(s.selected & ~self.annotated[s.nodes.page])]
        part = text_range.learn(spans, others=others)
        if part is None:
            return NotLearned("no constant text or pattern gives the marked parts of the texts", marks[-1].page)
        return part

    def _check(self, solution: _Solution) -> None:
        """Runs the XPath on annotated pages, and on others up to a limit. Raises LearningError if it selects other nodes."""
        xpath, budget = XPath(solution.xpath), CHECKED_ELEMENTS
        for page in sorted(range(len(self.annotated)), key=lambda n: not self.annotated[n]):
            table = self.corpus.pages[page]
            budget -= 0 if self.annotated[page] else len(table.nodes)
            if budget < 0:
                break
            index = {element: row for row, element in enumerate(table.nodes)}
            selected = {location for location, text in xpath.places(table.root, index) if text}
            if selected != self._locations(solution, page):
                raise LearningError(f"the expression {solution.xpath} does not select on page {page} what was learned")

    def _locations(self, solution: _Solution, page: int) -> set[Location]:
        nodes, found = solution.nodes, set()
        for place in np.flatnonzero(solution.selected & (solution.nodes.page == page)):
            node = int(nodes.rows[place] - self.corpus.offsets[page])
            nth = int(self.corpus.text_places["text_nth"][nodes.texts[place]]) if nodes.target.kind == "text" else 0
            found.add(Location(node, nodes.target.kind, nth, nodes.target.attribute))
        return found
