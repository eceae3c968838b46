"""A mutant differs from its module in one place and is still a program."""

import ast

from tests.mutation.mutants import make_mutants

SOURCE = '''"""A module."""

LIMIT = 3


def choose(values: list[int], most: int = 5) -> int:
    """Return a number."""
    if len(values) < most and values:
        return max(values[1:]) + sum(values) * 2
    return 0 if not values else 1
'''


def test_each_mutant_differs_in_one_place_and_is_a_program() -> None:
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    mutants = list(make_mutants(SOURCE))
    assert len({mutant.source for mutant in mutants}) == len(mutants)
    for mutant in mutants:
        changed = [(old, new) for old, new in zip(plain, mutant.source.splitlines(), strict=True) if old != new]
        assert len(changed) == 1, mutant.what
        compile(mutant.source, "mutant", "exec")


def test_all_kinds_of_changes_are_made() -> None:
    what = [mutant.what for mutant in make_mutants(SOURCE)]
    assert {"Lt becomes LtE", "And becomes Or", "the condition is turned round", "Add becomes Sub", "1 becomes 2", "2 becomes 3"} <= set(
        what
    )
    assert not any(each.startswith(("3 becomes", "5 becomes")) for each in what), "constants of modules and defaults are left alone"
