"""Splits the marks of an attribute into groups that each get a solution of their own (docs/algorithms.md#rule-learning).

Where no single set of features selects all marks and nothing else, several alternatives together may. They are also better where labels
stand before the values but no single label fits all: a site in two languages has two labels for one attribute. A single set would have to
ask for places or forms.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from extraction.algorithms.dom.xpath import MAX_WIDE_STEPS
from extraction.algorithms.learning.feature_maker import is_label_feature, is_weak_feature
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import Bools
from extraction.algorithms.learning.solution import Solution, swap_feature
from extraction.algorithms.learning.solver import Solver

MAX_PARTS = 25
"""The largest number of parts of a group of marks that are tried before it is given up."""

MAX_LABEL_PARTS = 6
"""The largest number of parts of the marks that share a label which are tried at a time."""

LEAST_TOTAL = 1.0
"""A solution cheaper than this, plus the cost of an alternative, asks for a name or a label and needs no alternatives."""


def split_marks(solver: Solver, marks: Sequence[MarkedNode], clicked: Sequence[MarkedNode]) -> list[Solution]:
    """Splits the marks into ever smaller groups until each has a feature set that selects no wrong node.

    Returns the groups' solutions, or nothing if they would be too many or some marks are left.

    marks: places of the values, see `mark_alignment`.
    clicked: the places that the editor clicked.
    """
    solutions: list[Solution] = []
    for group in _group_by_target(marks):
        near = solutions[0] if solutions and solver.multiple else None
        solution = solver.solve(group, neutral=[*clicked, *marks], near=near)
        solutions += [solution] if solution and not solution.chosen.wrong else _cover(solver, group, clicked)
    covered = {id(mark) for solution in solutions for mark in solution.marks}
    return solutions if len(solutions) <= MAX_WIDE_STEPS and len(covered) == len(marks) else []


def split_by_labels(solver: Solver, marks: Sequence[MarkedNode], together: Solution | None) -> list[Solution]:
    """Return solutions that each ask for another label, if they cost less than the one solution for all marks; else nothing.

    together: that solution, None where there is none that selects nothing wrong.
    """
    alternative, limit = solver.cost.alternative, together.total if together else math.inf
    if len(marks) < 2 or not solver.cost.judges_values or limit < alternative + LEAST_TOTAL:
        return []
    if together is not None and together.chosen.features and not any(map(is_weak_feature, together.chosen.features)):
        return []
    by_label = solver.with_cost(support=0.0)
    left, solutions = list(marks), list[Solution]()
    while left and len(solutions) < MAX_WIDE_STEPS:
        parts = [part for part in by_label.list_parts(left, labels_only=True) if _can_be_alternative(marks, part)]
        found = [solution for part in parts[:MAX_LABEL_PARTS] if (solution := by_label.solve_by_label(part, neutral=marks))]
        best = min(found, key=lambda each: (each.total - alternative * len(each.marks), each.xpath), default=None)
        if best is None or (not best.chosen.support and not solver.annotated.all()):
            return []
        solutions.append(best)
        left = _list_left(left, best)
    return solutions if not left and _price_alternatives(solver, solutions) < limit else []


def share_structure(solver: Solver, solutions: Sequence[Solution]) -> list[Solution]:
    """Return the solutions; those that saw one value on each page take the structure of one that saw several on a page.

    The marked pages of a language may happen to have one value each. Then the value right after the label is all that their solution finds.
    The other pages of the template show where further values stand. The solution keeps its own label.
    """
    several = [each for each in solutions if max(Counter(mark.page for mark in each.marks).values(), default=0) > 1]
    if not solver.multiple or not several or len(several) == len(solutions):
        return list(solutions)
    shared = []
    for each in solutions:
        options = [] if each in several else [option for model in several if (option := _take_structure(solver, model, each))]
        shared.append(options[0] if options else each)
    return shared


def _take_structure(solver: Solver, model: Solution, own: Solution) -> Solution | None:
    """Return the model with the label of another solution instead of its own; None unless it selects all that the other one selects.

    It must select nothing on marked pages that is not marked.
    """
    number = next((n for n, each in enumerate(model.chosen.features) if is_label_feature(each)), None)
    if number is None or model.target != own.target or not any(map(is_label_feature, own.chosen.features)):
        return None
    old, nodes = model.chosen.features[number], model.nodes
    places = solver.find_places(nodes, own.marks)
    marked = solver.find_places(nodes, [mark for mark in solver.marks if model.target in mark.nodes])
    found = solver.find_features(nodes, places, solver.cost)
    same = [row for row in found if (row[0].kind, row[0].level, row[0].tag) == (old.kind, old.level, old.tag) and is_label_feature(row[0])]
    for row in sorted(same, key=lambda row: (row[0].cost, row[0].words)):
        selected = model.select_without(number) & row[1]
        unwanted = selected & solver.annotated[nodes.page]
        unwanted[marked] = False
        if unwanted.any() or (own.selected & ~selected).any():
            continue
        support = len(np.unique(nodes.page[selected & ~solver.annotated[nodes.page]])) / max(int((~solver.annotated).sum()), 1)
        swapped = swap_feature(model, number, row)
        return replace(swapped, marks=own.marks, selected=selected, chosen=replace(swapped.chosen, support=support))
    return None


def _cover(solver: Solver, marks: Sequence[MarkedNode], clicked: Sequence[MarkedNode]) -> list[Solution]:
    """Solves a group that no single feature set can select, part by part: parts that share a label first, then the largest.

    A part consists of the marks that share one feature with the first mark still left. Only the largest parts are tried.
    """
    left, solutions = list(marks), list[Solution]()
    while left and len(solutions) < MAX_WIDE_STEPS:
        tries = (solver.solve(part, neutral=clicked) for part in _list_parts(solver, left))
        found = next((each for each in tries if each and not each.chosen.wrong), None)
        if found is None:
            break
        solutions.append(found)
        left = _list_left(left, found)
    return solutions


def _list_parts(solver: Solver, marks: Sequence[MarkedNode]) -> list[list[MarkedNode]]:
    """The parts of the marks that are tried, in their order."""
    labelled = solver.list_parts(marks, labels_only=True) if solver.cost.judges_values else []
    return [*labelled[:MAX_LABEL_PARTS], *solver.list_parts(marks)][:MAX_PARTS]


def _list_left(marks: Sequence[MarkedNode], solution: Solution) -> list[MarkedNode]:
    """The marks that are not among a solution's."""
    taken = {id(mark) for mark in solution.marks}
    return [mark for mark in marks if id(mark) not in taken]


