"""Finds items of a list that were not marked although nothing but their place distinguishes them from the marked ones.

An editor who marks two of three items has either forgotten one or means the first two. A rule that leaves out the last item of each list
would be a guess, so the editor is asked. Where two pages show the same, it is meant.
"""

from collections.abc import Sequence

import numpy as np

from extraction.algorithms.learning.feature_maker import WEAK_KINDS
from extraction.algorithms.learning.learned import NotLearned
from extraction.algorithms.learning.page_table import Ints
from extraction.algorithms.learning.solution import Solution
from extraction.algorithms.learning.solver import Solver

SHOWN_CHARS = 60


def find_left_out(solver: Solver, solutions: Sequence[Solution]) -> NotLearned | None:
    """Why there is no rule, if a list's only marked page has an unmarked item like the marked ones right beside them; else None."""
    pages = {mark.page for mark in solver.marks}
    if not solver.multiple or not solver.cost.judges_values or len(pages) != 1 or len(solver.marks) < 2 or len(solutions) != 1:
        return None
    solution = solutions[0]
    for number, feature in enumerate(solution.chosen.features):
        if feature.kind not in WEAK_KINDS:
            continue
        more = solution.select_without(number) & ~solution.selected & solver.annotated[solution.nodes.page]
        extra = np.flatnonzero(more)
        if len(extra) and all(_is_beside(solver, solution, place) for place in extra.tolist()):
            place = int(extra[0])
            mark = solver.marks[-1]
            text = solver.read_value(solution.nodes, place)[:SHOWN_CHARS]
            reason = f"“{text}” stands beside the marked values in the same list; mark it, too, or mark the list on a second page"
            return NotLearned(reason, mark.page, ((mark.page, mark.location), solver.corpus.locate(solution.nodes, place)))
    return None


def _is_beside(solver: Solver, solution: Solution, place: int) -> bool:
    """Whether a candidate is a sibling of a marked one, next to it or to another such candidate, and has the same names."""
    elements, nodes = solver.corpus.elements, solution.nodes
    marked: Ints = nodes.rows[solver.find_places(nodes, solution.marks)]
    row = int(nodes.rows[place])
    siblings = [int(each) for each in marked if elements.parent[each] == elements.parent[row]]
    names = set(solver.corpus.read_names(row))
    return nodes.target.kind == "element" and any(set(solver.corpus.read_names(each)) == names for each in siblings)
