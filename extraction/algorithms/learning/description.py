"""Writes solutions as XPaths with what is known about them, and says why there is no rule (docs/algorithms.md#rule-learning)."""

from collections.abc import Sequence

import numpy as np

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning import enumeration, text_range
from extraction.algorithms.learning.corpus import NodeTarget
from extraction.algorithms.learning.learned import LearnedXPath, NotLearned
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import Bools
from extraction.algorithms.learning.solution import Solution
from extraction.algorithms.learning.solver import Solver
from extraction.algorithms.learning.text_range import TextPart

SHOWN_CHARS = 60
"""The number of characters of a value that a reason quotes."""

MIN_OTHERS = 3
"""The smallest number of unannotated pages that can speak against a rule."""

TOO_STRANGE = 0.5
"""A text that is stranger than this is none of the template (`label_trust`)."""


def describe_group(solver: Solver, group: Sequence[Solution], part: TextPart | None) -> LearnedXPath:
    """Writes the union of a group's solutions as one XPath."""
    counts = sum(np.bincount(s.nodes.page[s.selected], minlength=len(solver.annotated)) for s in group)
    others = np.asarray(counts)[~solver.annotated]
    selected = sum(int((s.selected & solver.annotated[s.nodes.page]).sum()) for s in group)
    wrong = sum(int(find_wrong(solver, solution).sum()) for solution in group)
    return LearnedXPath(
        xpath=" | ".join(solution.xpath for solution in group),
        part=part,
        precision=1.0 - wrong / selected if selected else 0.0,
        distance=max(solution.chosen.distance for solution in group),
        support=float((others > 0).mean()) if len(others) else 1.0,
        several=float((others > 1).mean()) if len(others) and not solver.multiple else 0.0,
        features=tuple(words for s in group for words in (_describe_target(s.target), *(f.words for f in s.chosen.features))),
        doubt=next((doubt for solution in group if (doubt := find_doubt(solver, solution))), ""),
    )


def find_wrong(solver: Solver, solution: Solution) -> Bools:
    """The nodes on annotated pages that a solution selects although nobody marked them.

    A list may have a value twice, and nobody marks it twice. So a node with a marked value counts as marked.
    """
    nodes = solution.nodes
    wrong: Bools = solution.selected & solver.annotated[nodes.page]
    marks = [mark for mark in solver.marks if nodes.target in mark.nodes]
    wrong[solver.find_places(nodes, marks)] = False
    wrong[solver.find_places(nodes, solution.marks)] = False
    if wrong.any() and solver.multiple:
        for page, text in {(mark.page, mark.text) for mark in solver.marks}:
            wrong &= ~solver.corpus.find_equal(nodes, page, text)
    return wrong


def find_doubt(solver: Solver, solution: Solution) -> str:
    """Why a solution may be wrong on other pages, in words: none of them has what it asks for. Empty where nothing speaks against it."""
    if solution.doubt or int((~solver.annotated).sum()) < MIN_OTHERS or solution.chosen.support:
        return solution.doubt
    strange = next((feature for feature in solution.chosen.features if feature.strange > TOO_STRANGE), None)
    if strange is not None:
        return f"it asks for a text that no other page has ({strange.words})"
    return "it finds nothing on the unmarked pages that were read"


def refuse_strange(solver: Solver, solutions: Sequence[Solution]) -> NotLearned | None:
    """Why there is no rule, if each of its solutions asks for a text that no other page has; else None."""
    if not solver.cost.judges_values or int((~solver.annotated).sum()) < MIN_OTHERS:
        return None
    strange = [max((f.strange for f in each.chosen.features), default=0.0) > TOO_STRANGE and not each.chosen.support for each in solutions]
    if not all(strange):
        return None
    worst = max((f for each in solutions for f in each.chosen.features), key=lambda feature: feature.strange)
    mark = solutions[0].marks[0]
    reason = f"only a text that no other page has distinguishes “{mark.text[:SHOWN_CHARS]}” ({worst.words})"
    return NotLearned(reason, mark.page, list_first_and_last(solutions[0].marks))


def learn_part(solver: Solver, group: Sequence[Solution]) -> TextPart | NotLearned | None:
    """Learns which part of the texts was marked; None when the whole texts were."""
    marks = [mark for solution in group for mark in solution.marks]
    if not any(mark.is_part for mark in marks):
        return None
    others = [solver.read_value(s.nodes, int(n)) for s in group for n in np.flatnonzero(s.selected & ~solver.annotated[s.nodes.page])]
    if any(len(mark.spans) > 1 for mark in marks):
        part = enumeration.learn_enumeration([(mark.text, mark.spans) for mark in marks], others=others)
    else:
        part = text_range.learn_text_part([(mark.text, *mark.spans[0]) for mark in marks], others=others)
    if part is None:
        reason = "no constant text or pattern gives the marked parts of the texts"
        return NotLearned(reason, marks[-1].page, list_first_and_last(marks))
    return part


def explain_conflict(solver: Solver, together: Solution | None) -> NotLearned:
    """Why no feature sets select all marks and nothing else. together: the solution for all of them, if they have a target in common."""
    marks = solver.marks
    if together is None:
        return NotLearned("the marked places have nothing in common", marks[-1].page, list_first_and_last(marks))
    nodes = together.nodes
    wrong = together.selected & solver.annotated[nodes.page]
    wrong[solver.find_places(nodes, together.marks)] = False
    place = int(np.flatnonzero(wrong)[0]) if wrong.any() else 0
    page = int(nodes.page[place])
    mine = next((mark for mark in marks if mark.page == page), None)
    told = f"the marked “{mine.text[:SHOWN_CHARS]}” from" if mine else "marked values from"
    marked = mine or marks[0]
    places = ((marked.page, marked.location), solver.corpus.locate(nodes, place))
    like = solver.read_value(nodes, place)[:SHOWN_CHARS]
    return NotLearned(f"nothing tells {told} “{like}” on the same page", page, places)


def list_first_and_last(marks: Sequence[MarkedNode]) -> tuple[tuple[int, Location], ...]:
    """The places of the first and the last mark."""
    return tuple(dict.fromkeys([(marks[0].page, marks[0].location), (marks[-1].page, marks[-1].location)]))


def _describe_target(target: NodeTarget) -> str:
    names = {"text": f"text of <{target.tag}>", "element": f"<{target.tag}>", "attribute": f"{target.attribute} of <{target.tag}>"}
    return names[target.kind]
