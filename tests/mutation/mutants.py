"""Makes mutants of a module: copies that differ from it in one operator, number or condition."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed copy of a module. line: where it differs. what: how, in words."""

    line: int
    what: str
    source: str


def make_mutants(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a module, in the order of its lines. Annotations, docstrings and constants of modules are left alone."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for number, (what, _) in enumerate(_find_changes(node)):
            changed = copy.deepcopy(tree)
            target = next(each for at, each in enumerate(ast.walk(changed)) if at == place)
            _find_changes(target)[number][1]()
            yield Mutant(getattr(node, "lineno", 0), what, ast.unparse(ast.fix_missing_locations(changed)))


def _find_changes(node: ast.AST) -> list[tuple[str, "Change"]]:
    """Return (what it does, how to do it) for each change of a node."""
    found: list[tuple[str, Change]] = []
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        found.append((f"{type(node.ops[0]).__name__} becomes {other.__name__}", Change(node.ops, 0, other())))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not isinstance(node.left, ast.Name | ast.Constant | ast.Subscript):
        found.append(
            (f"{type(node.op).__name__} becomes {OPERATORS[type(node.op)].__name__}", Change(node, "op", OPERATORS[type(node.op)]()))
        )
    if isinstance(node, ast.BoolOp):
        other_op: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        found.append((f"{type(node.op).__name__} becomes {type(other_op).__name__}", Change(node, "op", other_op)))
    if isinstance(node, ast.IfExp | ast.If):
        found.append(("the condition is turned round", Change(node, "test", ast.UnaryOp(ast.Not(), node.test))))
    if isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.Slice):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Constant) and type(child.value) is int:
                found.append((f"{child.value} becomes {child.value + 1}", Change(child, "value", child.value + 1)))
    return found


@dataclass(frozen=True, slots=True)
class Change:
    """Puts a value into an attribute of a node or a place of a list when it is called."""

    owner: object
    place: str | int
    value: object

    def __call__(self) -> None:
        if isinstance(self.owner, list) and isinstance(self.place, int):
            self.owner[self.place] = self.value
        else:
            setattr(self.owner, str(self.place), self.value)
