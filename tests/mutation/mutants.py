"""Finds the places of a package where cosmic-ray can change it, and draws changed copies of its modules (mutants)."""

import ast
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

NEED_NAMES = {"core/VariableReplacer", "core/VariableInserter"}
"""Operators that must be told the names of variables."""

OPERATORS = {name: plugins.get_operator(name)() for name in sorted(plugins.operator_names()) if name not in NEED_NAMES}

SIGNATURE_MARK = re.compile(r"[*/]\s*[,)]")
"""What cosmic-ray takes for an operator in `def choose(pages, *, k)`."""

Place = tuple[int, int]
"""Line, from 1, and column, from 0."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One change that cosmic-ray can make. occurrence: the operator's how manieth in the module, from 0."""

    path: Path
    place: Place
    operator: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed copy of a module. lines: those of the statement that differs. what: the operator of cosmic-ray. source: the copy."""

    path: Path
    line: int
    lines: range
    what: str
    source: str


def draw_mutants(root: Path, paths: list[Path], chance: random.Random) -> Iterator[Mutant]:
    """Yield all mutants of some modules, given relative to a root, in an order by chance: the first n are an even sample of n.

    Each program comes once. Left out are those that are the same program as the module, because no test can notice them, and texts that
    are no program.
    """
    originals = {path: (root / path).read_text() for path in sorted(paths)}
    seen = {(path, ast.dump(ast.parse(source))) for path, source in originals.items()}
    changes = [change for path, source in originals.items() for change in find_changes(path, source)]
    chance.shuffle(changes)
    for change in changes:
        source = mutate_code(originals[change.path], OPERATORS[change.operator], change.occurrence)
        with suppress(SyntaxError):  # Some operators know too little of {**these}, and of (walrus := expressions).
            program = change.path, ast.dump(ast.parse(source))
            if program in seen:
                continue
            seen.add(program)
            lines = find_statement(originals[change.path], change.place[0])
            yield Mutant(change.path, change.place[0], lines, change.operator.removeprefix("core/"), source)


def find_changes(path: Path, source: str) -> list[Change]:
    """Return all changes of a module. Annotations and constants of the module are left alone."""
    changes = []
    lines = source.splitlines()
    untouched = list(_find_untouched(ast.parse(source)))
    nodes = list(ast_nodes(get_ast(source)))
    for name, operator in OPERATORS.items():
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            mark = SIGNATURE_MARK.match(lines[start[0] - 1], start[1])
            if not mark and not any(first <= start < last for first, last in untouched):
                changes.append(Change(path, start, name, occurrence))
    return sorted(changes)


def find_statement(source: str, line: int) -> range:
    """Return the lines of the innermost statement at a line, without the statements inside it."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            inside = [each.lineno for each in ast.walk(node) if isinstance(each, ast.stmt) and each is not node]
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            last = min([*inside, (node.end_lineno or node.lineno) + 1])
            if line in range(first, last):
                found = range(first, last)
    return found


def _find_untouched(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """Yield (start, end) of annotations, which nothing reads, of constants of the module, which are choices and not behaviour, and of the
    slots=True of dataclasses, which saves memory and nothing else."""
    constants = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    for node in ast.walk(tree):
        slots = node.value if isinstance(node, ast.keyword) and node.arg == "slots" else None
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None), node if node in constants else None, slots]
        for part in parts:
            if isinstance(part, ast.expr | ast.stmt) and part.end_lineno is not None and part.end_col_offset is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