def _can_be_alternative(marks: Sequence[MarkedNode], part: Sequence[MarkedNode]) -> bool:
    """Whether a part of the marks is smaller than the whole and has all marks of each of its pages."""
    pages = {mark.page for mark in part}
    return len(part) < len(marks) and sum(mark.page in pages for mark in marks) == len(part)


def _price_alternatives(solver: Solver, solutions: Sequence[Solution]) -> float:
    """The cost of several solutions as alternatives: the mean of theirs by marks, with the support of all of them together."""
    found: Bools = np.zeros(len(solver.annotated), np.bool_)
    for solution in solutions:
        found[solution.nodes.page[solution.selected]] = True
    others = found[~solver.annotated]
    support = float(others.mean()) if len(others) else 1.0
    marks = sum(len(solution.marks) for solution in solutions)
    total = sum(solution.total * len(solution.marks) for solution in solutions) / marks
    return total + solver.cost.alternative * (len(solutions) - 1) + solver.cost.support * (1.0 - support) ** 2


def _group_by_target(marks: Sequence[MarkedNode]) -> list[list[MarkedNode]]:
    """Groups the marks by a common target, in as few groups as possible, the largest first."""
    left, groups = list(marks), []
    while left:
        targets = [target for mark in left for target in mark.nodes]
        best = max(dict.fromkeys(targets), key=lambda t: (targets.count(t), -targets.index(t)))
        groups.append([mark for mark in left if best in mark.nodes])
        left = [mark for mark in left if best not in mark.nodes]
    return groups
