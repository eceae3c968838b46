"""Finds the places of a module where cosmic-ray can change it, and makes the changed copies (mutants)."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

NEED_NAMES = {"core/VariableReplacer", "core/VariableInserter"}
"""Operators that must be told the names of variables."""

OPERATORS = {name: plugins.get_operator(name)() for name in sorted(plugins.operator_names()) if name not in NEED_NAMES}

Place = tuple[int, int]
"""Line, from 1, and column, from 0."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed copy of a module. line: where it differs. what: the operator of cosmic-ray. source: the copy."""

    line: int
    what: str
    source: str


def find_changes(source: str) -> dict[Place, list[tuple[str, int]]]:
    """Return {place: (operator, its how manieth occurrence in the module)}. Annotations and constants of the module are left alone."""
    changes: dict[Place, list[tuple[str, int]]] = defaultdict(list)
    untouched = list(_find_untouched(ast.parse(source)))
    nodes = list(ast_nodes(get_ast(source)))
    for name, operator in OPERATORS.items():
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if not any(first <= start < last for first, last in untouched):
                changes[start].append((name, occurrence))
    return dict(sorted(changes.items()))


def make_mutant(source: str, changes: dict[Place, list[tuple[str, int]]], chance: random.Random) -> Mutant:
    """Return one mutant: each place is as likely as another, and then each of its changes."""
    place = chance.choice(list(changes))
    name, occurrence = chance.choice(changes[place])
    return Mutant(place[0], name.removeprefix("core/"), mutate_code(source, OPERATORS[name], occurrence))


def _find_untouched(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """Yield (start, end) of annotations, which nothing reads, and of constants of the module, which are choices and not behaviour."""
    constants = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None), node if node in constants else None]
        for part in parts:
            if isinstance(part, ast.expr | ast.stmt) and part.end_lineno is not None and part.end_col_offset is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
